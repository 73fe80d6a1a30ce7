"""Results that are computed and drawn by a process of their own: what they hold, who sees them, and what is kept."""

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from scipy.optimize import NonlinearConstraint

import prefero as pf
from prefero.web import results
from prefero.web.refusals import Refusal
from prefero.web.result_worker import ResultWorker
from tests.answered import answered, every_kind, strange
from tests.web.conftest import answer

PARTS = ["ranking", "development", "slices", "importance", "consistency"]


@pytest.fixture
def drawing():
    made = ResultWorker()
    yield made
    made.close()


def test_insight_before_any_answer_and_after(owner, study):
    before = owner.get(f"{study}/insight").json()
    assert (before["advice"], before["ranking"]) == (None, [])
    assert owner.get(f"{study}/advice").json() == {"advice": None}
    for said in ("a", "b", "much a", "same", "skipped"):
        answer(owner, study, said)
    insight = owner.get(f"{study}/insight").json()
    assert insight["ranking"][0]["candidate"] == owner.get(f"{study}/result").json()["best"]
    assert 0 < insight["runner_up"]["probability"] < 1
    assert sum(insight["importance"].values()) == pytest.approx(1)
    assert insight["person"] == {"a": 2, "same": 1, "b": 1, "skipped": 1, "contradictions": 0}
    assert insight["advice"]["reason"]
    assert owner.get(f"{study}/advice").json()["advice"] == insight["advice"]


def test_a_judge_among_others_does_not_see_what_all_of_them_say(service, owner, study):
    ann = service.token("judge", "line 3", "ann")
    answer(owner, study, "a", judge="ann")
    assert owner.get(f"{study}/insight", token=ann).status == 200
    assert owner.get(study, token=ann).json()["insight"]
    answer(owner, study, "a", judge="bob")
    assert not owner.get(study, token=ann).json()["insight"]
    assert owner.get(study).json()["insight"]
    for path in ("insight", "advice", "figures", "report.html"):
        assert owner.get(f"{study}/{path}", token=ann).status == 403


def test_every_part_has_figures_with_their_data_as_tables(owner, study):
    assert owner.get(f"{study}/figures").json()["sections"] == []
    for said in "abab":
        answer(owner, study, said)
    shown = owner.get(f"{study}/figures").json()
    assert [part["key"] for part in shown["sections"]] == PARTS
    for part in shown["sections"]:
        for exhibit in part["exhibits"]:
            assert exhibit["figure"].startswith("<svg ")
            assert not re.search(
                r"style=|<style|<script| on\w+=", exhibit["figure"]
            )  # nothing that the page's policy refuses
            assert exhibit["table"]["rows"]
            assert {len(row) for row in exhibit["table"]["rows"]} == {len(exhibit["table"]["columns"])}
    assert shown["verdict"]["reason"]
    assert "pf-line-ink" in shown["stylesheet"]


def test_the_utilities_that_are_shown_are_the_posteriors_whatever_proposed():
    study = answered(every_kind(proposer="glisp"), 8)
    ranking = results.figures(study)["sections"][0]["exhibits"][0]["table"]
    place = [column["name"] for column in ranking["columns"]].index("utility")
    means, _ = study.learned.utilities(study.candidates)
    assert ranking["rows"][0][place] == f"{max(means):.2f}".replace("-", "−")


def test_the_report_is_a_download(owner, study):
    answer(owner, study)
    reply = owner.get(f"{study}/report.html")
    assert reply.headers["content-disposition"] == 'attachment; filename="report.html"'
    assert reply.body.startswith(b"<!DOCTYPE html>")


def test_what_was_drawn_is_kept_until_the_study_goes_on(drawing, monkeypatch):
    study = answered(every_kind(), 3)
    first = drawing.make("insight", study, study.to_json())
    asked = []
    monkeypatch.setattr(drawing, "_computed", lambda *asked_for: asked.append(asked_for) or "anew")
    assert drawing.make("insight", study, study.to_json()) == first
    assert not asked
    answered(study, 1)
    assert drawing.make("insight", study, study.to_json()) == "anew"


def test_only_so_many_are_kept(drawing, monkeypatch):
    monkeypatch.setattr("prefero.web.result_worker.KEPT", 2)
    monkeypatch.setattr(drawing, "_computed", lambda *_: "made")
    for k in range(4):
        drawing.make(f"job {k}", strange(), "{}")
    assert [job for _, job in drawing._kept] == ["job 2", "job 3"]


def test_the_process_makes_the_same_as_we_would(drawing):
    study = answered(strange(), 4)
    text = study.to_json()
    here = json.loads(json.dumps(results.figures(pf.Study.from_json(text))))
    assert drawing.make("figures", study, text) == here


def test_a_study_with_functions_is_drawn_here(drawing):
    disc = NonlinearConstraint(lambda x: x[0] ** 2 + x[1] ** 2, -1, 1)
    study = answered(pf.Study(pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)}, [disc]), seed=1), 3)
    assert len(drawing.make("insight", study, study.to_json())["ranking"]) == 6  # three matches


def test_a_process_that_takes_too_long_is_replaced():
    drawing = ResultWorker(seconds=0.0)
    study = answered(every_kind(), 2)
    with pytest.raises(Refusal, match="try again") as refused:
        drawing.make("insight", study, study.to_json())
    assert refused.value.status == 503
    drawing._seconds = 600.0
    assert drawing.make("insight", study, study.to_json())["ranking"]
    drawing.close()


def test_when_many_wait_the_next_one_is_told_to_come_back(make_service, monkeypatch):
    service = make_service(result_threads=1)
    study = service.create()
    begun, go_on = threading.Event(), threading.Event()

    def make(*_):
        begun.set()
        assert go_on.wait(60)
        raise Refusal(503, "too late", {})

    monkeypatch.setattr(service.app.state.services.results, "make", make)
    with ThreadPoolExecutor(1) as other:
        first = other.submit(service.owner.get, f"{study}/figures")
        try:
            assert begun.wait(60)
            reply = service.owner.get(f"{study}/figures")
            assert reply.status == 503
            assert reply.headers["retry-after"] == "2"
            assert service.owner.get(f"{study}/question").status == 200
        finally:
            go_on.set()
        assert first.result().json() == {"error": "too late"}
