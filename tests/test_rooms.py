"""The house keeps its rooms: what importing costs, no global randomness, documented names, one tree of errors."""

import inspect
import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import prefero as pf
from prefero import errors

SOURCE, TESTS = Path(pf.__file__).parent, Path(__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
NEEDS = {"prefero.compat.optuna": "optuna_dashboard", "prefero.compat.sklearn": "sklearn"}
"""Modules that cannot be imported without a package which is not installed for development; `make next` tests them."""
MODULES = ["prefero", *(module.name for module in pkgutil.walk_packages(pf.__path__, "prefero."))]
MODULES = [name for name in MODULES if name not in NEEDS or find_spec(NEEDS[name])]


def imported_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    path = {"PYTHONPATH": str(SOURCE.parent)}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=path)
    return set(run.stdout.split())


def test_importing_prefero_imports_nothing_heavy():
    loaded = imported_by("from prefero import Study")
    assert "prefero.study" in loaded
    for heavy in ("matplotlib", "sqlalchemy", "scipy.stats", "pandas", "torch", "starlette", "typer"):
        assert not {name for name in loaded if name == heavy or name.startswith(heavy + ".")}


def test_the_numerics_come_in_with_the_first_name_that_needs_them():
    assert not {"numpy", "scipy", "prefero.study"} & imported_by("import prefero; prefero.errors.InputError")


def test_no_public_name_is_the_name_of_a_room():
    rooms = {path.stem for path in SOURCE.iterdir()}
    assert not rooms & set(pf.__all__)  # importing the room would hide the name


def test_numpy_scipy_and_piqp_are_all_that_is_needed():
    allowed = set(sys.stdlib_module_names) | {"prefero", "numpy", "scipy", "piqp", "threadpoolctl", "mkl"}
    top = {
        name.split(".")[0]
        for name in imported_by("from prefero import Study, fit, optimize")
        - imported_by("import numpy, scipy.optimize")
    }
    assert {name for name in top if not name.startswith("_")} <= allowed


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_no_global_random_state_no_pickle_no_print(file):
    text = file.read_text(encoding="utf-8")
    allowed = r"(?!default_rng\b|Generator\b|SeedSequence\b)"
    assert not re.findall(rf"np\.random\.{allowed}\w+", text)
    assert not re.findall(r"^\s*(?:import|from) (?:random|pickle)\b", text, flags=re.MULTILINE)
    assert not re.findall(r"default_rng\(\)", text)


def test_nothing_below_study_reads_files_clocks_or_the_environment():
    reaching = re.compile(r"^\s*(?:import|from) (?:time|datetime|os|logging|pathlib)\b", flags=re.MULTILINE)
    below = [file for file in FILES if {"space", "answers", "models", "proposers"} & set(file.parts)]
    assert len(below) > 15
    assert [file.name for file in below if reaching.search(file.read_text(encoding="utf-8"))] == []


ROOMS = ("answers", "cli", "compat", "exchange", "insight", "models", "proposers", "space", "storage", "study", "web")

TESTED_IN = {
    "storage/single": "storage/test_crowd",
    "study/worker": "web/test_crowds",
    "cli/app": "cli/test_errors",
    "cli/commands": "cli/test_help",
    "cli/judges": "cli/test_solve",
    "cli/numeric": "cli/test_errors",
    "cli/printing": "cli/test_inspect",
    "cli/recipe": "cli/test_new",
    "cli/settings": "cli/test_new",
    "cli/simulate": "cli/test_serve",
    "insight/people": "insight/test_findings",
    "insight/plots/fields": "insight/test_plots",
    "insight/plots/fronts": "insight/test_plots",
    "insight/plots/inline": "insight/test_plots_results",
    "insight/plots/results": "insight/test_plots_results",
    "insight/plots/runs": "insight/test_plots",
    "insight/plots/style": "insight/test_plots_results",
    "insight/report/page": "insight/test_report",
    "insight/report/sections": "insight/test_report",
    "insight/slicing": "insight/test_findings",
    "insight/tables": "insight/test_findings",
    "models/advice": "laws/test_posterior_laws",
    "models/cholesky": "models/test_laplace",
    "models/emulator": "proposers/test_outcomes",
    "models/kernels": "models/test_gradients",
    "models/learned": "proposers/test_learning",
    "models/statements": "models/test_laplace",
    "models/utility": "proposers/test_learning",
    "proposers/exclusions": "proposers/test_fallback",
    "proposers/function": "proposers/test_fallback",
    "proposers/pbo": "laws/test_proposer_laws",
    "proposers/protocol": "laws/test_own_proposer_laws",
    "space/arrays": "laws/test_space_laws",
    "space/catalogue": "space/test_variables",
    "space/columns": "space/test_roles",
    "space/constraints": "space/test_space",
    "space/domain": "laws/test_space_laws",
    "storage/atomic": "cli/test_transfer",
    "storage/database": "storage/test_contract",
    "storage/engine": "storage/test_failures",
    "storage/memory": "storage/test_contract",
    "storage/schema": "storage/test_versions",
    "study/commands": "study/test_log",
    "study/files": "storage/test_contract",
    "study/rows": "exchange/test_tables",
    "study/samples": "study/test_state",
    "web/access": "web/test_safety",
    "web/app": "web/test_safety",
    "web/arrangements": "web/test_owners",
    "web/files": "web/test_measured",
    "web/guard": "web/test_safety",
    "web/operation": "web/test_document",
    "web/refusals": "web/test_studies",
    "web/rendering/encoding": "web/test_pictures",
    "web/result_worker": "web/test_results",
    "web/routes/insights": "web/test_results",
    "web/routes/people": "web/test_safety",
    "web/served_file": "web/test_render_queue",
    "web/settings": "web/test_limits",
    "web/sign_in": "web/test_safety",
}
"""Modules that are tested together with others: by the file that does it."""


