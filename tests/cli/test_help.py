"""What a shell and a hurried person see: help, completion, and a command that starts without the heavy parts."""

import os
import subprocess
import sys

import pytest

from prefero import __version__, cli


def test_alone_it_shows_its_commands(prefero):
    out = prefero().fine().out
    assert out.strip() == prefero("--help").fine().out.strip()
    for word in ("compare", "Answer questions one after another", "PREFERO_STUDY"):
        assert word in out


def test_its_version(prefero):
    assert prefero("--version").fine().out == f"prefero {__version__}\n"


def test_help_of_a_command_ends_with_examples(prefero):
    out = prefero("answer", "--help").fine().out
    assert "Examples:" in out
    assert "prefero answer a" in out


def test_piped_help_has_no_colours(program, monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert "\x1b" not in program("--help").fine().out


@pytest.mark.parametrize(
    ("words", "offered"),
    [("prefero st", {"studies", "status"}), ("prefero status c", {"coffee"}), ("prefero export --format ", {"pairs", "json"}),
     ("prefero answer s", {"same"}), ("prefero demo s", {"suspension"}), ("prefero delete ", {"coffee"})],
)  # fmt: skip
def test_a_shell_completes_commands_and_studies(coffee, completed, words, offered):
    assert offered <= completed(words)


def test_without_a_database_a_shell_is_offered_nothing(here, completed):
    assert completed("prefero status ") == set()


@pytest.fixture
def completed(monkeypatch, capsys):
    """What bash is offered after some words."""

    def offered(words: str) -> set[str]:
        monkeypatch.setenv("_PREFERO_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
        capsys.readouterr()
        with pytest.raises(SystemExit):
            cli.run()
        out, err = capsys.readouterr()
        assert err == ""
        return set(out.split())

    return offered


def test_the_module_is_the_command():
    ran = subprocess.run([sys.executable, "-m", "prefero", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"prefero {__version__}\n"


def test_help_needs_none_of_the_heavy_parts():
    code = "import sys\nfrom prefero import cli\ncli.run(['--help'])\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ran.stderr.split())
    assert "typer" in loaded
    assert not loaded & {
        "numpy",
        "scipy",
        "sqlalchemy",
        "starlette",
        "uvicorn",
        "matplotlib",
        "pandas",
        "prefero.cli.demos",
        "rich.progress",
    }


def test_the_codes_are_those_that_are_documented():
    assert (cli.SUCCESS, cli.FAILURE, cli.USAGE_ERROR, cli.EXHAUSTED, cli.INTERRUPTED) == (0, 1, 2, 3, 130)


@pytest.mark.parametrize(("given", "found"), [(None, "1"), ("3", "3")])
def test_the_command_computes_with_one_thread_unless_told_otherwise(monkeypatch, given, found):
    monkeypatch.setattr(sys, "argv", ["prefero", "--version"])
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "to be put back")
    if given is None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    else:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", given)
    with pytest.raises(SystemExit):
        cli.main()
    assert os.environ["OPENBLAS_NUM_THREADS"] == found
