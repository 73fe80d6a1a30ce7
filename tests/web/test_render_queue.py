"""Candidates are rendered before they are shown: stored when they are asked about, told when they fail, tried again."""

import threading
import time

import pytest

import prefero as pf
from benchmarks.torture.asgi import Client
from prefero.storage.database import Database
from prefero.study import Study
from prefero.web import access, render_queue, served_file
from prefero.web.app import build
from prefero.web.render_queue import NOW, SOON, RenderQueue
from prefero.web.rendering.pictures import Shown
from prefero.web.rendering.renderers import Failure
from prefero.web.rendering.tuning import read
from prefero.web.studies import Served

PATH = "/api/v1/studies/waves"
FILE = """
import prefero as pf
from scipy.optimize import NonlinearConstraint

name = "waves"
question = "Which is calmer?"
space = pf.Space(
    {"x": pf.Real(0, 1), "y": pf.Real(0, 1)}, [NonlinearConstraint(lambda z: z[0] * z[1], -1, 0.8)]
)
seed = 4
proposer = "glisp"

def render(candidate):
    return {"text": f"x is {candidate['x']}", "product": candidate["x"] * candidate["y"]}
"""


class Hand:
    """Renders when it is let, and fails where it is told to."""

    workers = 1

    def __init__(self) -> None:
        self.rendered, self.fails = [], set()
        self.gate = threading.Event()
        self.gate.set()
        self.ended, self.slow = [], None

    def render(self, candidate, progress):
        progress(0.25)
        if candidate == self.slow:
            while candidate not in self.ended:
                time.sleep(0.005)
            self.slow = None
            return Failure("its process ended")
        self.gate.wait()
        self.rendered.append(dict(candidate))
        return (
            Failure("no paint left") if candidate["x"] in self.fails else Shown({"t": (b"x", "text/plain")}, {"n": 1.0})
        )

    def interrupt(self, candidate):
        self.ended.append(dict(candidate))
        return True

    def close(self):
        self.gate.set()


@pytest.fixture
def hand():
    return Hand()


@pytest.fixture
def prepares(hand):
    made = RenderQueue("waves", hand)
    yield made
    made.close()


def until(true):
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def of(x):
    return {"x": x}


def test_what_is_urgent_goes_first_and_each_is_rendered_once(prepares, hand):
    hand.gate.clear()
    prepares.want([of(0)], SOON)
    until(lambda: prepares.state(of(0)) == {"failed": None, "progress": 0.25})
    prepares.want([of(1), of(2)], SOON)
    prepares.want([of(2), of(3)], NOW)
    prepares.want([of(2), of(3)], SOON)
    hand.gate.set()
    until(lambda: len(hand.rendered) == 4 and prepares.state(of(1)) is None)
    prepares.want([of(0), of(1)], NOW)
    assert hand.rendered == [of(0), of(2), of(3), of(1)]


def test_who_waits_interrupts_what_is_made_ahead_which_is_made_afterwards(prepares, hand, monkeypatch):
    monkeypatch.setattr(render_queue, "GRACE", 0)
    hand.slow = of(0)
    prepares.want([of(0)], SOON)
    until(lambda: prepares.state(of(0)) == {"failed": None, "progress": 0.25})
    prepares.want([of(1)], NOW)
    until(lambda: hand.rendered == [of(1), of(0)] and prepares.state(of(0)) is None)  # it has not failed
    assert hand.ended == [of(0)]


def test_nobody_interrupts_what_another_person_waits_for(prepares, hand, monkeypatch):
    timers = []
    monkeypatch.setattr(prepares, "_hurry_later", timers.append)
    hand.gate.clear()
    prepares.want([of(0)], SOON)
    until(lambda: prepares.state(of(0))["progress"])
    prepares.want([of(0)], NOW)  # somebody waits for it now
    prepares.want([of(1)], NOW)
    prepares._hurry(timers[-1])
    hand.gate.set()
    until(lambda: hand.rendered == [of(0), of(1)])
    assert hand.ended == []


def test_what_may_not_come_any_more_is_dropped(prepares, hand):
    hand.gate.clear()
    prepares.want([of(0)], SOON)
    until(lambda: prepares.state(of(0))["progress"])
    prepares.want([of(1)], SOON)
    prepares.want([of(2)], NOW)
    prepares.forget()
    assert prepares.state(of(1)) is None
    hand.gate.set()
    until(lambda: len(hand.rendered) == 2)
    assert hand.rendered == [of(0), of(2)]


