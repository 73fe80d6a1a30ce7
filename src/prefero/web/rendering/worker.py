"""The other end of a worker process: `python -m prefero.web.rendering.worker FILE`, candidates in, files out.

A message is a line of JSON, behind it the files that it speaks of, byte for byte. What render prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from prefero.errors import InputError
from prefero.web.rendering.pictures import Shown, shown_of
from prefero.web.rendering.tuning import Render, module_of, source_of, takes_progress, told

Progress = Callable[[float], None]


def write(stream: IO[bytes], message: dict[str, Any], *contents: bytes) -> None:
    """Send a message and the files behind it."""
    sizes = {"sizes": [len(content) for content in contents]}
    stream.write(json.dumps(message | sizes).encode() + b"\n")
    for content in contents:
        stream.write(content)
    stream.flush()


def read(stream: IO[bytes]) -> tuple[dict[str, Any], list[bytes]] | None:
    """The next message and its files; None where the other end is gone."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    message = json.loads(line)
    sizes = message.pop("sizes")
    contents = [stream.read(size) for size in sizes]
    return (message, contents) if [len(content) for content in contents] == sizes else None


def rendered(render: Render, candidate: dict[str, Any], progress: Progress) -> Shown:
    """What render shows of a candidate."""
    more = {"progress": progress} if takes_progress(render) else {}
    return shown_of(render(candidate, **more))


def _answer(out: IO[bytes], render: Render, candidate: dict[str, Any], path: Path) -> None:
    def progress(share: float) -> None:
        write(out, {"progress": max(0.0, min(1.0, float(share)))})

    try:
        shown = rendered(render, candidate, progress)
    except Exception as error:  # noqa: BLE001 (whatever the user's function raises is told, and shown)
        write(out, {"failed": told(error, path, path.name)})  # the page has no need of its folder
        return
    files = [{"name": name, "media_type": kind} for name, (_, kind) in shown.files.items()]
    write(out, {"files": files, "numbers": dict(shown.numbers)}, *(content for content, _ in shown.files.values()))


def serve(path: Path, given: IO[bytes], out: IO[bytes]) -> None:
    """Render what is asked for until nothing more comes."""
    try:
        render = vars(module_of(path, source_of(path))).get("render")
        assert callable(render)
    except InputError as error:
        write(out, {"failed": str(error)})
        return
    write(out, {"ready": True})
    while (asked := read(given)) is not None:
        _answer(out, render, asked[0]["candidate"], path)


def main() -> None:
    """Talk through what was standard output, so that whatever prints disturbs nothing."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its workers
    os.environ.setdefault("MPLBACKEND", "agg")
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(Path(sys.argv[1]), sys.stdin.buffer, out)


if __name__ == "__main__":
    main()
