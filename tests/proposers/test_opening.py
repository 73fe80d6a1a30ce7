"""The first phase of the default proposer: a tournament, which finds the best of the first samples."""

from itertools import pairwise

import numpy as np
import pytest

import prefero as pf
from prefero.answers import Comparison, History
from prefero.proposers.opening import knockout_pair, opening_pair


def played(count, outcome):
    """The matches of a tournament of so many, as pairs of places in the opening; outcome(i, j) tells who wins."""
    opening = np.linspace(-1, 1, count)[:, None]
    history, matches = History.empty(1), []
    while (pair := knockout_pair(opening, history)) is not None:
        history, i = history.with_point(pair.first, feasible=True)
        history, j = history.with_point(pair.second, feasible=True)
        places = tuple(int(np.abs(opening - x).argmin()) for x in (pair.first, pair.second))
        history = history.with_comparison(Comparison(i, j, outcome(*places)))
        matches.append(places)
    return matches


@pytest.mark.parametrize("count", range(2, 18))
def test_a_tournament_finds_the_best_in_one_match_less_than_there_are(count):
    liking = np.random.default_rng(count).permutation(count)
    matches = played(count, lambda i, j: -1 if liking[i] > liking[j] else 1)
    assert len(matches) == count - 1
    beaten = [i if liking[i] < liking[j] else j for i, j in matches]
    assert sorted(beaten) == sorted(set(range(count)) - {int(liking.argmax())})  # each loses once, but for the best


def test_who_has_won_as_often_meets_and_nobody_who_has_lost():
    matches = played(8, lambda i, j: -1 if i < j else 1)
    assert matches == [(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (4, 6), (0, 4)]


def test_of_two_that_are_the_same_one_goes_on():
    assert len(played(6, lambda i, j: 0)) == 5


def test_every_match_tells_as_much_as_can_be():
    """Half of the candidates that were not there before win, where hardly any wins against the best so far."""
    rng = np.random.default_rng(0)
    wins = [outcome == 1 for _ in range(200) for outcome in _outcomes(rng.permutation(16))]
    assert 0.45 < np.mean(wins) < 0.55


def _outcomes(liking):
    said = []

    def outcome(i, j):
        said.append(-1 if liking[i] > liking[j] else 1)
        return said[-1]

    played(16, outcome)
    return said


def study_of_line(**options):
    return pf.Study(pf.Space({"x": pf.Real(0, 1)}), **{"comparisons": 24, "seed": 0} | options)


def answered(study, count):
    """The pairs that were shown to somebody who likes 0.3."""
    pairs = []
    for _ in range(count):
        question = study.ask()
        pairs.append({question.a["x"], question.b["x"]})
        study.tell(question, "a" if abs(question.a["x"] - 0.3) < abs(question.b["x"] - 0.3) else "b")
    return pairs


def test_the_default_proposer_begins_with_a_tournament_of_a_quarter_of_the_samples():
    study = study_of_line()
    pairs = answered(study, 6)
    assert len(set().union(*pairs)) == 7
    assert not any(one & other for one, other in pairwise(pairs[:3]))
    assert abs(study.best["x"] - 0.3) == min(abs(x - 0.3) for pair in pairs for x in pair)
    assert len(set().union(*answered(study, 1)) & set().union(*pairs)) == 1  # the best of them against something new


def test_a_pair_that_cannot_be_judged_is_out_and_its_place_is_filled_later():
    study = study_of_line()
    skipped = study.ask()
    study.skip(skipped)
    pairs = answered(study, 10)
    assert not {skipped.a["x"], skipped.b["x"]} & set().union(*pairs[:4])


def test_a_candidate_that_failed_plays_no_further_match():
    study = study_of_line()
    winners = set().union(*answered(study, 4))
    question = study.ask()
    assert {question.a["x"], question.b["x"]} <= winners
    study.fail(question, "a")
    assert all(question.a["x"] not in pair for pair in answered(study, 8))


def test_several_judges_play_different_matches_at_once():
    study = study_of_line()
    first, second = study.ask("Ada"), study.ask("Bob")
    assert not {first.a["x"], first.b["x"]} & {second.a["x"], second.b["x"]}


@pytest.mark.parametrize("options", [{"max_step": {"x": 0.1}}, {"proposer": pf.Posterior(tournament=False)}])
def test_where_a_step_may_only_be_so_large_and_without_a_tournament_each_meets_the_best_so_far(options):
    study = study_of_line(**options)
    for _ in range(6):
        best = study.best
        (pair,) = answered(study, 1)
        assert best is None or best["x"] in pair


def test_after_imported_answers_the_rest_of_the_opening_meets_the_best():
    opening = np.linspace(-1, 1, 4)[:, None]
    history = History(
        np.array([[0.1], [0.2], [0.3], [0.4]]), np.ones(4, bool), tuple(Comparison(0, k, -1) for k in (1, 2, 3))
    )
    assert knockout_pair(opening, history) is None
    assert opening_pair(opening, history, 0).first == pytest.approx([0.1])
