"""From a file with a space and `render` to a served study: stored, with its candidates rendered in advance."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from prefero.errors import FormatError, InputError, PreferoError
from prefero.storage.events import QUESTION
from prefero.study import Study
from prefero.study.checks import PROPOSERS
from prefero.web.render_queue import SOON, RenderQueue
from prefero.web.rendering.renderers import ExecutorRenderer, ProcessRenderer, Renderer
from prefero.web.rendering.tuning import Tuning
from prefero.web.studies import Served

log = logging.getLogger("prefero.web")
CONNECT_SECONDS = 10
"""How long connecting to a Dask scheduler may take."""
MOST_SUBMITTED = 16
"""How many renderings a scheduler gets at a time."""


def open_or_create(tuning: Tuning, storage_url: Any) -> Study:
    """Return the study of a file: the stored one of that name, or a new one."""
    try:
        return Study.create(
            tuning.space,
            name=tuning.name,
            storage=storage_url,
            question=QUESTION if tuning.question is None else tuning.question,
            load_if_exists=True,
            **tuning.settings,
        )
    except FormatError as error:
        another = "serve it under another name, or with another storage"
        raise InputError(f"{tuning.path}: {error}: there is a study {tuning.name!r} already; {another}") from None
    except InputError as error:
        raise InputError(f"{tuning.path}: {error}") from None


@contextmanager
def served(tuning: Tuning, storage_url: Any, scheduler: str | None = None) -> Iterator[tuple[Served, Study]]:
    """Yield a file's study and what the server needs beside the storage; rendering ends with the block."""
    with ExitStack() as ending:
        renderer = None if tuning.render is None else _renderer(tuning, scheduler)
        if renderer is not None:
            ending.callback(renderer.close)
        study = ending.enter_context(open_or_create(tuning, storage_url))
        functions = study.proposer if study.proposer.to_dict()["name"] not in PROPOSERS else None
        renders = None
        if renderer is not None:
            renders = RenderQueue(tuning.name, renderer)
            ending.callback(renders.close)
            given = (study.to_json(), tuning, functions, renders)
            threading.Thread(target=_render_first, args=given, daemon=True).start()
        yield Served(tuning.name, tuning.space, functions, renders), study


def _render_first(text: str, tuning: Tuning, proposer: Any, renders: RenderQueue) -> None:
    """Render the first question's candidates; a copy of the study asks it, so that nothing is written yet."""
    try:
        question = Study.from_json(text, space=tuning.space, proposer=proposer).ask()
    except PreferoError as error:
        log.info("nothing to render yet: %s", error)
        return
    renders.want(list(question.sides.values()), SOON)


def _renderer(tuning: Tuning, scheduler: str | None) -> Renderer:
    if scheduler is None:
        return ProcessRenderer(tuning)
    try:
        distributed: Any = import_module("distributed")
    except ModuleNotFoundError as error:
        raise PreferoError(f"a scheduler needs {error.name}: pip install 'prefero[dask]'") from None
    try:
        client = distributed.Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        why = " ".join(str(error).split())[:200]
        raise InputError(f"executor: got {scheduler!r}; allowed: the address of a Dask scheduler: {why}") from None
    threads = sum(client.nthreads().values())
    workers = tuning.workers or max(1, min(MOST_SUBMITTED, threads))
    return ExecutorRenderer(tuning, client.get_executor(), client.close, workers)
