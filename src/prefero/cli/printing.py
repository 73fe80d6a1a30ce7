"""Print tables for people and JSON for programs.

The texts of a study come from other people: control characters are replaced, and markup is printed as it is.
Numbers and counts are written by `prefero.insight.tables`, which each function imports when it runs: `prefero --help` must start
without NumPy.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from prefero.cli.several import kind_of
from prefero.storage.events import NOT_NAMED as NOT_NAMED
from prefero.storage.events import answer_label as answer_label

if TYPE_CHECKING:
    from prefero.insight import Table as ResultTable
    from prefero.space import Candidate
    from prefero.space.domain import Domain
    from prefero.study import Study
    from prefero.study.questions import Question

ABSENT = "–"
"""Stands for the value of a variable whose conditions are not met."""
WIDE = 1000
"""The width of tables that go to a pipe or a file: wide enough not to wrap."""
SOME = 5
"""How many names an error message lists."""
Picture = Callable[["Candidate"], list[tuple[str, "str | Text"]]]
"""Extra rows that show a candidate: (label, text) each."""


def console(stderr: bool = False) -> Console:
    """Return a console on standard output or standard error; it has colours only on a terminal."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else WIDE
    return Console(stderr=stderr, width=width, markup=False, highlight=False, emoji=False)


def line(*parts: str | Text) -> None:
    """Print one line of text."""
    console().print(*(clean(part) if isinstance(part, str) else part for part in parts), soft_wrap=True)


def print_json(data: object, compact: bool = False) -> None:
    """Print data as JSON."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=None if compact else 2, default=dict) + "\n")
    sys.stdout.flush()


def clean(text: str) -> str:
    """Return a text without control characters, which could change the terminal."""
    return "".join(c if c == "\n" or unicodedata.category(c) != "Cc" else "\N{REPLACEMENT CHARACTER}" for c in text)


def value(given: object) -> str:
    """Return the value of a variable as text, in a form that can be copied into a command; – for None."""
    from prefero.insight.tables import number

    if given is None:
        return ABSENT
    return number(given) if isinstance(given, float) else clean(str(given))


def setting(candidate: Mapping[str, Any]) -> str:
    """Return a candidate in one line."""
    from prefero.insight import tables

    return clean(tables.setting(candidate, value))


def when(time: str) -> str:
    """Return a stored time to the minute, in UTC."""
    from prefero.insight.tables import minute

    return minute(time)


def table(*columns: str, right: Sequence[str] = ()) -> Table:
    """Return an empty table with these columns; those in `right` are aligned right."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return made


def result_table(found: ResultTable) -> Table:
    """Return a table of `prefero.insight`, ready to print."""
    headings = [clean(column.heading) for column in found.columns]
    made = table(*headings, right=[heading for heading, right in zip(headings, found.numeric, strict=True) if right])
    for row in found.texts():
        made.add_row(*map(clean, row))
    return made


# Candidates ----------------------------------------------------------------------------------------------------------


def labels(space: Domain) -> dict[str, str]:
    """Return the heading of each variable: its name with its unit."""
    from prefero.insight.tables import Column

    variables = getattr(space, "variables", {})
    units = {name: getattr(variables.get(name), "unit", "") for name in space.names}
    return {name: clean(Column(name, unit=units[name]).heading) for name in space.names}


def pair_table(study: Study, question: Question, picture: Picture | None = None) -> Table:
    """Return a table of both candidates of a question and their differences."""
    if question.more:
        return _sides_table(study, question, picture)
    made = table("", "A", "B", "change", right=("A", "B", "change"))
    logarithmic = {n for n, v in getattr(study.space, "variables", {}).items() if getattr(v, "log", False)}
    for name, label in labels(study.space).items():
        a, b = question.a.get(name), question.b.get(name)
        if a is None and b is None:
            continue  # the conditions of the variable are met by neither
        made.add_row(label, value(a), value(b), change(a, b, name in logarithmic), style="" if a == b else "bold")
    measured = [study.log.measured(candidate).numbers for candidate in (question.a, question.b)]
    for name in dict.fromkeys([*measured[0], *measured[1]]):
        cells = [value(numbers[name]) if name in numbers else "" for numbers in measured]
        made.add_row(f"measured {clean(name)}", *cells, "")
    if picture is not None:
        for (label, a_seen), (_, b_seen) in zip(picture(question.a), picture(question.b), strict=True):
            made.add_row(label, a_seen, b_seen, "")
    return made


