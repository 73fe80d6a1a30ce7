"""Raw results: one line of JSON for each finished run, appended at once."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

Key: TypeAlias = tuple[str, str, int, str]

OK = "ok"


@dataclass(frozen=True)
class Run:
    """One method on one problem with one seed; `regrets[k]` is of the recommendation after k + 1 comparisons."""

    method: str
    problem: str
    seed: int
    noise: str
    regrets: list[float]  # as measured, not floored
    seconds: list[float]  # CPU seconds spent before each question
    initial: int  # samples of the initial design, which are not proposals
    recommended: list[float]
    violation: float = 0.0  # how far the recommended sample breaks the known constraint
    status: str = OK  # or why it failed
    versions: dict[str, str] = field(default_factory=dict)
    machine: str = ""
    commit: str = ""
    dirty: bool | None = None  # whether files differed from the commit; None in rows of before this was recorded
    calibrating: float | None = None  # CPU seconds of `seconds` spent calibrating, where the method says so
    wall: float | None = (
        None  # seconds from the start line to the end; depends on the machine's load, so no table uses it
    )
    samples: list[int] = field(default_factory=list)  # distinct samples shown up to each question; empty in older rows

    @property
    def key(self) -> Key:
        """What identifies the run."""
        return self.method, self.problem, self.seed, self.noise

    @property
    def regret(self) -> float:
        """Of the recommendation after the last comparison."""
        return self.regrets[-1]

    def regret_within(self, most: int) -> float:
        """Of the recommendation after the last question that was asked with at most so many distinct samples."""
        questions = sum(count <= most for count in self.samples)
        return self.regrets[max(min(questions, len(self.regrets)), 1) - 1]

    @property
    def proposal_seconds(self) -> list[float]:
        """The CPU seconds of the proposals alone, without the initial design."""
        return self.seconds[max(self.initial - 1, 0) :]


def append(path: Path, run: Run) -> None:
    """Write one run at the end of the file."""
    record = asdict(run)
    record["regrets"] = [_short(value) for value in run.regrets]
    record["seconds"] = [_short(value) for value in run.seconds]
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def read(path: Path) -> list[Run]:
    """All runs of a file; a last line that was cut off is left out, anything else unreadable is an error."""
    runs = []
    text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        if not line.endswith("\n"):
            break
        try:
            runs.append(_run(json.loads(line)))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path}, line {number}: not a benchmark result ({error})") from error
    return runs


def mend(path: Path) -> None:
    """Cut off a last line that was never finished, so that the file can be appended to."""
    whole = path.read_bytes()
    kept = whole[: whole.rfind(b"\n") + 1]
    if kept != whole:
        path.write_bytes(kept)


def finished(runs: Iterable[Run]) -> set[Key]:
    """The keys of the runs that are done; failed ones count, since they would fail again."""
    return {run.key for run in runs}


def _run(record: Any) -> Run:
    if not isinstance(record, dict):
        raise ValueError("not an object")
    return Run(**record)


def _short(value: float) -> float:
    return float(f"{value:.6g}")
