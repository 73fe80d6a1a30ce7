"""The posterior proposer's own decisions: its knobs, whom it believes, and when it asks again."""

import numpy as np
import pytest

import prefero as pf
from prefero.answers import Comparison, History
from prefero.errors import InputError
from prefero.models import evidence
from prefero.models.posterior import sample_posterior
from prefero.models.statements import Statements
from prefero.proposers import posterior, slips
from prefero.proposers.posterior import AGAIN
from prefero.proposers.slips import repeated, trusted, unsettled
from tests.answered import history_of
from tests.strategies import session_of


@pytest.mark.parametrize(
    ("knobs", "named"),
    [
        ({"turns": ()}, "turns"),
        ({"turns": 3}, "turns"),
        ({"turns": "global"}, "turns"),
        ({"turns": ("global", "sideways")}, "turns"),
        ({"initial_samples": 1}, "initial_samples"),
        ({"tournament": 1}, "tournament"),
        ({"noise": -0.1}, "noise"),
        ({"noise": "little"}, "noise"),
        ({"tie": float("nan")}, "tie"),
        ({"tie": 0}, "tie"),
        ({"hope": -1}, "hope"),
        ({"hope": "much"}, "hope"),
        ({"hope": None}, "hope"),
        ({"exploration": True}, "exploration"),
    ],
)
def test_a_wrong_knob_is_refused_by_name(knobs, named):
    with pytest.raises(InputError, match=named):
        pf.Posterior(**knobs)


def test_knobs_survive_the_journey_through_json():
    knobs = pf.Posterior(turns=["global", "explore"], initial_samples=4, tournament=False, noise=0.2)
    assert pf.Study.from_json(pf.Study(([0.0], [1.0]), seed=0, proposer=knobs).to_json()).proposer == knobs


@pytest.mark.parametrize(
    ("turns", "far"), [(("global", "exploit"), {20, 22, 24, 26, 28, 30, 40, 42}), (("global",), set(range(20, 44)))]
)
def test_nobody_looks_far_while_the_last_expected_answers_are_given(turns, far):
    """Of 40 answers the last 8; one who goes on answering is shown something new again."""
    proposer = pf.Posterior(initial_samples=5, turns=turns)
    task = session_of(pf.Study(([0.0], [1.0]), comparisons=40, seed=0, proposer=proposer)).task
    assert {k for k in range(20, 44) if proposer._kind(k, task) == "global"} == far


def test_repeated_pairs_are_counted_whatever_their_sides():
    assert repeated(history_of((0, 1, -1), (1, 0, 1), (1, 2, -1))) == (1, 0)
    assert repeated(history_of((0, 1, -1), (1, 0, -1), (2, 3, 0), (2, 3, 0))) == (1, 1)


def test_two_answers_that_disagree_are_settled_by_a_third():
    assert unsettled(history_of((0, 2, 1), (0, 2, -1)))
    assert unsettled(history_of((0, 2, 1), (2, 0, 1)))
    assert not unsettled(history_of((0, 2, 1), (0, 2, 1)))
    assert not unsettled(history_of((0, 2, 1), (0, 2, -1), (0, 2, 1)))


def test_a_person_who_confirmed_three_answers_and_took_none_back_is_trusted():
    confirmed = [(0, 1, 1), (0, 1, 1), (1, 2, 1), (1, 2, 1), (2, 3, 1), (2, 3, 1)]
    assert trusted(history_of(*confirmed))
    assert not trusted(history_of(*confirmed[:-1]))
    assert not trusted(history_of(*confirmed, (3, 5, 1), (3, 5, -1)))


def test_answers_to_one_question_are_one_statement_as_doubtful_as_they_are():
    said = Statements.of(history_of((0, 1, -1), (1, 2, 1), (1, 0, 1), (2, 1, 1), (3, 4, 0), (3, 4, 0)), 0.1)
    once = said.with_slips(0.1)
    assert (once.first.tolist(), once.second.tolist()) == ([0, 2, 3, 3], [1, 1, 4, 4])
    assert once.doubt == pytest.approx([0.01 / (0.01 + 0.81), 0.5, 0, 0])  # confirmed, taken back, two ties


