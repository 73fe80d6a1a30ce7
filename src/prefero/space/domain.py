"""The interface of a space, as the algorithms use it: Space and Catalogue implement it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from prefero.space.arrays import Mask, Matrix, Vector
from prefero.space.variables import Candidate, Value, Variable


class Domain(Protocol):
    """Candidates in user units outside, points of the box [−1, 1]ⁿ inside."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables' names, in declared order."""

    @property
    def varying(self) -> tuple[str, ...]:
        """The names of the variables that take coordinates, in the order of `groups`."""

    @property
    def variables(self) -> Mapping[str, Variable]:
        """The variables that take coordinates."""

    @property
    def dimension(self) -> int:
        """The number of coordinates of the box."""

    @property
    def groups(self) -> tuple[slice, ...]:
        """The coordinates of each variable."""

    def candidate(self, given: object) -> Candidate:
        """Return what the user gave as a checked candidate."""

    def present(self, values: Mapping[str, Any]) -> list[str]:
        """Return the names of the variables whose conditions some values meet, in declared order."""

    def encode(self, candidate: Mapping[str, Any]) -> Vector:
        """Return a candidate as a point of the box."""

    def decode(self, point: Vector) -> Candidate:
        """Return a point of the box as a candidate."""

    def snap(self, X: Matrix) -> Matrix:
        """Return the nearest points that are candidates."""

    def violations(self, X: Matrix) -> Matrix:
        """Return max{g_i(x), 0} for every row of every constraint, each divided by its scale."""

    def feasible(self, X: Matrix) -> Mask:
        """Return which points satisfy every known constraint."""

    def admits(self, candidate: Candidate) -> bool:
        """Return whether a candidate lies within the bounds and satisfies the constraints, in user units."""

    def points(self) -> Matrix | None:
        """Return every feasible candidate if there are few, otherwise None."""

    def reach(self, candidate: Mapping[str, Any], steps: Mapping[str, float]) -> tuple[Vector, Vector]:
        """Return the lowest and highest coordinates within `steps` user units of a candidate, for the variables named there."""

    def around(self, point: Vector, share: float) -> tuple[Vector, Vector]:
        """Return the corners of the part around a point that reaches so far, as a share of each range; choices stay as they are."""

    def pinned(self, name: str, value: Value) -> tuple[Vector, Vector]:
        """Return the corners of the part in which a variable has a value."""

    def allows(self, name: str, value: Any) -> bool:
        """Return whether a value of a variable may be proposed."""

    def within(self, low: Vector, high: Vector) -> Domain:
        """Return the same space, limited to candidates between two corners."""

    def to_dict(self) -> dict[str, Any]:
        """Return the space as plain data."""
