"""What was said, said anew: `correct`, `remove`, `restore`. All stays visible in the history."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from prefero.cli import printing
from prefero.cli.answer import AnswerArgument, parse_answer
from prefero.cli.app import (
    STORAGE,
    JsonOption,
    JudgeOption,
    NoteOption,
    StepArgument,
    StorageOption,
    StudyArgument,
    chosen,
    command,
)

if TYPE_CHECKING:
    from prefero.study import Study

Act = Callable[["Study"], Callable[..., Any]]
"""From a study to the method of it that does something to an old answer."""


@command("correct", "Change", "prefero correct 3 b", "prefero correct 3 same 'line 3' --note 'looked again'")
def correct(
    step: StepArgument,
    answer: AnswerArgument,
    study: StudyArgument = None,
    who: JudgeOption = "",
    note: NoteOption = "",
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Change an old answer, or answer what was skipped."""
    with chosen(study, storage) as opened:
        opened.log.correct(step, parse_answer(answer), who=who, note=note)
        _tell(opened, step, json)


def _amending(act: Act, description: str) -> Callable[..., None]:
    """A command that does this to an old answer."""

    def amend(
        step: StepArgument,
        study: StudyArgument = None,
        who: JudgeOption = "",
        note: NoteOption = "",
        storage: StorageOption = STORAGE,
        json: JsonOption = False,
    ) -> None:
        with chosen(study, storage) as opened:
            act(opened)(step, who=who, note=note)
            _tell(opened, step, json)

    amend.__doc__ = description
    return amend


REMOVE = """Let an old answer not count any more.

    It stays visible in the history, and can be restored.
    """
RESTORE = "Let an answer that was removed or undone count again."
command("remove", "Change", "prefero remove 3", "prefero remove 3 'line 3' --note 'the sensor was loose'")(
    _amending(lambda study: study.log.remove, REMOVE)
)
command("restore", "Change", "prefero restore 3")(_amending(lambda study: study.log.restore, RESTORE))


def _tell(study: Study, step: int, json: bool) -> None:
    entry = next(e for e in study.answers if e.step == step)
    if json:
        printing.as_json({"study": study.settings.name, "answers": len(study.history)} | vars(entry))
        return
    counts = "counts" if entry.status == "effective" else f"is {entry.status} and does not count"
    progress = printing.progress(len(study.history), study.settings.comparisons)
    printing.line(f"Question {step}: {printing.ANSWER_LABELS[entry.answer]}; it {counts}. {progress}.")
