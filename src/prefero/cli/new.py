"""`prefero new` creates a study from a file, from options or from prompts; `use` and `change` change a study."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prefero.cli import printing
from prefero.cli.app import (
    STORAGE,
    JsonOption,
    StorageOption,
    StudyArgument,
    command,
    opened_storage,
    opened_study,
    stored_names,
)
from prefero.cli.numeric import number_option, whole_option

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
        help="A variable; repeat the option for more: gain=0.1:10:log, taps=2:64:integer:step=2:mm, window=hann,flat, "
        "'size=S<M<L', 'cutoff=20:2000 if window=hann'.",
    ),
]
FixOption = Annotated[
    list[str] | None,
    typer.Option("--fix", metavar="NAME=VALUE", help="Keep a variable at one value in every proposal; repeatable."),
]
RecipeArgument = Annotated[
    Path | None, typer.Argument(metavar="FILE", help="A TOML file that describes the study.", show_default=False)
]
WhoOption = Annotated[
    str, typer.Option("--as", envvar="PREFERO_JUDGE", metavar="NAME", help="Your name, stored with the change.")
]


@command(
    "new",
    "Make",
    "prefero new line3.toml",
    "prefero new --name 'line 3' -v gain=0.1:10:log -v taps=1:8:integer -v window=hann,flat",
    "prefero new --name flats --catalogue flats.csv --labels id,address",
    "prefero new",
)
def new(
    file: RecipeArgument = None,
    name: Annotated[str | None, typer.Option("--name", help="The name of the study.")] = None,
    question: Annotated[str | None, typer.Option("--question", help="The question that the person is asked.")] = None,
    variable: VariableOption = None,
    catalogue: Annotated[
        Path | None,
        typer.Option(
            "--catalogue",
            metavar="FILE",
            help="A CSV or Parquet file whose rows are the candidates, or a folder of pictures or sounds.",
        ),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option("--features", metavar="NAME,…", help="The columns to learn from; the others are labels."),
    ] = None,
    labels: Annotated[
        str | None, typer.Option("--labels", metavar="NAME,…", help="Columns that are shown and never learned from.")
    ] = None,
    fix: FixOption = None,
    comparisons: Annotated[
        int | None, whole_option("--comparisons", "-n", low=1, about="The planned number of answers.")
    ] = None,
    proposer: Annotated[
        str | None,
        typer.Option(
            "--proposer", help="The method that chooses the questions: posterior (the default), glisp or pbo."
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND[=SECONDS]",
            help="What a question asks for: pair, 'best of 4', 'rank 4', 'insert among 3', …. Repeat it to offer several; "
            "'rank 4=20' says that one takes 20 seconds.",
        ),
    ] = None,
    seed: Annotated[
        int | None, whole_option("--seed", low=0, about="The random seed, which makes the study repeatable.")
    ] = None,
    scale: Annotated[
        str | None, typer.Option("--scale", metavar="WORD,…", help="Words for the levels of ratings, the worst first.")
    ] = None,
    exist_ok: Annotated[
        bool, typer.Option("--exist-ok", help="Do nothing if a study with this name and space exists already.")
    ] = False,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Create a study from a file, from options or from prompts.

    Without arguments, prefero asks for a name, a question and variables. Options take precedence over the file.
    """
    from prefero.cli.recipe import Recipe, from_file, kinds
    from prefero.cli.recipe import levels as names
    from prefero.errors import InputError
    from prefero.study import Study

    recipe = Recipe() if file is None else from_file(file)
    if file is None and name is None and not variable and catalogue is None:
        recipe, question = _ask_for_recipe(question, () if exist_ok else stored_names(storage))
    table = {
        "path": catalogue,
        "features": None if features is None else names(features),
        "labels": None if labels is None else names(labels),
    }
    flags = {"name": name, "question": question, "comparisons": comparisons, "proposer": proposer, "seed": seed}
    words = None if scale is None else names(scale)
    recipe = recipe.with_flags(variable or [], table, **flags, kind=kinds(kind) if kind else None, scale=words)
    space = _fixed(recipe.space(), fix or [], [])
    if "name" not in recipe.arguments:
        raise InputError("name: it is missing; give it with --name, or as name in the file")
    _attached(
        Study.create(space, **recipe.arguments), space
    )  # in memory: check everything before the database is created
    with (
        opened_storage(storage, create=True) as kept,
        Study.create(space, **recipe.arguments, storage=kept, load_if_exists=exist_ok) as study,
    ):
        files = _attached(study, space)
        _print_created(study, storage, json)
        if not json:
            _print_roles(space, files)


