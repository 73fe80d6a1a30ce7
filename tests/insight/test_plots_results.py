"""The figures of a result: drawn of any study, whatever its texts, and fit to stand in a page."""

import re
import xml.etree.ElementTree as ET

import matplotlib as mpl
import pytest

import prefero as pf
from prefero import insight as findings
from prefero.insight import plots
from prefero.insight.plots.style import plain
from tests.answered import MARKUP, answered, catalogue, every_kind, strange

FIGURES = ("development", "slices", "ranking", "importance", "consistency")
STUDIES = {
    "no answer": every_kind,
    "one answer": lambda: answered(every_kind(), 1),
    "every kind": lambda: answered(every_kind(), 8, seconds=2.0),
    "several judges": lambda: answered(every_kind(), 8, judges=("Ada", "Bob"), seconds=0.1),
    "a catalogue": lambda: answered(catalogue(), 4),
    "strange texts": lambda: answered(strange(), 3),
    "twenty variables": lambda: answered(pf.Study(([0] * 20, [1] * 20), comparisons=5, seed=0), 2),
}


@pytest.fixture(scope="module", params=STUDIES)
def study(request):
    return STUDIES[request.param]()


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_of_every_study_is_svg_for_a_page(study, name):
    before = dict(mpl.rcParams)
    drawn = plots.svg(getattr(plots, name)(study), name, f"{name} of {MARKUP}")
    root = ET.fromstring(drawn)
    assert root.get("role") == "img"
    assert root.get("aria-label") == f"{name} of {MARKUP}"
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "defs", "g", "path", "text", "use", "clipPath", "rect", "tspan"}
    assert not [element for element in root.iter() if "style" in element.attrib]
    assert dict(mpl.rcParams) == before


def test_before_the_first_answer_a_figure_says_so():
    assert "No answers yet." in plots.svg(plots.ranking(every_kind()), "r", "ranking")
    assert "No answers yet." in plots.svg(plots.slice_along(every_kind(), "gain"), "s", "slice")


@pytest.fixture(scope="module")
def filter_study():
    return answered(every_kind(), 8, seconds=2.0)


def test_a_figure_draws_a_finding_as_it_draws_its_study(filter_study):
    for name in FIGURES:
        draw, find = getattr(plots, name), getattr(findings, name)
        assert plots.svg(draw(filter_study), name, "") == plots.svg(draw(find(filter_study)), name, "")


def test_the_development_steps_through_the_utilities_that_were_found(filter_study):
    (ax,) = plots.development(filter_study).axes
    moments = findings.development(filter_study).moments
    steps = next(line for line in ax.lines if line.get_drawstyle() == "steps-post")
    assert list(steps.get_ydata()) == [moment.utility for moment in moments]


def test_slices_share_their_scale_and_pass_through_the_recommendation(filter_study):
    figure = plots.slices(filter_study)
    assert [ax.get_xlabel() for ax in figure.axes] == ["gain [dB]", "offset", "taps", "window"]
    assert len({ax.get_ylim() for ax in figure.axes}) == 1
    (mean,), _ = filter_study.learned.utilities([filter_study.best])
    for ax in figure.axes:
        assert ax.lines[-1].get_ydata()[0] == pytest.approx(mean)
    (alone,) = plots.slice_along(filter_study, "taps").axes
    assert alone.get_ylim() == figure.axes[2].get_ylim()


def test_the_ranking_writes_the_chances_beside_the_candidates(filter_study):
    (ax,) = plots.ranking(filter_study).axes
    written = [text.get_text() for text in ax.texts]
    chances = findings.ranking(filter_study).table
    place = [column.name for column in chances.columns].index("beats the next")
    assert written == [*(row[place] for row in chances.texts() if row[place]), "beats the next"]


def test_the_bars_are_as_long_as_the_variables_are_important(filter_study):
    (ax,) = plots.importance(filter_study).axes
    assert [bar.get_width() for bar in ax.patches] == list(findings.importance(filter_study).shares.values())


def test_response_times_have_their_own_axes_where_they_are_known(filter_study):
    assert len(plots.consistency(filter_study).axes) == 2
    assert len(plots.consistency(answered(every_kind(), 2)).axes) == 1


def test_the_colours_have_classes_and_the_stylesheet_has_them_all(filter_study):
    drawn = plots.svg(plots.ranking(filter_study), "r", "ranking")
    used = set(re.findall(r"pf-(?:fill|line)-\w+", drawn))
    assert {"pf-fill-ink", "pf-fill-blue", "pf-fill-vermillion"} <= used
    assert all(f".{name}{{" in plots.stylesheet() for name in used)
    assert "prefers-color-scheme:dark" in plots.stylesheet()


def test_two_figures_on_a_page_share_no_identifier(filter_study):
    figures = [plots.svg(plots.development(filter_study), key, "") for key in ("one", "two")]
    first, second = (set(re.findall(r'\sid="([^"]+)"', drawn)) for drawn in figures)
    assert first
    assert not first & second
    for drawn, names in zip(figures, (first, second), strict=True):
        assert set(re.findall(r'(?:href="|url\()#([^")]+)', drawn)) == names


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("cost $x$", r"cost \$x\$"),
        ("a\n b", "a b"),
        ("x" * 12, "x" * 10 + "…"),
        ("音" * 8, "音" * 5 + "…"),
        ("\x07", "�"),
    ],
)
def test_a_text_of_somebody_elses_stays_a_text(given, shown):
    assert plain(given, 10) == shown
