"""Scripts are sent with short names, and do the same."""

import itertools
import re
import shutil
import subprocess

import pytest

from prefero.web.names import renamed, tokens_of
from prefero.web.scripts import shortened
from prefero.web.static import FOLDER

MODULES = sorted(FOLDER.glob("*.js"))


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("const number=1;f(number+number);", "const a=1;f(a+a);"),
        ("let number=`${number} number ${`number ${[number]}`}`;", "let a=`${a} number ${`number ${[a]}`}`;"),
        ("const number=\"number 'number'\",pattern=/number/;", "const a=\"number 'number'\",pattern=/number/;"),
        (
            "function made(number){const number=1;const other=number;return other}",
            "function c(a){const a=1;const b=a;return b}",
        ),
        ("const a=1,b=2;const number=a;", "const a=1,b=2;const c=a;"),  # names that are there already
        (
            "export const number=1;export async function made(){}",
            "export const number=1;export async function made(){}",
        ),
        ("const number=1;x.number=2;", "const number=1;x.number=2;"),
        ("const number=1;f({number,b});", "const number=1;f({number,b});"),
        ("const number=1;const {b,number=2}=x;", "const number=1;const {b,number=2}=x;"),
        ("const number=1;f({number:2});", "const number=1;f({number:2});"),
        ("const made=1;class X{x(){}made(){}}", "const made=1;class X{x(){}made(){}}"),
        ("const made=1;class X{get made(){}}", "const made=1;class X{get made(){}}"),
        ('import {number} from "x";const number=1;', 'import {number} from "x";const number=1;'),
        ("const history=1;history.back();", "const history=1;history.back();"),
    ],
)
def test_a_name_is_shortened_wherever_it_stands_or_nowhere(written, sent):
    assert renamed(written) == sent


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.name)
def test_every_module_stays_a_module_with_the_same_texts_and_exports(file):
    written = shortened(file.read_text(encoding="utf-8"))
    assert "".join(token.text for token in tokens_of(written)) == written
    sent = renamed(written)
    assert _kept(sent) == _kept(written)
    node = shutil.which("node")
    assert node, "the checks of the page need node: make setup installs it"
    subprocess.run([node, "--check", "--input-type=module", "-"], input=sent.encode(), check=True)


def _kept(script: str) -> list[str]:
    """Texts, patterns, properties, and what is imported and exported."""
    tokens = tokens_of(script)
    texts = [token.text for token in tokens if token.kind in ("text", "said", "pattern")]
    properties = [after.text for before, after in itertools.pairwise(tokens) if before.text == "."]
    return texts + properties + re.findall(r"\b(?:import|export)\b[^;(=]*", script)