def test_the_folder_has_few_entries():
    entries = {path.name for path in SOURCE.iterdir()} - {"__pycache__"}
    assert entries == {*ROOMS, "__init__.py", "__main__.py", "errors.py", "py.typed"}
    assert len(entries) <= 15


def test_a_study_is_small():
    members = [name for name in dir(pf.Study) if not name.startswith("_")]
    assert len(members) <= 30, members
    assert len(inspect.signature(pf.Study).parameters) <= 9


def test_the_test_of_a_module_is_found_by_its_name():
    tests = {str(file.relative_to(TESTS).with_suffix("")) for file in TESTS.rglob("test_*.py")}
    for file in FILES:
        module = str(file.relative_to(SOURCE).with_suffix(""))
        if file.name.startswith("__") or "/demos/" in module or "/" not in module:
            continue
        room, name = module.split("/")[0], file.stem
        own = {t for t in tests if re.fullmatch(rf"(?:{room}|laws|page)/test_{name}(?:_\w+)?", t)}
        assert bool(own) != (module in TESTED_IN), f"{module}: name its test test_{name}.py, or list it, not both"
        assert own or TESTED_IN[module] in tests, module


def documented() -> list[tuple[str, object]]:
    found = {}
    for module in map(import_module, MODULES):
        found[module.__name__] = module
        for name, value in vars(module).items():
            if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
                continue
            if inspect.isfunction(value) or inspect.isclass(value):
                found[f"{module.__name__}.{name}"] = value
                for member, method in vars(value).items() if inspect.isclass(value) else ():
                    method = method.__func__ if isinstance(method, classmethod | staticmethod) else method
                    method = method.fget if isinstance(method, property) else method
                    if inspect.isfunction(method) and method.__name__ == member and not member.startswith("_"):
                        found[f"{module.__name__}.{name}.{member}"] = method
    return list(found.items())


def test_every_public_name_has_a_docstring():
    names = documented()
    assert len(names) > 150
    assert [name for name, value in names if not inspect.getdoc(value)] == []


def test_every_knob_is_explained_in_the_docstring():
    text = inspect.getdoc(pf.Glisp)
    for knob in inspect.signature(pf.Glisp).parameters:
        assert re.search(rf"^{knob}: ", text, flags=re.MULTILINE), knob
    for symbol in ("N_init", "δ", "σ", "ε", "λ", "c̄", "φ", "I_sc", "Θ", "K"):
        assert symbol in text


@pytest.mark.parametrize("function", [pf.optimize, pf.Study, pf.fit])
def test_every_argument_is_explained_in_the_docstring(function):
    text = inspect.getdoc(function)
    for name in inspect.signature(function).parameters:
        assert re.search(rf"\b{name}\b", text), name


def test_the_tree_of_errors_is_the_one_that_is_drawn():
    kinds = {
        name: value for name, value in vars(errors).items() if inspect.isclass(value) and issubclass(value, Exception)
    }
    assert all(issubclass(kind, pf.PreferoError) for kind in kinds.values())
    drawn = re.findall(r"^.*?(\w+Error)\b", errors.__doc__, flags=re.MULTILINE)
    assert sorted(drawn) == sorted(kinds)
    assert issubclass(errors.InputError, ValueError)
    for kind in ("AnswerError", "QuestionError", "FormatError"):
        assert issubclass(kinds[kind], errors.InputError)


def test_a_given_value_is_shortened_into_one_line():
    class Broken:
        def __repr__(self):
            raise RuntimeError

    assert errors.shorten("a\n  b") == r"'a\n b'"
    assert len(errors.shorten(list(range(1000)))) == 80
    assert errors.shorten(Broken()) == "an object of type Broken"
