"""A service of one's own in this process, a client that owns it, and a small study."""

import pytest

from benchmarks.torture.asgi import Client
from prefero.storage.database import Database
from prefero.web import access
from prefero.web.app import build
from prefero.web.settings import Settings

XY = [{"name": "x", "type": "real", "low": 0, "high": 1}, {"name": "y", "type": "real", "low": 0, "high": 1}]


class Service:
    """The service of a database, and how to become somebody."""

    def __init__(self, url: str, settings: Settings) -> None:
        self.url, self.settings = url, settings
        self.storage = Database(url)
        self.app = build(self.storage, settings)
        self.owner = Client(self.app, self.token("owner"))

    def token(self, role: str, study: str | None = None, label: str = "", hours: float = 1.0) -> str:
        return access.make_token(self.storage, role, study=study, label=label or role, hours=hours)[0]

    def create(self, name: str = "line 3", **more: object) -> str:
        """A new study; returns the path of it."""
        reply = self.owner.post("/api/v1/studies", {"name": name, "variables": XY, "seed": 0} | more)
        assert reply.status == 201, reply.body
        return f"/api/v1/studies/{name}".replace(" ", "%20")

    def events(self, path: str) -> list[dict]:
        return self.owner.get(f"{path}/events").json()["events"]


def answer(client: Client, path: str, said: str = "a", judge: str | None = None, **more: object) -> dict:
    """Ask and answer once."""
    step = client.get(f"{path}/question" + (f"?judge={judge}" if judge else "")).json()["question"]["step"]
    who = {"judge": judge} if judge else {}
    reply = client.post(f"{path}/answers", {"step": step, "answer": said, "answer_id": f"{judge}-{step}"} | who | more)
    assert reply.status == 200, reply.body
    return reply.json()


@pytest.fixture
def make_service(tmp_path):
    made = []

    def make(**settings: object) -> Service:
        service = Service(f"sqlite:///{tmp_path / f'{len(made)}.db'}", Settings(**settings))
        made.append(service)
        return service

    yield make
    for service in made:
        service.owner.close()
        service.app.state.services.close()


@pytest.fixture
def service(make_service):
    return make_service()


@pytest.fixture
def owner(service):
    return service.owner


@pytest.fixture
def study(service):
    """The path of a study."""
    return service.create()
