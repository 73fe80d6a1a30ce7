"""What people see: candidates side by side, one candidate, tables; and what programs see: JSON.

Texts of a study come from others: control characters are replaced, and nothing in them is taken for markup.
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

from prefero.storage.events import ANSWER_LABELS as ANSWER_LABELS
from prefero.storage.events import NOT_NAMED as NOT_NAMED

if TYPE_CHECKING:
    from prefero.space import Candidate
    from prefero.space.domain import Domain
    from prefero.study import Study
    from prefero.study.questions import Question

WIDE = 1000
"""The width where nobody looks: piped tables are cut nowhere."""
SOME = 5
"""So many names are enough to see what is meant."""
Picture = Callable[["Candidate"], list[tuple[str, "str | Text"]]]
"""What else there is to see of a candidate, by label."""


def console(stderr: bool = False) -> Console:
    """The terminal, or whatever takes its place; colours only on a terminal."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else WIDE
    return Console(stderr=stderr, width=width, markup=False, highlight=False, emoji=False)


def line(*parts: str | Text) -> None:
    """One line of text."""
    console().print(*(clean(part) if isinstance(part, str) else part for part in parts), soft_wrap=True)


def as_json(data: object, compact: bool = False) -> None:
    """Data for a program."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=None if compact else 2, default=dict) + "\n")
    sys.stdout.flush()


def clean(text: str) -> str:
    """A text that does to a terminal nothing but stand there."""
    return "".join(c if c == "\n" or unicodedata.category(c) != "Cc" else "\N{REPLACEMENT CHARACTER}" for c in text)


def value(given: object) -> str:
    """A variable's value, numbers with five digits."""
    if isinstance(given, float):
        short = f"{given:.5g}"
        return f"{given:.0f}" if "e+" in short and abs(given) < 1e15 else short
    return clean(str(given))


def setting(candidate: Mapping[str, Any]) -> str:
    """A candidate in one line."""
    return ", ".join(f"{clean(name)} {value(given)}" for name, given in candidate.items())


def when(time: str) -> str:
    """A stored time, to the minute, UTC."""
    return time[:16].replace("T", " ")


def table(*columns: str, right: Sequence[str] = ()) -> Table:
    """A table without ornaments."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return made


# Candidates --------------------------------------------------------------------------------------------------------------


def labels(space: Domain) -> dict[str, str]:
    """The variables' names with their units."""
    variables = getattr(space, "variables", {})
    units = {name: getattr(variables.get(name), "unit", "") for name in space.names}
    return {name: clean(f"{name} [{units[name]}]" if units[name] else name) for name in space.names}


def pair(study: Study, question: Question, picture: Picture | None = None) -> Table:
    """Both candidates of a question, and what differs."""
    made = table("", "A", "B", "change", right=("A", "B", "change"))
    logarithmic = {n for n, v in getattr(study.space, "variables", {}).items() if getattr(v, "log", False)}
    for name, label in labels(study.space).items():
        a, b = question.a[name], question.b[name]
        made.add_row(label, value(a), value(b), change(a, b, name in logarithmic), style="" if a == b else "bold")
    measured = [study.log.measured(candidate).numbers for candidate in (question.a, question.b)]
    for name in dict.fromkeys([*measured[0], *measured[1]]):
        cells = [value(numbers[name]) if name in numbers else "" for numbers in measured]
        made.add_row(f"measured {clean(name)}", *cells, "")
    if picture is not None:
        for (label, a_seen), (_, b_seen) in zip(picture(question.a), picture(question.b), strict=True):
            made.add_row(label, a_seen, b_seen, "")
    return made


def change(a: object, b: object, logarithmic: bool = False) -> str:
    """From A to B: a difference, a factor where factors matter, or that it is another level."""
    if a == b:
        return "="
    if not isinstance(a, int | float) or not isinstance(b, int | float) or isinstance(a, bool):
        return "≠"
    if logarithmic:
        return f"×{b / a:.3g}"
    return f"{'+' if b > a else '−'}{value(float(f'{abs(b - a):.3g}'))}"


def single(space: Domain, candidate: Mapping[str, Any]) -> Table:
    """One candidate."""
    made = table("", "value", right=("value",))
    made.show_header = False
    for name, label in labels(space).items():
        made.add_row(label, value(candidate[name]))
    return made


def count(number: int, what: str) -> str:
    """1 answer, 2 answers."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def some(names: Sequence[str]) -> str:
    """The first names."""
    return ", ".join(map(repr, names[:SOME])) + (", …" if len(names) > SOME else "")


def progress(answers: int, expected: int) -> str:
    """How far a study is."""
    return f"{answers} of about {count(expected, 'answer')}"


# As data -------------------------------------------------------------------------------------------------------------------


def question_data(study: Study, question: Question) -> dict[str, Any]:
    """A question for a program."""
    return {
        "study": study.settings.name,
        "question": study.settings.question,
        "step": question.step,
        "a": dict(question.a),
        "b": dict(question.b),
        "judge": question.judge,
        "note": question.note,
        "answers": len(study.history),
        "expected": study.settings.comparisons,
    }


def print_question(study: Study, question: Question, picture: Picture | None = None) -> None:
    """A question for a person."""
    line(
        f"{study.settings.question}  (question {question.step}, {progress(len(study.history), study.settings.comparisons)})"
    )
    out = console()
    out.print()
    out.print(pair(study, question, picture))
    if question.note:
        line(f"note: {question.note}")
