"""`prefero new`: from a file, from flags, or by asking; and what turns a study into another: `use`, `change`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prefero.cli import printing
from prefero.cli.app import STORAGE, JsonOption, StorageOption, StudyArgument, chosen, command, kept_in, names_in
from prefero.cli.numeric import whole_option

if TYPE_CHECKING:
    from prefero.cli.recipe import Recipe
    from prefero.space.variables import Variable
    from prefero.study import Study

VariableOption = Annotated[
    list[str] | None,
    typer.Option(
        "--variable",
        "-v",
        metavar="NAME=…",
        help="A variable, any number of times: gain=0.1:10:log, taps=1:8:integer:mm, window=hann,flat.",
    ),
]
RecipeArgument = Annotated[
    Path | None, typer.Argument(metavar="FILE", help="A TOML file that describes the study.", show_default=False)
]
WhoOption = Annotated[str, typer.Option("--as", envvar="PREFERO_JUDGE", metavar="NAME", help="Who changes it.")]


@command(
    "new",
    "Make",
    "prefero new line3.toml",
    "prefero new --name 'line 3' -v gain=0.1:10:log -v taps=1:8:integer -v window=hann,flat",
    "prefero new",
)
def new(
    file: RecipeArgument = None,
    name: Annotated[str | None, typer.Option("--name", help="What the study is called.")] = None,
    question: Annotated[str | None, typer.Option("--question", help="What the person is asked.")] = None,
    variable: VariableOption = None,
    comparisons: Annotated[
        int | None, whole_option("--comparisons", "-n", low=1, about="How many answers to expect.")
    ] = None,
    proposer: Annotated[str | None, typer.Option("--proposer", help="posterior (the default), glisp or pbo.")] = None,
    seed: Annotated[int | None, whole_option("--seed", low=0, about="Makes the study repeatable.")] = None,
    exist_ok: Annotated[
        bool, typer.Option("--exist-ok", help="Fine if there is a study of that name and space.")
    ] = False,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Make a study: from a file, from flags, or by asking.

    Given neither a file, nor a name, nor variables, it asks for name, question and variables. A flag goes before the file.
    """
    from prefero.cli.recipe import Recipe, from_file
    from prefero.errors import InputError
    from prefero.study import Study

    recipe = Recipe() if file is None else from_file(file)
    if file is None and name is None and not variable:
        recipe, question = _asked(question, () if exist_ok else names_in(storage))
    recipe = recipe.with_flags(
        variable or [], name=name, question=question, comparisons=comparisons, proposer=proposer, seed=seed
    )
    space = recipe.space()
    if "name" not in recipe.arguments:
        raise InputError("name: it is missing; say it with --name, or as name in the file")
    Study.create(space, **recipe.arguments)  # in memory: everything is checked before a file is made
    with (
        kept_in(storage, create=True) as kept,
        Study.create(space, **recipe.arguments, storage=kept, load_if_exists=exist_ok) as study,
    ):
        _tell_about(study, storage, json)


def _tell_about(study: Study, storage: str, json: bool) -> None:
    if json:
        printing.as_json(
            {
                "study": study.settings.name,
                "storage": storage,
                "seed": study.settings.seed,
                "space": study.space.to_dict(),
            }
        )
        return
    variables = ", ".join(printing.labels(study.space).values())
    printing.line(
        f"The study {study.settings.name!r} is ready: {variables}; about {printing.count(study.settings.comparisons, 'answer')}."
    )
    printing.line("Next: prefero compare, or prefero ask and prefero answer.")


# Asking ------------------------------------------------------------------------------------------------------------------


def _asked(question: str | None, taken: Sequence[str]) -> tuple[Recipe, str]:
    """What a person says when asked: a name that is not taken, question and variables."""
    from prefero.cli.recipe import Recipe
    from prefero.errors import InputError
    from prefero.storage.events import QUESTION
    from prefero.study.checks import checked_text

    try:
        name = _until_right("Name of the study", lambda said: _free_name(said, taken))
        question = question or _until_right("Question", lambda said: checked_text("question", said), QUESTION)
        printing.line("The variables, one after the other; an empty name ends.")
        variables: dict[str, Variable] = {}
        while True:
            label = _prompt("Variable").strip()
            if label in variables:
                printing.line(f"  {InputError.of('variable', label, 'each variable once; it was given before')}")
            elif label:
                variables[label] = _asked_variable()
            elif variables:
                return Recipe(variables, arguments={"name": name}), question
            else:
                printing.line("At least one.")
    except EOFError:
        raise InputError("the input ended before the study was described: nothing was made") from None