def _sides_table(study: Study, question: Question, picture: Picture | None = None) -> Table:
    """Return a table of more than two candidates."""
    shown = list(question.sides.values())
    headings = [side.upper() for side in question.sides]
    made = table("", *headings, right=headings)
    for name, label in labels(study.space).items():
        if any(name in candidate for candidate in shown):
            values = [candidate.get(name) for candidate in shown]
            made.add_row(label, *map(value, values), style="" if len(set(values)) == 1 else "bold")
    measured = [study.log.measured(candidate).numbers for candidate in shown]
    for name in dict.fromkeys(name for numbers in measured for name in numbers):
        cells = [value(numbers[name]) if name in numbers else "" for numbers in measured]
        made.add_row(f"measured {clean(name)}", *cells)
    if picture is not None:
        for rows in zip(*map(picture, shown), strict=True):
            made.add_row(rows[0][0], *(seen for _, seen in rows))
    return made


def change(a: object, b: object, logarithmic: bool = False) -> str:
    """Return the change from A to B: a difference, a factor for a logarithmic variable, or ≠ for levels."""
    if a == b:
        return "="
    if not isinstance(a, int | float) or not isinstance(b, int | float) or isinstance(a, bool):
        return "≠"
    if logarithmic:
        return f"×{b / a:.3g}"
    return f"{'+' if b > a else '−'}{value(float(f'{abs(b - a):.3g}'))}"


def candidate_table(space: Domain, candidate: Mapping[str, Any]) -> Table:
    """Return a table of one candidate."""
    made = table("", "value", right=("value",))
    made.show_header = False
    for name, label in labels(space).items():
        if name in candidate:
            made.add_row(label, value(candidate[name]))
    return made


def count(number: int, what: str) -> str:
    """Return a number with its noun: 1 answer, 2 answers."""
    from prefero.insight import tables

    return tables.count(number, what)


def first_names(names: Sequence[str]) -> str:
    """Return the first few names, for an error message."""
    return ", ".join(map(repr, names[:SOME])) + (", …" if len(names) > SOME else "")


def progress(answers: int, expected: int) -> str:
    """Return the number of answers of the expected number."""
    return f"{answers} of about {count(expected, 'answer')}"


# As data -------------------------------------------------------------------------------------------------------------


def question_data(study: Study, question: Question) -> dict[str, Any]:
    """Return a question as JSON for a program that answers it.

    It holds the study's name and question, so that it can be answered without looking anything up. The service's question
    (`prefero.web.payloads.of_question`) leaves these to other addresses, and adds measured files and the state of rendering.
    """
    return {
        "study": study.settings.name,
        "question": study.settings.question,
        "step": question.step,
        **{side: dict(candidate) for side, candidate in question.sides.items()},
        "judge": question.judge,
        "note": question.note,
        "answers": study.history.answered,
        "expected": study.settings.comparisons,
    } | ({"kind": question.kind, "takes": question.takes} if question.more else {})


def step(number: int) -> str:
    """Return the number of a question, or i1, i2, … for imported comparisons, as the commands take it."""
    return str(number) if number >= 0 else f"i{-number}"


def about(number: int, said: str = "") -> str:
    """Return what an answer is about: a question, an imported comparison, a rating or a hint."""
    from prefero.answers.hint import is_hint  # the help must not wait for numpy

    kind = "rating" if said.startswith("rated") else "hint" if is_hint(said) else "imported comparison"
    return f"question {number}" if number >= 0 else f"{kind} {step(number)}"


def print_question(study: Study, question: Question, picture: Picture | None = None) -> None:
    """Print a question for a person."""
    line(
        f"{study.settings.question}  (question {question.step}, {progress(study.history.answered, study.settings.comparisons)})"
    )
    out = console()
    out.print()
    out.print(pair_table(study, question, picture))
    if question.note:
        line(f"note: {question.note}")
    if question.more:
        line(f"\n{kind_of(question).asks}")
