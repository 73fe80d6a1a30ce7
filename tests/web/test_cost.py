"""What a request costs: transactions, and how deep the way from the door to the disk is."""

import traceback
from pathlib import Path

import pytest
import sqlalchemy as sa

import prefero
from prefero.storage.database import Database
from prefero.web import arrangements, crowds
from tests.web.conftest import answer

OURS = str(Path(prefero.__file__).parent)


@pytest.fixture
def transactions(service, monkeypatch):
    """The transactions that have begun, by what they are for; but not the looks whether there is a crowd or a pause."""
    monkeypatch.setattr(crowds, "LOOK_SECONDS", 1e9)
    monkeypatch.setattr(arrangements, "KEPT_SECONDS", 1e9)
    begun = []
    sa.event.listen(
        service.app.state.services.storage.engine,
        "begin",
        lambda connection: begun.append(
            "write" if connection.get_execution_options().get("prefero_writes") else "read"
        ),
    )
    return begun


def test_an_answer_is_one_transaction_and_the_next_question_two(owner, study, transactions):
    answer(owner, study)  # the token is known from here on
    step = owner.get(f"{study}/question").json()["question"]["step"]
    transactions.clear()
    saved = owner.post(f"{study}/answers", {"step": step, "answer": "a", "answer_id": "one"})
    assert saved.status == 200
    assert transactions == ["write"]
    transactions.clear()
    assert owner.get(f"{study}/question").json()["question"]["step"] == step + 1
    assert transactions == ["read", "write"]


def test_a_waiting_question_and_the_history_are_read_without_writing(owner, study, transactions):
    answer(owner, study)
    owner.get(f"{study}/question")
    transactions.clear()
    for path in ("question", "history", "result", "events"):
        assert owner.get(f"{study}/{path}").status == 200
    assert transactions == ["read"] * 4


def test_few_frames_lie_between_the_door_and_the_disk(owner, study, monkeypatch):
    stacks = []
    plain = Database.settle

    def spy(*arguments, **options):
        stacks.append([frame.name for frame in traceback.extract_stack() if frame.filename.startswith(OURS)])
        return plain(*arguments, **options)

    monkeypatch.setattr(Database, "settle", spy)
    answer(owner, study)
    # The endpoint waits in the event loop while a thread does the work; Database.settle talks to the driver.
    assert ["endpoint", *stacks[-1], "settle"] == ["endpoint", "_handle", "give_answer", "_settled", "settle"]
