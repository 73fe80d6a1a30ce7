"""Figures of studies and their results; each function returns a matplotlib Figure, ready for `savefig`.

| function | shows |
|---|---|
| `progress` | how good the recommendation was after each answer, if the latent function is known |
| `questions` | each variable of a study, question by question, and which side won |
| `samples_on_contours` | samples over the level sets of a function of two variables |
| `surfaces` | functions of two variables side by side, in perspective |
| `panels` | functions of one variable, one panel above another |
| `front` | the rows of a Pareto front as lines across its objectives |
| `development` | the utility of the best candidate after each answer |
| `slices`, `slice_along` | the utility along each variable through the recommendation, with its band |
| `ranking` | the best candidates seen, and the probability that each beats the next |
| `importance` | how much each variable matters |
| `consistency` | contradictions, repeated pairs, side bias, response times |
| `svg`, `stylesheet` | a figure as SVG for a page, and its styles for light and dark |
| `labelled` | your own axes in the same style |

A field is a vectorised function, like `Surrogate.predict`: a matrix of points in, one value per row out. Nothing here uses
pyplot or other global state. It needs the extra `plot`: pip install "prefero[plot]".
"""

try:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError(
        'prefero.insight.plots needs matplotlib: pip install "prefero[plot]"', name="matplotlib"
    ) from error

from prefero.insight.plots.fields import Bounds, Field, Panel, panels, samples_on_contours, surfaces
from prefero.insight.plots.fronts import front
from prefero.insight.plots.inline import COLOURS, stylesheet, svg
from prefero.insight.plots.results import consistency, development, importance, ranking, slice_along, slices
from prefero.insight.plots.runs import progress, questions
from prefero.insight.plots.style import (
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

__all__ = [
    "BLUE",
    "COLOURS",
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
    "consistency",
    "development",
    "front",
    "importance",
    "labelled",
    "panels",
    "progress",
    "questions",
    "ranking",
    "samples_on_contours",
    "slice_along",
    "slices",
    "stylesheet",
    "surfaces",
    "svg",
]
