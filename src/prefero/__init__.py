"""prefero: find the setting a person likes best, by asking only which of two is better."""

from prefero._version import __version__
from prefero.answers import Comparison, History
from prefero.catalogue import Catalogue
from prefero.errors import PreferoError
from prefero.optimize import Result, optimize, preference
from prefero.proposers.glisp import Glisp
from prefero.space import Candidate, Choice, Integer, Real, Space
from prefero.study import Question, Study
from prefero.surrogates.rbf import Surrogate, fit

__all__ = [
    "Candidate",
    "Catalogue",
    "Choice",
    "Comparison",
    "Glisp",
    "History",
    "Integer",
    "PreferoError",
    "Question",
    "Real",
    "Result",
    "Space",
    "Study",
    "Surrogate",
    "__version__",
    "fit",
    "optimize",
    "preference",
]
