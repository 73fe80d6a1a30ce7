"""Figures of studies and of what they learned; each function returns a matplotlib Figure, ready for `savefig`.

| function | shows |
|---|---|
| `progress` | how good the recommendation was after each answer, where the latent function is known |
| `questions` | each variable of a study, question by question, and which side won |
| `samples_on_contours` | samples over the level sets of a function of two variables |
| `surfaces` | functions of two variables side by side, in perspective |
| `panels` | functions of one variable, one panel above the other |
| `front` | the rows of a Pareto front as lines across its objectives |
| `labelled` | axes of your own in the look of these |

A field is a function of many points at once, a value for each row, as `Surrogate.predict` is. Nothing here touches pyplot or
any other global state. Needs the extra: pip install "prefero[plot]".
"""

try:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError('prefero.plots needs matplotlib: pip install "prefero[plot]"', name="matplotlib") from error

from prefero.plots.fields import Bounds, Field, Panel, panels, samples_on_contours, surfaces
from prefero.plots.fronts import front
from prefero.plots.look import (
    BLUE,
    CYCLE,
    FAINT,
    GREEN,
    INK,
    ORANGE,
    PURPLE,
    QUIET,
    SKY,
    VERMILLION,
    labelled,
)
from prefero.plots.runs import progress, questions

__all__ = [
    "BLUE",
    "CYCLE",
    "FAINT",
    "GREEN",
    "INK",
    "ORANGE",
    "PURPLE",
    "QUIET",
    "SKY",
    "VERMILLION",
    "Axes",
    "Bounds",
    "Field",
    "Figure",
    "Panel",
    "front",
    "labelled",
    "panels",
    "progress",
    "questions",
    "samples_on_contours",
    "surfaces",
]
