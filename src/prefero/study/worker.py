"""A worker: a process that fills the pools of a database. The service starts one by itself; `prefero worker URL` starts another.

`python -P -m prefero.study.worker` reads the database's URL from its standard input, and ends when that is closed: it never
outlives the server that started it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time

from prefero.storage import open_storage
from prefero.study.pool import Filler, log

PROPOSAL_SECONDS = 60.0
"""How long one proposal may take. Whoever takes longer is ended; the judges of that study wait for each other instead."""
STUCK_SECONDS = 600.0
"""How long no worker tries a study again whose proposal took too long."""
NICE = 2
"""People who wait for the service come first."""


def work(url: str, stop: threading.Event) -> None:
    """Fill the pools of a database until told to stop."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    storage, _ = open_storage(url, create=False)
    filler = Filler(storage)
    threading.Thread(target=_watch, args=(filler, stop), daemon=True).start()
    try:
        filler.run(stop)
    finally:
        storage.close()


def _watch(filler: Filler, stop: threading.Event) -> None:
    """End this process if a proposal takes too long: a thread cannot be stopped, a process can."""
    while not stop.wait(1.0):
        busy = filler.busy
        if busy is not None and time.monotonic() - busy[1] > PROPOSAL_SECONDS:
            log.error("%s: a proposal took longer than %g s; its pool is not filled for now", busy[0], PROPOSAL_SECONDS)
            with contextlib.suppress(Exception):
                filler.give_up(busy[0], STUCK_SECONDS)
            os._exit(3)


def _end_with_server() -> None:
    """End this process when the other end of its standard input is closed."""
    while sys.stdin.readline():
        pass
    os._exit(0)


def main() -> None:
    """Work for the server that started this process."""
    url = sys.stdin.readline().rstrip("\n")
    threading.Thread(target=_end_with_server, daemon=True).start()
    work(url, threading.Event())


if __name__ == "__main__":
    main()
