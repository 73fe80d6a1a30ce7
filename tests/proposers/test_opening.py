"""The first phase of the default proposer: a tournament, which finds the best of the first samples."""

from itertools import pairwise

import numpy as np
import pytest

import prefero as pf
from prefero.answers import Comparison, History
from prefero.proposers.opening import knockout_pair, missing_opening, opening_pair
from prefero.space import Candidate
from prefero.study.session import Session


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


# A warm start -------------------------------------------------------------------------------------------------------------


def warm(samples: int, proposer: str = "posterior", comparisons: int = 60, **settings) -> pf.Study:
    """A study with imported comparisons of each sample with the next."""
    study = pf.Study(([0, 0], [1, 1]), comparisons=comparisons, seed=0, proposer=proposer, **settings)
    X = np.random.default_rng(1).random((samples, 2))
    better = [-1 if np.sum((a - 0.4) ** 2) < np.sum((b - 0.4) ** 2) else 1 for a, b in pairwise(X)]
    study.import_comparisons(X, [(k, k + 1, said) for k, said in enumerate(better)])
    return study


def opening_left(study: pf.Study) -> int:
    session = Session.of(study.log.state)
    return len(missing_opening(session.task, study.proposer.first_samples(session.task), study.history))


@pytest.mark.parametrize("proposer", ["posterior", "glisp", "pbo"])
def test_the_opening_asks_only_for_what_an_import_leaves_missing(proposer):
    whole = opening_left(pf.Study(([0, 0], [1, 1]), comparisons=60, seed=0, proposer=proposer))
    assert opening_left(warm(6, proposer)) == whole - 6
    assert opening_left(warm(40, proposer)) == 0


def test_candidates_of_ones_own_are_shown_in_spite_of_an_import():
    study = warm(40, start=[[0.25, 0.75], [0.5, 0.125]])
    assert opening_left(study) == 2
    question = study.ask()
    assert {question.a, question.b} == {Candidate({"x1": 0.25, "x2": 0.75}), Candidate({"x1": 0.5, "x2": 0.125})}


def test_imported_comparisons_do_not_use_up_the_expected_answers():
    study = warm(40, comparisons=4)
    assert (len(study.history), study.history.answered, study.log.state.answers) == (39, 0, 0)
    assert "0 of about 4 answers" in repr(study)
    study.tell(study.ask(), "a")
    assert study.history.answered == 1


def test_after_a_warm_start_questions_improve_the_best_candidate_at_once():
    def loss(candidate) -> float:
        return float(np.sum((np.asarray(candidate) - 0.4) ** 2))

    study = warm(40)
    before = loss(study.best)
    for _ in range(8):
        question = study.ask()
        study.tell(question, "a" if loss(question.a) < loss(question.b) else "b")
    assert loss(study.best) < before / 10
