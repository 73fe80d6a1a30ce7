"""Two engines, one suite: `url` is a fresh database of each."""

import itertools
from collections.abc import Iterator
from urllib.parse import quote

import psycopg
import pytest

from benchmarks.torture import postgres
from prefero.storage import Storage
from prefero.storage.database import Database

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


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    """An empty database, of either engine."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def storage(url: str) -> Iterator[Storage]:
    """The storage in it."""
    with Database(url) as opened:
        yield opened
