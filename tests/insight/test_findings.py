"""What a result screen tells: everything from the posterior, nothing before there is something to tell."""

import json

import numpy as np
import pytest
from scipy.stats import beta

import prefero as pf
from prefero import insight as findings
from prefero.insight.tables import Column
from tests.answered import RIGHT_TO_LEFT, answered, catalogue, every_kind, strange


@pytest.fixture(scope="module")
def study():
    return answered(every_kind(), 10, seconds=2.0)


ALL = (
    findings.verdict,
    findings.development,
    findings.ranking,
    findings.importance,
    findings.consistency,
    findings.judges,
)


@pytest.mark.parametrize("find", ALL, ids=lambda find: find.__name__)
def test_each_finding_has_words_and_a_table_before_the_first_answer_and_after_it(find):
    study = every_kind()
    assert find(study).table.rows == ()
    assert "No answers yet" in find(study).words or find is findings.judges
    answered(study, 1)
    found = find(study)
    assert found.words
    assert json.loads(json.dumps(found.table.to_dict()))["columns"] == [c.heading for c in found.table.columns]
    assert all(len(row) == len(found.table.columns) for row in found.table.texts())


def test_the_verdict_is_the_recommendation_with_its_chance_and_the_advice(study):
    found = findings.verdict(study)
    advice = study.learned.advice()
    assert found.best == study.best
    assert found.chance == study.learned.probability(found.best, found.runner_up)
    assert (found.stop, found.reason, found.probability_best) == (advice.stop, advice.reason, advice.probability_best)
    assert found.table.rows[0] == ("gain", found.best["gain"], found.runner_up["gain"])


def test_the_development_ends_with_the_recommendation_and_says_since_when(study):
    found = findings.development(study)
    assert [moment.answers for moment in found.moments] == list(range(1, 11))
    assert found.moments[-1].best == study.best
    mean, spread = study.learned.utilities([study.best])
    assert (found.moments[-1].utility, found.moments[-1].spread) == pytest.approx((mean[0], spread[0]))
    same = [moment.best == study.best for moment in found.moments]
    since = max((k for k, is_same in enumerate(same) if not is_same), default=-1) + 2
    assert f"since answer {since} of 10" in found.words
    assert found.table.rows[0][3] is True


def test_the_development_of_glisp_is_that_of_its_recommendations():
    study, bests = every_kind(proposer="glisp"), []
    for _ in range(8):
        answered(study, 1)
        bests.append(study.best)
    assert [moment.best for moment in findings.development(study).moments] == bests


def test_while_the_answers_do_not_tell_who_is_best_the_development_follows_the_posterior():
    study = answered(every_kind(comparisons=30), 3)  # three matches between six candidates
    means, _ = study.learned.utilities(study.candidates)
    assert len(study.candidates) == 6
    *before, last = findings.development(study).moments
    assert last.best == study.best
    for answers, moment in enumerate(before, start=1):
        assert moment.best == study.candidates[int(means[: 2 * answers].argmax())]


def test_slices_go_through_the_recommendation(study):
    for found in findings.slices(study):
        k = found.values.index(study.best[found.name])
        mean, spread = study.learned.utilities([study.best])
        assert (found.utility[k], found.spread[k]) == pytest.approx((mean[0], spread[0]))
        assert found.best == study.best[found.name]
        assert all(found.allowed)
    kinds = {found.name: found.kind for found in findings.slices(study)}
    assert kinds == {"gain": "log", "offset": "real", "taps": "integer", "window": "choice"}


def test_a_slice_takes_factors_whole_numbers_and_levels(study):
    gain, _, taps, window = findings.slices(study)
    assert gain.label == "gain [dB]"
    assert (gain.values[0], gain.values[-1]) == pytest.approx((0.01, 100))
    assert taps.values == tuple(range(1, 9))
    assert window.values == ("hann", "flat", "cosine")
    wide = answered(pf.Study(pf.Space({"n": pf.Integer(0, 10_000)}), comparisons=4, seed=0), 1)
    assert len(findings.slices(wide)[0].values) <= 50


def test_a_slice_knows_what_the_constraints_forbid():
    space = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)}, constraints=[lambda c: c["x"] + c["y"] - 1])
    x, _ = findings.slices(study := answered(pf.Study(space, comparisons=5, seed=0), 3))
    assert [value + study.best["y"] <= 1 + 1e-6 for value in x.values] == list(x.allowed)
    assert not all(x.allowed)


def test_the_columns_of_a_catalogue_show_its_rows():
    study = answered(catalogue(), 3)
    found = {part.name: part for part in findings.slices(study)}
    assert set(found) == {"rent", "rooms", "balcony"}  # every street is another one: a label
    assert sorted(found["rent"].values) == [700 + 90 * k for k in range(12)]
    assert all(
        part.utility[part.at] == pytest.approx(study.learned.utilities([study.best])[0][0]) for part in found.values()
    )


def test_a_large_catalogue_is_thinned_and_what_was_seen_stays():
    rows = [{"x": k} for k in range(5000)]
    study = answered(pf.Study(pf.Catalogue(rows), comparisons=4, seed=0), 2)
    (found,) = findings.slices(study)
    assert len(found.values) < 400
    assert set(found.seen) <= set(found.values)


def test_the_ranking_is_by_the_posterior_and_knows_who_beats_the_next(study):
    found = findings.ranking(study, most=4)
    means = [ranked.utility for ranked in found.ranked[:4]]
    assert means == sorted(means, reverse=True)
    first, second = found.ranked[:2]
    assert first.chance == study.learned.probability(first.candidate, second.candidate)
    assert found.ranked[-1].chance is None
    assert [r.candidate for r in found.ranked if r.recommended] == [study.best]
    assert sum(r.compared for r in findings.ranking(study, most=99).ranked) == 2 * len(study.history)


