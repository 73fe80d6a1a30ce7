"""Earlier studies as a prior: what is stored of them, and what the proposer sees.

A new study stores the candidates and answers of its sources, not a summary of them: the log stays the truth, and a better model
of later versions may learn more from them. Each judge of a source is a source of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from prefero.answers import Comparison, History, as_level
from prefero.errors import InputError
from prefero.models.population import MOST_POINTS, Others
from prefero.proposers.posterior import Posterior
from prefero.proposers.protocol import Proposer
from prefero.space import Domain, design
from prefero.study import checks

ITEM = "a Study, or a pair of a Study and a mapping from its variables' names to the names here"


def checked_sources(given: object, space: Domain, proposer: Proposer) -> list[dict[str, Any]]:
    """Return the answers of earlier studies as plain data, one entry per judge.

    Parameters
    ----------
    given: studies, or pairs of a study and a mapping from its variables' names to those of this space.
    space: of the new study.
    proposer: of the new study; only the default one learns from other studies.
    """
    if given is None or (isinstance(given, Sequence) and not len(given)):
        return []
    if not isinstance(given, Iterable) or isinstance(given, str | Mapping):
        raise InputError.of("prior", given, f"a list; each item is {ITEM}")
    if not isinstance(proposer, Posterior):
        raise InputError('prior: only the proposer "posterior" learns from earlier studies')
    return [source for k, item in enumerate(given) for source in _entries(f"prior[{k}]", item, space)]


def _entries(argument: str, item: Any, space: Domain) -> list[dict[str, Any]]:
    """Return what the judges of one study answered."""
    study, names = item if isinstance(item, tuple) and len(item) == 2 else (item, {})
    state = getattr(getattr(study, "log", None), "state", None)
    if state is None or not isinstance(names, Mapping):
        raise InputError.of(argument, item, ITEM)
    for name in names:
        if name not in state.space.names:
            raise InputError.of(argument, name, f"names of its variables, {list(state.space.names)}, to map from")
    theirs = {name: str(names.get(name, name)) for name in state.space.names}
    twice = sorted({ours for ours in theirs.values() if [*theirs.values()].count(ours) > 1})
    if twice:
        both = [name for name, ours in theirs.items() if ours == twice[0]]
        raise InputError(f"{argument}: {' and '.join(both)} are both mapped to {twice[0]}; give each another name here")
    missing = sorted(set(space.names) - set(theirs.values()))
    unknown = sorted(name for name, ours in theirs.items() if ours not in space.names)
    if missing or unknown:
        differ = [f"it has no {', '.join(missing)}"] if missing else []
        differ += [f"{', '.join(unknown)} is not a variable here"] if unknown else []
        raise InputError(
            f"{argument}: its variables differ: {'; '.join(differ)}. Map names with (study, {{'theirs': 'ours'}})"
        )
    sources = []
    for judge in state.history.judges:
        said = [c for c in state.history.comparisons if c.judge == judge]
        if not said:
            continue  # ratings alone do not make a source
        samples = sorted({k for c in said for k in (c.i, c.j)})
        candidates = [_translated(argument, state.samples.shown[k], theirs, space) for k in samples]
        rows = [[samples.index(c.i), samples.index(c.j), int(c.level)] for c in said]
        sources.append({"study": state.created.name, "judge": judge, "candidates": candidates, "comparisons": rows})
    if not sources:
        raise InputError(f"{argument}: this study has no answers yet")
    return sources


def _translated(argument: str, shown: Mapping[str, Any], theirs: Mapping[str, str], space: Domain) -> dict[str, Any]:
    """Return a candidate of a source as one of this space; it may lie outside the bounds."""
    try:
        return dict(space.candidate({ours: shown[name] for name, ours in theirs.items()}))
    except InputError as error:
        raise InputError(f"{argument}: a candidate does not fit this space: {error}") from None


def others(sources: Sequence[Mapping[str, Any]], space: Domain, complete: Any) -> Others | None:
    """Return the stored sources as histories in the box; None without any.

    complete: from the stored values of a candidate to a candidate of today's space.
    """
    if not sources:
        return None
    points = design.initial(space, MOST_POINTS, np.random.default_rng(0))
    return Others(tuple(_history(source, space, complete) for source in sources), points)


def _history(source: Mapping[str, Any], space: Domain, complete: Any) -> History:
    X = np.array([space.encode(complete(values)) for values in source["candidates"]])
    rows = [checks.checked_row(k, row, len(X)) for k, row in enumerate(source["comparisons"])]
    comparisons = tuple(Comparison.of_level(i, j, as_level(said), k) for k, (i, j, said) in enumerate(rows))
    return History(X, np.ones(len(X), dtype=bool), comparisons)
