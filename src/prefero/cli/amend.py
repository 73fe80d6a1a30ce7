"""Change old answers: `correct`, `remove`, `restore`. The history keeps every change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from prefero.cli import printing
from prefero.cli.answer import AnswerArgument, UnsureOption, parse_answer
from prefero.cli.app import (
    STORAGE,
    JsonOption,
    JudgeOption,
    NoteOption,
    StepArgument,
    StorageOption,
    StudyArgument,
    command,
    opened_study,
)

if TYPE_CHECKING:
    from prefero.study import Study

Act = Callable[["Study"], Callable[..., Any]]
"""A function that returns the method of a study that changes an old answer."""


@command("correct", "Change", "prefero correct 3 b", "prefero correct 3 same 'line 3' --note 'looked again'")
def correct(
    step: StepArgument,
    answer: AnswerArgument,
    study: StudyArgument = None,
    unsure: UnsureOption = False,
    who: JudgeOption = "",
    note: NoteOption = "",
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Change an old answer or rating, or answer a skipped question."""
    from prefero.answers import RATED

    with opened_study(study, storage) as opened:
        rated = any(entry.step == step and entry.answer in RATED for entry in opened.answers)
        said = answer if rated else parse_answer(answer)
        opened.log.correct(step, said, who=who, note=note, sure=not unsure)
        _print_entry(opened, step, json)


def _amending(act: Act, description: str) -> Callable[..., None]:
    """Return a command that changes an old answer with this method."""

    def amend(
        step: StepArgument,
        study: StudyArgument = None,
        who: JudgeOption = "",
        note: NoteOption = "",
        storage: StorageOption = STORAGE,
        json: JsonOption = False,
    ) -> None:
        with opened_study(study, storage) as opened:
            act(opened)(step, who=who, note=note)
            _print_entry(opened, step, json)

    amend.__doc__ = description
    return amend


REMOVE = """Remove an old answer: it no longer counts.

    It stays in the history, and you can restore it.
    """
RESTORE = "Restore an answer that was removed or undone."
command("remove", "Change", "prefero remove 3", "prefero remove 3 'line 3' --note 'the sensor was loose'")(
    _amending(lambda study: study.log.remove, REMOVE)
)
command("restore", "Change", "prefero restore 3")(_amending(lambda study: study.log.restore, RESTORE))


def _print_entry(study: Study, step: int, json: bool) -> None:
    entry = next(e for e in study.answers if e.step == step)
    if json:
        printing.print_json({"study": study.settings.name, "answers": study.history.answered} | vars(entry))
        return
    counts = "it counts" if entry.status == "effective" else f"it is {entry.status} and does not count"
    progress = printing.progress(study.history.answered, study.settings.comparisons)
    what = printing.about(step, entry.answer)
    printing.line(f"{what[:1].upper()}{what[1:]}: {printing.answer_label(entry.answer)}; {counts}. {progress}.")
