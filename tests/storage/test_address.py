"""Odd URLs: one plain line without a password, no traceback, and no file is made."""

import pytest

import prefero as pf
from prefero.errors import StorageError
from prefero.storage.address import parse, patience, redacted, shown, without_secrets
from tests.complaints import complaint

UNREACHABLE = "127.0.0.1:1"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("sqlite:///x.db?foo=bar", ("foo=bar", "timeout (seconds)")),
        ("sqlite:///x.db?timeout=abc", ("timeout=abc", "seconds")),
        ("sqlite:///x.db?timeout=-1", ("timeout=-1", "seconds")),
        ("sqlite:///x.db?timeout=1&timeout=2", ("timeout", "seconds")),
        ("sqlite:///x.db?mode=zz&uri=true", ("mode=zz", "ro or rw")),
        ("sqlite:///x.db?uri=maybe", ("uri=maybe",)),
        ("sqlite:///file::memory:?uri=true", ("sqlite:///file.db",)),
        ("sqlite://host/x.db", ("three slashes",)),
        ("sqlite+aiosqlite:///x.db", ("sqlite:///file.db",)),
        ("sqlite:///x\0.db", ("NUL",)),
        ("x\0.db", ("NUL",)),
        ("x%00.db?", ("there is no database",)),
        ("\ud800.db", ("UTF-8",)),
        ("sqlite:///" + "x" * 5000, ("cannot be opened", "too long")),
        ("postgresql://ann:s3cret@h:abc/db", ("ann:***@h:abc",)),
        ("postgresql://ann:s3cret@h:1:2/db", ("ann:***@h:1:2",)),
        ("postgresql://ann:s3cret@[::1/db", ("ann:***@",)),
        ("postgresql://ann:s3cret@h:99999/db", ("a port from 1 to 65535",)),
        ("postgresql://ann:s3cret@h:-1/db", ("a port from 1 to 65535",)),
        ("postgresql://ann:s3cret@h:99999999999999999999/db", ("a port from 1 to 65535",)),
        ("postgresql://ann:s3cret@h/db?port=abc", ("a port from 1 to 65535",)),
        ("postgresql://ann:p@s3cret@h/db", ("@ is written as %40", "ann:***@h/db")),
        ("postgresql://ann:s3cret%00@h/db", ("NUL",)),
        ("postgresql://ann:s3cret@h/db?options=%00", ("NUL",)),
        ("postgresql://\ud800:s3cret@h/db", ("UTF-8",)),
        ("postgresql:/ann:s3cret@h/db", ("ann:***@h/db",)),
        ("postgresql:ann:s3cret@h/db", ("***@h/db",)),
        ("ann:s3cret@h/db", ("ann:***@h/db",)),
        ("ann:pa:s3cret@h", ("ann:***@h",)),
        ("mysql://ann:s3cret@h/db?password=s3cret", ("ann:***@h", "password=***")),
        ("postgresql+asyncpg://ann:s3cret@h/db", ("ann:***@h",)),
        ("postgresql://ann:s3cret@h/db?foo=bar", ("'foo'", "libpq")),
        ("postgresql://ann:s3cret@h/db?row_factory=x", ("'row_factory'", "libpq")),
        (f"postgresql://ann:s3cret@{UNREACHABLE}/db?sslmode=bogus", ("sslmode", "bogus", "ann:***@")),
        (f"postgresql://ann:s3cret@{UNREACHABLE}/db?connect_timeout=abc", ("connect_timeout", "abc")),
        (f"postgresql://ann:s3cret@{UNREACHABLE}/db?timeout=nan", ("timeout=nan",)),
        (f"postgresql://{UNREACHABLE}/db?user=ann&password=s3cret", ("no connection", "password=***")),
        (f"postgresql://{UNREACHABLE}/db?user=ann&sslpassword=s3cret", ("no connection", "sslpassword=***")),
        (f"postgresql://ann:s3%zzcret@{UNREACHABLE}/db", ("no connection", "ann:***@")),
        (f"postgresql://ann:s3cret\n@{UNREACHABLE}/db", ("no connection", "ann:***@")),
        (f"postgresql://ann:s3cret@{UNREACHABLE}/db?service=foo", ("foo", "ann:***@")),
    ],
)
def test_an_odd_url_is_refused_in_one_line_without_its_password(url, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with complaint(StorageError, *words) as caught:
        pf.studies(url)
    assert "cret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_what_the_driver_repeats_is_hidden():
    url = parse("postgresql://ann:s3cret@h/db?sslpassword=other")
    assert without_secrets('dsn "user=ann password=s3cret sslpassword=other"', url) == (
        'dsn "user=ann password=*** sslpassword=***"'
    )
    same = parse("postgresql://ann:ann@h/db")
    assert without_secrets('role "ann" does not exist', same) == 'role "ann" does not exist'


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("postgresql://:s3cret@h/db", "postgresql://:***@h/db"),
        ("postgresql://ann@h/db", "postgresql://ann@h/db"),
        ("sqlite:///folder/x.db", "sqlite:///folder/x.db"),
        ("postgresql://h/db?passfile=/home/ann/.pgpass", "postgresql://h/db?passfile=/home/ann/.pgpass"),
        ("postgresql://h/db?a=1&PASSWORD=x&b=2", "postgresql://h/db?a=1&PASSWORD=***&b=2"),
    ],
)
def test_only_passwords_are_hidden(text, printed):
    assert redacted(text) == printed


def test_a_file_with_percent_signs_and_blanks_in_its_name(tmp_path):
    for name in ("100 % done.db", "a?b#c.db", "größe 大.db"):
        path = tmp_path / name
        pf.Study.create(pf.Space.box([0], [1]), name="x", storage=path).close()
        assert [study.name for study in pf.studies(path)] == ["x"]
    assert {path.name for path in tmp_path.iterdir()} == {"100 % done.db", "a?b#c.db", "größe 大.db"}


@pytest.mark.parametrize("form", ["file:{}", "file://{}"])
def test_a_file_uri(tmp_path, form):
    pf.Study.create(pf.Space.box([0], [1]), name="x", storage=tmp_path / "a b.db").close()
    path = str(tmp_path / "a b.db").replace(" ", "%20")
    url = parse(f"sqlite:///{form.format(path)}?mode=ro&uri=true&timeout=3")
    assert (url.database, patience(url)) == (str(tmp_path / "a b.db"), 3)
    assert shown(url).startswith("sqlite:///")
    assert [study.name for study in pf.studies(f"sqlite:///{form.format(path)}?mode=ro&uri=true")] == ["x"]
