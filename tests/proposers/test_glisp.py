"""Every knob of Glisp does something, and algorithm 1 is followed."""

import numpy as np
import pytest

import prefero as pf
from prefero.models import calibration, rbf
from prefero.proposers import acquisition, glisp, search
from tests.strategies import answered, distance_to, session_of

SPACE = pf.Space.box([-2, -2], [2, 2])


def taste(c) -> float:
    return (c["x1"] - 0.7) ** 2 + np.sin(2 * c["x2"]) + 0.5 * c["x1"] * c["x2"]


def run(answers: int = 9, comparisons: int = 9, seed: int = 1, space=SPACE, **knobs) -> list:
    """What is asked when somebody answers."""
    study = pf.Study(space, comparisons=comparisons, seed=seed, proposer=pf.Glisp(**knobs))
    shown = []
    for _ in range(answers):
        question = study.ask()
        shown.append(question)
        study.tell(question, pf.preference(taste)(question.a, question.b))
    return [*shown, study.ask()]


PLAIN = run()


@pytest.mark.parametrize(
    "knobs",
    [
        {"initial_samples": 5},
        {"exploration": 0.5},
        {"final_exploration": 0.0},
        {"shape": 0.3, "calibration_steps": []},
        {"regularization": 1.0},
        {"regularization": 0.0},
        {"best_weight": 0.1, "regularization": 1.0},
        {"basis": "gaussian"},
        {"basis": "thin plate spline"},
        {"basis": "multiquadric"},
        {"basis": "inverse multiquadric"},
        {"basis": "linear"},
        {"normalize": True},
        {"acquisition": "improvement"},
        {"search": "swarm"},
        {"search": "direct"},
    ],
    ids=repr,
)
def test_a_knob_changes_what_is_asked(knobs):
    changed = run(**knobs)
    assert changed != PLAIN
    assert changed == run(**knobs)
    assert changed[0] == PLAIN[0] or "initial_samples" in knobs


def test_the_margin_matters_where_there_is_slack():
    """Without slack the surrogate is proportional to σ, and the acquisition is divided by its range."""
    assert run(regularization=1.0, margin=0.5) != run(regularization=1.0)
    one, two = (np.array([np.asarray(q.b) for q in run(answers=4, margin=margin)]) for margin in (0.1, 0.2))
    assert one == pytest.approx(two, abs=1e-3)


def test_weights_are_by_outcome_and_larger_for_comparisons_with_the_best(monkeypatch):
    pairs, outcomes = np.array([(0, 1), (1, 2), (3, 1), (2, 3)]), np.array([-1.0, 0.0, 1.0, 0.0])
    c = rbf.slack_weights(pairs, outcomes, 3, rbf.Settings(weights=(1.0, 2.0, 3.0), best_weight=10.0))
    assert c.tolist() == [1, 2, 30, 20]
    c = rbf.slack_weights(pairs, outcomes, 3, rbf.Settings(weights=(1.0, 2.0, 3.0), best_weight=1.0))
    assert c.tolist() == [1, 2, 3, 2]  # c_h = c̄ of the outcome alone, as theorem 1 asks
    used = set()
    plain = rbf.slack_weights

    def spy(pairs, outcomes, best, settings, *more):
        used.add((settings.weights, settings.best_weight))
        return plain(pairs, outcomes, best, settings, *more)

    monkeypatch.setattr(rbf, "slack_weights", spy)
    run(weights=(1.0, 2.0, 3.0), best_weight=7.0)
    assert used == {((1.0, 2.0, 3.0), 7.0)}


@pytest.mark.parametrize(
    "knobs",
    [{"calibration_steps": [7]}, {"calibration_grid": [0.2]}, {"calibration_folds": 2}, {"calibration_rule": "sign"}],
    ids=repr,
)
def test_the_knobs_of_calibration_change_its_arguments(knobs, monkeypatch):
    def seen(**given):
        calls = []

        def spy(history, D2, best, settings, shapes, folds, quick, rule):
            calls.append((len(history), settings.shape, tuple(shapes), folds, rule))
            return shapes[0]

        monkeypatch.setattr(calibration, "calibrate", spy)
        run(**given)
        return calls

    assert seen(**knobs) != seen()


