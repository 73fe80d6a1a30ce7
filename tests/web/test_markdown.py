"""Markdown as a page for a sandbox: what is marked is shown, and nothing in it is ever run or loaded."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefero.web import markdown

PIXEL = "data:image/png;base64,iVBORw0KGgo="
TAGS = "html|head|meta|title|style|body|p|br|h[1-6]|hr|blockquote|ul|ol|li|pre|code|strong|em|del|table|thead|tbody|tr|th|td|img"
PIECES = [*"ab <>\"'&*_`~#>-+1.|![]()\n\\:/", f"![x]({PIXEL})", "<b onclick=", "\n- ", "\n> ", "\n|-|-|\n"]
OURS = re.compile(r'<(img alt="" src="data:[^"]*"|\w+ dir="auto"|html lang="en"|meta [^<>]*)>')


def body(text: str) -> str:
    return re.sub(r' dir="auto"', "", markdown.page(text).partition("<body>\n")[2].partition("\n</body>")[0])


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# One\n\n### Three ###", "<h1>One</h1>\n<h3>Three</h3>"),
        ("one\ntwo  \nthree\n\nfour", "<p>one\ntwo<br>\nthree</p>\n<p>four</p>"),
        ("**bold**, *soft*, _soft_", "<p><strong>bold</strong>, <em>soft</em>, <em>soft</em></p>"),
        ("~~gone~~, snake_case_name", "<p><del>gone</del>, snake_case_name</p>"),
        ("`a < *b*` and ``c ` d``", "<p><code>a &lt; *b*</code> and <code>c ` d</code></p>"),
        ("```python\nx < 1\n# y\n```\nafter", "<pre>x &lt; 1\n# y</pre>\n<p>after</p>"),
        ("- one\n- two\n  - inner\n- three", "<ul><li>one</li><li>two\n<ul><li>inner</li></ul></li><li>three</li></ul>"),
        ("1. one\n2. two", "<ol><li>one</li><li>two</li></ol>"),
        ("> quoted\n> more", "<blockquote><p>quoted\nmore</p></blockquote>"),
        ("a |\n--|\n1 |", "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>"),
        ("---", "<hr>"),
        ("[here](https://example.org/?a=1&b=2)", "<p>here (https://example.org/?a=1&amp;b=2)</p>"),
        (f"![dot]({PIXEL}) ![far](https://example.org/x.png)", f'<p><img alt="dot" src="{PIXEL}"> far (https://example.org/x.png)</p>'),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
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


@pytest.mark.parametrize("text", ["**a " * 300_000, "> " * 4_000 + "x", "- " * 2_400 + "x", "`" * 4_000, "[" * 4_000])
def test_texts_made_to_be_slow_are_not(text):
    assert len(markdown.page(text)) > len(text) / 10


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
