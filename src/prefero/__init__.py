"""prefero: find the setting a person likes best, by asking only which of two is better.

The public names are imported when they are first used: `prefero --help` and a shell's completion need no numerics.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from prefero.errors import InputError, PreferoError

__version__ = "0.1.0"

if TYPE_CHECKING:
    from prefero.answers import Comparison, History, because, much, rated, unsure
    from prefero.cli.compare import compare_in_terminal
    from prefero.exchange import read_catalogue
    from prefero.insight import plots, report
    from prefero.models.advice import Advice
    from prefero.models.learned import Learned
    from prefero.models.rbf import Surrogate, fit
    from prefero.proposers.glisp import Glisp
    from prefero.proposers.learning import learn
    from prefero.proposers.outcomes import Outcomes
    from prefero.proposers.pbo import Pbo
    from prefero.proposers.posterior import Posterior
    from prefero.space import Candidate, Catalogue, Choice, Integer, Ordinal, Real, Space, Variable
    from prefero.study import Question, Study, delete_study, studies
    from prefero.study.loop import Result, optimize, preference
    from prefero.study.reasons import suggestions
    from prefero.web.frame import frame
    from prefero.web.notebook.widget import widget

__all__ = [
    "Advice",
    "Candidate",
    "Catalogue",
    "Choice",
    "Comparison",
    "Glisp",
    "History",
    "InputError",
    "Integer",
    "Learned",
    "Ordinal",
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
    "Variable",
    "__version__",
    "because",
    "compare_in_terminal",
    "delete_study",
    "fit",
    "frame",
    "learn",
    "much",
    "optimize",
    "plots",
    "preference",
    "rated",
    "read_catalogue",
    "report",
    "studies",
    "suggestions",
    "unsure",
    "widget",
]

_ROOMS = {
    "answers": ("Comparison", "History", "because", "much", "rated", "unsure"),
    "cli.compare": ("compare_in_terminal",),
    "exchange.catalogues": ("read_catalogue",),
    "insight": ("plots", "report"),
    "models.advice": ("Advice",),
    "models.learned": ("Learned",),
    "models.rbf": ("Surrogate", "fit"),
    "proposers.glisp": ("Glisp",),
    "proposers.learning": ("learn",),
    "proposers.outcomes": ("Outcomes",),
    "proposers.pbo": ("Pbo",),
    "proposers.posterior": ("Posterior",),
    "space": ("Candidate", "Catalogue", "Choice", "Integer", "Ordinal", "Real", "Space", "Variable"),
    "study": ("Question", "Study", "delete_study", "studies"),
    "study.loop": ("Result", "optimize", "preference"),
    "study.reasons": ("suggestions",),
    "web.frame": ("frame",),
    "web.notebook.widget": ("widget",),
}
_OPEN = ("answers", "errors", "exchange", "insight")
"""Rooms with functions for users."""
_EXTRAS = {"compare_in_terminal": "studies", "frame": "ui", "widget": "notebook"}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _OPEN:
        return import_module(f"{__name__}.{name}")
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    room = f"{__name__}.{_ROOM_OF[name]}"
    try:
        value = import_module(f"{room}.{name}") if name in ("plots", "report") else getattr(import_module(room), name)
    except ModuleNotFoundError as error:
        if name not in _EXTRAS:
            raise
        raise ImportError(f"{name} needs {error.name}: pip install 'prefero[{_EXTRAS[name]}]'") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_OPEN, *(name for name in globals() if name.startswith("__"))})
