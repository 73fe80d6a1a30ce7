"""What every storage has to do: one suite for memory, SQLite and PostgreSQL."""

import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import prefero as pf
from prefero.errors import ConflictError, InputError, NameTakenError, QuestionError, RevokedError, UnknownStudyError
from prefero.insight.agreement import judge_names
from prefero.storage import Invitation, Token
from prefero.storage.database import Database
from prefero.storage.events import KINDS, Answered, Asked
from tests.complaints import complaint
from tests.strategies import answered, distance_to

SPACE = pf.Space({"x": pf.Real(0, 1), "mode": pf.Choice(["slow", "fast"])})
BOX = pf.Space.box([0, 0], [1, 1])


def everything(study: pf.Study) -> pf.Study:
    """Let every kind of event happen."""
    for said in ("a", "b", "same", "a"):
        study.tell(study.ask("ann"), said, seconds=1.5, note="größer\n大", answer_id=f"id {len(study.history)}")
    study.skip(study.ask("ann"))
    study.tell(study.ask("bob"), "b")
    study.fail(study.ask("bob"), "a")
    study.undo("ann")
    study.log.correct(1, "same", who="owner")
    study.log.remove(2)
    study.log.restore(2)
    study.measure(study.candidates[0], {"overshoot": 0.3}, {"curve.png": (b"\x89PNG\x00", "image/png"), "raw": b""})
    study.import_comparisons([[0.1, "slow"], [0.9, "fast"]], [(0, 1, "b")], source="last year")
    wider = pf.Space({"x": pf.Real(-1, 2), "mode": pf.Choice(["slow", "fast"]), "n": pf.Integer(1, 5)})
    study.change_space(wider, {"n": 2}, who="owner")
    study.log.change_settings(title="Line three", question="Which curve?", comparisons=9, who="owner")
    study.change_proposer(pf.Glisp(exploration=1.0))
    study.tell(study.ask("ann"), "a")
    study.tell(study.ask("ann"), "b unacceptable")
    study.rate(study.candidates[1], 4, judge="ann", note="warm")
    study.hint("near", judge="ann")
    return study


def test_a_study_is_as_it_was_when_it_is_opened_again(storage):
    live = everything(
        pf.Study.create(SPACE, comparisons=9, seed=0, name="line 3", storage=storage, question="Which curve?")
    )
    assert {record.kind for record in live.log.records} == set(KINDS)
    again = pf.Study.open("line 3", storage)
    assert again.log.records == live.log.records
    assert again.to_json() == live.to_json()
    assert again.answers == live.answers
    assert (again.best, judge_names(again), again.settings.question) == (live.best, judge_names(live), "Which curve?")
    assert again.ask("ann") == live.ask("ann")


def test_every_record_says_when_who_and_by_which_version(storage):
    live = everything(pf.Study.create(SPACE, comparisons=9, seed=0, name="line 3", storage=storage))
    assert [record.sequence for record in live.log.records] == list(range(len(live.log.records)))
    assert all(record.time.endswith("+00:00") and record.prefero == pf.__version__ for record in live.log.records)
    assert [r.time for r in live.log.records] == sorted(r.time for r in live.log.records)
    authors = {record.kind: record.who for record in live.log.records}
    assert (authors["answered"], authors["failed"], authors["corrected"], authors["created"]) == (
        "ann",
        "bob",
        "owner",
        "",
    )


def test_the_list_tells_how_far_each_study_is(storage):
    live = everything(pf.Study.create(SPACE, comparisons=9, seed=0, name="one", storage=storage))
    pf.Study.create(BOX, comparisons=4, name="two", storage=storage, proposer="posterior", question="Better?")
    one, two = pf.studies(storage)
    assert (one.name, one.answers, one.expected, one.proposer) == ("one", live.history.answered, 9, "glisp")
    assert (one.created, one.last) == (live.log.records[0].time, live.log.records[-1].time)
    assert (two.name, two.answers, two.proposer, two.question) == ("two", 0, "posterior", "Better?")


