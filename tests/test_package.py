"""The sdist and the wheel: what they hold, and that the wheel runs in an environment of its own."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def test_the_wheel_holds_page_demos_types_and_licence(built):
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"prefero/py.typed", "prefero/web/page/index.html", "prefero/cli/demos/data/cifar4.npz"} <= names
    assert any(name.endswith("dist-info/licenses/LICENSE") for name in names)
    source = {str(file.relative_to(ROOT / "src")) for file in (ROOT / "src" / "prefero").rglob("*.*")}
    assert {name for name in source if "__pycache__" not in name} == {n for n in names if n.startswith("prefero/")}


def test_the_sdist_holds_source_tests_and_licence(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "src/prefero/py.typed", "tests/test_package.py"} <= names
    assert not [name for name in names if name.startswith((".venv", "out/", ".git/"))]


def test_the_wheel_runs_a_demo_in_an_empty_environment(built, tmp_path):
    (wheel,) = built.glob("*.whl")
    home = tmp_path / "home"
    venv.create(home, with_pip=False)
    install = ["-m", "pip", "--python", home, "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run([sys.executable, *install], check=True, capture_output=True)
    (site,) = home.glob("lib/python*/site-packages")
    # The dependencies come from this environment; a path in a .pth file does not bring its editable installs along.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    run = {"cwd": tmp_path, "env": kept, "capture_output": True, "text": True, "stdin": subprocess.DEVNULL}
    where = subprocess.run(
        [home / "bin" / "python", "-c", "import prefero; print(prefero.__file__)"], check=True, **run
    )
    assert where.stdout.startswith(str(site))
    demo = subprocess.run([home / "bin" / "prefero", "demo", "picture", "--storage", "sqlite:///demo.db"], **run)
    assert demo.returncode == 0, demo.stderr
    assert "10" in demo.stdout
    assert (tmp_path / "demo.db").exists()
