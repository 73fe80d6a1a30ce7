"""kill -9 of what serves, at random moments, while judges answer over HTTP.

Victims: the *server*, which is started again at the same address; the *worker* that fills the pools; a *helper* that proposes;
and the *database*, PostgreSQL, which is stopped as by a loss of power and started again. The judges send an answer again, with the
same id, until it is acknowledged. In the end every answer is stored once, no log has a gap, and what a killed server had started is
gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.torture import processes
from benchmarks.torture.insistent import Load, under_load
from benchmarks.torture.postgres import Cluster
from prefero.storage.database import Database

SERVER, WORKER, HELPER, DATABASE = "server", "worker", "helper", "database"
KILLS: Mapping[str, Mapping[str, int]] = {
    "sqlite": {SERVER: 100, WORKER: 100, HELPER: 100},
    "postgresql": {SERVER: 70, WORKER: 70, HELPER: 70, DATABASE: 90},
}
SERVERS = {"sqlite": 1, "postgresql": 2}
MODULES = {WORKER: "prefero.study.worker", HELPER: "prefero.web.proposing"}
BACK_SECONDS = 300.0
"""How long it may take until what was killed is there again, on a busy machine."""
MOST_ANSWERS, LONGEST_PAUSE = 6, 0.3
"""The next kill comes within so many seconds after up to so many further answers."""
KILLS_A_TURN = 10
"""After so many kills, every judge must get on before the next one: the pool of a worker that was killed is filled again when its
lease has ended, which takes longer than a server lives here."""


def kills(
    url: str,
    counts: Mapping[str, int],
    servers: int,
    seed: int,
    progress: Callable[[str], object],
    cluster: Cluster | None = None,
) -> Load:
    """Kill so many of each kind; return what the judges saw."""
    victims = [kind for kind, count in counts.items() for _ in range(count)]
    rng = random.Random(seed)
    rng.shuffle(victims)
    with contextlib.ExitStack() as running, Database(url) as storage:
        started = [running.enter_context(processes.running(url, processes.serve_quietly)) for _ in range(servers)]

        async def torment(load: Load) -> None:
            done: Counter[str] = Counter()
            for number, victim in enumerate(victims):
                if number % KILLS_A_TURN == 0:
                    await load.everybody()
                await load.more(rng.randint(1, MOST_ANSWERS))
                await asyncio.sleep(rng.uniform(0, LONGEST_PAUSE))
                await asyncio.to_thread(_kill, victim, rng.choice(started), cluster)
                done[victim] += 1
                progress(f"{load.answers} answers; " + ", ".join(f"{kind} {done[kind]}" for kind in counts))
            await load.everybody()

        return under_load(storage, [server.port for server in started], torment)


def _kill(victim: str, server: processes.Server, cluster: Cluster | None) -> None:
    if victim == SERVER:
        _kill_server(server)
    elif victim == DATABASE:
        assert cluster is not None
        cluster.stop()
        cluster.start()
    else:
        found: Any = processes.wait_for(
            lambda: processes.running_module(server.pid, MODULES[victim]), BACK_SECONDS, f"a {victim} that runs"
        )
        with contextlib.suppress(ProcessLookupError):  # it ended just now: it will be started again as well
            os.kill(found[0], signal.SIGKILL)


def _kill_server(server: processes.Server) -> None:
    """Kill a server, see that its helpers end by themselves, and start it again."""
    orphans = processes.descendants(server.pid)
    server.kill()
    processes.wait_for(
        lambda: not alive(orphans), BACK_SECONDS, f"the end of what a killed server had started: {orphans}"
    )
    server.start()


def alive(pids: list[int]) -> list[int]:
    """Those that are still there; one that has ended and that nobody has asked for yet does not count."""
    found = []
    for pid in pids:
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0] != "Z":
                found.append(pid)
    return found
