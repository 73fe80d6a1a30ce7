"""Methods and suites that somebody brings in a file: those of docs/how-to-beat-this.md work as printed."""

import re
from pathlib import Path

import pytest

from benchmarks import bbob, named, results
from benchmarks.environments import ROOT
from benchmarks.methods import FILE_DRIVER, in_file
from benchmarks.named import FileError
from benchmarks.problems import range_of
from benchmarks.results import Run

PAGE = (ROOT / "docs" / "how-to-beat-this.md").read_text(encoding="utf-8")
METHOD, SUITE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(autouse=True)
def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named, "EXTRA", {})


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    for name, text in (("my_method.py", METHOD), ("my_suite.py", SUITE)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / "my_method.py", tmp_path / "my_suite.py"


def test_a_method_and_a_suite_of_the_page_get_the_tables(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    method, suite = files
    out = tmp_path / "raw.jsonl"
    command = ["random", str(method), "--suite", str(suite), "--instances", "1-3", "--jobs", "1"]
    assert bbob.main([*command, "--out", str(out)]) == 0
    runs = results.read(out)
    assert {run.status for run in runs} == {"ok"}
    assert {run.key for run in runs} == {
        (m, problem, seed, "exact")
        for m in ("random", str(method))
        for problem in ("bowl", "valley")
        for seed in (1, 2, 3)
    }
    assert {run.samples[-1] for run in runs} == {12}
    text = capsys.readouterr().out
    for words in ("within 5 %", "answers to 5 %", "equal questions", "equal samples", "Digits", str(method)):
        assert words in text
    assert bbob.main(["--suite", str(suite), "--report", str(out)]) == 0
    assert capsys.readouterr().out == text


def test_shares_of_a_suite_are_parts_of_its_range_in_every_table(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, suite = files
    (bowl, _), out = named.suite_in(suite), tmp_path / "raw.jsonl"
    regret = 0.04 * range_of(bowl)  # as it was measured, it is less than 0.04
    for seed in (1, 2):
        results.append(out, Run("random", "bowl", seed, "exact", [regret], [0.0], 2, [0.0, 0.0], samples=[2]))
    assert bbob.main(["--suite", str(suite), "--report", str(out)]) == 0
    text = capsys.readouterr().out
    assert re.search(r"^random +2 +1 +0 % \[0, 0\] +100 %", text, re.MULTILINE)
    assert re.search(r"^all +random +2 +0\.0 +100\.0 +-1\.398", text, re.MULTILINE)


def test_the_tables_name_who_is_told_numbers(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    method, suite = files
    told, out = tmp_path / "told.py", tmp_path / "raw.jsonl"
    told.write_text("NUMBERS = True\n" + METHOD, encoding="utf-8")
    for name in ("random", str(method), str(told), str(tmp_path / "gone.py")):
        results.append(out, Run(name, "bowl", 1, "exact", [1.0], [0.0], 2, [0.0, 0.0], samples=[2]))
    assert bbob.main(["--suite", str(suite), "--report", str(out)]) == 0
    assert f"Told numbers, so no contestant: {told}." in capsys.readouterr().out


def test_a_report_of_rows_whose_suite_is_not_named_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "raw.jsonl"
    results.append(out, Run("random", "bowl", 1, "exact", [1.0], [0.0], 2, [0.0, 0.0]))
    assert bbob.main(["--report", str(out)]) == 2
    assert "no problem is named bowl; --suite FILE brings" in capsys.readouterr().err


def test_a_file_says_what_it_needs_without_being_run(tmp_path: Path) -> None:
    file = tmp_path / "told.py"
    file.write_text('import no_such_package\nENVIRONMENT = "botorch"\nNUMBERS = True\n\ndef solve(start, judge): ...\n')
    method = in_file(file)
    assert (method.driver, method.environment, method.is_told_numbers) == (FILE_DRIVER, "botorch", True)
    assert not method.constraints


@pytest.mark.parametrize(
    ("text", "needle"),
    [(None, "no such file"), ("def solve(", "was never closed"), ("x = 1", "must define solve(start, judge)")],
)
def test_a_method_that_cannot_be_used_is_one_line(
    text: str | None, needle: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.py"
    if text is not None:
        file.write_text(text)
    assert bbob.main([str(file), "--out", str(tmp_path / "raw.jsonl")]) == 2
    error = capsys.readouterr().err
    assert needle in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        (None, "no such file"),
        ("1 / 0", "ZeroDivisionError"),
        ("PROBLEMS = [3]", "must be a list of benchmarks.problems.Problem"),
        (SUITE.replace('"bowl"', '"ackley"'), "another problem named ackley"),
        (SUITE.replace('"bowl"', '"valley"'), "another problem named valley"),
    ],
)
def test_a_suite_that_cannot_be_used_says_why(text: str | None, needle: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    if text is not None:
        file.write_text(text)
    with pytest.raises(FileError, match=re.escape(needle)):
        named.suite_in(file)
