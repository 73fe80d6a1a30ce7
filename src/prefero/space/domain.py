"""What the algorithms need of a space: a Space and a Catalogue both have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from prefero.space.arrays import Mask, Matrix, Vector
from prefero.space.variables import Candidate


class Domain(Protocol):
    """Candidates at the edge, points of the box [−1, 1]ⁿ inside."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables' names, in declared order."""

    @property
    def varying(self) -> tuple[str, ...]:
        """The names of the variables that take coordinates, in the order of `groups`."""

    @property
    def dimension(self) -> int:
        """The number of coordinates of the box."""

    @property
    def groups(self) -> tuple[slice, ...]:
        """The coordinates of each variable."""

    def candidate(self, given: object) -> Candidate:
        """What the user gave as a checked candidate."""

    def encode(self, candidate: Mapping[str, Any]) -> Vector:
        """A candidate as a point of the box."""

    def decode(self, point: Vector) -> Candidate:
        """A point of the box as a candidate."""

    def snap(self, X: Matrix) -> Matrix:
        """The nearest points that are candidates."""

    def violations(self, X: Matrix) -> Matrix:
        """max{g_i(x), 0} for every row of every constraint, each divided by its scale."""

    def feasible(self, X: Matrix) -> Mask:
        """Which points satisfy every known constraint."""

    def admits(self, candidate: Candidate) -> bool:
        """Whether the candidate lies within the bounds and satisfies the constraints, in its own units."""

    def points(self) -> Matrix | None:
        """Every feasible candidate where they are finitely many and few, otherwise None."""

    def reach(self, candidate: Mapping[str, Any], steps: Mapping[str, float]) -> tuple[Vector, Vector]:
        """The lowest and highest coordinates within so many units of a candidate, for the variables that are named."""

    def within(self, low: Vector, high: Vector) -> Domain:
        """The same space, of whose candidates only those between two corners are looked at."""

    def to_dict(self) -> dict[str, Any]:
        """The space as plain data."""