def test_memory_has_an_end(prepares, hand, monkeypatch):
    monkeypatch.setattr(render_queue, "MOST_BYTES", 2)
    prepares.want([of(k) for k in range(5)], SOON)
    until(lambda: len(hand.rendered) == 5 and prepares.state(of(4)) is None)
    assert sum(shown.size for shown in prepares._done.values()) <= 2


def test_a_renderer_that_breaks_is_a_failure_like_any_other(prepares, hand, monkeypatch, caplog):
    monkeypatch.setattr(hand, "render", lambda *_: 1 / 0)
    prepares.want([of(0)], NOW)
    until(lambda: (prepares.state(of(0)) or {}).get("failed"))
    assert "rendering failed" in caplog.text


# Over HTTP ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def owner(tmp_path, prepares):
    storage = Database(f"sqlite:///{tmp_path / 'waves.db'}")
    made = Study.create(([0, 0], [1, 1]), name="waves", storage=storage, seed=1, proposer="glisp")
    with Client(
        build(storage, served=Served("waves", renders=prepares)), access.make_token(storage, "owner")[0]
    ) as client:
        client.study = made
        yield client
    storage.close()


@pytest.fixture
def x_of(hand, monkeypatch):
    """The hand knows the variable by the space's own name."""
    render = hand.render
    monkeypatch.setattr(hand, "render", lambda c, p: render({"x": next(iter(c.values()))}, p))


def question(client):
    return client.get(f"{PATH}/question").json()["question"]


@pytest.mark.usefixtures("x_of")
class TestServed:
    def test_a_pair_waits_for_its_renderings_which_are_then_stored(self, owner, hand):
        hand.gate.clear()
        shown = question(owner)
        assert shown["preparing"]["b"] == {"failed": None, "progress": None}
        assert shown["measured"]["a"]["files"] == {}
        until(lambda: question(owner)["preparing"]["a"] == {"failed": None, "progress": 0.25})
        hand.gate.set()
        until(lambda: question(owner)["preparing"] == {"a": None, "b": None})
        shown = question(owner)
        for side in ("a", "b"):
            assert set(shown["measured"][side]["files"]) == {"t"}
            assert shown["measured"][side]["numbers"] == {"n": 1.0}
        owner.study.refresh()
        assert len([each for each in owner.study.log.events if type(each).__name__ == "Measured"]) == 2
        assert owner.get(PATH).json()["files"] == {"t": {"media_type": "text/plain"}}

    def test_what_may_come_next_is_rendered_while_the_person_looks_and_only_what_came_is_stored(self, owner, hand):
        until(lambda: not any(question(owner)["preparing"].values()))
        until(lambda: len(hand.rendered) >= 4)
        owner.post(f"{PATH}/answers", {"step": 0, "answer": "a", "answer_id": "1"})
        until(lambda: not any(question(owner)["preparing"].values()))
        shown = question(owner)
        assert all(shown["measured"][side]["files"] for side in ("a", "b"))
        owner.study.refresh()
        stored = [each for each in owner.study.log.events if type(each).__name__ == "Measured"]
        assert len(stored) <= 4
        assert len(hand.rendered) > len(stored)

    def test_the_files_that_may_come_next_are_served_before_they_are_asked_about(
        self, owner, hand, prepares, monkeypatch
    ):
        monkeypatch.setattr(
            hand, "render", lambda c, _: Shown({"t": (" ".join(map(str, c.values())).encode(), "text/plain")})
        )
        until(lambda: not any(question(owner)["preparing"].values()))
        plans = owner.app.state.services.studies.lookaheads._plans
        for job in plans[("waves", "")].jobs.values():
            job.future.result()
        until(lambda: len(owner.get(f"{PATH}/ahead").json()["files"]) >= 4)
        until(lambda: not prepares._jobs)
        owner.study.refresh()
        before = len(owner.study.log.events)
        ahead = owner.get(f"{PATH}/ahead").json()["files"]
        for digest in ahead:
            assert owner.get(f"{PATH}/files/{digest}").headers["cache-control"].endswith("immutable")
        owner.study.refresh()
        assert len(owner.study.log.events) == before
        owner.post(f"{PATH}/answers", {"step": 0, "answer": "a", "answer_id": "1"})
        until(lambda: not any(question(owner)["preparing"].values()))
        shown = question(owner)["measured"]
        assert {shown[side]["files"]["t"]["digest"] for side in "ab"} <= set(ahead)

    def test_a_failure_is_told_with_its_reason_and_tried_again(self, owner, hand, caplog):
        waits = owner.study.ask()
        hand.fails = {next(iter(waits.a.values()))}
        until(lambda: (question(owner)["preparing"]["a"] or {}).get("failed"))
        assert question(owner)["preparing"] == {"a": {"failed": "no paint left", "progress": None}, "b": None}
        assert "a candidate could not be prepared: no paint left" in caplog.text
        hand.fails = set()
        assert owner.post(f"{PATH}/questions/0/a/prepare", {}).json() == {"retrying": "a"}
        until(lambda: question(owner)["preparing"]["a"] is None)
        assert question(owner)["measured"]["a"]["files"]

    def test_a_judge_may_retry_their_own_question_only(self, owner, tmp_path):
        storage = owner.app.state.services.storage
        ann = access.make_token(storage, "judge", study="waves", label="ann")[0]
        question(owner)
        assert owner.post(f"{PATH}/questions/0/a/prepare", {}, token=ann).status == 403
        step = owner.get(f"{PATH}/question", token=ann).json()["question"]["step"]
        assert owner.post(f"{PATH}/questions/{step}/a/prepare", {}, token=ann).status == 200

    def test_undo_shows_the_pair_again_with_what_was_stored(self, owner):
        until(lambda: not any(question(owner)["preparing"].values()))
        before = question(owner)
        owner.post(f"{PATH}/answers", {"step": 0, "answer": "a", "answer_id": "1"})
        question(owner)
        again = owner.post(f"{PATH}/undo", {"step": 0}).json()["question"]
        assert (again["step"], again["a"], again["b"]) == (0, before["a"], before["b"])
        until(lambda: question(owner) == before)  # the server may have to look first whether it is stored