def test_the_list_counts_the_answers_that_count(storage):
    live = answered(pf.Study.create(BOX, seed=0, name="one", storage=storage), distance_to([0.3, 0.6]), 4)
    live.skip(live.ask())
    for act in (
        lambda: live.log.correct(4, "same"),
        lambda: live.log.remove(1),
        lambda: live.log.remove(2),
        lambda: live.log.restore(1),
        lambda: live.undo(),
        lambda: live.tell(live.ask(), "a"),
        lambda: live.fail(live.ask(), "b"),
        lambda: live.undo(),
        lambda: live.import_comparisons([[0, 0], [1, 1]], [(0, 1, 0)]),
    ):
        act()
        assert pf.studies(storage)[0].answers == live.history.answered


def test_a_name_is_taken_once(storage):
    made = pf.Study.create(BOX, name="line 3", storage=storage, seed=1)
    with complaint(NameTakenError, "line 3", "already") as refused:
        pf.Study.create(BOX, name="line 3", storage=storage)
    assert "load_if_exists=True" in refused.value.__notes__[0]
    made.tell(made.ask(), "a")
    loaded = pf.Study.create(BOX, name="line 3", storage=storage, load_if_exists=True, seed=2, comparisons=5)
    assert (loaded.settings.seed, loaded.settings.comparisons, len(loaded.history)) == (1, 30, 1)
    with complaint(pf.errors.FormatError, "space", "not the one"):
        pf.Study.create(SPACE, name="line 3", storage=storage, load_if_exists=True)
    assert len(pf.studies(storage)) == 1


@pytest.mark.parametrize("name", ["", " x", "x ", "a/b", "a\nb", "\x00", "\ud800", "x" * 201, 3, None])
def test_a_name_that_cannot_be_is_refused(storage, name):
    with complaint(InputError, "name"):
        pf.Study.create(BOX, name=name, storage=storage)
    assert pf.studies(storage) == []


@pytest.mark.parametrize("name", ["größe 大 🎛", "'; DROP TABLE prefero_studies; --", "%s", "x" * 200])
def test_any_other_name_will_do(storage, name):
    pf.Study.create(BOX, name=name, storage=storage, seed=0)
    assert pf.Study.open(name, storage).settings.name == name
    pf.delete_study(name, storage)


def test_a_study_that_is_not_there_is_named(storage):
    for act in (lambda: pf.Study.open("line 4", storage), lambda: pf.delete_study("line 4", storage)):
        with complaint(UnknownStudyError, "line 4"):
            act()


def test_a_study_deleted_meanwhile_says_so(storage):
    live = pf.Study.create(BOX, name="line 3", storage=storage, seed=0)
    question = live.ask()
    pf.delete_study("line 3", storage)
    for act in (lambda: live.tell(question, "a"), live.ask, live.refresh):
        with complaint(UnknownStudyError, "deleted meanwhile"):
            act()
    other = pf.Study.create(BOX, name="line 3", storage=storage, seed=0)
    with complaint(UnknownStudyError, "deleted meanwhile"):
        live.tell(question, "a")
    assert other.refresh() == 0


def test_deleting_a_study_leaves_nothing_of_it_and_the_others_alone(storage):
    everything(pf.Study.create(SPACE, name="one", storage=storage, seed=0))
    kept = everything(pf.Study.create(SPACE, name="two", storage=storage, seed=0))
    pf.delete_study("one", storage)
    assert [left.name for left in pf.studies(storage)] == ["two"]
    assert pf.Study.open("two", storage).log.records == kept.log.records


# Two writers -----------------------------------------------------------------------------------------------------------


def test_of_two_that_append_to_the_same_length_one_wins(storage):
    live = pf.Study.create(BOX, name="line 3", storage=storage, seed=0)
    question = live.ask()
    number = storage.find("line 3")
    record = replace(live.log.records[-1], sequence=2, event=Answered(question.step, "a"))
    storage.append(number, 2, [record], answers=1, proposer="glisp")
    for length in (0, 1, 2, 4):
        with complaint(ConflictError, "another process"):
            storage.append(number, length, [replace(record, sequence=length)], answers=9, proposer="x")
    assert [r.sequence for r in storage.read(number)] == [0, 1, 2]
    assert pf.studies(storage)[0].answers == 1


