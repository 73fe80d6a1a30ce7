"""What may succeed the default proposer: its posterior is that of the answers, and it keeps the laws of a proposer."""

import numpy as np
import pytest
from scipy.special import ndtr

import prefero as pf
from benchmarks.peers.study_driver import proposer_of
from benchmarks.successor.expectation import propagate
from benchmarks.successor.kernel import mixed
from benchmarks.successor.proposer import AGAIN, Policy, Successor, repeated
from benchmarks.successor.utilities import HopefulMean, posterior
from benchmarks.suite import method_of
from prefero.answers import Comparison, History
from prefero.models.statements import Statements
from prefero.proposers.protocol import Proposer

GROUPS = (slice(0, 1), slice(1, 3), slice(3, 4))
KERNEL = mixed(GROUPS, 0.4, -1.0, 0.5)
X = np.random.default_rng(0).uniform(-1, 1, (8, 4))


def statements(first, second, low=0.0, high=np.inf) -> Statements:
    M = len(first)
    return Statements(np.array(first), np.array(second), np.full(M, low), np.full(M, high))


@pytest.mark.parametrize("noise", [0.03, 0.3])
@pytest.mark.parametrize("lapse", [0.0, 0.2])
@pytest.mark.parametrize("interval", [(0.0, np.inf), (-0.4, 0.4), (0.3, np.inf)])
def test_the_posterior_and_the_evidence_are_those_of_weighted_draws(noise, lapse, interval):
    said = statements([0, 1, 2, 0], [1, 2, 3, 3], *interval)
    C = said.covariance(KERNEL(X, X))
    sites = propagate(C, said, noise, lapse)
    g = np.linalg.cholesky(C + 1e-9 * np.eye(4)) @ np.random.default_rng(1).standard_normal((4, 400_000))
    s = np.sqrt(2) * noise
    chance = ndtr((interval[1] - g) / s) - ndtr((interval[0] - g) / s)
    weight = ((1 - lapse) * chance + lapse / 2).prod(axis=0)
    off = (
        0.25 if lapse else 0.12
    )  # an answer that may be a lapse does not rule anything out: the posterior has several modes
    assert sites.log_evidence == pytest.approx(np.log(weight.mean()), abs=off)
    assert C @ sites.alpha == pytest.approx((g * weight).sum(axis=1) / weight.sum(), abs=off)


def test_the_kernel_agrees_with_itself_row_by_row_and_near_candidates():
    assert np.diag(KERNEL(X, X)) == pytest.approx(KERNEL.variance(X))
    assert pytest.approx(KERNEL(X[:3], X)) == KERNEL.near(X[:3], X).K
    assert KERNEL.between(X[:3], X[3:6]) == pytest.approx(np.diag(KERNEL(X[:3], X[3:6])))
    assert mixed(GROUPS, 0.4, -1.0, 0.5) is KERNEL


def test_the_gradient_of_the_acquisition_is_its_slope():
    acquisition = HopefulMean(posterior(KERNEL, X, statements([0, 1, 2, 3], [4, 5, 6, 7]), 0.1), 2, 1.3)
    Z, step = np.random.default_rng(2).uniform(-1, 1, (5, 4)), 1e-6
    value, gradient = acquisition.with_gradient(Z)
    assert acquisition(Z) == pytest.approx(value, abs=1e-6)
    for j, e in enumerate(step * np.eye(4)):
        slope = (acquisition.with_gradient(Z + e)[0] - acquisition.with_gradient(Z - e)[0]) / (2 * step)
        assert gradient[:, j] == pytest.approx(slope, abs=1e-6)


def test_the_order_of_the_answers_and_a_start_change_nothing():
    first, second = [0, 1, 2, 0, 5, 6], [1, 2, 3, 3, 0, 5]
    whole = posterior(KERNEL, X, statements(first, second), 0.1)
    mirrored = posterior(KERNEL, X, statements(first[::-1], second[::-1]), 0.1)
    begun = posterior(KERNEL, X, statements(first[:4], second[:4]), 0.1)
    continued = posterior(KERNEL, X, statements(first, second), 0.1, before=begun)
    assert mirrored.sample_means == pytest.approx(whole.sample_means, abs=1e-3)
    assert continued.sample_means == pytest.approx(whole.sample_means, abs=1e-3)