def test_who_renders_nothing_says_so(service):
    path = service.create()
    service.owner.get(f"{path}/question")
    reply = service.owner.post(f"{path}/questions/0/a/prepare", {})
    assert reply.status == 409
    assert "does not render" in reply.json()["error"]


# A file ---------------------------------------------------------------------------------------------------------------


def test_the_study_of_a_file_is_served_with_its_constraint_and_goes_on_where_it_was(tmp_path):
    (tmp_path / "tuning.py").write_text(FILE, encoding="utf-8")
    tuning, url = read(tmp_path / "tuning.py"), f"sqlite:///{tmp_path / 'x.db'}"
    for answers in (0, 1):
        with served_file.served(tuning, url) as (known, study), Database(url) as storage:
            assert (study.settings.question, study.settings.seed, len(study.history)) == (
                "Which is calmer?",
                4,
                answers,
            )
            assert study.waiting.get("") is None or answers  # nothing is written before somebody is there
            until(lambda known=known: known.renders.files == {"text": "text/markdown"})
            with Client(build(storage, served=known), access.make_token(storage, "owner")[0]) as client:
                until(lambda client=client: not any(question(client)["preparing"].values()))
                shown = question(client)
                assert shown["measured"]["a"]["numbers"] == {
                    "product": pytest.approx(shown["a"]["x"] * shown["a"]["y"])
                }
                said = {"step": shown["step"], "answer": "a", "answer_id": str(answers)}
                assert client.post(f"{PATH}/answers", said).status == 200


def test_a_file_whose_space_has_changed_is_refused_in_one_line(tmp_path):
    file, url = tmp_path / "tuning.py", f"sqlite:///{tmp_path / 'x.db'}"
    file.write_text(FILE, encoding="utf-8")
    served_file.open_or_create(read(file), url).close()
    file.write_text(FILE.replace('"y": pf.Real(0, 1)', '"y": pf.Real(0, 2)'), encoding="utf-8")
    with pytest.raises(
        served_file.InputError,
        match=r"tuning\.py: space: .* there is a study 'waves' already; serve it under another name",
    ):
        served_file.open_or_create(read(file), url)


def test_who_asks_is_as_it_was_stored_whatever_the_file_says_later(tmp_path):
    url, path = f"sqlite:///{tmp_path}/later.db", tmp_path / "later.py"
    plain = "import prefero as pf\nspace = pf.Space({'x': pf.Real(0, 1)})\n"
    path.write_text(plain)
    with served_file.served(read(path), url):
        pass
    path.write_text(plain + "proposer = pf.Glisp()\n")
    with served_file.served(read(path), url) as (known, study):
        assert (study.proposer, known.proposer) == (pf.Posterior(), None)