def test_what_another_process_said_is_seen(place):
    with pf.Study.create(BOX, name="line 3", storage=place, seed=0) as one, pf.Study.open("line 3", place) as two:
        question = one.ask()
        assert two.ask() == question
        two.tell(question, "a")
        with complaint(QuestionError, "answered already"):
            one.tell(question, "b")
        assert len(one.history) == 1
        assert one.ask() == two.ask()
        assert one.log.records == two.log.records


def test_an_answer_told_again_elsewhere_returns_the_first_record(place):
    with pf.Study.create(BOX, name="line 3", storage=place, seed=0) as one, pf.Study.open("line 3", place) as two:
        question = one.ask()
        first = one.tell(question, "a", answer_id="mine")
        assert two.tell(question, "b", answer_id="mine") == first
        one.undo()
        assert two.tell(question, "a", answer_id="mine") == first  # it was taken back, and does not land again
        assert len(two.history) == 0
        assert two.waiting.get("") == question
        assert two.skip(question, answer_id="mine") == first


def test_a_correction_is_not_lost_on_an_old_state(place):
    with pf.Study.create(BOX, name="line 3", storage=place, seed=0) as one, pf.Study.open("line 3", place) as two:
        one.tell(one.ask(), "a")
        two.log.correct(0, "b")
        one.log.correct(0, "a")  # it says so already, as far as this one knows
        two.refresh()
        assert [entry.answer for study in (one, two) for entry in study.answers] == ["a", "a"]


def test_a_question_of_another_study_is_refused(storage):
    one = pf.Study.create(BOX, name="one", storage=storage, seed=0)
    two = pf.Study.create(BOX, name="two", storage=storage, seed=1)
    two.ask()
    with complaint(QuestionError, "a question that this study asked", unchanged=two):
        two.tell(one.ask(), "a")


class Slow:
    """A storage in which something happens before each append."""

    def __init__(self, storage, happens):
        self.storage, self.happens = storage, happens

    def append(self, study, expected, records, **more):
        self.happens(expected)
        self.storage.append(study, expected, records, **more)

    def __getattr__(self, name):
        return getattr(self.storage, name)


def test_somebody_faster_makes_the_other_read_on(place, monkeypatch):
    with pf.Study.create(BOX, name="line 3", storage=place, seed=0) as one, pf.Study.open("line 3", place) as two:
        tries = []

        def faster(expected):
            tries.append(expected)
            if len(tries) == 1:
                two.tell(two.ask("bob"), "a")

        monkeypatch.setattr(one.log, "storage", Slow(one.log.storage, faster))
        question = one.ask("ann")
        assert tries == [1, 3]
        assert question.step == 1
        assert one.refresh() == 0
        assert two.waiting.get("ann") is None
        assert two.refresh() == 1
        assert two.waiting.get("ann") == question


def test_two_that_ask_at_once_are_asked_about_different_pairs(place, monkeypatch):
    with pf.Study.create(BOX, name="line 3", storage=place, seed=0) as one, pf.Study.open("line 3", place) as two:
        answered(one, distance_to([0.3, 0.6]), 12)
        asked = []
        monkeypatch.setattr(one.log, "storage", Slow(one.log.storage, lambda _: asked or asked.append(two.ask("bob"))))
        question = one.ask("ann")
        assert {question.a, question.b} != {asked[0].a, asked[0].b}


def test_giving_up_after_many_conflicts_is_said(storage, monkeypatch):
    live = pf.Study.create(BOX, name="line 3", storage=storage, seed=0)

    def beaten(*_, **__):
        raise ConflictError("somebody else appended first")

    monkeypatch.setattr(live.log.storage, "append", beaten)
    with complaint(ConflictError, "100 times", unchanged=live):
        live.ask()


def test_threads_that_answer_one_study_lose_nothing(place):
    pf.Study.create(BOX, name="line 3", storage=place, seed=0, proposer=anywhere).close()
    failures = []

    def judge(name: str) -> None:
        try:
            with pf.Study.open("line 3", place, proposer=anywhere) as study:
                for k in range(8):
                    study.tell(study.ask(name), "a", answer_id=f"{name} {k}")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=judge, args=(name,)) for name in ("ann", "bob", "cleo")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    complete(place, {"ann", "bob", "cleo"}, 8)


def anywhere(history, rng):
    return rng.uniform(-1, 1, 2)


