"""Computing ahead changes nothing but the time: the same questions to the bit, and what was not foreseen is dropped."""

import pytest

from prefero import Choice, Real, Space, Study
from prefero.foresight import SAYINGS

SAID = ["a", "b", "same", "a", "skipped", "b", "b", "a", "same", "b", "a", "a", "skipped", "b", "a", "b", "b", "a"]
SPACE = Space({"x": Real(0, 1), "y": Real(0.1, 10, log=True), "kind": Choice(["u", "v", "w"])})


def begun(proposer: str) -> Study:
    return Study(SPACE, comparisons=20, seed=3, proposer=proposer)


def say(study: Study, said: str) -> None:
    question = study.waiting
    study.skip(question) if said == "skipped" else study.tell(question, said)


@pytest.mark.parametrize("proposer", ["glisp", "posterior", "pbo"])
def test_the_questions_are_those_that_would_have_been_asked_anyway(proposer):
    plain, quick = begun(proposer), begun(proposer)
    plain.ask(), quick.ask()
    for said in SAID:
        before = quick.records
        foreseen = {each: quick.foresee().after(each) for each in SAYINGS}
        assert quick.records == before
        for study in (plain, quick):
            say(study, said)
        assert foreseen[said].fits(quick.records)
        assert plain.ask() == quick.ask(foreseen=foreseen[said])
    assert plain.best == quick.best
    assert [e for e in plain.events if type(e).__name__ == "Asked"] == [
        e for e in quick.events if type(e).__name__ == "Asked"
    ]


def test_a_foreseen_question_is_used_where_it_fits(monkeypatch):
    study = begun("glisp")
    study.ask()
    foreseen = study.foresee().after("a")
    say(study, "a")
    monkeypatch.setattr(study._journal.proposing, "propose", None)  # it would have to be called
    assert study.ask(foreseen=foreseen).step == 1


@pytest.mark.parametrize("what", ["another answer", "another event", "another study", "another judge"])
def test_what_was_not_foreseen_is_dropped(what):
    study, twin = begun("glisp"), begun("glisp")
    for each in (study, twin):
        each.ask()
    foreseen = study.foresee().after("a")
    if what == "another judge":
        study.ask("bob"), twin.ask("bob")
    for each in (study, twin):
        say(each, "b" if what == "another answer" else "a")
    if what == "another event":
        study.correct(0, "b"), twin.correct(0, "b")
    if what == "another study":
        study = begun("glisp")
        study.ask()
        say(study, "a")
    assert not foreseen.fits(study.records)
    assert study.ask(foreseen=foreseen) == twin.ask()


def test_measurements_between_do_not_matter():
    study = begun("glisp")
    question = study.ask()
    foreseen = study.foresee().after("a")
    study.measure(question.a, {"overshoot": 1.0})
    say(study, "a")
    study.measure(question.b, {"overshoot": 2.0})
    assert foreseen.fits(study.records)


def test_nothing_is_foreseen_where_nothing_waits():
    assert begun("glisp").foresee() is None
