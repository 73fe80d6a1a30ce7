"""`prefero demo`: small problems to try, on the page or in the terminal, answered by you or by a simulated person."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from prefero.cli import printing
from prefero.cli.app import ForceOption, JsonOption, StorageOption, command, not_there
from prefero.cli.compare import converse, face_of
from prefero.cli.numeric import whole_option
from prefero.cli.serve import HIGHEST_PORT, serve_file
from prefero.cli.solve import Tally, bar, run

if TYPE_CHECKING:
    from prefero.cli.demos import Demo, Page
    from prefero.space import Candidate
    from prefero.study import Study


def _demos(incomplete: str) -> list[str]:
    from prefero.cli.demos import DEMOS, PAGES

    return [name for name in (*PAGES, *DEMOS) if name.startswith(incomplete)]


SIMULATED = 10
"""Answers on the page, where nobody is at a terminal."""


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
        str | None, typer.Argument(metavar="DEMO", help="Which one; without it, the list.", autocompletion=_demos)
    ] = None,
    me: Annotated[bool, typer.Option("--me", help="You answer, in place of a simulated person.")] = False,
    answers: Annotated[int | None, whole_option("--answers", "-n", low=1, about="How many answers.")] = None,
    seed: Annotated[int, whole_option("--seed", low=0, about="Another seed, other questions.")] = 0,
    copy: Annotated[
        Path | None, typer.Option("--copy", metavar="FILE", help="Write the demo's file there, to be changed.")
    ] = None,
    force: ForceOption = False,
    port: Annotated[
        int, whole_option("--port", low=0, high=HIGHEST_PORT, about="The page's port; 0 for any that is free.")
    ] = 0,
    storage: StorageOption = "sqlite:///demo.db",
    json: JsonOption = False,
) -> None:
    """List the demos, or run one.

    Those on the page are served until Ctrl-C, and kept in a file; where nobody is at a terminal, a simulated person answers
    ten questions there. Those in the terminal are answered by a simulated person, or by you; nothing is stored.
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
        raise InputError.of("copy", str(copy), f"a demo that is a file: {', '.join(PAGES)}")
    else:
        _in_terminal(DEMOS[name], me, answers, seed, json)


def _copy(page: Page, to: Path, force: bool, json: bool) -> None:
    from prefero.storage.atomic import write

    not_there(to, force)
    write(to, page.source)
    if json:
        printing.as_json({"demo": page.name, "file": str(to)})
    else:
        printing.line(f"{page.title}: it is in {to}. Serve it with prefero serve {to}, then change it.")


def _in_terminal(chosen: Demo, me: bool, answers: int | None, seed: int, json: bool) -> None:
    from prefero.study import Study

    count = answers or chosen.comparisons
    study = Study.create(chosen.space, comparisons=count, seed=seed, name=chosen.name, question=chosen.question)
    if me:
        with face_of(study, json, _picture(chosen)) as face:
            ending = converse(study, "", face, count)
        if ending.reason and not json:
            printing.line(ending.reason)
        _print_end(chosen, study, [], json)
    else:
        _print_end(chosen, study, _simulated(chosen, study, count, json), json)


def _list(json: bool) -> None:
    from prefero.cli.demos import DEMOS, PAGES

    kinds: tuple[tuple[str, Any], ...] = (("page", PAGES), ("terminal", DEMOS))
    rows = [(demo.name, where, demo.title) for where, demos in kinds for demo in demos.values()]
    if json:
        printing.as_json([{"demo": name, "where": where, "title": title} for name, where, title in rows])
        return
    table = printing.table("demo", "where", "what")
    for row in rows:
        table.add_row(*row)
    printing.console().print(table)
    printing.line(
        "\nRun one with prefero demo NAME; --copy FILE writes the file of one on the page, to be made your own."
    )


def _picture(demo: Demo) -> printing.Picture:
    def picture(candidate: Candidate) -> list[tuple[str, str | Text]]:
        return [(label, Text(text, style=style)) for label, text, style in demo.picture(candidate)]

    return picture


def _simulated(demo: Demo, study: Study, count: int, json: bool) -> list[tuple[int, Candidate]]:
    """Let the simulated person answer; the best after some of the answers."""
    if not json:
        often = "once" if count == 1 else f"{count} times"
        printing.line(f"{demo.title}. A simulated person answers {often}: {demo.question}\n")
    marks = sorted({1, *(round(count * part) for part in (0.2, 0.4, 0.6, 0.8)), count} - {0})
    best: list[tuple[int, Candidate]] = []
    tally = Tally()
    with bar(count) as advance:
        for mark in marks:
            run(study, lambda q: demo.prefer(q["a"], q["b"]), mark, tally, advance=advance)
            if study.best is not None:
                best.append((len(study.history), study.best))
    return best


def _print_end(demo: Demo, study: Study, best: list[tuple[int, Candidate]], json: bool) -> None:
    if json:
        data: dict[str, Any] = {"demo": demo.name, "answers": len(study.history)}
        data["best"] = None if study.best is None else dict(study.best)
        if best:
            data["progress"] = [{"answers": n, "best": dict(c), "dislike": demo.dislike(c)} for n, c in best]
        printing.as_json(data, compact=False)
        return
    if best:
        _print_progress(demo, study, best)
    if study.best is not None:
        printing.line(f"\nBest after {printing.count(len(study.history), 'answer')}: {printing.setting(study.best)}.")


def _print_progress(demo: Demo, study: Study, best: list[tuple[int, Candidate]]) -> None:
    sights = [label or "looks" for label, *_ in demo.picture(study.space.decode(study.history.points[0]))[:1]]
    table = printing.table(
        "answers",
        *printing.labels(study.space).values(),
        *sights,
        "hidden dislike",
        right=("answers", "hidden dislike"),
    )
    for answers, candidate in best:
        looks = [Text(text, style=style) for _, text, style in demo.picture(candidate)[:1]]
        values = [printing.value(candidate[name]) for name in study.space.names]
        table.add_row(str(answers), *values, *looks, f"{demo.dislike(candidate):.3g}")
    printing.console().print(table)