def _free_name(said: str, taken: Sequence[str]) -> str:
    from prefero.errors import InputError
    from prefero.study.checks import checked_name

    if said in taken:
        raise InputError(f"there is a study {said!r} already")
    return checked_name("name", said, empty=False)


def _asked_variable() -> Variable:
    from prefero.cli.recipe import levels
    from prefero.errors import InputError
    from prefero.space.variables import Choice, Integer, Real

    def kind_of(said: str) -> str:
        kinds = [kind for kind in ("real", "log", "integer", "choice") if said and kind.startswith(said.lower())]
        if not kinds:
            raise InputError.of("kind", said, "real, log (real, where factors matter), integer or choice")
        return kinds[0]

    kind = _until_right("  Kind: real, log, integer or choice", kind_of, "real")
    while True:
        try:
            if kind == "choice":
                return Choice(levels(_prompt("  Levels, with commas between")))
            low, high = (_until_right(f"  {end}", partial(_number, end)) for end in ("From", "To"))
            unit = _prompt("  Unit")
            return Integer(low, high, unit) if kind == "integer" else Real(low, high, kind == "log", unit)
        except InputError as error:
            printing.line(f"  {error}")


def _number(label: str, said: str) -> float:
    from prefero.errors import InputError

    try:
        return float(said)
    except ValueError:
        raise InputError.of(label, said, "a number") from None


def _until_right(label: str, check: Any, default: str = "") -> Any:
    """What somebody types, asked again until it will do."""
    from prefero.errors import InputError

    while True:
        try:
            return check(_prompt(label, default))
        except InputError as error:
            printing.line(f"  {error}")


def _prompt(label: str, default: str = "") -> str:
    """What somebody types after the label; what is read from elsewhere is shown as if it were typed."""
    shown = f"{label} [{default}]: " if default else f"{label}: "
    if sys.stdin.isatty():
        return input(shown) or default
    said = sys.stdin.readline()
    printing.line(f"{shown}{said.rstrip()}")
    if not said:
        raise EOFError
    return said.rstrip("\n") or default


# Another proposer, another space ---------------------------------------------------------------------------------------------


@command("use", "Change", "prefero use posterior", "prefero use glisp 'line 3'")
def use(
    proposer: Annotated[str, typer.Argument(metavar="PROPOSER", help="posterior, glisp or pbo.")],
    study: StudyArgument = None,
    who: WhoOption = "",
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Go on with another proposer, which chooses the questions."""
    from prefero.cli import recipe

    asks = recipe.proposer(proposer)
    with chosen(study, storage) as opened:
        opened.change_proposer(asks, who=who)
        if json:
            printing.as_json({"study": opened.settings.name, "proposer": opened.proposer.to_dict()})
        else:
            printing.line(f"{opened.settings.name!r} goes on with the proposer {proposer}.")


@command(
    "change",
    "Change",
    "prefero change -v gain=0.1:20:log",
    "prefero change -v mass=1:5:kg --fill mass=2",
    "prefero change --from line3.toml",
)
def change(
    study: StudyArgument = None,
    variable: VariableOption = None,
    source: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="A TOML file with the new space.")
    ] = None,
    fill: Annotated[
        list[str] | None,
        typer.Option("--fill", metavar="NAME=VALUE", help="A new variable's value for the candidates there are."),
    ] = None,
    who: WhoOption = "",
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Change bounds or add a variable in a running study.

    Answers stay. Candidates outside new bounds stay data; questions that wait are withdrawn.
    """
    from prefero.errors import InputError

    if not variable and source is None:
        raise InputError("change: say what with --variable, or with --from and a file")
    with chosen(study, storage) as opened:
        space = _changed(opened, variable or [], source)
        opened.change_space(space, _filled(space, fill or []), who=who)
        if json:
            printing.as_json({"study": opened.settings.name, "space": opened.space.to_dict()})
        else:
            printing.line(f"{opened.settings.name!r} goes on with {', '.join(printing.labels(opened.space).values())}.")


def _changed(study: Study, variables: list[str], source: Path | None) -> Any:
    from prefero.cli import recipe
    from prefero.errors import InputError
    from prefero.space import Space

    if source is not None:
        return recipe.from_file(source).with_flags(variables).space()
    if not isinstance(study.space, Space):
        raise InputError("change: a study of a catalogue's rows has no variables to change")
    return Space(study.space.variables | recipe.from_flags(variables), study.space.constraints)


def _filled(space: Any, texts: list[str]) -> dict[str, Any]:
    from prefero.cli.settings import assignments

    return assignments("fill", texts, space)
