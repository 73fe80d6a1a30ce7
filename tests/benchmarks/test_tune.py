"""The race: what is clearly behind leaves it, and nothing is chosen on what is reported."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import bbob, results, tune
from benchmarks.results import Run


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Few samples and functions."""
    monkeypatch.setitem(bbob.SAMPLES, 2, 6)
    monkeypatch.setattr(tune, "TRAINING", [1, 3])
    monkeypatch.setattr(tune, "TEST", [2, 20])
    bbob.problem_of.cache_clear()
    yield
    bbob.problem_of.cache_clear()


def runs(name: str, regrets: list[float]) -> list[Run]:
    return [Run(name, f"f{k:02d}-2d-i01", k, "exact", [r], [0.0], 1, [0.0]) for k, r in enumerate(regrets, start=1)]


def test_a_setting_leaves_the_race_only_if_it_is_clearly_behind() -> None:
    made = {
        "far behind": runs("far behind", [0.5, 0.6, 0.4, 0.5]),
        "leader": runs("leader", [0.01, 0.02, 0.01, 0.02]),
        "uncertain": runs("uncertain", [0.001, 0.5, 0.01, 0.02]),
    }
    assert tune.survivors(made) == ["leader", "uncertain"]


def test_one_run_is_no_reason_to_leave() -> None:
    made = {"a": runs("a", [0.5]), "b": runs("b", [0.01])}
    assert tune.survivors(made) == ["b", "a"]


def test_both_halves_have_functions_of_every_class() -> None:
    assert sorted(tune.TRAINING + tune.TEST) == list(bbob.FUNCTIONS)
    for functions in bbob.CLASSES.values():
        assert set(functions) & set(tune.TRAINING)
        assert set(functions) & set(tune.TEST)


def test_the_listed_settings_are_settings_of_the_default() -> None:
    assert list(tune.read_settings(None)) == [tune.BASELINE, *tune.SETTINGS]


def test_the_choice_is_made_and_reported_on_different_functions_and_instances(
    small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings, out = tmp_path / "settings.json", tmp_path / "raw.jsonl"
    settings.write_text(json.dumps({"noisy": {"noise": 0.3}, "linear": {"linear": True}}))
    command = [str(settings), "--training", "1-2", "--test", "3", "--dimensions", "2", "--all", "--out", str(out)]
    assert tune.main(command) == 0
    made = results.read(out)
    cases = {(bbob.function_of(run.problem), run.problem[-2:]) for run in made}
    assert cases == {(1, "01"), (1, "02"), (3, "01"), (3, "02"), (2, "03"), (20, "03")}
    assert {run.method for run in made} == {"default", 'posterior:{"noise": 0.3}', 'posterior:{"linear": true}'}
    text = capsys.readouterr().out
    assert "Race on functions 1, 3, instances 1, 2" in text
    assert "Report on functions 2, 20, instances 3" in text
    assert text.count("Chosen: ") == 1
    before = out.read_text()
    assert tune.main([*command, "--resume"]) == 0
    assert out.read_text() == before
    assert capsys.readouterr().out == text


@pytest.mark.parametrize(
    ("settings", "more", "needle"),
    [
        ("{", [], "must be a JSON file"),
        ("[1]", [], "must be an object of named settings"),
        ('{"default": {}}', [], "without default"),
        ('{"odd": 3}', [], "odd: settings of posterior: must be a JSON object"),
        ('{"odd": {"no_such": 3}}', [], "odd: settings of posterior"),
        ('{"odd": {}}', ["--training", "1-3", "--test", "3"], "no instance in common"),
        ('{"odd": {}}', ["--test", "41"], "--test 41: allowed are 1 to 40"),
        ('{"odd": {}}', ["--noise", "loud"], "--noise loud"),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_code_2(
    settings: str, more: list[str], needle: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "settings.json"
    file.write_text(settings)
    assert tune.main([str(file), *more, "--out", str(tmp_path / "raw.jsonl")]) == 2
    captured = capsys.readouterr()
    assert needle in captured.err
    assert captured.err.count("\n") == 1
    assert not (tmp_path / "raw.jsonl").exists()
