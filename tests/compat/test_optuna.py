"""Preferential studies of Optuna Dashboard, with the real packages: these tests run in the environment of `make next`."""

import pytest

import prefero as pf
from prefero.errors import InputError

optuna = pytest.importorskip("optuna")
pytest.importorskip("optuna_dashboard")
pytestmark = pytest.mark.filterwarnings("default")  # preferential studies are experimental, and Optuna says so

from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: E402
from optuna_dashboard.preferential import create_study  # noqa: E402

from prefero.compat import optuna as compat  # noqa: E402
from prefero.compat.optuna import PreferoSampler  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)


def suggested(study):
    trial = study.ask()
    trial.suggest_float("x", -1, 1)
    trial.suggest_float("scale", 0.01, 1, log=True)
    trial.suggest_int("n", 1, 9, step=2)
    trial.suggest_categorical("mode", ["slow", "fast"])
    return study.get_trials()[trial.number]


def dislike(trial):
    params = trial.params
    return (params["x"] - 0.3) ** 2 + 0.05 * abs(params["n"] - 5) + 0.5 * (params["mode"] == "slow")


def run(seed=0, answers=25, n_generate=2, sampler=None):
    """Replace the worst of the trials alive, as a person does on the dashboard."""
    study = create_study(n_generate=n_generate, sampler=sampler or PreferoSampler(seed=seed, comparisons=answers))
    alive = []
    while len(study.preferences) < answers:
        while study.should_generate():
            alive.append(suggested(study))
        worst = max(alive, key=dislike)
        study.report_preference([trial for trial in alive if trial is not worst], worst)
        alive.remove(worst)
    return study


def test_the_sampler_finds_what_a_person_likes_better_than_chance():
    best, chance = ([], [])
    for seed in range(3):
        study = run(seed)
        assert study.trials[-1].params["n"] in (1, 3, 5, 7, 9)
        best.append(min(dislike(trial) for trial in study.best_trials))
        other = run(seed, sampler=optuna.samplers.RandomSampler(seed=seed))
        chance.append(min(dislike(trial) for trial in other.best_trials))
    assert max(best) < 0.05
    assert sum(best) < sum(chance)


def test_several_trials_alive_differ_and_a_seed_repeats_them():
    first, second = run(1, 12, n_generate=4), run(1, 12, n_generate=4)
    params = [tuple(trial.params.items()) for trial in first.trials]
    assert params == [tuple(trial.params.items()) for trial in second.trials]
    assert len(set(params)) == len(params)


def test_a_finite_space_may_run_out():
    study = create_study(n_generate=2, sampler=PreferoSampler(seed=0))
    shown = [study.ask({"mode": CategoricalDistribution(["a", "b", "c"])}) for _ in range(5)]
    assert {trial.params["mode"] for trial in shown} == {"a", "b", "c"}


def test_a_preferential_study_becomes_a_study_and_back():
    preferential = run(2, 10)
    study = compat.import_preferential(preferential, seed=0)
    assert set(study.space.names) == {"x", "scale", "n", "mode"}
    assert len(study.history) == len(preferential.preferences) == 10
    assert study.ask() is not None
    study.tell(study.ask(), "a")
    study.tell(study.ask(), "same")
    back = create_study(n_generate=2, sampler=PreferoSampler(seed=0))
    numbers = compat.export_preferential(study, back)
    assert len(numbers) == len(study.candidates) == len(back.trials)
    assert len(back.preferences) == 11  # no tie
    better, worse = back.preferences[0]
    assert dislike(better) < dislike(worse)
    assert suggested(back).params.keys() == {"x", "scale", "n", "mode"}


def test_distributions_and_variables_are_the_same_thing():
    distributions = {
        "a": FloatDistribution(0.1, 10, log=True),
        "b": IntDistribution(1, 9, step=2),
        "c": CategoricalDistribution(["x", "y"]),
        "d": FloatDistribution(0, 1, step=0.25),
    }
    assert compat.as_distributions(compat.as_space(distributions)) == distributions
    with pytest.raises(InputError, match="space"):
        compat.as_distributions(pf.Space({"x": pf.Real(0, 1)}, constraints=lambda c: c["x"] - 0.5))
    with pytest.raises(InputError, match="c:"):
        compat.as_space({"c": CategoricalDistribution([None, "x"])})
    with pytest.raises(InputError, match="preferential"):
        compat.import_preferential(create_study(n_generate=2, sampler=PreferoSampler()))