def test_an_answer_never_lowers_its_winner_against_its_loser():
    said = statements([0, 1, 2], [1, 2, 3])
    for i, j in ((4, 5), (3, 0), (1, 3)):
        more = statements([0, 1, 2, i], [1, 2, 3, j])
        before, after = (posterior(KERNEL, X, s, 0.1).differences(X[[i]], X[[j]])[0][0] for s in (said, more))
        assert after > before


def answers(said: list[tuple[int, int, int]]) -> History:
    compared = tuple(Comparison(i, j, preference, k) for k, (i, j, preference) in enumerate(said))
    return History(np.random.default_rng(0).uniform(-1, 1, (6, 2)), np.ones(6, dtype=bool), compared)


def test_repeated_questions_are_counted_whatever_the_sides():
    assert repeated(answers([(0, 1, -1), (1, 0, 1), (2, 3, -1)])) == (1, 0)
    assert repeated(answers([(0, 1, -1), (1, 0, -1), (2, 3, -1), (2, 3, -1)])) == (1, 1)
    assert repeated(answers([(0, 1, 0), (0, 1, -1)])) == (0, 1)


def run(proposer, prefer, comparisons=19, seed=1) -> tuple[pf.Study, list[str]]:
    study = pf.Study(pf.Space.box([-1, -1], [1, 1]), seed=seed, comparisons=comparisons, proposer=proposer)
    notes = []
    for _ in range(comparisons):
        question = study.ask()
        notes.append(question.note)
        study.tell(question, prefer(*(np.array(list(side.values())) for side in (question.a, question.b))))
    return study, notes


def value(x):
    return float(((x - [0.3, -0.4]) ** 2).sum())


def honest(a, b):
    return "a" if value(a) < value(b) else "b"


def test_it_is_a_proposer_that_finds_the_best_of_a_bowl_and_repeats_itself():
    assert isinstance(Successor(), Proposer)
    study, notes = run(Successor(), honest)
    assert value(np.array(list(study.best.values()))) < 0.01
    assert run(Successor(), honest)[0].log.events == study.log.events
    assert 1 <= notes.count(AGAIN) <= 3
    assert AGAIN not in run(Successor(policy=Policy(confirmations=0)), honest)[1]


def test_two_opposite_answers_are_settled_by_a_third():
    asked = []

    def fickle(a, b):
        pair = {tuple(a), tuple(b)}
        asked.append(pair)
        return (
            "b" if asked.count(pair) == 2 and honest(a, b) == "a" else "a" if asked.count(pair) == 2 else honest(a, b)
        )

    _, notes = run(Successor(), fickle)
    again = [k for k, note in enumerate(notes) if note == AGAIN]
    assert again
    assert asked[again[0] - 1] == asked[again[0]] == asked[again[0] + 1]


@pytest.mark.parametrize("said", [lambda a, b: "a", lambda a, b: "same", lambda a, b: "ab"[hash(tuple(a)) % 2]])
def test_whatever_is_said_there_is_a_next_question(said):
    study, _ = run(Successor(), said, comparisons=25)
    assert len(study.history) == 25


@pytest.mark.parametrize(
    "options", [{"noise": -1.0}, {"tie": 0}, {"initial_samples": 1}, {"policy": {"hope": 1.0}}, {"noise": float("nan")}]
)
def test_what_makes_no_sense_is_refused(options):
    with pytest.raises(pf.errors.InputError, match=next(iter(options))):
        Successor(**options)


def test_the_suite_runs_it_with_other_constants():
    assert proposer_of({"proposer": "successor"}) == {"proposer": Successor()}
    options = method_of('successor:{"hope": 1.5, "noises": [0.1]}').options
    assert proposer_of(dict(options)) == {"proposer": Successor(policy=Policy(hope=1.5, noises=(0.1,)))}
