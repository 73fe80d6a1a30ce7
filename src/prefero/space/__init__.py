"""Spaces of candidates: named variables with bounds and known constraints, or the rows of a catalogue."""

from prefero.space.catalogue import Catalogue
from prefero.space.domain import Domain
from prefero.space.space import Space
from prefero.space.variables import Candidate, Choice, Integer, Ordinal, Real, Variable

__all__ = ["Candidate", "Catalogue", "Choice", "Domain", "Integer", "Ordinal", "Real", "Space", "Variable"]
