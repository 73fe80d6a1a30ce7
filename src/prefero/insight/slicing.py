"""Slices: the posterior utility along each variable, with the other variables at the recommendation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from prefero.insight.findings import SPREAD, UTILITY, seen_candidates
from prefero.insight.tables import Column, Table
from prefero.space import Candidate, Choice, Integer, Ordinal, Real, Space, Variable
from prefero.space.catalogue import Catalogue
from prefero.space.variables import decimals
from prefero.study import Study

GRID = 49
"""How many values of a real variable a slice has."""
MOST_ROWS = 300
"""How many rows of a catalogue a slice has, evenly spaced, besides those that were compared."""
SliceKind = Literal["real", "log", "integer", "choice", "row"]


@dataclass(frozen=True)
class Slice:
    """The utility along one variable, with the others at the recommendation; for a catalogue, the utility of its rows.

    allowed: which values satisfy the constraints. at: the index of the recommended value. seen: the values that were compared.
    """

    name: str
    unit: str
    kind: SliceKind
    values: tuple[Any, ...]
    utility: tuple[float, ...]
    spread: tuple[float, ...]
    allowed: tuple[bool, ...]
    at: int
    seen: tuple[Any, ...]

    @property
    def best(self) -> Any:
        """The recommended value."""
        return self.values[self.at]

    @property
    def label(self) -> str:
        """The name with its unit."""
        return Column(self.name, unit=self.unit).heading

    @property
    def words(self) -> str:
        """Where the mean utility is largest, in a sentence."""
        among = [k for k, allowed in enumerate(self.allowed) if allowed]
        top = max(among, key=lambda k: self.utility[k], default=None)
        chosen = Column(self.name).text(self.best)
        if top is None or self.values[top] == self.best:
            return f"Recommended: {chosen}, where the mean utility is largest."
        return f"Recommended: {chosen}. The mean utility is largest at {Column(self.name).text(self.values[top])}."

    @property
    def table(self) -> Table:
        """A row for each value."""
        columns = (Column(self.name, unit=self.unit), UTILITY, SPREAD, Column("allowed"))
        return Table(columns, tuple(zip(self.values, self.utility, self.spread, self.allowed, strict=True)))


def slices(study: Study, points: int = GRID) -> tuple[Slice, ...]:
    """Return a slice through the recommendation for each variable; none if there is no recommendation."""
    best = study.best
    if best is None:
        return ()
    if isinstance(study.space, Space):
        return _through(study, study.space, best, points)
    return _by_column(study, best) if isinstance(study.space, Catalogue) else ()


def _through(study: Study, space: Space, best: Candidate, points: int) -> tuple[Slice, ...]:
    found = []
    seen = seen_candidates(study)
    for name, variable in space.variables.items():
        if name not in best or name in space.fixed:
            continue  # there is nothing to vary
        values = _grid(variable, space.bounds.get(name, (0, 0)), best[name], points)
        along = [_changed(space, best, name, value) for value in values]
        means, spreads = study.learned.utilities(along)
        part = Slice(
            name=name,
            unit=getattr(variable, "unit", ""),
            kind=_kind(variable),
            values=values,
            utility=tuple(means.tolist()),
            spread=tuple(spreads.tolist()),
            allowed=tuple(space.admits(candidate) for candidate in along),
            at=values.index(best[name]),
            seen=tuple(candidate[name] for candidate in seen if name in candidate),
        )
        found.append(part)
    return tuple(found)


def _changed(space: Space, best: Candidate, name: str, value: Any) -> Candidate:
    """Return the recommendation with another value of a variable; what then exists, too, has a value in the middle."""
    values = {**best, name: value}
    middle: Mapping[str, Any] = {}
    if set(space.present(values)) - set(values):
        every = Space({each: replace(v, when={}) for each, v in space.variables.items()})  # type: ignore[type-var]
        middle = every.decode(every.snap(np.zeros((1, every.dimension)))[0])
    known = {**middle, **values}
    return space.candidate({each: known[each] for each in space.present(known)})


def _kind(variable: Variable) -> SliceKind:
    match variable:
        case Real(log=log):
            return "log" if log else "real"
        case Integer():
            return "integer"
    return "choice"


def _grid(variable: Variable, bounds: tuple[float, float], best: Any, points: int) -> tuple[Any, ...]:
    """Return values along a variable, the recommended one among them."""
    if isinstance(variable, Choice | Ordinal):
        return variable.levels
    low, high = bounds
    step = getattr(variable, "step", None)
    if step:
        count = round((high - low) / step) + 1
        picked = np.unique(np.round(np.linspace(0, count - 1, min(points, count))).astype(int))
        spaced = np.round(low + picked * step, decimals(low, step)).tolist()
        spaced = [int(value) for value in spaced] if isinstance(variable, Integer) else spaced
    else:
        logarithmic = isinstance(variable, Real) and variable.log
        spaced = (np.geomspace if logarithmic else np.linspace)(low, high, points).tolist()
    return tuple(sorted({*spaced, best}))


def _by_column(study: Study, best: Candidate) -> tuple[Slice, ...]:
    catalogue = study.space
    assert isinstance(catalogue, Catalogue)
    seen = seen_candidates(study)
    step = max(1, len(catalogue.rows) // MOST_ROWS)
    rows = list(dict.fromkeys([*catalogue.rows[::step], *seen]))
    means, spreads = study.learned.utilities(rows)
    whole = Slice(
        name="",
        unit="",
        kind="row",
        values=(),
        utility=tuple(means.tolist()),
        spread=tuple(spreads.tolist()),
        allowed=(True,) * len(rows),
        at=rows.index(best),
        seen=(),
    )
    return tuple(
        replace(whole, name=name, values=tuple(row[name] for row in rows), seen=tuple(row[name] for row in seen))
        for name in catalogue.varying
    )
