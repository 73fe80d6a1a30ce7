"""The file that is served: what it may say, and one clear line where it is wrong."""

import pytest

from prefero import Catalogue
from prefero.errors import InputError
from prefero.web.rendering.tuning import SECONDS, read

PLAIN = "import prefero as pf\nspace = pf.Space({'x': pf.Real(0, 1)})\n"


@pytest.fixture
def written(tmp_path):
    def write(text, name="tuning.py"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_space_is_enough(written):
    tuning = read(written(PLAIN, "my tuning.py"))
    assert (tuning.name, tuning.question, tuning.render, tuning.seconds, tuning.settings) == (
        "my tuning", None, None, SECONDS, {},
    )  # fmt: skip


def test_everything_can_be_said(written):
    text = PLAIN + (
        "name = 'walls'\nquestion = 'Which?'\ncomparisons = 12\nseed = 3\nproposer = 'posterior'\nseconds = 5\nworkers = 2\n"
        "sides = 'incumbent first'\nmax_step = {'x': 0.5}\nstart = [{'x': 0.2}]\n"
        "def render(candidate):\n    return 'x'\ndef prefer(a, b):\n    return 'a'\n"
    )
    tuning = read(written(text))
    assert (tuning.name, tuning.question, tuning.seconds, tuning.workers) == ("walls", "Which?", 5.0, 2)
    assert set(tuning.settings) == {"comparisons", "seed", "proposer", "sides", "max_step", "start"}
    assert tuning.render({}) == "x"
    assert tuning.prefer({}, {}) == "a"


def test_it_imports_what_lies_beside_it_and_has_a_module_of_its_own(written):
    written("HIGH = 3\n", "beside_the_tuning.py")
    text = (
        "from dataclasses import dataclass\nfrom beside_the_tuning import HIGH\nimport prefero as pf\n"
        "@dataclass\nclass Row:\n    x: 'float' = HIGH\nspace = pf.Catalogue([vars(Row()), vars(Row(4))])\n"
        "assert __name__ != '__main__'\n"
    )
    assert isinstance(read(written(text)).space, Catalogue)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\nspace = [\n", ", line 2: '[' was never closed"),
        ("import prefero\n1 / 0\n", ", line 2: ZeroDivisionError: division by zero"),
        ("def f():\n    raise KeyError('k')\nf()\n", ", line 2: KeyError: 'k'"),
        ("import nowhere_to_be_found\n", ", line 1: ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        ("import sys\nsys.exit(3)\n", ", line 2: SystemExit: 3"),
        ("import prefero as pf\n\nspace = pf.Space({'x': pf.Real(1, 0)})\n", ", line 3: "),
        ("x = 1\n", ": space is missing; allowed: a pf.Space or a pf.Catalogue"),
        ("space = 3\n", ": space is 3; allowed:"),
        (PLAIN + "name = 3\n", ": name is 3; allowed: a text"),
        (PLAIN + "question = ['x']\n", ": question is ['x']; allowed: a text"),
        (PLAIN + "render = 'x'\n", ": render is 'x'; allowed: a function"),
        (PLAIN + "seconds = 0\n", ": seconds is 0; allowed:"),
        (PLAIN + "workers = 0\n", ": workers is 0; allowed:"),
    ],
)
def test_a_mistake_is_one_line_with_the_file_the_line_and_what(written, text, words):
    path = written(text)
    with pytest.raises(InputError) as refused:
        read(path)
    said = str(refused.value)
    assert said.startswith(f"{path}{words}")
    assert "\n" not in said


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read(tmp_path / "tuning.py")
    (tmp_path / "tuning.py").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        read(tmp_path / "tuning.py")


def test_a_function_may_propose(written):
    tuning = read(written(PLAIN + "def proposer(history):\n    return history.points.mean(axis=0)\n"))
    assert callable(tuning.settings["proposer"])
