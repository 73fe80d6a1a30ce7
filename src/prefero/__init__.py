"""prefero: find the setting a person likes best, by asking only which of two is better.

The public names are imported when they are first used: `prefero --help` and a shell's completion need no numerics.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from prefero._version import __version__
from prefero.errors import PreferoError

if TYPE_CHECKING:
    from prefero.answers import Comparison, History
    from prefero.catalogue import Catalogue
    from prefero.insight import Advice
    from prefero.loop import Result, optimize, preference
    from prefero.panel import Question
    from prefero.proposers.glisp import Glisp
    from prefero.proposers.outcomes import Outcomes
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
    "Outcomes",
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

_ROOMS = {
    "answers": ("Comparison", "History"),
    "catalogue": ("Catalogue",),
    "insight": ("Advice",),
    "loop": ("Result", "optimize", "preference"),
    "panel": ("Question",),
    "proposers.glisp": ("Glisp",),
    "proposers.outcomes": ("Outcomes",),
    "proposers.pbo": ("Pbo",),
    "proposers.posterior": ("Posterior",),
    "shelf": ("delete_study", "studies"),
    "space": ("Candidate", "Choice", "Integer", "Real", "Space"),
    "study": ("Study",),
    "surrogates.rbf": ("Surrogate", "fit"),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_ROOM_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
