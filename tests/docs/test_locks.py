"""The lock files hold what pyproject.toml asks for, pinned, with digests, and name no place to fetch it from."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
LOCKS = {
    "requirements.lock": ["prefero[ui,postgres]"],
    "requirements-dev.lock": ["prefero[all]", *PROJECT["dependency-groups"]["dev"]],
}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def locked(file: str) -> list[tuple[Requirement, list[str]]]:
    """Each requirement of a lock file, and the digests of its files."""
    text = re.sub(r"^#.*\n", "", (ROOT / file).read_text(encoding="utf-8"), flags=re.MULTILINE)
    entries = text.replace("\\\n", " ").splitlines()
    return [(Requirement(entry.split(" --hash=")[0]), re.findall(r"--hash=(\S+)", entry)) for entry in entries]


def wanted(requirements: list[str]) -> list[Requirement]:
    """What these requirements mean: our own extras are replaced by what they hold."""
    found = []
    for requirement in map(Requirement, requirements):
        if requirement.name == "prefero":
            own = [PROJECT["project"]["dependencies"], *(EXTRAS[extra] for extra in requirement.extras)]
            found += wanted([each for listed in own for each in listed])
        else:
            found.append(requirement)
    return found


def holds(requirement: Requirement, python: str) -> bool:
    """Whether a requirement is meant for CPython of a version on Linux."""
    on = {"python_version": python, "python_full_version": f"{python}.1", "sys_platform": "linux"}
    on |= {"implementation_name": "cpython", "platform_python_implementation": "CPython", "platform_system": "Linux"}
    return requirement.marker is None or requirement.marker.evaluate(on)


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("file", LOCKS)
def test_a_lock_satisfies_the_project(file, python):
    pinned = {canonicalize_name(r.name): r.specifier for r, _ in locked(file) if holds(r, python)}
    assert len(pinned) > 30
    for requirement in wanted(LOCKS[file]):
        if holds(requirement, python):
            (version,) = pinned[canonicalize_name(requirement.name)]
            assert version.operator == "=="
            assert version.version in requirement.specifier, requirement


@pytest.mark.parametrize("file", LOCKS)
def test_every_entry_has_one_version_for_each_python_and_digests(file):
    entries = locked(file)
    assert all(digests and all(re.fullmatch(r"sha256:[0-9a-f]{64}", d) for d in digests) for _, digests in entries)
    for python in PYTHONS:
        names = [canonicalize_name(r.name) for r, _ in entries if holds(r, python)]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("file", LOCKS)
def test_a_lock_names_no_registry_and_no_path(file):
    text = (ROOT / file).read_text(encoding="utf-8")
    assert not re.findall(r"://|--(?:extra-)?index|--find-links|file:|/\w+/| @ ", text)


def test_everything_in_the_service_is_also_in_the_development_lock():
    ours, all_of_it = ({(r.name, str(r.specifier)) for r, _ in locked(file)} for file in LOCKS)
    assert ours <= all_of_it


def test_every_requirement_has_a_floor():
    listed = [*PROJECT["project"]["dependencies"], *(each for extra in EXTRAS.values() for each in extra)]
    listed += [each for group in PROJECT["dependency-groups"].values() for each in group]
    bare = [
        each for each in listed if not each.startswith("prefero[") and Requirement(each).specifier == SpecifierSet()
    ]
    assert bare == []