def _attached(study: Study, space: Any) -> int:
    """Keep the files of a catalogue's rows with its study, if they are there and not too many; return how many were kept."""
    from prefero.exchange.catalogues import MOST_FILES, attach_files

    if getattr(space, "file", None) is None or len(space.rows) > MOST_FILES or study.log.state.measured:
        return 0
    if not any(Path(space.folder, name).is_file() for name in space.column(space.file)):
        return 0  # the files are elsewhere
    return attach_files(study, space.folder)


def _print_roles(space: Any, files: int) -> None:
    """Print what each column of a catalogue is taken for, and why if that was guessed."""
    from prefero.space import Catalogue

    if not isinstance(space, Catalogue):
        return
    for role, title in (("feature", "Learned from"), ("label", "Shown only"), ("file", "File of each row")):
        named = [name for name, is_a in space.roles.items() if is_a == role]
        told = [f"{name} ({space.why[name]})" if name in space.why else name for name in named]
        if told:
            printing.line(f"{title}: {', '.join(told)}.")
    if files:
        printing.line(f"{printing.count(files, 'file')} stored with the study.")
    if space.why:
        printing.line("Roles that were not given are guesses; --features and --labels decide.")


def _print_created(study: Study, storage: str, json: bool) -> None:
    if json:
        printing.print_json(
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


# Prompts -------------------------------------------------------------------------------------------------------------


def _ask_for_recipe(question: str | None, taken: Sequence[str]) -> tuple[Recipe, str]:
    """Ask the person for a name that is not taken, a question and variables."""
    from prefero.cli.recipe import Recipe
    from prefero.errors import InputError
    from prefero.storage.events import QUESTION
    from prefero.study.checks import checked_text

    try:
        name = _ask_until_valid("Name of the study", lambda said: _free_name(said, taken))
        question = question or _ask_until_valid("Question", lambda said: checked_text("question", said), QUESTION)
        printing.line("Enter the variables one after another; leave the name empty to finish.")
        variables: dict[str, Variable] = {}
        while True:
            label = _prompt("Variable").strip()
            if label in variables:
                printing.line(f"  {InputError.of('variable', label, 'a name that was not given before')}")
            elif label:
                variables[label] = _ask_for_variable()
            elif variables:
                return Recipe(variables, arguments={"name": name}), question
            else:
                printing.line("Enter at least one variable.")
    except EOFError:
        raise InputError("the input ended before the study was complete: nothing was created") from None


def _free_name(said: str, taken: Sequence[str]) -> str:
    from prefero.errors import InputError
    from prefero.study.checks import checked_name

    if said in taken:
        raise InputError(f"the study {said!r} exists already")
    return checked_name("name", said, empty=False)


def _ask_for_variable() -> Variable:
    from prefero.cli.recipe import levels
    from prefero.errors import InputError
    from prefero.space.variables import Choice, Integer, Ordinal, Real

    def kind_of(said: str) -> str:
        every = ("real", "log", "integer", "ordinal", "choice")
        kinds = [kind for kind in every if said and kind.startswith(said.lower())]
        if not kinds:
            allowed = "real, log (a real variable on a logarithmic scale), integer, ordinal or choice"
            raise InputError.of("kind", said, allowed)
        return kinds[0]

    kind = _ask_until_valid("  Kind: real, log, integer, ordinal or choice", kind_of, "real")
    while True:
        try:
            if kind == "choice":
                return Choice(levels(_prompt("  Levels, separated by commas")))
            if kind == "ordinal":
                return Ordinal(levels(_prompt("  Levels in their order, separated by commas")))
            low, high = (_ask_until_valid(f"  {end}", partial(_number, end)) for end in ("From", "To"))
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


def _ask_until_valid(label: str, check: Any, default: str = "") -> Any:
    """Prompt until the reply passes the check, and return what the check returned."""
    from prefero.errors import InputError

    while True:
        try:
            return check(_prompt(label, default))
        except InputError as error:
            printing.line(f"  {error}")


def _prompt(label: str, default: str = "") -> str:
    """Return what is typed after the prompt; input that is not from a terminal is echoed."""
    shown = f"{label} [{default}]: " if default else f"{label}: "
    if sys.stdin.isatty():
        return input(shown) or default
    said = sys.stdin.readline()
    printing.line(f"{shown}{said.rstrip()}")
    if not said:
        raise EOFError
    return said.rstrip("\n") or default


# Changes -------------------------------------------------------------------------------------------------------------


@command(
    "use",
    "Change",
    "prefero use posterior --half-life 20",
    "prefero use posterior --unsure",
    "prefero use glisp 'line 3'",
)
def use(
    proposer: Annotated[str, typer.Argument(metavar="PROPOSER", help="posterior, glisp or pbo.")],
    study: StudyArgument = None,
    half_life: Annotated[
        float | None,
        number_option("--half-life", about="Of posterior: let old answers count less, half after so many answers."),
    ] = None,
    unsure: Annotated[
        bool, typer.Option("--unsure", help="Let answers that people were not sure of count less; not with pbo.")
    ] = False,
    who: WhoOption = "",
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Continue with another proposer, the method that chooses the questions."""
    from prefero.cli import recipe
    from prefero.errors import InputError

    if half_life is not None and proposer != "posterior":
        raise InputError.of("--half-life", half_life, "only with posterior")
    knobs: dict[str, Any] = {} if half_life is None else {"half_life": half_life}
    if unsure:
        knobs["unsure"] = recipe.unsure(proposer)
    asks = recipe.proposer({"name": proposer, **knobs} if knobs else proposer)
    with opened_study(study, storage) as opened:
        opened.change_proposer(asks, who=who)
        if json:
            printing.print_json({"study": opened.settings.name, "proposer": opened.proposer.to_dict()})
        else:
            printing.line(f"{opened.settings.name!r} continues with the proposer {proposer}.")


@command(
    "change",
    "Change",
    "prefero change -v gain=0.1:20:log",
    "prefero change -v mass=1:5:kg --fill mass=2",
    "prefero change --fix gain=2",
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
        typer.Option("--fill", metavar="NAME=VALUE", help="The value of a new variable for the existing candidates."),
    ] = None,
    fix: FixOption = None,
    free: Annotated[
        list[str] | None, typer.Option("--free", metavar="NAME", help="Vary a variable again that was fixed.")
    ] = None,
    who: WhoOption = "",
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Change bounds, fix a value or add a variable in a running study.

    All answers still count, also about candidates outside the new bounds. Waiting questions are withdrawn.
    """
    from prefero.errors import InputError

    if not variable and source is None and not fix and not free:
        raise InputError("change: give the change with --variable, --fix or --free, or with --from and a file")
    with opened_study(study, storage) as opened:
        space = _fixed(_changed(opened, variable or [], source), fix or [], free or [])
        opened.change_space(space, _filled(space, fill or []), who=who)
        if json:
            printing.print_json({"study": opened.settings.name, "space": opened.space.to_dict()})
        else:
            printing.line(
                f"{opened.settings.name!r} continues with {', '.join(printing.labels(opened.space).values())}."
            )


def _changed(study: Study, variables: list[str], source: Path | None) -> Any:
    from dataclasses import replace

    from prefero.cli import recipe
    from prefero.errors import InputError
    from prefero.space import Integer, Real, Space

    if source is not None:
        return recipe.from_file(source).with_flags(variables).space()
    if not isinstance(study.space, Space):
        raise InputError("change: a study of a catalogue has no variables to change")
    given = recipe.from_flags(variables)
    for flag in variables:
        name, _, text = flag.partition("=")
        old, new = study.space.variables.get(name), given.get(name)
        # Bounds alone keep the rest of a variable: its kind, its scale and its unit.
        if isinstance(old, Real | Integer) and isinstance(new, Real) and text.count(":") == 1:
            bounds: dict[str, Any] = {"low": new.low, "high": new.high}
            if isinstance(old, Integer) and all(bound == int(bound) for bound in bounds.values()):
                bounds = {side: int(bound) for side, bound in bounds.items()}
            given[name] = replace(old, **bounds)
    return Space(study.space.variables | given, study.space.constraints, fixed=study.space.fixed)


def _fixed(space: Any, fix: list[str], free: list[str]) -> Any:
    """Return the space with some values fixed, and some variables set free."""
    from prefero.cli.settings import assignments
    from prefero.errors import InputError
    from prefero.space import Space

    if not fix and not free:
        return space
    if not isinstance(space, Space):
        raise InputError("fix: a study of a catalogue has no variables to fix; leave out the rows with other values")
    fixed = assignments("fix", fix, space)
    for name in free:
        if name not in space.names:
            raise InputError.of("--free", name, f"one of the variables {list(space.names)}")
        if name in fixed:
            raise InputError.of("--free", name, "a variable that --fix does not keep at a value")
    return space.fix(**fixed, **dict.fromkeys(free))


def _filled(space: Any, texts: list[str]) -> dict[str, Any]:
    from prefero.cli.settings import assignments

    return assignments("fill", texts, space)
