"""The widget: anywidget carries the dialogue's state to every view of the cell, and what the person did back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from prefero.errors import InputError
from prefero.study import Study, checks
from prefero.web.notebook.dialogue import Dialogue

FOLDER = Path(__file__).parent


class Widget(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """A study to be answered inside a cell; a notebook shows it as the value of the cell."""

    _esm = (FOLDER / "widget.js").read_text(encoding="utf-8")
    _css = (FOLDER / "widget.css").read_text(encoding="utf-8")
    state = traitlets.Dict().tag(sync=True)
    said = traitlets.Dict().tag(sync=True)

    def __init__(self, dialogue: Dialogue) -> None:
        super().__init__(state=dialogue.state)
        self._dialogue = dialogue
        self.observe(self._heard, names="said")

    def _heard(self, change: dict[str, Any]) -> None:
        self._dialogue.say(change["new"])
        self.state = self._dialogue.state

    def __repr__(self) -> str:
        name = self._dialogue.study.settings.name
        return f"Widget({name!r})" if name else "Widget()"


def widget(study: Study, *, judge: str = "", render: Callable[..., Any] | None = None) -> Widget:
    """Return a widget that asks a study's questions inside a notebook's cell; any study will do, also one in memory.

    Parameters
    ----------
    judge: who answers.
    render: a function from a candidate to what is shown: a matplotlib figure, an array of pixels, PNG bytes, a sound, curves, text…
        Without it, the values of the variables are shown.
    """
    if not isinstance(study, Study):
        raise InputError.of("study", study, "a Study")
    if render is not None and not callable(render):
        raise InputError.of("render", render, "a function of a candidate")
    return Widget(Dialogue(study, checks.checked_name("judge", judge), render))