def complete(place: str, judges: set[str], each: int) -> None:
    """Every judge's answers are there, once, in a log without gaps."""
    with pf.Study.open("line 3", place, proposer=anywhere) as study:
        assert [record.sequence for record in study.log.records] == list(range(len(study.log.records)))
        ids = [record.answer_id for record in study.log.records if isinstance(record.event, Answered)]
        assert sorted(ids) == sorted(f"{judge} {k}" for judge in judges for k in range(each))
        assert set(judge_names(study)) == judges
        steps = [event.step for event in study.log.events if isinstance(event, Asked)]
        assert steps == list(range(len(steps)))


WRITER = """
import sys
import prefero as pf
from tests.storage.test_contract import anywhere
url, judge = sys.argv[1:]
with pf.Study.open("line 3", url, proposer=anywhere) as study:
    for k in range(6):
        study.tell(study.ask(judge), "b", answer_id=f"{judge} {k}")
"""


def test_processes_that_answer_one_study_lose_nothing(database):
    pf.Study.create(BOX, name="line 3", storage=database, seed=0, proposer=anywhere).close()
    root = Path(__file__).parents[2]
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, database, judge], cwd=root, stderr=subprocess.PIPE)
        for judge in ("ann", "bob", "cleo")
    ]
    for writer in writers:
        _, complaints = writer.communicate()
        assert writer.returncode == 0, complaints.decode()
    complete(database, {"ann", "bob", "cleo"}, 6)


def test_two_that_make_the_tables_at_once_both_can(database):
    failures = []

    def make() -> None:
        try:
            Database(database).close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=make) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


# Files, tokens, invitations ------------------------------------------------------------------------------------------------


def test_measured_files_are_found_by_their_digest(storage):
    live = pf.Study.create(BOX, name="line 3", storage=storage, seed=0)
    question = live.ask()
    content = bytes(range(256)) * 100
    for _ in range(2):  # the same content is kept once
        live.measure(question.a, {"loss": 1.0}, {"curve": (content, "text/csv")})
    live.measure(question.a, {"loss": 2.0, "noise": 3})
    again = pf.Study.open("line 3", storage)
    measured = again.log.measured(question.a)
    assert measured.numbers == {"loss": 2.0, "noise": 3.0}
    kept = again.log.artifact(measured.files["curve"]["digest"])
    assert (kept.content, kept.media_type) == (content, "text/csv")
    assert again.log.artifact("0" * 64) is None
    assert again.log.measured(question.b).numbers == {}
    other = pf.Study.create(BOX, name="line 4", storage=storage, seed=0)
    assert other.log.artifact(measured.files["curve"]["digest"]) is None


def test_a_file_is_read_in_pieces(storage):
    live = pf.Study.create(BOX, name="line 3", storage=storage, seed=0)
    content = bytes(range(256)) * 100
    files = {"curve": (content, "text/csv"), "empty": (b"", "text/plain")}
    saved = live.measure(live.ask().a, files=files).event.files
    curve, empty = saved["curve"]["digest"], saved["empty"]["digest"]
    assert live.log.artifact_about(curve) == ("text/csv", 25_600)
    assert live.log.artifact_about(empty) == ("text/plain", 0)
    assert live.log.artifact_about("0" * 64) is None
    pieces = [live.log.artifact_piece(curve, start, 1000) for start in range(0, 26_000, 1000)]
    assert [len(piece) for piece in pieces] == [1000] * 25 + [600]
    assert b"".join(pieces) == content
    assert live.log.artifact_piece(curve, 30_000, 10) == b""
    assert live.log.artifact_piece(empty, 0, 10) == b""
    assert live.log.artifact_piece("0" * 64, 0, 10) == b""
    other = pf.Study.create(BOX, name="line 4", storage=storage, seed=0)
    assert other.log.artifact_about(curve) is None
    assert other.log.artifact_piece(curve, 0, 10) == b""


def test_a_piece_is_read_with_a_valid_token_only(storage):
    live = pf.Study.create(BOX, name="line 3", storage=storage, seed=0)
    digest = live.measure(live.ask().a, files={"curve": b"0123"}).event.files["curve"]["digest"]
    storage.add_token(Token("d1", "viewer", None, "wall", "2026-01-01"))
    with storage.checking("d1"):
        assert live.log.artifact_piece(digest, 1, 2) == b"12"
    storage.revoke_token("d1", "2026-01-02")
    with pytest.raises(RevokedError), storage.checking("d1"):
        live.log.artifact_piece(digest, 1, 2)


