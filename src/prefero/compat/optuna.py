"""Preferential studies of Optuna Dashboard: a sampler that asks by prefero's default, import and export.

    from optuna_dashboard.preferential import create_study
    study = create_study(n_generate=4, sampler=PreferoSampler(seed=0))

It needs Optuna and Optuna Dashboard: pip install 'prefero[optuna]'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from prefero.errors import ExhaustedError, InfeasibleError, InputError, PreferoError
from prefero.exchange.tables import import_optuna
from prefero.space import Candidate, Choice, Integer, Real, Space
from prefero.study import Study
from prefero.study.checks import LARGEST_BATCH
from prefero.study.study import AnyProposer

try:
    from optuna.distributions import (
        BaseDistribution,
        CategoricalDistribution,
        FloatDistribution,
        IntDistribution,
    )
    from optuna.samplers import BaseSampler, RandomSampler
    from optuna.search_space import intersection_search_space
    from optuna.trial import TrialState, create_trial
    from optuna_dashboard.preferential import PreferentialStudy
except ModuleNotFoundError as error:  # pragma: no cover
    raise PreferoError(f"prefero.compat.optuna needs {error.name}: pip install 'prefero[optuna]'") from None

LEAST_LEFT = 5
"""The fewest answers that are expected to come, however many there are already."""


class PreferoSampler(BaseSampler):  # type: ignore[misc]
    """A sampler for preferential studies: the challenger that prefero's default proposer would show next.

    comparisons: the expected number of answers.
    seed: makes the trials repeatable. proposer: as of `pf.Study`.

    Parameters that only some of the trials have are sampled at random.
    """

    def __init__(self, *, comparisons: int = 30, seed: int | None = None, proposer: AnyProposer = "posterior") -> None:
        self.comparisons, self.proposer = comparisons, proposer
        self.seed = Study(([0], [1]), seed=seed, comparisons=comparisons, proposer=proposer).settings.seed
        self._random = RandomSampler(seed=seed)

    def reseed_rng(self) -> None:
        """Reseed the sampler of parameters that only some trials have; Optuna calls it in new processes."""
        self._random.reseed_rng()

    def infer_relative_search_space(self, study: Any, trial: Any) -> dict[str, BaseDistribution]:
        """Return the parameters that all trials have."""
        del trial
        trials = [t for t in study.get_trials(deepcopy=False) if t.params and t.state != TrialState.WAITING]
        # A trial that waits for a person is running, and its parameters are as good as those of a finished one.
        if not trials:
            return {}
        common = dict(intersection_search_space([_finished(t) for t in trials]))
        return {name: each for name, each in sorted(common.items()) if not each.single()}

    def sample_relative(self, study: Any, trial: Any, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
        """Return the values of the next challenger."""
        if not search_space:
            return {}
        space = as_space(search_space)
        preferential = PreferentialStudy(study)
        trials = [
            t
            for t in study.get_trials(deepcopy=False)
            if t.number != trial.number and search_space.keys() <= t.params.keys()
        ]
        candidates = {t.number: _candidate(space, t.params) for t in trials}
        known = {number: candidate for number, candidate in candidates.items() if candidate is not None}
        reported = [
            (known[better.number], known[worse.number])
            for better, worse in preferential.preferences
            if {better.number, worse.number} <= known.keys() and known[better.number] != known[worse.number]
        ]
        compared = {candidate for pair in reported for candidate in pair}
        pending = [c for number, c in known.items() if c not in compared and not _skipped(study, number)]
        found = self._next(space, reported, pending, set(known.values()))
        return {} if found is None else {name: _plain(value) for name, value in found.items()}

    def _next(
        self,
        space: Space,
        reported: Sequence[tuple[Candidate, Candidate]],
        pending: Sequence[Candidate],
        shown: set[Candidate],
    ) -> Candidate | None:
        """Return the first candidate that prefero would ask about and no trial has; None if there is none."""
        left = max(self.comparisons - len(reported), LEAST_LEFT)
        own = Study(space, comparisons=left, seed=self.seed, proposer=self.proposer)
        try:
            if reported:
                each = list(dict.fromkeys(candidate for pair in reported for candidate in pair))
                own.import_comparisons(each, [(each.index(a), each.index(b), "a") for a, b in reported])
                for candidate in pending[: LARGEST_BATCH - 1]:
                    own.enqueue(candidate)  # so that the next one is chosen as if it waited
            questions = own.ask(count=min(len(pending) + 1, LARGEST_BATCH))
        except (ExhaustedError, InfeasibleError):
            return None
        asked = [candidate for question in questions for candidate in (question.a, question.b)]
        return next((candidate for candidate in asked if candidate not in shown), None)

    def sample_independent(self, study: Any, trial: Any, param_name: str, param_distribution: BaseDistribution) -> Any:
        """Return a random value of a parameter that not all trials have."""
        return self._random.sample_independent(study, trial, param_name, param_distribution)


def as_space(distributions: Mapping[str, BaseDistribution]) -> Space:
    """Return the space of Optuna's distributions, by name."""
    return Space({name: _variable(name, each) for name, each in distributions.items()})


