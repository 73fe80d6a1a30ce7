"""A simulated person on the page, who opens the link and answers through the same HTTP interface as a browser."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Mapping
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPCookieProcessor, Request, build_opener

from prefero.cli import printing
from prefero.cli.judges import exit_message
from prefero.cli.solve import progress_bar
from prefero.errors import JudgeError, PreferoError

Prefer = Callable[[Mapping[str, Any], Mapping[str, Any]], Any]
LOOK_SECONDS, LONGEST_SECONDS = 0.1, 600.0
"""How often to ask whether a pair has been rendered, and for how long at most."""


class PageClient:
    """An HTTP client that acts like the page of a study: it keeps the cookie and sends the origin."""

    def __init__(self, link: str, study: str) -> None:
        parts = urlsplit(link)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._path = f"{self._origin}/api/v1/studies/{quote(study, safe='')}"
        self._opener = build_opener(HTTPCookieProcessor(CookieJar()))
        self._opener.open(link).close()

    def call(self, path: str, value: object = None) -> Any:
        """Return what the service answers; raise a PreferoError if it refuses."""
        body = None if value is None else json.dumps(value).encode()
        headers = {"Origin": self._origin, "Content-Type": "application/json"}
        try:
            with self._opener.open(Request(self._path + path, body, headers)) as reply:  # noqa: S310 (our own server)
                return json.load(reply)
        except HTTPError as refusal:
            with refusal:
                raise PreferoError(json.load(refusal)["error"]) from None

    def pair(self) -> dict[str, Any] | None:
        """Return the current question once both candidates are rendered; None if nothing is left to ask."""
        end = time.monotonic() + LONGEST_SECONDS
        while True:
            question: dict[str, Any] | None = self.call("/question")["question"]
            waits = [] if question is None else [each for each in question["preparing"].values() if each]
            if not waits:
                return question
            failed = next((each["failed"] for each in waits if each["failed"]), None)
            if failed or time.monotonic() > end:
                raise PreferoError(f"a candidate could not be prepared: {failed or 'it took too long'}")
            time.sleep(LOOK_SECONDS)


def simulate(link: str, study: str, prefer: Prefer, answers: int, as_json: bool) -> None:
    """Let a simulated person answer a number of questions, and print the result."""
    client = PageClient(link, study)
    rows = []
    with progress_bar(answers) as advance:
        for _ in range(answers):
            question = client.pair()
            if question is None:
                break
            said = _answer(prefer, question)
            body = {"step": question["step"], "answer": said, "answer_id": uuid.uuid4().hex, "seconds": 0.0}
            client.call("/answers", body)
            rows.append((question, said))
            advance()
    result = client.call("/result")
    if as_json:
        printing.print_json({"study": study, "given": len(rows), "answers": result["answers"], "best": result["best"]})
        return
    _print_table(rows, result)


def _answer(prefer: Prefer, question: dict[str, Any]) -> str:
    try:
        said = prefer(question["a"], question["b"])
    except Exception as error:
        raise JudgeError(f"prefer raised {type(error).__name__}: {error}") from error
    except SystemExit as error:
        raise JudgeError(exit_message("prefer", error)) from error
    if said not in ("a", "b", "same"):
        raise JudgeError(f"prefer returned {said!r}; allowed: 'a', 'b' or 'same'")
    return str(said)


def _brief(candidate: Mapping[str, Any]) -> str:
    """Return a candidate in one line with three digits per number, so that two fit beside each other."""
    return printing.setting({name: float(f"{v:.3g}") if isinstance(v, float) else v for name, v in candidate.items()})


def _print_table(rows: list[tuple[dict[str, Any], str]], result: dict[str, Any]) -> None:
    table = printing.table("question", "A", "B", "better", right=("question",))
    words = {"a": "A", "b": "B", "same": "same"}
    for question, said in rows:
        table.add_row(str(question["step"] + 1), _brief(question["a"]), _brief(question["b"]), words[said])
    printing.console().print(table)
    if result["best"] is not None:
        printing.line(
            f"\nBest after {printing.count(result['answers'], 'answer')}: {printing.setting(result['best'])}."
        )