def test_expired_tokens_and_invitations_are_deleted_so_many_at_once(storage):
    pf.Study.create(BOX, name="line 3", storage=storage, seed=0)
    for number in range(4):
        storage.add_token(Token(f"t{number}", "owner", None, "owner", "2026-01-01", f"2026-02-0{number + 1}"))
        storage.add_invitation(
            Invitation(f"i{number}", "judge", "line 3", "ann", "2026-01-01", f"2026-02-0{number + 1}")
        )
    storage.add_token(Token("kept", "owner", None, "for ever", "2026-01-01"))
    assert storage.forget_expired("2026-02-03", 2) == 4
    assert storage.forget_expired("2026-02-03", 2) == 2
    assert storage.forget_expired("2026-02-03", 2) == 0
    assert {token.digest for token in storage.tokens()} == {"t3", "kept"}
    made = storage.accept_invitation("i3", "2026-02-03", lambda _: Token("new", "judge", "line 3", "ann", "2026-02-03"))
    assert made is not None
    assert storage.accept_invitation("i0", "2026-01-01", lambda _: made[1]) is None


def test_tokens_are_found_by_their_digest_and_can_be_revoked(storage):
    pf.Study.create(BOX, name="line 3", storage=storage, seed=0)
    one = Token("d1", "judge", "line 3", "ann's phone", "2026-01-01", "2026-02-01")
    all_of_them = Token("d2", "owner", None, "laptop", "2026-01-02")
    storage.add_token(one)
    storage.add_token(all_of_them)
    assert storage.tokens() == [one, all_of_them]
    assert storage.tokens("d2") == [all_of_them]
    assert storage.tokens("d3") == []
    assert storage.revoke_token("d2", "2026-01-03")
    assert not storage.revoke_token("d2", "2026-01-04")
    assert storage.tokens("d2") == [replace(all_of_them, revoked="2026-01-03")]
    with complaint(UnknownStudyError, "line 4"):
        storage.add_token(replace(one, digest="d4", study="line 4"))
    pf.delete_study("line 3", storage)
    assert [token.digest for token in storage.tokens()] == ["d2"]


def test_an_invitation_is_used_once_before_it_expires(storage):
    pf.Study.create(BOX, name="line 3", storage=storage, seed=0)
    invited = Invitation("d1", "judge", "line 3", "ann", "2026-01-01", "2026-02-01")
    storage.add_invitation(invited)

    def token_of(invitation):
        return Token("t1", "judge", invitation.study, invitation.judge, "2026-01-05")

    assert storage.accept_invitation("d1", "2026-02-01", token_of) is None
    assert storage.accept_invitation("d2", "2026-01-05", token_of) is None
    with pytest.raises(ZeroDivisionError):
        storage.accept_invitation("d1", "2026-01-05", lambda _: 1 / 0)  # neither is done
    used, token = storage.accept_invitation("d1", "2026-01-05", token_of)
    assert used == replace(invited, used="2026-01-05")
    assert storage.tokens("t1") == [token]
    assert storage.accept_invitation("d1", "2026-01-05", token_of) is None


# Elsewhere ---------------------------------------------------------------------------------------------------------------


def test_a_study_moves_from_one_database_to_another(storage, tmp_path):
    live = everything(pf.Study.create(SPACE, comparisons=9, seed=0, name="line 3", storage=storage))
    moved = pf.Study.from_json(live.to_json(), name="line 5", storage=f"sqlite:///{tmp_path / 'elsewhere.db'}")
    assert moved.settings.name == "line 5"
    assert moved.ask("ann") == live.ask("ann")
    assert [kept.name for kept in pf.studies(tmp_path / "elsewhere.db")] == ["line 5"]
    opened = pf.Study.open("line 5", tmp_path / "elsewhere.db")
    assert opened.log.events[1:] == live.log.events[1:]
    moved.close()
    opened.close()