def as_distributions(space: Any) -> dict[str, BaseDistribution]:
    """Return Optuna's distributions of a space, by name; conditions and constraints have none and are refused."""
    if not isinstance(space, Space) or space.constraints or any(v.when for v in space.variables.values()):
        raise InputError.of("space", space, "a Space without constraints and conditions, which Optuna cannot express")
    return {name: _distribution(variable) for name, variable in space.variables.items()}


def import_preferential(preferential: Any, *, comparisons: int = 30, seed: int | None = None, **settings: Any) -> Study:
    """Return a new study with the space and the answers of a preferential study.

    comparisons: how many answers are still to come. seed, settings: as of `pf.Study`.
    """
    trials = [t for t in preferential.trials if t.params]
    if not trials:
        raise InputError.of("preferential", preferential, "a preferential study with trials that have parameters")
    space = as_space(dict(sorted(intersection_search_space([_finished(t) for t in trials]).items())))
    study = Study(space, comparisons=comparisons, seed=seed, **settings)
    if preferential.preferences:
        import_optuna(study, preferential)
    return study


def export_preferential(study: Study, preferential: Any) -> dict[int, int]:
    """Add a study's candidates as trials, and its answers as preferences, to a preferential study.

    Returns the number of each candidate's trial, by the candidate's number. Ties are left out, and how much better one is: Optuna
    has neither.
    """
    distributions = as_distributions(study.space)
    numbers = {}
    for k, candidate in enumerate(study.candidates):
        values = {name: _plain(value) for name, value in candidate.items()}
        preferential.add_trial(create_trial(params=values, distributions=distributions, value=0.0))
        numbers[k] = len(preferential.get_trials(deepcopy=False)) - 1
    trials = preferential.get_trials(deepcopy=False)
    for c in study.history.comparisons:
        if c.preference:
            better, worse = (c.i, c.j) if c.preference == -1 else (c.j, c.i)
            preferential.report_preference(trials[numbers[better]], trials[numbers[worse]])
    return numbers


def _variable(name: str, given: BaseDistribution) -> Any:
    match given:
        case FloatDistribution(low=low, high=high, log=log, step=step):
            return Real(low, high, log=log, step=step)
        case IntDistribution(low=low, high=high, log=log, step=step):
            return Integer(low, high, log=log, step=step)
        case CategoricalDistribution(choices=choices) if None not in choices:
            return Choice(list(choices))
    raise InputError.of(name, given, "a distribution of floats, of whole numbers, or of categories other than None")


def _distribution(variable: Any) -> BaseDistribution:
    match variable:
        case Real(low=low, high=high, log=log, step=step):
            return FloatDistribution(low, high, log=log, step=step)
        case Integer(low=low, high=high, log=log, step=step):
            return IntDistribution(low, high, log=log, step=step)
    return CategoricalDistribution(list(variable.levels))


def _finished(trial: Any) -> Any:
    """Return a trial as if it were complete, which is what Optuna infers a search space from."""
    return create_trial(params=trial.params, distributions=trial.distributions, value=0.0)


def _candidate(space: Space, params: Mapping[str, Any]) -> Candidate | None:
    """Return a trial's candidate; None if it lies outside today's bounds."""
    try:
        return space.candidate({name: params[name] for name in space.names})
    except InputError:
        return None


def _skipped(study: Any, number: int) -> bool:
    """Return whether the person skipped a trial, or it failed."""
    trial = study.get_trials(deepcopy=False)[number]
    marked = f"preference:skip_trial:{trial._trial_id}" in study._storage.get_study_system_attrs(study._study_id)
    return bool(marked or trial.state == TrialState.FAIL)


def _plain(value: Any) -> Any:
    """Return a Python number instead of NumPy's."""
    return value.item() if hasattr(value, "item") else value
