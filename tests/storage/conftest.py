"""Three engines, one suite: `place` is an empty storage of each, `database` a URL of an empty SQLite or PostgreSQL."""

import itertools
import os
import pwd
from collections.abc import Iterator
from urllib.parse import quote

import psycopg
import pytest

from benchmarks.torture import postgres
from prefero.storage import Memory, Storage, open_storage

_numbers = itertools.count()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A running PostgreSQL."""
    with postgres.server() as url:
        yield url


@pytest.fixture
def postgresql(postgres_url: str) -> str:
    """A schema of one's own in it."""
    name = f"test_{next(_numbers)}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{postgres_url}&options={quote(f'-csearch_path={name}')}"


@pytest.fixture
def sqlite(tmp_path) -> str:
    """A file that is not there yet."""
    return f"sqlite:///{tmp_path / 'tuning.db'}"


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """Root may write any file: be nobody for a while."""
    if os.geteuid():
        yield
        return
    os.seteuid(pwd.getpwnam("nobody").pw_uid)
    yield
    os.seteuid(0)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database."""
    return request.getfixturevalue(request.param)


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def place(request: pytest.FixtureRequest) -> Memory | str:
    """An empty storage, as a study is given it: a Memory, or a URL."""
    return Memory() if request.param == "memory" else request.getfixturevalue(request.param)


@pytest.fixture
def storage(place: Memory | str) -> Iterator[Storage]:
    """An empty storage, opened."""
    opened, _ = open_storage(place)
    yield opened
    opened.close()