def test_functions_are_passed_again(storage):
    space = pf.Space({"x": pf.Real(0, 1)}, lambda c: c["x"] - 0.5)
    live = pf.Study.create(space, name="line 3", storage=storage, seed=0)
    live.tell(live.ask(), "a")
    with complaint(pf.errors.FormatError, "pass the space itself"):
        pf.Study.open("line 3", storage)
    assert pf.Study.open("line 3", storage, space=space).ask() == live.ask()


def test_load_if_exists_goes_on_with_what_is_stored(storage):
    live = pf.Study.create(BOX, name="line 3", storage=storage, seed=0)
    live.change_proposer("posterior")
    loaded = pf.Study.create(BOX, name="line 3", storage=storage, load_if_exists=True, proposer=anywhere)
    assert isinstance(loaded.proposer, pf.Posterior)
    live.change_proposer(anywhere)
    loaded = pf.Study.create(BOX, name="line 3", storage=storage, load_if_exists=True, proposer=anywhere)
    assert loaded.ask() == live.ask()


def test_load_if_exists_goes_on_with_outcomes(storage):
    def made():
        outcomes = pf.Outcomes(lambda c: [float(np.sum(c)), float(np.ptp(c))], pf.Posterior(linear=True))
        return pf.Study.create(BOX, name="line 3", storage=storage, seed=0, load_if_exists=True, proposer=outcomes)

    live = answered(made(), distance_to([0.3, 0.6]), 5)
    loaded = made()
    assert isinstance(loaded.proposer, pf.Outcomes)
    assert loaded.ask() == live.ask()
    with complaint(pf.errors.FormatError, "pass proposer="):
        pf.Study.create(BOX, name="line 3", storage=storage, load_if_exists=True)  # another one would ask in its place


def test_a_change_that_a_process_cannot_follow_leaves_it_as_it_was(storage):
    live = pf.Study.create(BOX, name="line 3", storage=storage, seed=0)
    other = pf.Study.open("line 3", storage)
    live.change_proposer(anywhere)
    for _ in range(2):
        with complaint(pf.errors.FormatError, "pass proposer=", unchanged=other):
            other.ask()
    assert pf.Study.open("line 3", storage, proposer=anywhere).ask() == live.ask()


def test_changes_made_elsewhere_are_followed(storage):
    live = answered(pf.Study.create(BOX, name="line 3", storage=storage, seed=0), distance_to([0.3, 0.6]), 5)
    other = pf.Study.open("line 3", storage)
    other.ask()
    live.change_space(pf.Space.box([0, 0], [1, 2]))
    live.change_proposer("posterior")
    live.log.remove(1)
    live.fail(live.ask(), "a")
    assert other.ask() == live.ask()
    assert np.array_equal(other.history.points, live.history.points)
    assert other.log.records == live.log.records


def test_a_deleted_study_leaves_no_rows(database):
    from sqlalchemy import func, select

    from prefero.storage import schema

    with Database(database) as storage:
        everything(pf.Study.create(SPACE, name="one", storage=storage, seed=0))
        kept = everything(pf.Study.create(SPACE, name="two", storage=storage, seed=0))
        pf.delete_study("one", storage)
        with storage.engine.connect() as connection:
            assert connection.scalar(select(func.count()).select_from(schema.events)) == len(kept.log.records)
            assert connection.scalar(select(func.count()).select_from(schema.artifacts)) == 2


def test_a_token_is_checked_in_the_transaction_that_reads_or_writes(storage):
    live = pf.Study.create(BOX, name="line 3", storage=storage, seed=0)
    storage.add_token(Token("good", "owner", None, "", "2026-01-01"))
    question = live.ask()
    with storage.checking("good"):
        live.tell(question, "a")
    storage.revoke_token("good", "2026-01-02")
    for act in (lambda: live.ask(), lambda: live.log.remove(0), lambda: None):
        with pytest.raises(RevokedError), storage.checking("good"):
            act()
    with pytest.raises(RevokedError), storage.checking("unknown"):
        live.refresh()
    storage.add_token(Token("brief", "owner", None, "", "2026-01-01"))

    def handled() -> None:
        assert live.refresh() == 0
        owner = threading.Thread(target=storage.revoke_token, args=("brief", "2026-01-03"))
        owner.start()
        owner.join()
        live.tell(live.ask(), "a")

    with pytest.raises(RevokedError), storage.checking("brief"):
        handled()
    with storage.checking(None):
        assert live.refresh() == 0
    assert len(live.history) == 1


