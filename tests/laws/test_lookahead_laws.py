"""Computing ahead changes nothing but the time: the same questions to the bit, and what was not foreseen is dropped."""

import pytest

from prefero import Choice, Real, Space, Study
from prefero.study.lookahead import FORESEEN, Lookahead
from tests.strategies import each_proposer, proposer_of, session_of

SAID = ["a", "b", "same", "a", "skipped", "b", "b", "a", "same", "b", "a", "a", "skipped", "b", "a", "b", "b", "a"]
SPACE = Space({"x": Real(0, 1), "y": Real(0.1, 10, log=True), "kind": Choice(["u", "v", "w"])})


def begun(proposer: str) -> Study:
    return Study(SPACE, comparisons=20, seed=3, proposer=proposer_of(proposer, SPACE))


def say(study: Study, said: str) -> None:
    question = study.waiting.get("")
    study.skip(question) if said == "skipped" else study.tell(question, said)


@each_proposer
def test_the_questions_are_those_that_would_have_been_asked_anyway(proposer):
    plain, quick = begun(proposer), begun(proposer)
    plain.ask(), quick.ask()
    for said in SAID[: 9 if proposer == "pbo" else None]:  # it is slow
        before = quick.log.records
        foreseen = {each: Lookahead.of(quick).after(each) for each in FORESEEN}
        assert quick.log.records == before
        for study in (plain, quick):
            say(study, said)
        assert foreseen[said].branch(quick.log.records)
        assert plain.ask() == quick.ask(ahead=foreseen[said])
    assert plain.best == quick.best
    assert [e for e in plain.log.events if type(e).__name__ == "Asked"] == [
        e for e in quick.log.events if type(e).__name__ == "Asked"
    ]


def test_a_foreseen_question_is_used_where_it_fits(monkeypatch):
    study = begun("glisp")
    study.ask()
    foreseen = Lookahead.of(study).after("a")
    say(study, "a")
    monkeypatch.setattr(session_of(study), "propose", None)  # it would have to be called
    assert study.ask(ahead=foreseen).step == 1


@pytest.mark.parametrize("what", ["another answer", "another event", "another study", "another judge"])
def test_what_was_not_foreseen_is_dropped(what):
    study, twin = begun("glisp"), begun("glisp")
    for each in (study, twin):
        each.ask()
    foreseen = Lookahead.of(study).after("a")
    if what == "another judge":
        study.ask("bob"), twin.ask("bob")
    for each in (study, twin):
        say(each, "b" if what == "another answer" else "a")
    if what == "another event":
        study.log.correct(0, "b"), twin.log.correct(0, "b")
    if what == "another study":
        study = begun("glisp")
        study.ask()
        say(study, "a")
    assert not foreseen.branch(study.log.records)
    assert study.ask(ahead=foreseen) == twin.ask()


def test_measurements_between_do_not_matter():
    study = begun("glisp")
    question = study.ask()
    foreseen = Lookahead.of(study).after("a")
    study.measure(question.a, {"overshoot": 1.0})
    say(study, "a")
    study.measure(question.b, {"overshoot": 2.0})
    assert foreseen.branch(study.log.records)


def test_nothing_is_foreseen_where_nothing_waits():
    assert Lookahead.of(begun("glisp")) is None
