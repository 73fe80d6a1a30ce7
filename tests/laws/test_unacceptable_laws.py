"""Not acceptable: it works, and nobody would take it. It is learned as a failure is, and the other candidate is better."""

import numpy as np
import pytest

import prefero as pf
from prefero.errors import AnswerError

SPACE = pf.Space.box([0, 0], [1, 1])


@pytest.mark.parametrize("proposer", ["posterior", "glisp", "pbo"])
@pytest.mark.parametrize("side", ["a", "b"])
def test_the_other_one_is_better_and_the_rejected_one_is_never_seen_again(proposer, side):
    study = pf.Study(SPACE, comparisons=9, seed=3, proposer=proposer)
    question = study.ask()
    rejected, other = (question.a, question.b) if side == "a" else (question.b, question.a)
    study.tell(question, f"{side} unacceptable")
    assert study.history.answered == 1
    assert study.best == other
    assert study.answers[0].answer == f"{side} unacceptable"
    for _ in range(8):
        question = study.ask()
        assert rejected not in (question.a, question.b)
        study.tell(question, "a")
        assert study.best != rejected


def test_neither_is_no_comparison_and_rules_out_both():
    study = pf.Study(SPACE, comparisons=9, seed=3)
    question = study.ask()
    study.tell(question, "neither")
    assert (study.history.answered, study.best) == (0, None)
    assert set(study.history.failed) == {0, 1}
    assert not {question.a, question.b} & {study.ask().a, study.ask().b}


@pytest.mark.parametrize("proposer", ["posterior", "glisp"])
def test_it_replays_undoes_removes_and_restores(proposer):
    study = pf.Study(SPACE, comparisons=9, seed=3, proposer=proposer)
    for said in ("a", "b unacceptable", "neither", "a"):
        study.tell(study.ask(), said)
    again = pf.Study.from_json(study.to_json())
    assert again.history.comparisons == study.history.comparisons
    assert again.history.failed == study.history.failed
    assert again.ask() == study.ask()
    study.log.remove(1)
    assert len(study.history.failed) == 2
    study.log.restore(1)
    assert len(study.history.failed) == 3
    study.undo()
    before = study.history.failed
    study.undo()
    assert before
    assert study.history.failed == before[:1]
    assert study.waiting[""].step == 2


@pytest.mark.parametrize("proposer", ["posterior", "glisp"])
def test_sides_do_not_matter(proposer):
    one, other = (
        pf.Study(SPACE, comparisons=9, seed=3, proposer=proposer, sides=s) for s in ("random", "incumbent first")
    )
    for study in (one, other):
        for _ in range(4):
            question = study.ask()
            rejected = max(question.sides, key=lambda side, shown=question.sides: np.asarray(shown[side])[0])
            study.tell(question, f"{rejected} unacceptable")
    assert [e.answer for e in one.answers] != [e.answer for e in other.answers]
    assert one.history.comparisons == other.history.comparisons
    assert one.history.failed == other.history.failed
    assert (one.best, set(one.ask().sides.values())) == (other.best, set(other.ask().sides.values()))


def test_another_judge_is_not_asked_about_it():
    study = pf.Study(SPACE, comparisons=9, seed=3)
    mine = study.ask("Ada")
    theirs = study.enqueue(mine.a, "Bob")
    assert theirs in study.waiting.values()
    study.tell(mine, "neither", judge="Ada")
    assert theirs not in study.waiting.values()


@pytest.mark.parametrize("said", ["unacceptable", "c unacceptable", "A unacceptable", "none"])
def test_a_wrong_word_stores_nothing(said):
    study = pf.Study(SPACE, comparisons=9, seed=3)
    question, before = study.ask(), study.to_json()
    with pytest.raises(AnswerError, match="answer"):
        study.tell(question, said)
    assert study.to_json() == study.to_json() == before


def test_a_pair_of_one_s_own_takes_no_such_answer():
    study = pf.Study(SPACE, comparisons=9, seed=3)
    with pytest.raises(AnswerError, match="answer"):
        study.tell(([0.1, 0.1], [0.2, 0.2]), "neither")


@pytest.mark.parametrize("proposer", ["posterior", "glisp"])
def test_optimize_learns_what_nobody_would_take(proposer):
    def prefer(a, b):
        bad = [x[0] > 0.6 for x in (a, b)]
        if any(bad):
            return "neither" if all(bad) else "a unacceptable" if bad[0] else "b unacceptable"
        return -1 if np.sum((a - 0.55) ** 2) < np.sum((b - 0.55) ** 2) else 1

    result = pf.optimize(prefer, ([0, 0], [1, 1]), comparisons=20, seed=1, proposer=proposer)
    assert result.x[0] <= 0.6
    assert np.linalg.norm(result.x - 0.55) < 0.2


def test_optimize_ends_if_nothing_is_acceptable():
    result = pf.optimize(lambda a, b: "neither", ([0, 0], [1, 1]), comparisons=5, seed=1)
    assert result.best is None
    assert result.n_comparisons == 0


@pytest.mark.parametrize("kind", ["pair", "best of 4"])
def test_it_can_be_corrected_to_an_answer_and_back(kind):
    study = pf.Study(SPACE, comparisons=9, seed=3, kind=kind)
    for side in "aba":
        study.tell(study.ask(), side if kind == "pair" else f"best {side}")
    before, theirs = study.history.comparisons, study.enqueue(study.log.question(1).b, "Bob")
    study.log.correct(1, "b unacceptable")
    assert study.answers[1].corrected
    assert study.log.question(1).b in [study.candidates[k] for k in study.history.failed]
    assert theirs not in study.waiting.values()
    study.log.correct(1, "neither")
    assert (len(study.history.failed), study.history.answered) == (2 if kind == "pair" else 4, 2)
    again = pf.Study.from_json(study.to_json())
    assert again.history.comparisons == study.history.comparisons
    assert again.history.failed == study.history.failed
    assert again.ask() == study.ask()
    stored = study.to_json()
    for wrong in ("e unacceptable", pf.unsure("neither"), pf.unsure("a unacceptable"), pf.rated("b", a=3)):
        with pytest.raises(AnswerError, match=r"answer|sure"):
            study.log.correct(1, wrong)
    assert study.to_json() == stored
    study.log.correct(1, "b" if kind == "pair" else "best b")
    assert (study.history.failed, study.history.comparisons) == ((), before)
