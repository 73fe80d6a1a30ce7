"""A study with its files in one zip: the same study again, or a refusal."""

import io
import zipfile

import pytest

import prefero as pf
from prefero.errors import FormatError, InputError, NameTakenError, StorageError
from prefero.exchange import archive
from prefero.storage import Memory
from prefero.study.inspection import check
from tests.complaints import complaint

BOX = pf.Space.box([0, 0], [1, 1])


@pytest.fixture
def live():
    study = pf.Study.create(BOX, name="line 3", seed=0)
    study.tell(study.ask(), "a")
    study.measure(study.candidates[0], {"loss": 1.0}, {"curve.png": (b"\x89PNG", "image/png"), "empty": b""})
    study.measure(study.candidates[1], {}, {"curve.png": (b"\x89PNG", "image/png")})
    study.ask()
    return study


@pytest.fixture
def path(live, tmp_path):
    assert archive.write_archive(live, tmp_path / "line3.zip") == 2
    return tmp_path / "line3.zip"


def changed(path, **entries: bytes | None) -> None:
    """Write the archive again with other entries; None leaves one out."""
    with zipfile.ZipFile(path) as old:
        content = {name: old.read(name) for name in old.namelist()}
    content |= {name.replace("__", "/"): given for name, given in entries.items()}
    with zipfile.ZipFile(path, "w") as new:
        for name, given in content.items():
            if given is not None:
                new.writestr("study.json" if name == "study" else name, given)


@pytest.mark.parametrize("where", ["memory", "file"])
def test_a_study_with_its_files_is_the_same_again(live, path, tmp_path, where):
    storage = Memory() if where == "memory" else tmp_path / "elsewhere.db"
    with archive.read_archive(path, name="copy", storage=storage) as moved:
        assert moved.settings.name == "copy"
        assert moved.log.records[1:] == live.log.records[1:]
        assert moved.ask() == live.ask()
        for candidate in live.candidates:
            for name, file in live.log.measured(candidate).files.items():
                assert moved.log.measured(candidate).files[name] == file
                assert moved.log.artifact(file["digest"]) == live.log.artifact(file["digest"])
    if where == "file":
        found = check(storage).studies[0]
        assert (found.files, found.missing, found.faults) == (2, 0, ())


def test_a_study_without_some_of_its_files(live, path, tmp_path):
    with pf.Study.from_json(live.to_json()) as bare:
        assert archive.write_archive(bare, tmp_path / "bare.zip") == 0
    assert archive.read_archive(tmp_path / "bare.zip").to_json() == live.to_json()


def test_constraint_functions_are_given_again(tmp_path):
    space = pf.Space({"x": pf.Real(0, 1)}, constraints=[lambda candidate: candidate["x"] - 0.9])
    study = pf.Study.create(space, name="own", seed=0)
    study.measure([0.5], {}, {"curve": b"..."})
    archive.write_archive(study, tmp_path / "own.zip")
    with complaint(FormatError, "is a function"):
        archive.read_archive(tmp_path / "own.zip")
    assert archive.read_archive(tmp_path / "own.zip", space=space).to_json() == study.to_json()


def test_a_name_that_is_taken(live, path, tmp_path):
    archive.read_archive(path, storage=tmp_path / "tuning.db").close()
    with complaint(NameTakenError, "line 3"):
        archive.read_archive(path, storage=tmp_path / "tuning.db")


def test_a_changed_file_is_refused_and_nothing_is_stored(live, path, tmp_path):
    digest = live.log.measured(live.candidates[0]).files["curve.png"]["digest"]
    changed(path, **{f"files__{digest}": b"other"})
    with complaint(FormatError, digest, "is not the one that the study describes"):
        archive.read_archive(path, storage=tmp_path / "tuning.db")
    assert not (tmp_path / "tuning.db").exists()


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"extra.txt": b"x"}, ("extra.txt", "study.json")),
        ({"files__../../etc/passwd": b"x"}, ("passwd", "study.json")),
        ({"files__" + "0" * 64: b"x"}, ("000", "study.json")),
        ({"study": None, "study.json": None}, ("study.json in the archive is missing",)),
        ({"study.json": b"{}"}, ("not a study",)),
        ({"study.json": b"[" * 100_000}, ("not JSON",)),
    ],
)
def test_an_archive_with_something_else_is_refused(path, tmp_path, entries, words):
    changed(path, **entries)
    with complaint(FormatError, *words):
        archive.read_archive(path, storage=tmp_path / "tuning.db")
    assert not (tmp_path / "tuning.db").exists()


def test_an_entry_that_grows_is_not_unpacked_to_its_end(path, monkeypatch):
    monkeypatch.setattr(archive, "LARGEST_JSON", 1_000_000)
    changed(path, **{"study.json": b" " * 5_000_000})
    with complaint(FormatError, "study.json", "larger than 1 MB"):
        archive.read_archive(path)


def test_a_damaged_archive_is_refused(path, tmp_path):
    whole = path.read_bytes()
    for place in range(0, len(whole), 37):
        path.write_bytes(whole[:place])
        with complaint(FormatError):
            archive.read_archive(path)
    with pytest.raises(InputError, match="cannot read"):
        archive.read_archive(tmp_path / "nowhere.zip")


def test_an_encrypted_entry_is_refused(path):
    content = bytearray(path.read_bytes())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + flags] |= 1
    path.write_bytes(content)
    with complaint(FormatError, "study.json", "encrypted"):
        archive.read_archive(path)


def test_an_archive_is_written_whole_or_not_at_all(live, tmp_path, monkeypatch):
    def lost(digest):
        raise StorageError("no connection")

    monkeypatch.setattr(live.log, "artifact", lost)
    with complaint(StorageError, "no connection"):
        archive.write_archive(live, tmp_path / "line3.zip")
    assert list(tmp_path.iterdir()) == []


def test_too_many_comparisons_or_events_are_refused(monkeypatch):
    study = pf.Study(BOX, seed=0)
    monkeypatch.setattr("prefero.study.checks.MOST_COMPARISONS", 2)
    with complaint(InputError, "comparisons: 3 are too many", unchanged=study):
        study.import_comparisons([[0, 0], [1, 1]], [(0, 1, "a")] * 3)
    study.import_comparisons([[0, 0], [1, 1]], [(0, 1, "a")] * 2)
    text = study.to_json()
    monkeypatch.setattr("prefero.storage.events.MOST_EVENTS", 1)
    with complaint(FormatError, "the study has 2 events"):
        pf.Study.from_json(text)


def test_the_format_is_plain(live, path):
    """Other programs can read it."""
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as opened:
        assert opened.read("study.json").decode() == live.to_json()
        assert sorted(opened.namelist())[-1] == "study.json"
        assert sum(name.startswith("files/") for name in opened.namelist()) == 2