def test_a_doubted_statement_keeps_its_place_and_side_whatever_is_said_later():
    answers = [(0, 1, -1), (0, 2, 1), (2, 3, -1), (0, 1, 1), (0, 1, 1)]
    for k in range(2, 6):
        statements = Statements.of(history_of(*answers[:k]), 0.0).with_slips(0.05)
        assert (statements.first[0], statements.second[0]) == (0, 1)
    assert statements.doubt[0] > 0.9


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("first", [-1, 1])
def test_one_question_answered_a_hundred_times_is_no_trouble(first):
    """Whether the many say what the first answer said or its opposite."""
    history = history_of((0, 1, first), *[(0, 1, -1)] * 100, (0, 2, -1), (0, 2, 1))
    study = pf.Study(([-1.0], [1.0]), comparisons=20, seed=0, proposer=pf.Posterior())
    state = study.proposer.advance(None, history, session_of(study).task, np.random.default_rng(0))
    assert np.isfinite(state.utilities.V).all()
    assert state.utilities.probabilities(history.points[[0]], history.points[[1]])[0] > 0.99
    assert study.proposer.recommend(state, history, session_of(study).task) in (0, 2)


FLANK = 18


def about_a_bowl(slip=False):
    """Samples along a line, each compared with the lowest point of a bowl, one answer a slip if wanted; and what is learned."""
    X = np.linspace(-1, 1, 25)[:, None]
    said = [Comparison(12, k, 1 if slip and k == FLANK else -1) for k in range(25) if k != 12]
    history = History(X, np.ones(len(X), bool), tuple(said))
    task = session_of(pf.Study(([-1.0], [1.0]), comparisons=24, seed=0)).task
    return history, pf.Posterior().advance(None, history, task, np.random.default_rng(0))


def test_an_answer_against_all_others_is_suspected_and_asked_about_again():
    history, state = about_a_bowl(slip=True)
    assert state.utilities.slips.argmax() == FLANK - 1
    assert next(slips.suspicious(history, state.utilities)) == (FLANK, 12)
    honest, believed = about_a_bowl()
    assert not list(slips.suspicious(honest, believed.utilities))
    assert slips.share_of_slips(believed.utilities) < slips.share_of_slips(state.utilities)


def theta_of(history, task):
    return pf.Posterior().learned(history, task, np.random.default_rng(0)).posterior.kernel.theta


def test_what_is_said_is_half_way_to_the_scales_expected_and_all_the_way_of_people_who_err():
    history, state = about_a_bowl()
    task = session_of(pf.Study(([-1.0], [1.0]), comparisons=24, seed=0)).task
    expected = evidence.prior(1)[0]
    assert theta_of(history, task) == pytest.approx((state.fit.theta + expected) / 2)
    assert not np.allclose(state.fit.theta, expected)
    taken_back = history.with_comparison(Comparison(12, 3, 1))
    assert theta_of(taken_back, task) == pytest.approx(expected)


def test_what_is_said_expects_more_slips_and_most_of_people_who_err():
    history, state = about_a_bowl()
    task = session_of(pf.Study(([-1.0], [1.0]), comparisons=24, seed=0)).task
    told = [
        pf.Posterior().learned(h, task, np.random.default_rng(0))
        for h in (history, history.with_comparison(Comparison(12, 3, 1)))
    ]
    doubt = [utilities.statements.doubt[0] for utilities in (state.utilities, *(said.posterior for said in told))]
    assert doubt == sorted(doubt)
    assert doubt[0] < doubt[1] < doubt[2]


def test_a_slip_that_crowned_a_bad_candidate_does_not_make_it_the_recommendation():
    history, state = about_a_bowl(slip=True)
    task = session_of(pf.Study(([-1.0], [1.0]), comparisons=24, seed=0)).task
    assert pf.Posterior().recommend(state, history, task) == 12


def test_the_question_says_that_it_is_asked_again():
    """Somebody who likes small x, and errs once, badly, late."""
    study = pf.Study(([0.0], [1.0]), comparisons=20, seed=3, proposer="posterior", sides="incumbent first")
    for _ in range(12):
        question = study.ask()
        study.tell(question, "a" if question.a[0] < question.b[0] else "b")
    told, notes = study.best, []
    for _ in range(8):
        question = study.ask()
        notes.append(question.note)
        far = question.b[0] > question.a[0] + 0.2
        study.tell(question, "b" if far and AGAIN not in notes else "a" if question.a[0] < question.b[0] else "b")
    assert AGAIN in notes
    assert study.best[0] <= told[0] + 0.05


