"""What kinds of answer are worth: the budgets, the people, and runs that are made once."""

import numpy as np
import pytest

import prefero as pf
from benchmarks import kinds, voices
from benchmarks.blackbox import problem_of
from benchmarks.kinds import Run

SPHERE = problem_of(1, 2, 1)


def run(kind="plain", same="questions", person="consistent", proposer="glisp"):
    return Run(proposer, kind, person, same, 2, 1, 1)


@pytest.mark.parametrize(
    ("kind", "same", "questions"),
    [
        ("plain", "questions", 29),
        ("rank 4", "questions", 29),
        ("rank 4", "samples", 10),
        ("insert among 3", "samples", 29),
        ("rank 4", "seconds", 8),
        ("strengths", "seconds", 23),
        ("chosen", "20/35", 20),
    ],
)
def test_budgets(kind, same, questions):
    assert run(kind, same).questions == questions


def test_what_a_run_is_compared_with():
    assert run("rank 4", "seconds").pairs == run()
    assert run("chosen", "20/35").pairs.questions == 35


def test_people_feel_what_their_table_says():
    x, y = np.array([0.0, 0.0]), np.array([2.0, 1.0])

    def felt(person, question=0, questions=10):
        voice = voices.Voice(person, SPHERE, questions, np.random.default_rng(1))
        voice.asked = question
        return voice(x, y)

    exact = np.array([SPHERE(x), SPHERE(y)])
    np.testing.assert_array_equal(felt("consistent"), exact)
    np.testing.assert_array_equal(felt("tired"), exact)
    assert (felt("tired", 9) != exact).all()
    assert (felt("noise") != exact).all()
    np.testing.assert_allclose(felt("ties"), exact, atol=voices.SAME / 2 + 1e-12)
    assert (felt("drifting") != exact).all()
    np.testing.assert_array_equal(felt("drifting", 9), exact)
    np.testing.assert_array_equal(felt("two camps", 1), exact)
    assert (felt("two camps", 0) != exact).all()
    camps = voices.target("two camps", SPHERE)
    assert camps is voices.target("two camps", SPHERE)
    assert min(camps(z) for z in np.random.default_rng(0).uniform(-5, 5, (200, 2))) > -1e-6


def test_a_person_who_sees_ties_feels_differences_in_parts_of_the_range():
    x = np.array([0.0, 0.0])
    near = next(x + d for d in np.linspace(0, 5, 500) if SPHERE(x + d) > SPHERE(x) + 2 * voices.SAME)

    def said(says, y):
        return says(voices.Voice("ties", SPHERE, 10, np.random.default_rng(1)))(x, y)

    assert (said(voices.strengths, near), said(voices.strengths, x)) == (-1, 0)
    assert (said(voices.doubts, near), said(voices.doubts, x)) == (pf.unsure(-1), pf.unsure(0))


@pytest.mark.parametrize("kind", ["plain", "strengths", "ratings", "doubts", "rank 3", "chosen"])
def test_a_run_of_every_kind(kind):
    line = kinds.made(run(kind, "4/5"))
    assert line["questions"] == 4
    assert float(str(line["regret"])) >= 0


def test_runs_are_made_once_and_reported(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(kinds, "FUNCTIONS", (1, 2))
    out = ["--out", str(tmp_path / "runs.jsonl"), "--instances", "1", "--proposer", "glisp", "--same", "4/5"]
    assert kinds.main(["best of 3", *out]) == 0
    lines = (tmp_path / "runs.jsonl").read_text().splitlines()
    assert len(lines) == 4
    table = capsys.readouterr().out
    assert "| `glisp` | consistent | 4/5 | best of 3 | 2 |" in table
    assert kinds.main(["best of 3", *out]) == 0
    assert (tmp_path / "runs.jsonl").read_text().splitlines() == lines
    assert capsys.readouterr().out == table
    for wrong in (["--same", "minutes"], ["--processes", "0"]):
        with pytest.raises(SystemExit):
            kinds.main(["best of 3", *wrong])


def test_differences_that_nobody_sees_do_not_count():
    small, smaller = np.array([1e-4, 1e-2, 1e-2]), np.array([1e-5, 1e-3, 1e-2])
    assert kinds.in_logs(small, smaller, 1e-3) == "+0.333 ± 0.333"
    assert kinds.in_logs(small, smaller, 1e-6) == "+0.667 ± 0.333"
