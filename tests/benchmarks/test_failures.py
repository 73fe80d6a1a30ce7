"""Unknown constraints: the problems are what they say, and our methods can be asked about them."""

import numpy as np
import pytest

from benchmarks import failures
from benchmarks.unknown import PROBLEMS


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_least_value_is_the_least_where_nothing_fails(name: str) -> None:
    problem = PROBLEMS[name]
    X = np.random.default_rng(0).uniform(problem.lower, problem.upper, (40_000, len(problem.lower)))
    values = [problem.value(x) for x in X.tolist() if problem.works(x)]
    unit = np.median(values) - problem.least
    assert 0.001 < len(values) / len(X) < 1  # some fail, and not all
    assert -1e-4 * unit < min(values) - problem.least < 0.06 * unit


def test_a_study_of_what_may_fail_recommends_what_works(monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    plain = failures.pf.Study.fail
    monkeypatch.setattr(failures.pf.Study, "fail", lambda study, *given: told.append(given[1]) or plain(study, *given))
    failed, regret = failures.conversation(PROBLEMS["square"], "glisp", seed=1, answers=12)
    assert failed == len(told) > 0
    assert 0 <= regret < np.inf


def test_the_command_prints_a_line_for_each_problem_and_method(capsys: pytest.CaptureFixture[str]) -> None:
    failures.main(["--problems", "square", "--methods", "posterior", "glisp", "--seeds", "1", "--answers", "6"])
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split()[:2] == ["problem", "method"]
    assert [line.split()[:2] for line in lines] == [["square", "posterior"], ["square", "glisp"]]