@pytest.mark.parametrize(("slip", "rounds"), [(False, 1), (True, 2)])
def test_chains_go_on_while_they_disagree_about_an_answer(monkeypatch, slip, rounds):
    history, state = about_a_bowl(slip)
    swept = []

    def counted(*given):
        swept.append(given[5])
        return sample_posterior(*given)

    monkeypatch.setattr(posterior, "sample_posterior", counted)
    task = session_of(pf.Study(([-1.0], [1.0]), comparisons=24, seed=0)).task
    one_more = history.with_comparison(Comparison(12, 20, -1))
    pf.Posterior().advance(state, one_more, task, np.random.default_rng(0))
    assert tuple(swept) == posterior.WARM_SWEEPS[:rounds]


def blurred(sight, rng):
    """Pairs of samples along a line, judged by who sees their places through noise and calls the nearest the same."""
    X = np.linspace(-1, 1, 40)[:, None]
    said = []
    for i, j in rng.choice(40, (60, 2)):
        seen = X[j, 0] - X[i, 0] + rng.normal(0, sight)
        said.append(Comparison(int(i), int(j), 0 if abs(seen) < 0.1 else -1 if seen > 0 else 1))
    return History(X, np.ones(40, bool), tuple(c for c in said if c.i != c.j))


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_told_from_answers_that_do_not_fit_where_some_are_called_the_same(seed):
    rng = np.random.default_rng(seed)
    task = session_of(pf.Study(([-1.0], [1.0]), comparisons=60, seed=0)).task
    fits = [pf.Posterior().advance(None, blurred(sight, rng), task, rng).fit for sight in (0.0, 0.5)]
    # τ is one of a few values, and what it is off counts as a little noise
    assert fits[0].noise <= 0.03 < fits[1].noise


def test_first_samples_that_are_the_same_or_one_pair_do_not_make_a_person_noisy():
    """They may be equally bad, or good: how well good candidates are told apart shows when several are the same."""
    history = blurred(0.5, np.random.default_rng(0))
    *_, before, last = np.flatnonzero(history.preferences == 0).tolist()
    fits = []
    for initial in (last + 2, before + 2, before + 1):  # none of the ties belongs to what comes after, one of them, two
        study = pf.Study(([-1.0], [1.0]), comparisons=60, seed=0, proposer=pf.Posterior(initial_samples=initial))
        fits.append(study.proposer.advance(None, history, session_of(study).task, np.random.default_rng(0)).fit)
    assert [fit.noise for fit in fits[:2]] == [slips.CONSISTENT_NOISE] * 2
    assert fits[2].noise > 0.03
    assert len({fit.tie for fit in fits}) == 1


def test_what_is_given_is_what_is_believed():
    history = history_of((0, 1, -1), (1, 2, 0), (2, 3, 1))
    task = session_of(pf.Study(([-1.0], [1.0]), comparisons=20, seed=0)).task
    state = pf.Posterior(noise=0.005, tie=0.07).advance(None, history, task, np.random.default_rng(0))
    assert (state.fit.noise, state.fit.tie) == (0.005, 0.07)
    assert state.utilities.statements.doubt is None


def test_who_calls_no_candidates_the_same_is_not_noisy():
    study = pf.Study(([-1.0], [1.0]), comparisons=20, seed=0)
    state = study.proposer.advance(
        None, history_of((0, 1, -1), (1, 2, 1)), session_of(study).task, np.random.default_rng(0)
    )
    assert state.fit.noise == slips.CONSISTENT_NOISE
    assert state.fit.tie == evidence.TIES[1]


def test_scales_are_fitted_at_every_fortieth_answer_and_whenever_a_study_speaks_of_itself():
    study = pf.Study(pf.Space.box([0, 0, 0], [1, 1, 1]), comparisons=45, seed=0, sides="incumbent first")
    liking = pf.preference(lambda x: abs(np.asarray(x)[1] - 0.7))  # one variable of three matters
    fitted = []
    for _ in range(42):
        question = study.ask()
        study.tell(question, liking(question.a, question.b))
        fitted.append(session_of(study).state(study.history).fit)
        if len(fitted) == 20:
            assert study.learned.importance()["x2"] > 0.5
            assert study.learned.utility.posterior.kernel.scales.argmin() == 1
    assert [fit.answered for fit in fitted] == [1] * 39 + [40] * 3
    assert fitted[38].theta is fitted[0].theta
    assert (fitted[39].theta != fitted[38].theta).all()
