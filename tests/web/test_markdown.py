"""Markdown as a page for a sandbox: what is marked is shown, and nothing in it is ever run or loaded."""

import json
import re
import subprocess
import sys
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefero.web import markdown

PIXEL = "data:image/png;base64,iVBORw0KGgo="
TAGS = "html|head|meta|title|style|body|p|br|h[1-6]|hr|blockquote|ul|ol|li|pre|code|strong|em|s|table|thead|tbody|tr|th|td|img"
PIECES = [*"ab <>\"'&*_`~#>-+1.|![]()\n\\:/", f"![x]({PIXEL})", "<b onclick=", "\n- ", "\n> ", "\n|-|-|\n"]
OURS = re.compile(
    r'<(img alt="" src="data:[^"]*"|\w+( style="text-align:(left|center|right)")? dir="auto"'
    r'|ol start="\d+"|html lang="en"|meta [^<>]*)>'
)


def body(text: str) -> str:
    """The body without directions, and without the line breaks between blocks."""
    html = markdown.page(text).partition("<body>\n")[2].partition("\n</body>")[0]
    return re.sub(r"(?<=>)\n(?=<)|\n(?=<ul>)", "", html.replace(' dir="auto"', ""))


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# One\n\n### Three ###", "<h1>One</h1><h3>Three</h3>"),
        ("one\ntwo  \nthree\n\nfour", "<p>one\ntwo<br>\nthree</p><p>four</p>"),
        ("**bold**, *soft*, _soft_", "<p><strong>bold</strong>, <em>soft</em>, <em>soft</em></p>"),
        ("~~gone~~, snake_case_name", "<p><s>gone</s>, snake_case_name</p>"),
        ("`a < *b*` and ``c ` d``", "<p><code>a &lt; *b*</code> and <code>c ` d</code></p>"),
        ("```python\nx < 1\n# y\n```\nafter", "<pre><code>x &lt; 1\n# y\n</code></pre><p>after</p>"),
        ("- one\n- two\n  - inner\n- three", "<ul><li>one</li><li>two<ul><li>inner</li></ul></li><li>three</li></ul>"),
        ("1. one\n2. two", "<ol><li>one</li><li>two</li></ol>"),
        ("> quoted\n> more", "<blockquote><p>quoted\nmore</p></blockquote>"),
        ("a |\n--|\n1 |", "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>"),
        ("---", "<hr>"),
        ("[here](https://example.org/?a=1&b=2)", "<p>here (https://example.org/?a=1&amp;b=2)</p>"),
        (f"![dot]({PIXEL}) ![far](https://example.org/x.png)", f'<p><img alt="dot" src="{PIXEL}"> far (https://example.org/x.png)</p>'),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("<https://example.org>", "<p>https://example.org</p>"),
        ("2. two\n3. three", '<ol start="2"><li>two</li><li>three</li></ol>'),
        ("[a]\n\n[a]: /far", "<p>[a]</p><p>[a]: /far</p>"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_is_marked_is_shown(text, html):
    assert body(text) == html


@given(st.lists(st.sampled_from(PIECES), max_size=150).map("".join))
def test_whatever_is_written_only_our_own_tags_come_out(text):
    page = re.sub(r'alt="[^"]*"', 'alt=""', markdown.page(text))
    assert all(re.fullmatch(TAGS, tag) for tag in re.findall(r"<\s*/?\s*([A-Za-z][^\s>/]*)", page))
    assert all(OURS.fullmatch(tag) for tag in re.findall(r"<\w[^<>]*>", page) if "=" in tag)


NASTY = ("# a{}x| ", "[", " _a", "**a ", "> ", "- ", "`a``", "![[](", "[![a](", "<a ", "*_", "|a", "&#", "\\")
"""What is repeated, with what stands around it, to make texts that slow parsers down."""


def nasty(pattern: str, length: int) -> str:
    around, _, repeated = pattern.rpartition("|") if "{}" in pattern else ("{}", "", pattern)
    return around.format(repeated * (length // len(repeated)))


def calls(text: str) -> int:
    """How many functions are called to make a page."""
    count = 0

    def counted(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(counted)
    try:
        markdown.page(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("pattern", NASTY)
def test_twice_the_text_is_at_most_about_twice_the_work(pattern):
    assert calls(nasty(pattern, 4_000)) <= 2.5 * calls(nasty(pattern, 2_000)) + 1_000


def test_texts_made_to_be_slow_are_done_long_before_a_minute_is_over():
    """Regular expressions work without calling anything: only time shows that they end."""
    texts = [nasty(pattern, 5_000) for pattern in NASTY]
    program = (
        "import json, sys; from prefero.web import markdown; [markdown.page(text) for text in json.load(sys.stdin)]"
    )
    subprocess.run([sys.executable, "-c", program], input=json.dumps(texts), text=True, check=True, timeout=60)


@pytest.mark.parametrize(
    "text",
    [
        "> " * markdown.DEEPEST + "deep",
        "- " * (markdown.DEEPEST // 2) + "deep",
        "a " * (markdown.MOST_MARKUP // 2) + "b",
    ],
)
def test_what_is_too_deep_or_too_long_is_shown_unformatted(text):
    assert body(text) == f"<pre>{escape(text)}</pre>"


def test_embedded_images_may_be_much_longer_than_the_text_around_them():
    image = "data:image/png;base64," + "A" * (markdown.LARGEST // 2)
    assert body(f"Look: ![big]({image})") == f'<p>Look: <img alt="big" src="{image}"></p>'
    assert body(f"![big]({image}{image})").startswith("<pre>")


def test_a_text_too_long_to_be_formatted_is_sent_in_pieces_as_it_is(owner, study, monkeypatch):
    owner.get(f"{study}/question")
    text, kind = b"# Title\n" * (markdown.LARGEST // 8 + 1), {"Content-Type": "text/markdown"}
    saved = owner.request("PUT", f"{study}/questions/0/a/files/text", body=text, headers=kind).json()
    monkeypatch.setattr(markdown, "page", None)  # nobody holds all of it
    page = owner.get(f"{study}/files/{saved['saved']['data']['files']['text']['digest']}?as=page")
    assert page.headers["content-type"] == "text/plain; charset=utf-8"
    assert page.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert page.body == text


def test_markdown_is_served_as_a_page_in_a_sandbox(owner, study):
    owner.get(f"{study}/question")
    text = b"# Title\n\n<script>alert(1)</script>"
    saved = owner.request(
        "PUT", f"{study}/questions/0/a/files/text", body=text, headers={"Content-Type": "text/markdown"}
    ).json()
    path = f"{study}/files/{saved['saved']['data']['files']['text']['digest']}"
    page = owner.get(f"{path}?as=page")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert b"<h1" in page.body
    assert b"<script" not in page.body
    assert owner.get(path).body == text
    assert owner.get(f"{path}?as=program").status == 422
