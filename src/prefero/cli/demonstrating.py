"""`prefero demo`: small problems to try, answered by a simulated person or by you. Nothing is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from prefero.cli import show
from prefero.cli.app import JsonOption, command
from prefero.cli.comparing import converse, face_of
from prefero.cli.solving import Tally, bar, run

if TYPE_CHECKING:
    from prefero.demos import Demo
    from prefero.space import Candidate
    from prefero.study import Study


def _demos(incomplete: str) -> list[str]:
    from prefero.demos import DEMOS

    return [name for name in DEMOS if name.startswith(incomplete)]


@command("demo", "More", "prefero demo", "prefero demo suspension", "prefero demo colour --me")
def demo(
    name: Annotated[
        str | None, typer.Argument(metavar="DEMO", help="Which one; without it, the list.", autocompletion=_demos)
    ] = None,
    me: Annotated[bool, typer.Option("--me", help="You answer, in place of a simulated person.")] = False,
    answers: Annotated[int | None, typer.Option("--answers", "-n", min=1, help="How many answers.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, other questions.")] = 0,
    json: JsonOption = False,
) -> None:
    """List the demos, or run one: a simulated person answers, or you do."""
    from prefero.demos import DEMOS
    from prefero.errors import InputError
    from prefero.study import Study

    if name is None:
        _list(json)
        return
    if name not in DEMOS:
        raise InputError.of("demo", name, ", ".join(DEMOS))
    chosen = DEMOS[name]
    count = answers or chosen.comparisons
    study = Study(chosen.space, comparisons=count, seed=seed, name=name, question=chosen.question)
    if me:
        with face_of(study, json, _picture(chosen)) as face:
            ending = converse(study, "", face, count)
        if ending.reason and not json:
            show.line(ending.reason)
        _print_end(chosen, study, [], json)
    else:
        _print_end(chosen, study, _simulated(chosen, study, count, json), json)


def _list(json: bool) -> None:
    from prefero.demos import DEMOS

    if json:
        show.as_json([{"demo": demo.name, "title": demo.title, "question": demo.question} for demo in DEMOS.values()])
        return
    table = show.table("demo", "what")
    for demo in DEMOS.values():
        table.add_row(demo.name, demo.title)
    show.console().print(table)
    show.line("\nRun one with prefero demo NAME, and answer yourself with --me.")


def _picture(demo: Demo) -> show.Picture:
    def picture(candidate: Candidate) -> list[tuple[str, str | Text]]:
        return [(label, Text(text, style=style)) for label, text, style in demo.picture(candidate)]

    return picture


def _simulated(demo: Demo, study: Study, count: int, json: bool) -> list[tuple[int, Candidate]]:
    """Let the simulated person answer; the best after some of the answers."""
    if not json:
        show.line(f"{demo.title}. A simulated person answers {count} times: {demo.question}\n")
    marks = sorted({1, *(round(count * part) for part in (0.2, 0.4, 0.6, 0.8)), count} - {0})
    best: list[tuple[int, Candidate]] = []
    tally = Tally()
    with bar(count) as advance:
        for mark in marks:
            run(study, lambda q: demo.prefer(q["a"], q["b"]), mark, tally, advance=advance)
            if study.best is not None:
                best.append((study.n_comparisons, study.best))
    return best


def _print_end(demo: Demo, study: Study, best: list[tuple[int, Candidate]], json: bool) -> None:
    if json:
        data: dict[str, Any] = {"demo": demo.name, "answers": study.n_comparisons}
        data["best"] = None if study.best is None else dict(study.best)
        if best:
            data["progress"] = [{"answers": n, "best": dict(c), "dislike": demo.dislike(c)} for n, c in best]
        show.as_json(data, compact=False)
        return
    if best:
        _print_progress(demo, study, best)
    if study.best is not None:
        show.line(f"\nBest after {study.n_comparisons} answers: {show.setting(study.best)}.")


def _print_progress(demo: Demo, study: Study, best: list[tuple[int, Candidate]]) -> None:
    sights = [label or "looks" for label, *_ in demo.picture(study.space.decode(study.history.points[0]))[:1]]
    table = show.table(
        "answers", *show.labels(study.space).values(), *sights, "hidden dislike", right=("answers", "hidden dislike")
    )
    for answers, candidate in best:
        looks = [Text(text, style=style) for _, text, style in demo.picture(candidate)[:1]]
        values = [show.value(candidate[name]) for name in study.space.names]
        table.add_row(str(answers), *values, *looks, f"{demo.dislike(candidate):.3g}")
    show.console().print(table)
