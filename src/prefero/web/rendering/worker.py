"""The helper process that renders candidates: `python -P -m prefero.web.rendering.worker FILE`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from prefero.errors import InputError
from prefero.web.rendering.pictures import Shown, shown_of
from prefero.web.rendering.tuning import Render, error_line, module_of, source_of, takes_progress
from prefero.web.worker_process import Handler, Progress, WorkerError, serve


def rendered(render: Render, candidate: dict[str, Any], progress: Progress) -> Shown:
    """Return what render shows of a candidate."""
    more = {"progress": progress} if takes_progress(render) else {}
    return shown_of(render(candidate, **more))


def prepare(path: Path) -> Handler:
    """Run the served file once, and return the handler that renders its candidates."""
    try:
        render = vars(module_of(path, source_of(path))).get("render")
    except InputError as error:
        raise WorkerError(str(error)) from None
    assert callable(render)
    function: Render = render

    def handle(request: dict[str, Any], progress: Progress) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        try:
            shown = rendered(function, request["candidate"], lambda share: progress(max(0.0, min(1.0, float(share)))))
        except Exception as error:  # noqa: BLE001 (whatever the user's function raises is shown on the page)
            raise WorkerError(error_line(error, path, path.name)) from None  # the page has no need of its folder
        files = [{"name": name, "media_type": kind} for name, (_, kind) in shown.files.items()]
        return {"files": files, "numbers": dict(shown.numbers)}, [content for content, _ in shown.files.values()]

    return handle


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "agg")
    serve(lambda: prepare(Path(sys.argv[1])))
