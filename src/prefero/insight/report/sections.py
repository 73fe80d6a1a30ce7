"""The parts of a result: each a title, a few words, figures and tables; a page and a file show the same ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from prefero import insight as findings
from prefero.insight import Judges, Slice, Table, plots
from prefero.study import Study

SHOWN = 13
"""Rows of a slice's table for people; the data has all."""


@dataclass(frozen=True)
class Exhibit:
    """A figure, or none, with the table of what it shows; `key` is a word that no other one has, `caption` the table's."""

    key: str
    caption: str
    table: Table
    figure: str = ""
    words: str = ""


@dataclass(frozen=True)
class Section:
    """One part of the result."""

    key: str
    title: str
    words: str
    exhibits: tuple[Exhibit, ...]


def sections(study: Study) -> tuple[Section, ...]:
    """What there is to show, in the order of interest; nothing before the first answer."""
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
    return (*found, people, *_judges(findings.judges(study)))


def _section(key: str, title: str, found: Any, figure: plots.Figure) -> Section:
    drawn = plots.svg(figure, key, f"{title}. {found.words}")
    return Section(key, title, found.words, (Exhibit(key, title, found.table, drawn),))


def _slices(found: tuple[Slice, ...]) -> Section:
    rows = bool(found) and found[0].kind == "row"
    of_rows = "The utility of the catalogue's rows by each column"
    along = "The utility along each variable, the others as recommended"
    words = (
        f"{of_rows if rows else along}; the band is one standard deviation to each side. The diamond is the recommendation"
        + ("." if rows else ", the marks below are the values compared; what the constraints forbid is dashed.")
    )
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
        exhibits.append(Exhibit("disagreements", "Pairs they disagree about", found.pairs))
    return (Section("judges", "Judges", found.words, tuple(exhibits)),)


def thinned(table: Table, most: int = SHOWN) -> Table:
    """Some rows of a long table, evenly, the first and the last among them."""
    if len(table.rows) <= most:
        return table
    last = len(table.rows) - 1
    return Table(table.columns, tuple(table.rows[round(k * last / (most - 1))] for k in range(most)))
