"""prefero: find the setting a person likes best, by asking only which of two is better."""

from prefero._version import __version__
from prefero.answers import Comparison, History
from prefero.catalogue import Catalogue
from prefero.errors import PreferoError
from prefero.insight import Advice
from prefero.optimize import Result, optimize, preference
from prefero.panel import Question
from prefero.proposers.glisp import Glisp
from prefero.proposers.pbo import Pbo
from prefero.proposers.posterior import Posterior
from prefero.shelf import delete_study, studies
from prefero.space import Candidate, Choice, Integer, Real, Space
from prefero.study import Study
from prefero.surrogates.rbf import Surrogate, fit

__all__ = [
    "Advice",
    "Candidate",
    "Catalogue",
    "Choice",
    "Comparison",
    "Glisp",
    "History",
    "Integer",
    "Pbo",
    "Posterior",
    "PreferoError",
    "Question",
    "Real",
    "Result",
    "Space",
    "Study",
    "Surrogate",
    "__version__",
    "delete_study",
    "fit",
    "optimize",
    "preference",
    "studies",
]