def test_a_log_that_was_tampered_with_is_refused(database):
    from prefero.storage import schema

    storage = Database(database)
    pf.Study.create(BOX, name="line 3", storage=storage, seed=0)
    for data in ("{", "{}", '{"space": 3}'):
        with storage.engine.begin() as connection:
            connection.execute(schema.events.update().values(data=data))
        with complaint(pf.errors.DamagedError, "damaged"):
            pf.Study.open("line 3", storage)


def test_two_judges_may_choose_the_same_answer_id(storage):
    study = pf.Study.create(BOX, name="line 3", storage=storage, seed=0)
    for judge in ("ann", "bob"):
        study.tell(study.ask(judge), "a", judge=judge, answer_id="1")
    assert [entry.who for entry in study.answers] == ["ann", "bob"]
    assert study.tell(1, "b", judge="bob", answer_id="1") == study.log.records[-1]  # told again
    waits = study.ask("ann")
    with complaint(QuestionError, "already belongs to question 0", unchanged=study):
        study.tell(waits, "a", judge="ann", answer_id="1")


def test_settings_change_in_the_log_and_in_the_list(storage):
    study = pf.Study.create(BOX, comparisons=9, seed=0, name="line 3", storage=storage)
    waits = study.ask()
    study.log.change_settings(title="Line three", comparisons=20, who="owner")
    study.log.change_settings(question="Which curve?")
    length = len(study.log.records)
    study.log.change_settings(question="Which curve?")  # nothing changes
    assert len(study.log.records) == length
    assert study.ask() == waits
    again = pf.Study.open("line 3", storage)
    assert (again.settings.name, again.settings.title, again.settings.comparisons) == ("line 3", "Line three", 20)
    (listed,) = study.log.storage.studies()
    assert (listed.title, listed.question, listed.expected, listed.length) == ("Line three", "Which curve?", 20, length)
    copied = pf.Study.from_json(study.to_json(), name="copy", storage=storage)
    assert copied.settings.question == "Which curve?"
    for bad in ({"comparisons": 0}, {"title": "a/b"}, {"question": 3}):
        with complaint(InputError, next(iter(bad))):
            study.log.change_settings(**bad)


def test_what_an_owner_arranges_is_listed_and_deleted_studies_go_in_time(storage):
    for name in ("one", "two", "three"):
        pf.Study.create(BOX, name=name, storage=storage)
    kept = pf.Study.open("one", storage).log.storage
    kept.arrange("one", {"paused": "2026-01-01", "quota": 5})
    kept.arrange("two", {"deleted": "2026-01-02"})
    (one,) = kept.studies(["one", "unknown"])
    assert (one.paused, one.quota, one.archived, one.deleted) == ("2026-01-01", 5, None, None)
    assert kept.forget_deleted("2026-01-02") == []
    assert kept.forget_deleted("2026-01-03") == ["two"]
    assert [s.name for s in kept.studies()] == ["one", "three"]
    with complaint(UnknownStudyError, "two"):
        kept.arrange("two", {"paused": None})


def test_an_invitation_is_listed_with_who_invites_and_can_be_revoked_until_it_is_used(storage):
    kept = pf.Study.create(BOX, name="one", storage=storage).log.storage
    for digest in ("d1", "d2"):
        kept.add_invitation(Invitation(digest, "judge", "one", "ann", "2026-01-01", "2026-02-01", inviter="Bea"))
    assert [(i.digest, i.judge, i.inviter) for i in kept.invitations("one")] == [
        ("d1", "ann", "Bea"),
        ("d2", "ann", "Bea"),
    ]
    assert [i.digest for i in kept.invitations(digest="d2")] == ["d2"]
    assert kept.invitations("two") == []
    kept.accept_invitation("d1", "2026-01-02", lambda i: Token("t", "judge", i.study, i.judge, "2026-01-02"))
    assert not kept.revoke_invitation("d1")
    assert kept.revoke_invitation("d2")
    assert kept.accept_invitation("d2", "2026-01-02", lambda i: Token("u", "judge", i.study, i.judge, "")) is None
