"""The sections of a report: title, text, figures and tables. The page and the saved file show the same sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from prefero import insight as findings
from prefero.insight import Judges, PanelFound, Slice, Table, plots
from prefero.study import Study

SHOWN = 13
"""How many rows of a slice's table people see; the data has all rows."""


@dataclass(frozen=True)
class Exhibit:
    """A table with its caption, and the figure of it, if any; `key` is unique in the report."""

    key: str
    caption: str
    table: Table
    figure: str = ""
    words: str = ""


@dataclass(frozen=True)
class Section:
    """One section of a report."""

    key: str
    title: str
    words: str
    exhibits: tuple[Exhibit, ...]


def sections(study: Study) -> tuple[Section, ...]:
    """Return the sections of a study's report, the most interesting first; none before the first answer."""
    if not len(study.history):
        return ()
    ranking, development = findings.ranking(study), findings.development(study)
    importance, consistency = findings.importance(study), findings.consistency(study)
    found = [
        _section("ranking", "Ranking", ranking, plots.ranking(ranking)),
        _section("development", "Progress", development, plots.development(development)),
        _slices(findings.slices(study)),
        _section("importance", "What matters", importance, plots.importance(importance)),
    ]
    people = _section("consistency", "Consistency", consistency, plots.consistency(consistency))
    if consistency.times.rows:
        times = Exhibit("times", "Response times", consistency.times)
        people = Section(people.key, people.title, people.words, (*people.exhibits, times))
    return (*found, people, *_judges(findings.judges(study)), *_panel(findings.panel(study)))


def _section(key: str, title: str, found: Any, figure: plots.Figure) -> Section:
    drawn = plots.svg(figure, key, f"{title}. {found.words}")
    return Section(key, title, found.words, (Exhibit(key, title, found.table, drawn),))


def _slices(found: tuple[Slice, ...]) -> Section:
    rows = bool(found) and found[0].kind == "row"
    of_rows = "The utility of the catalogue's rows by each column."
    along = "The utility along each variable, with the others at the recommendation."
    legend = "The band is one standard deviation to each side. The diamond is the recommendation."
    marks = "The marks below are the values that were compared. The dashed part violates the constraints."
    words = f"{of_rows} {legend}" if rows else f"{along} {legend} {marks}"
    exhibits = []
    for k, part in enumerate(found):
        said = "" if rows else part.words
        drawn = plots.svg(plots.slice_along(found, part.name), f"slice{k}", f"Utility along {part.label}. {said}")
        exhibits.append(Exhibit(f"slice{k}", part.label, part.table, drawn, said))
    return Section("slices", "Slices", words if found else findings.NO_BEST, tuple(exhibits))


def _judges(found: Judges) -> tuple[Section, ...]:
    if not found.standings:
        return ()
    exhibits = [Exhibit("judges", "Best by each judge's answers", found.table)]
    if found.disagreements:
        exhibits.append(Exhibit("disagreements", "Pairs the judges disagree about", found.pairs))
    return (Section("judges", "Judges", found.words, tuple(exhibits)),)


def _panel(found: PanelFound) -> tuple[Section, ...]:
    if not found.members:
        return ()
    exhibits = [
        Exhibit("members", "Each judge", found.table),
        Exhibit("compromises", "Best for all, and for the worst-off", found.recommended),
    ]
    if found.conflicts:
        exhibits.append(Exhibit("conflicts", "Judges who disagree", found.pairs))
    return (Section("panel", "Common taste", found.words, tuple(exhibits)),)


def thinned(table: Table, most: int = SHOWN) -> Table:
    """Return evenly spaced rows of a long table, including the first and the last."""
    if len(table.rows) <= most:
        return table
    last = len(table.rows) - 1
    return Table(table.columns, tuple(table.rows[round(k * last / (most - 1))] for k in range(most)))
