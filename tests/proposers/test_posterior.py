"""The default proposer's own decisions: its settings, whom it believes, and when it asks again."""

import contextlib

import numpy as np
import pytest

import prefero as pf
from prefero.answers import Comparison, History
from prefero.errors import ExhaustedError, InputError
from prefero.models.advice import by_side
from prefero.proposers.posterior import AGAIN, Policy, repeated
from prefero.proposers.protocol import Proposer
from tests.answered import history_of
from tests.strategies import session_of


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"initial_samples": 1}, "initial_samples"),
        ({"tournament": 1}, "tournament"),
        ({"linear": "yes"}, "linear"),
        ({"noise": -0.1}, "noise"),
        ({"noise": "little"}, "noise"),
        ({"tie": float("nan")}, "tie"),
        ({"tie": 0}, "tie"),
        ({"policy": {"courage": 1.0}}, "policy.*courage"),
        ({"policy": 3}, "policy"),
        ({"policy": {"hope": "much"}}, "hope"),
        ({"policy": {"hope": float("nan")}}, "hope"),
        ({"policy": {"noises": []}}, "noises"),
        ({"policy": {"noises": [-1]}}, "noises"),
        ({"policy": {"linears": [1.5]}}, "linears"),
        ({"policy": {"opening": 0}}, "opening"),
        ({"policy": {"rebuild": 2.5}}, "rebuild"),
        ({"policy": {"additive": 1.0}}, "additive"),
        ({"policy": {"said_linears": [0.5]}}, "said_linears"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(settings, named):
    with pytest.raises(InputError, match=named):
        pf.Posterior(**settings)


def test_settings_survive_the_journey_through_json():
    settings = pf.Posterior(4, tournament=False, noise=0.2, policy=Policy(hope=1.5, noises=(0.1, 0.2)))
    again = pf.Study.from_json(pf.Study(([0.0], [1.0]), seed=0, proposer=settings).to_json()).proposer
    assert again == settings
    assert settings.to_dict()["policy"] == {"hope": 1.5, "noises": (0.1, 0.2)}
    assert pf.Posterior().to_dict()["policy"] == {}


def test_repeated_pairs_are_counted_whatever_their_sides():
    assert repeated(history_of((0, 1, -1), (1, 0, 1), (1, 2, -1))) == (1, 0)
    assert repeated(history_of((0, 1, -1), (1, 0, -1), (2, 3, 0), (2, 3, 0))) == (1, 1)
    assert repeated(history_of((0, 1, 0), (0, 1, -1))) == (0, 1)


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
    assert isinstance(pf.Posterior(), Proposer)
    study, notes = run(pf.Posterior(), honest)
    assert value(np.array(list(study.best.values()))) < 0.01
    assert run(pf.Posterior(), honest)[0].log.events == study.log.events
    assert 1 <= notes.count(AGAIN) <= 3


def test_whose_answers_are_taken_as_they_are_is_not_asked_again():
    assert AGAIN not in run(pf.Posterior(policy=Policy(confirmations=0)), honest)[1]
    assert AGAIN not in run(pf.Posterior(noise=0.1), honest)[1]


def test_two_opposite_answers_are_settled_by_a_third():
    asked = []

    def fickle(a, b):
        pair = {tuple(a), tuple(b)}
        asked.append(pair)
        said = honest(a, b)
        return {"a": "b", "b": "a"}[said] if asked.count(pair) == 2 else said

    _, notes = run(pf.Posterior(), fickle)
    again = [k for k, note in enumerate(notes) if note == AGAIN]
    assert again
    assert asked[again[0] - 1] == asked[again[0]] == asked[again[0] + 1]


@pytest.mark.parametrize("said", [lambda a, b: "a", lambda a, b: "same", lambda a, b: "ab"[hash(tuple(a)) % 2]])
def test_whatever_is_said_there_is_a_next_question(said):
    study, _ = run(pf.Posterior(), said, comparisons=25)
    assert len(study.history) == 25


def task_of(comparisons=24, proposer="posterior"):
    return session_of(pf.Study(([-1.0], [1.0]), comparisons=comparisons, seed=0, proposer=proposer)).task


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("first", [-1, 1])
def test_one_question_answered_a_hundred_times_is_no_trouble(first):
    """Whether the many say what the first answer said or its opposite."""
    history = history_of((0, 1, first), *[(0, 1, -1)] * 100, (0, 2, -1), (0, 2, 1))
    state = pf.Posterior().advance(None, history, task_of(20), np.random.default_rng(0))
    assert np.isfinite(state.utilities.sample_means).all()
    assert state.utilities.probabilities(history.points[[0]], history.points[[1]])[0] > 0.99
    assert pf.Posterior().recommend(state, history, task_of(20)) in (0, 2)


def about_a_bowl(wrong=None):
    """Samples along a line, each compared with the lowest point of a bowl, one answer wrong if wanted."""
    X = np.linspace(-1, 1, 25)[:, None]
    said = [Comparison(12, k, 1 if k == wrong else -1) for k in range(25) if k != 12]
    return History(X, np.ones(len(X), bool), tuple(said))


def test_a_wrong_answer_that_crowned_a_bad_candidate_does_not_make_it_the_recommendation():
    history = about_a_bowl(wrong=18)
    state = pf.Posterior().advance(None, history, task_of(), np.random.default_rng(0))
    assert abs(pf.Posterior().recommend(state, history, task_of()) - 12) <= 2
    assert state.person.noise > pf.Posterior().policy.noises[0]


def test_who_answers_consistently_is_not_noisy():
    state = pf.Posterior().advance(None, about_a_bowl(), task_of(), np.random.default_rng(0))
    assert state.person.noise == pf.Posterior().policy.noises[0]
    assert pf.Posterior().recommend(state, about_a_bowl(), task_of()) == 12


def test_what_is_given_is_what_is_believed():
    history = history_of((0, 1, -1), (1, 2, 0), (2, 3, 1))
    state = pf.Posterior(noise=0.005, tie=0.07).advance(None, history, task_of(20), np.random.default_rng(0))
    assert (state.person.noise, state.person.tie) == (0.005, 0.07)


def test_the_person_is_looked_at_again_as_answers_grow():
    study = pf.Study(pf.Space.box([0, 0], [1, 1]), comparisons=45, seed=0)
    liking = pf.preference(lambda x: abs(np.asarray(x)[1] - 0.7))
    looked = []
    for _ in range(42):
        question = study.ask()
        study.tell(question, liking(question.a, question.b))
        looked.append(session_of(study).state(study.history).person.answered)
    assert looked[:6] == [1, 2, 3, 4, 5, 6]
    assert looked[38] < 39  # now and then only
    assert looked[39] == 40  # and from scratch
    assert study.learned.importance()["x2"] > 0.7


def press_a(comparisons, seed):
    study = pf.Study(pf.Space.box([-1, -1], [1, 1]), seed=seed, comparisons=comparisons)
    for _ in range(comparisons):
        study.tell(study.ask(), "a")
    return study


@pytest.mark.parametrize("seed", range(3))
def test_someone_who_presses_the_same_key_every_time_is_not_told_to_stop(seed):
    """Sides are drawn at random, so such answers say nothing: nobody should hear that the best was found."""
    study = press_a(30, seed)
    advice = study.learned.advice()
    assert not advice.stop
    assert advice.probability_best < 0.2
    assert "same side" in advice.reason
    assert study.learned.probability(*study.candidates[:2]) == pytest.approx(0.5, abs=0.01)
    assert study.learned.predict(*study.candidates[:2]) == pytest.approx(0.5, abs=0.01)
    assert "same side" not in press_a(5, seed).learned.advice().reason


def test_someone_who_presses_the_same_key_hears_so_when_nothing_is_left_to_ask():
    study = pf.Study(pf.Space({"x": pf.Integer(0, 14)}), seed=0)
    with contextlib.suppress(ExhaustedError):
        while True:
            study.tell(study.ask(), "a")
    advice = study.learned.advice()
    assert advice.stop  # there is nothing else to do
    assert "same side" in advice.reason
    assert advice.probability_best == pytest.approx(1 / 15, abs=0.02)


def test_the_chance_that_somebody_does_not_look_is_small_unless_one_side_is_chosen_always():
    assert by_side(0, 0) == pytest.approx(0.01)
    assert by_side(15, 15) < 0.01
    assert by_side(20, 10) < 0.05
    assert by_side(30, 0) > 0.99
    assert by_side(0, 30) > 0.99


def from_the_corner(seed, **policy):
    """How far from (0.9, 0.9), which is liked best, a study ends."""
    proposer = pf.Posterior(policy=Policy(**policy))
    space = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})
    liked = pf.preference(lambda c: (c["x"] - 0.9) ** 2 + (c["y"] - 0.9) ** 2)
    best = pf.optimize(liked, space, comparisons=25, seed=seed, proposer=proposer).best
    return np.hypot(best["x"] - 0.9, best["y"] - 0.9)


def test_a_best_candidate_just_inside_a_corner_is_found():
    """All answers around the corner agree with a linear taste, so that something has to ask about the inside."""
    assert max(from_the_corner(seed) for seed in range(4)) < 0.05
    assert max(from_the_corner(seed, doubt=0) for seed in range(4)) > 0.1
