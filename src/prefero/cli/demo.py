"""`prefero demo`: small examples on the page or in the terminal, answered by you or by a simulated person."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from prefero.cli import printing
from prefero.cli.app import ForceOption, JsonOption, StorageOption, check_overwrite, command
from prefero.cli.compare import ask_questions, open_interface
from prefero.cli.numeric import whole_option
from prefero.cli.serve import HIGHEST_PORT, serve_file
from prefero.cli.solve import Tally, answer_all, progress_bar

if TYPE_CHECKING:
    from prefero.cli.demos import Demo, Page
    from prefero.space import Candidate
    from prefero.study import Study


def _demos(incomplete: str) -> list[str]:
    from prefero.cli.demos import DEMOS, PAGES

    return [name for name in (*PAGES, *DEMOS) if name.startswith(incomplete)]


SIMULATED = 10
"""How many questions a simulated person answers on the page if there is no terminal."""


@command(
    "demo",
    "More",
    "prefero demo",
    "prefero demo picture",
    "prefero demo sound --copy tuning.py",
    "prefero demo colour --me",
)
def demo(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="DEMO", help="The demo to run; without it, the demos are listed.", autocompletion=_demos
        ),
    ] = None,
    me: Annotated[bool, typer.Option("--me", help="Answer yourself, instead of a simulated person.")] = False,
    answers: Annotated[int | None, whole_option("--answers", "-n", low=1, about="How many answers to give.")] = None,
    seed: Annotated[
        int, whole_option("--seed", low=0, about="The random seed; another seed asks other questions.")
    ] = 0,
    copy: Annotated[
        Path | None, typer.Option("--copy", metavar="FILE", help="Copy the demo's Python file, for you to change.")
    ] = None,
    force: ForceOption = False,
    port: Annotated[
        int, whole_option("--port", low=0, high=HIGHEST_PORT, about="The port of the page; 0 for any free port.")
    ] = 0,
    storage: StorageOption = "sqlite:///demo.db",
    json: JsonOption = False,
) -> None:
    """List the demos, or run one.

    A demo on the page is served until Ctrl-C, and its answers are stored.
    Without a terminal, a simulated person answers ten questions and the demo ends.

    A demo in the terminal is answered by a simulated person, or by you with --me. Nothing is stored.
    """
    from prefero.cli.demos import DEMOS, PAGES
    from prefero.errors import InputError

    if name is None:
        _list(json)
    elif name in PAGES:
        if copy is not None:
            _copy(PAGES[name], copy, force, json)
            return
        attended = me or (sys.stdin.isatty() and sys.stdout.isatty() and answers is None)
        simulated = None if attended else answers or SIMULATED
        serve_file(PAGES[name].path, storage, None, json, simulated, {"port": port}, seed=seed)
    elif name not in DEMOS:
        raise InputError.of("demo", name, ", ".join([*PAGES, *DEMOS]))
    elif copy is not None:
        raise InputError.of("copy", str(copy), f"a demo on the page: {', '.join(PAGES)}")
    else:
        _in_terminal(DEMOS[name], me, answers, seed, json)


def _copy(page: Page, to: Path, force: bool, json: bool) -> None:
    from prefero.storage.atomic import write

    check_overwrite(to, force)
    write(to, page.source)
    if json:
        printing.print_json({"demo": page.name, "file": str(to)})
    else:
        printing.line(f"Copied to {to}: {page.title}. Serve it with prefero serve {to}, and change it as you like.")


def _in_terminal(chosen: Demo, me: bool, answers: int | None, seed: int, json: bool) -> None:
    from prefero.study import Study

    count = answers or chosen.comparisons
    study = Study.create(chosen.space, comparisons=count, seed=seed, name=chosen.name, question=chosen.question)
    if me:
        with open_interface(study, json, _picture(chosen)) as interface:
            finished = ask_questions(study, "", interface, count)
        if finished.reason and not json:
            printing.line(finished.reason)
        _print_end(chosen, study, [], json)
    else:
        _print_end(chosen, study, _simulated(chosen, study, count, json), json)


def _list(json: bool) -> None:
    from prefero.cli.demos import DEMOS, PAGES

    kinds: tuple[tuple[str, Any], ...] = (("page", PAGES), ("terminal", DEMOS))
    rows = [(demo.name, where, demo.title) for where, demos in kinds for demo in demos.values()]
    if json:
        printing.print_json([{"demo": name, "where": where, "title": title} for name, where, title in rows])
        return
    table = printing.table("demo", "where", "what")
    for row in rows:
        table.add_row(*row)
    printing.console().print(table)
    printing.line(
        "\nRun a demo with prefero demo NAME. With --copy FILE, copy the file of a demo on the page and change it."
    )


def _picture(demo: Demo) -> printing.Picture:
    def picture(candidate: Candidate) -> list[tuple[str, str | Text]]:
        return [(label, Text(text, style=style)) for label, text, style in demo.picture(candidate)]

    return picture


def _simulated(demo: Demo, study: Study, count: int, json: bool) -> list[tuple[int, Candidate]]:
    """Let the simulated person answer; return the best candidate after some of the answers."""
    if not json:
        often = "once" if count == 1 else f"{count} times"
        printing.line(f"{demo.title}. A simulated person answers {often}: {demo.question}\n")
    marks = sorted({1, *(round(count * part) for part in (0.2, 0.4, 0.6, 0.8)), count} - {0})
    best: list[tuple[int, Candidate]] = []
    tally = Tally()
    with progress_bar(count) as advance:
        for mark in marks:
            answer_all(study, lambda q: demo.prefer(q["a"], q["b"]), mark, tally, advance=advance)
            if study.best is not None:
                best.append((len(study.history), study.best))
    return best


def _print_end(demo: Demo, study: Study, best: list[tuple[int, Candidate]], json: bool) -> None:
    if json:
        data: dict[str, Any] = {"demo": demo.name, "answers": len(study.history)}
        data["best"] = None if study.best is None else dict(study.best)
        if best:
            data["progress"] = [{"answers": n, "best": dict(c), "dislike": demo.dislike(c)} for n, c in best]
        printing.print_json(data, compact=False)
        return
    if best:
        _print_progress(demo, study, best)
    if study.best is not None:
        printing.line(f"\nBest after {printing.count(len(study.history), 'answer')}: {printing.setting(study.best)}.")


def _print_progress(demo: Demo, study: Study, best: list[tuple[int, Candidate]]) -> None:
    headings = [label or "looks" for label, *_ in demo.picture(study.space.decode(study.history.points[0]))[:1]]
    table = printing.table(
        "answers",
        *printing.labels(study.space).values(),
        *headings,
        "hidden dislike",
        right=("answers", "hidden dislike"),
    )
    for answers, candidate in best:
        looks = [Text(text, style=style) for _, text, style in demo.picture(candidate)[:1]]
        values = [printing.value(candidate.get(name)) for name in study.space.names]
        table.add_row(str(answers), *values, *looks, f"{demo.dislike(candidate):.3g}")
    printing.console().print(table)