@pytest.mark.parametrize(("of", "bases"), [("first", [2.0, 2.0, 2.0]), ("current", [2.0, 1.0, 0.5])])
def test_the_grid_multiplies_the_first_or_the_current_shape(of, bases, monkeypatch):
    seen = []

    def spy(history, D2, best, settings, shapes, folds, quick, rule):
        seen.append(tuple(shapes))
        return shapes[0]

    monkeypatch.setattr(calibration, "calibrate", spy)
    run(shape=2.0, calibration_of=of, calibration_grid=[0.5, 3.0], calibration_steps=[4, 6, 8])
    assert seen == [(0.5 * base, 3.0 * base) for base in bases]


@pytest.mark.parametrize(("comparisons", "samples"), [(1, 2), (2, 2), (5, 2), (8, 3), (9, 4), (29, 10)])
def test_a_third_of_the_samples_is_initial(comparisons, samples, monkeypatch):
    searched = []
    monkeypatch.setattr(
        glisp.search,
        "minimise",
        lambda *given: searched.append(1) or np.random.default_rng(len(searched)).uniform(-1, 1, 2),
    )
    study = pf.Study(SPACE, comparisons=comparisons, seed=0, proposer="glisp")
    while not searched:
        study.tell(study.ask(), "a")
    assert len(study.history) == samples  # the question after N_init − 1 answers was searched for


def test_sigma_is_one_over_n_max_and_stays_when_comparisons_are_exceeded(monkeypatch):
    margins = []
    plain = rbf.fit_history

    def spy(history, distances, best, settings):
        margins.append(settings.margin)
        return plain(history, distances, best, settings)

    monkeypatch.setattr(rbf, "fit_history", spy)
    run(answers=14, comparisons=9)
    assert set(margins) == {1 / 10}
    margins.clear()
    run(margin=0.7)
    assert set(margins) == {0.7}


def test_exploration_falls_linearly_to_its_final_value(monkeypatch):
    deltas = []
    plain = acquisition.SurrogateAndDistance

    def spy(surrogate, delta):
        deltas.append(delta)
        return plain(surrogate, delta)

    monkeypatch.setattr(acquisition, "SurrogateAndDistance", spy)
    run(answers=12, comparisons=9, initial_samples=4, exploration=3.0, final_exploration=0.0)
    assert deltas == pytest.approx([3, 2.5, 2, 1.5, 1, 0.5, 0, 0, 0, 0])
    deltas.clear()
    run(answers=5, comparisons=9, initial_samples=4, exploration=0.0)
    assert deltas == [0, 0, 0]


@pytest.mark.parametrize("method", search.METHODS)
@pytest.mark.parametrize("kind", ["idw", "improvement"])
def test_every_search_and_acquisition_leads_to_the_favourite(method, kind):
    proposer = pf.Glisp(search=method, acquisition=kind, exploration=1.0)
    study = answered(pf.Study(SPACE, comparisons=14, seed=2, proposer=proposer), distance_to([0.8, -0.5]), 14)
    assert distance_to([0.8, -0.5])(study.best) < 0.3


def test_the_next_question_is_the_incumbent_against_the_minimiser_of_the_acquisition():
    study = answered(pf.Study(SPACE, comparisons=9, seed=1, sides="incumbent first", proposer="glisp"), taste, 6)
    history, state, task = study.history, session_of(study).state(study.history), session_of(study).task
    best = int(history.index(SPACE.encode(study.best)))
    settings = rbf.Settings(shape=state.shape, margin=1 / 10)
    surrogate = rbf.fit_history(history, rbf.Distances.of(history.points), best, settings)
    a = acquisition.SurrogateAndDistance(surrogate, 2.0)
    question = study.ask()
    assert question.a == study.best
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 201)] * 2), axis=-1).reshape(-1, 2)
    assert a(SPACE.encode(question.b)[None])[0] <= a(grid).min() + 1e-3
    assert task.samples == 10
