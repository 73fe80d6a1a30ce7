"""Figures are drawn without global state, and only where matplotlib is."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

import prefero as pf
from prefero.insight import plots


@pytest.fixture
def study():
    """A few answers, a tie among them, over every kind of variable."""
    kinds = {"gain": pf.Real(0.01, 100, log=True), "taps": pf.Integer(1, 8), "window": pf.Choice(["hann", "flat"])}
    study = pf.Study(pf.Space(kinds), comparisons=6, seed=0)
    for said in ("a", "b", "same", "a"):
        study.tell(study.ask(), said)
    return study


def bowl(X):
    return (np.asarray(X) ** 2).sum(axis=1)


def drawn(figure: Figure) -> Figure:
    """The figure, once everything in it has been drawn."""
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    return figure


def in_new_interpreter(code: str) -> str:
    path = [entry for entry in sys.path if entry]
    prepared = f"import sys; sys.path[:0] = {path!r}\n{code}"
    done = subprocess.run([sys.executable, "-c", prepared], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_prefero_leaves_matplotlib_alone():
    assert in_new_interpreter("import prefero; print('matplotlib' in sys.modules)") == "False"


def test_plots_leave_pyplot_alone():
    assert in_new_interpreter("import prefero.insight.plots; print('matplotlib.pyplot' in sys.modules)") == "False"


def test_without_matplotlib_the_message_says_what_to_install():
    tried = "try:\n    import prefero.insight.plots\nexcept ImportError as error:\n    print(error)"
    code = f"sys.modules['matplotlib'] = None\n{tried}"
    assert in_new_interpreter(code) == 'prefero.insight.plots needs matplotlib: pip install "prefero[plot]"'


def test_progress_steps_through_every_value_and_marks_the_phases():
    figure = drawn(plots.progress([3.0, 3.0, 1.0], first_active=2, optimum=0.5, label="cost"))
    (ax,) = figure.axes
    steps = next(line for line in ax.lines if line.get_drawstyle() == "steps-post")
    assert list(steps.get_xdata()) == [1, 2, 3]
    assert list(steps.get_ydata()) == [3, 3, 1]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["optimum", "active learning begins"]
    assert ax.get_ylabel() == "cost"
    assert ax.get_xlabel() == "queried preferences"


def test_figures_go_into_axes_of_ones_own():
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert plots.progress([1.0], ax=left) is figure
    assert plots.front([[1, 2], [2, 1]], ["cost", "mass"], ax=right) is figure
    plots.labelled(left, "time [s]", "rise [°C]")
    assert drawn(figure).axes[0].get_xlabel() == "time [s]"


def test_a_part_of_a_figure_leads_to_the_whole():
    figure = Figure()
    left, _ = figure.subfigures(1, 2)
    assert plots.progress([1.0], ax=left.subplots()) is figure


def test_questions_has_a_panel_for_each_variable(study):
    figure = drawn(plots.questions(study))
    assert [ax.get_ylabel() for ax in figure.axes] == list(study.space.names)
    assert figure.axes[0].get_yscale() == "log"
    assert [label.get_text() for label in figure.axes[2].get_yticklabels()] == ["hann", "flat"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["preferred", "the other", "about the same"]


def test_questions_fills_the_preferred_candidate(study):
    figure = drawn(plots.questions(study))
    shown = [study.space.decode(point)["taps"] for point in study.history.points]
    winners = [shown[c.j if c.preference == 1 else c.i] for c in study.history.comparisons]
    filled = figure.axes[1].collections[-1].get_offsets()
    assert [tuple(offset) for offset in filled] == [(k + 1, winner) for k, winner in enumerate(winners)]


def test_questions_of_a_catalogue_and_of_nothing_at_all():
    rows = [{"rent": 900, "balcony": True}, {"rent": 1100, "balcony": False}, {"rent": 800, "balcony": True}]
    study = pf.Study(pf.Catalogue(rows), comparisons=2, seed=0)
    drawn(plots.questions(study))
    study.tell(study.ask(), "a")
    drawn(plots.questions(study))


def test_samples_are_drawn_by_age_over_contours():
    samples = np.array([[0.5, 0.5], [-0.5, 0.2], [0.1, 0.1], [0.0, 0.05]])
    figure = drawn(
        plots.samples_on_contours(
            bowl,
            ([-1, -1], [1, 1]),
            samples,
            initial=2,
            best=[0, 0.05],
            optimum=[0, 0],
            constraint=lambda X: X[:, 0] - 0.7,
        )
    )
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["infeasible", "initial design", "recommended", "optimum"]
    assert len(figure.axes) == 2  # the second is the scale of the ages


def test_contours_need_no_samples_beyond_the_initial_design():
    figure = drawn(plots.samples_on_contours(bowl, ([-1, -1], [1, 1]), [[0.1, 0.2]], initial=1))
    assert len(figure.axes) == 1
    drawn(plots.samples_on_contours(bowl, ([-1, -1], [1, 1]), []))


def test_surfaces_stand_side_by_side():
    figure = drawn(plots.surfaces({"one": bowl, "two": bowl}, ([-1, -1], [1, 1]), samples=[[0.1, 0.2]]))
    assert [ax.get_title() for ax in figure.axes] == ["one", "two"]
    drawn(plots.surfaces({"one": bowl}, ([-1, -1], [1, 1])))


def test_panels_share_their_axis_and_mark_minima():
    x = np.linspace(-1, 1, 101)
    two = plots.Panel("a", {"one": x**2, "two": (x - 0.5) ** 2}, minima=True)
    compared = plots.Panel("f", {"f": x**2}, ([-0.5, 0.5], [0.25, 0.25]), [(0, 1)])
    figure = drawn(plots.panels(x, [two, compared], xlabel="knob"))
    assert [ax.get_ylabel() for ax in figure.axes] == ["a", "f"]
    diamonds = [tuple(found.get_offsets()[0]) for found in figure.axes[0].collections[:2]]
    assert diamonds == [pytest.approx((0.0, 0.0)), pytest.approx((0.5, 0.0))]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["samples", "compared with each other"]


def test_a_front_tells_its_rows_apart():
    figure = drawn(plots.front([[1, 2, 3], [3, 2, 1], [2, 2, 2]], ["cost", "mass", "delay"], shown=[0, 2], chosen=2))
    (ax,) = figure.axes
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "shown to the person",
        "on the front",
        "chosen",
    ]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["cost", "mass", "delay"]


def test_nothing_global_is_changed(study):
    before = dict(mpl.rcParams)
    drawn(plots.questions(study))
    drawn(plots.progress([2.0, 1.0]))
    assert dict(mpl.rcParams) == before