def test_a_recommendation_that_the_posterior_does_not_put_first_is_shown_at_its_place(monkeypatch, study):
    last = findings.ranking(study, most=99).ranked[-1].candidate
    monkeypatch.setattr(pf.Study, "best", property(lambda self: last))
    found = findings.ranking(study, most=2)
    assert [r.place for r in found.ranked] == [1, 2, found.of]
    assert f"number {found.of} by posterior mean" in found.words


def test_importance_begins_with_what_matters_most(study):
    found = findings.importance(study)
    assert list(found.shares.values()) == sorted(found.shares.values(), reverse=True)
    assert dict(found.shares) == study.learned.importance()
    assert next(iter(found.shares)) in found.words


def test_what_proposed_makes_no_difference_to_what_is_shown():
    study = answered(every_kind(), 6)
    study.change_proposer("glisp")
    before = [findings.ranking(study).table, findings.slices(study)]
    study.change_proposer(lambda history: history.points[0])
    assert [findings.ranking(study).table, findings.slices(study)] == before


def two_over_and_over():
    """A study that asks about the same pair again and again."""
    pair = (np.array([-1.0]), np.array([1.0]))
    return pf.Study(pf.Catalogue([{"x": 0}, {"x": 1}]), comparisons=9, seed=0, proposer=lambda history: pair)


def test_a_person_who_says_one_thing_and_then_the_other():
    study = two_over_and_over()
    first = study.ask()
    study.tell(first, "a", seconds=1.5)
    again = study.ask()
    assert {again.a, again.b} == {first.a, first.b}
    study.tell(again, "a" if again.a == first.b else "b", seconds=2.5)
    (person,) = findings.consistency(study).people
    assert (person.repeated.hits, person.repeated.of) == (0, 1)
    assert (person.consistent.hits, person.consistent.of) == (0, 2)
    assert person.median == 2.0
    assert "2 answers contradict" in person.words
    assert "0 of 1 repeated pair got the same answer again" in person.words


def test_the_same_answer_from_the_other_side_is_the_same_answer():
    study = two_over_and_over()
    for _ in range(6):
        question = study.ask()
        study.tell(question, "a" if question.a["x"] == 1 else "b")
    (person,) = findings.consistency(study).people
    assert (person.repeated.hits, person.repeated.of) == (5, 5)
    assert person.consistent.value == 1


def told(says, sides="random", answers=12):
    study = pf.Study(([0, 0], [1, 1]), comparisons=12, seed=0, sides=sides)
    for _ in range(answers):
        study.tell(study.ask(), says)
    return findings.consistency(study).people[0]


def test_a_lean_to_a_side_is_told_with_its_interval():
    leaning = told("a")
    assert leaning.lean.startswith("The left side is favoured")
    assert leaning.left.interval == pytest.approx((beta(12.5, 0.5).ppf(0.025), 1.0))
    assert told("b").lean.startswith("The right side is favoured")
    assert "too few answers" in told("a", answers=9).lean
    assert "sides were not random" in told("a", sides="incumbent first").lean


def test_ties_and_skips_are_counted_and_lean_nowhere():
    study = every_kind()
    study.tell(study.ask(), "same")
    study.skip(study.ask())
    (person,) = findings.consistency(study).people
    assert (person.answers, person.ties, person.skipped, person.left.of) == (1, 1, 1, 0)
    assert person.left.value is None


def test_what_does_not_count_any_more_is_not_counted(study):
    copy = pf.Study.from_json(study.to_json())
    copy.undo()
    copy.log.remove(0)
    assert findings.consistency(copy).people[0].answers == 8


def test_judges_are_told_apart():
    study = answered(every_kind(), 8, judges=("Ada", "Bob"))
    assert [person.name for person in findings.consistency(study).people] == ["Ada", "Bob"]
    assert "Ada: " in findings.consistency(study).words
    found = findings.judges(study)
    assert [row[:2] for row in found.table.rows] == [("Ada", 4), ("Bob", 4)]
    assert found.pairs.texts() == tuple(found.pairs.rows)


def test_nothing_feasible_is_said_so():
    study = pf.Study(([0], [1]), comparisons=4, seed=0)
    study.import_comparisons([[0.9], [0.8]], [[0, 1, "a"]])
    study.change_space(pf.Space.box([0], [0.5]))
    assert study.best is None
    assert "None of the compared candidates" in findings.verdict(study).reason
    assert findings.slices(study) == ()
    assert findings.ranking(study).ranked == ()
    assert findings.development(study).moments == ()


def test_any_text_may_be_a_name():
    study = answered(strange(), 2)
    assert RIGHT_TO_LEFT in findings.ranking(study).table.to_dict()["columns"]


@pytest.mark.parametrize(
    ("form", "given", "text"),
    [("value", 0.123456, "0.12346"), ("value", 1234567.0, "1234567"), ("value", -2, "−2"), ("share", 0.998, ">99%"),
     ("share", 1.0, "100%"), ("chance", 1.0, ">99%"), ("chance", 0, "<1%"),
      ("share", 0.001, "<1%"), ("share", 0.0, "0%"), ("utility", -0.456, "−0.46"),
     ("seconds", 3.21, "3.2 s"), ("seconds", 321.4, "321 s"), ("value", None, ""), ("value", True, "yes"), ("share", "x", "x"),
     ("value", np.float64(0.5), "0.5")],
)  # fmt: skip
def test_a_number_is_written_for_people(form, given, text):
    assert Column("x", form).text(given) == text
