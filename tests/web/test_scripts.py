"""Scripts are sent shorter, and do the same."""

import re
import shutil
import subprocess

import pytest

from prefero.web.scripts import shortened
from prefero.web.static import FOLDER

MODULES = sorted(FOLDER.glob("*.js"))


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("// why\n  const a = 1; // here\n", "let a=1;"),
        ("{\n  f();\n}\nconst a = 1;\n}\nb();", "{f()}let a=1}\nb();"),
        ("{ f(); g(a, [b, c,],); }", "{f();g(a,[b,c])}"),
        ("[a, , ] + [, ] + '; }'", "[a,,]+[,]+'; }'"),
        ("{\n\n  a\n  (b,\n c)\n}\n", "{a\n(b,c)\n}\n"),
        ('say("a // b,  c");', 'say("a // b,  c");'),
        ('x = `a  ${ b ? `c , ${ d }` : "e  }" }  f // g`;', 'x=`a  ${b?`c , ${d}`:"e  }"}  f // g`;'),
        ("x = `\\` ${ { a: { b } } } `;", "x=`\\` ${{a:{b}}} `;"),
        ("return / +[/ ]/.test(a) ? b / c : d / e;", "return/ +[/ ]/.test(a)?b/c:d/e;"),
        ("a + +b - -c + d++ + e", "a+ +b- -c+d++ +e"),
        ("for (const a of b) if (a in c) return - 1;", "for(let a of b)if(a in c)return-1;"),
        ('text.replace(/"/g, \'"\') // "', "text.replace(/\"/g,'\"')"),
    ],
)
def test_what_means_something_stays(written, sent):
    assert shortened(written) == sent


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.name)
def test_every_module_stays_a_module_with_the_same_texts(file):
    written = file.read_text(encoding="utf-8")
    sent = shortened(written)
    assert shortened(sent) == sent
    code = re.sub(r"(?m)^\s*//.*$| // .*$", "", written)
    assert _bare(sent) == _bare(code)
    node = shutil.which("node")
    assert node, "the checks of the page need node: make setup installs it"
    subprocess.run([node, "--check", "--input-type=module", "-"], input=sent.encode(), check=True)


def _bare(code):
    """Without blanks, without the marks that a closing bracket makes needless, and with one word for let and const."""
    return re.sub(r"[;,](?=[)}\]])", "", re.sub(r"\s", "", re.sub(r"\bconst\b", "let", code)))
