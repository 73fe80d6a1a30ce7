"""Questions and answers: the one that waits, what was said about it, and what becomes of that later.

An answer carries the number of its question and an `answer_id` of the client's making. Sent again, it returns the first
outcome; sent to a question that does not wait, it is refused. The reply comes when the answer is in the database; the next
question is chosen when it is asked for, so that saving never waits for it.
"""

from __future__ import annotations

from typing import Any

from prefero.checks import LONGEST_TEXT
from prefero.errors import ExhaustedError, QuestionError
from prefero.events import Record
from prefero.panel import Question
from prefero.replay import SKIPPED, WORDS
from prefero.study import Study
from prefero.web import payloads, schema
from prefero.web.access import JUDGES, Caller
from prefero.web.ahead import Ahead
from prefero.web.operation import Call, Operation
from prefero.web.preparing import Preparing
from prefero.web.refusals import Refusal

SAYINGS = (*WORDS, SKIPPED, "a failed", "b failed")
_STEP = schema.integer(0, 10**9, description="the question's number")
_JUDGE = schema.name(0, description="whose question it is; a judge's token needs none")
_NOTE = schema.text(LONGEST_TEXT, description="whatever the person wants to add")
ANSWER = schema.thing(
    {
        "step": _STEP,
        "answer": schema.words(
            *SAYINGS, description="which is better, that it cannot be judged, or what could not be tried"
        ),
        "answer_id": schema.name(description="of the client's making; sent again, it returns the first outcome"),
    },
    {"seconds": schema.maybe(schema.number(0, 1e9, description="the response time")), "note": _NOTE, "judge": _JUDGE},
)


def get_question(call: Call) -> Any:
    """The question that waits for a judge: the same one until it is answered; chosen now where none waits."""
    judge = call.caller.judge(call.query.get("judge"))
    ahead, preparing = call.live.ahead, call.live.preparing(call.study)
    waiting = call.live.look(call.study, lambda study: _waiting(study, judge, ahead, preparing))
    return waiting or call.live.think(call.study, lambda study: _asked(study, judge, ahead, preparing))


def _waiting(study: Study, judge: str, ahead: Ahead, preparing: Preparing | None) -> Any:
    question = study.waiting_for(judge)
    if question is None:
        return None
    current = payloads.of_current(study, question, preparing=preparing)
    ahead.look(study, judge)
    return current


def _asked(study: Study, judge: str, ahead: Ahead, preparing: Preparing | None) -> Any:
    try:
        ahead.ask(study, judge)
        return payloads.of_current(study, study.waiting_for(judge), preparing=preparing)
    except ExhaustedError as error:
        return payloads.of_current(study, None, str(error))


def find_question(call: Call) -> Any:
    """A question by its number, whatever became of it."""
    step = call.path["step"]

    def found(study: Study) -> Any:
        question = _question(study, step)
        _check_own(call.caller, question)
        return payloads.of_question(study, question, call.live.preparing(call.study))

    return call.live.look(call.study, found)


def _question(study: Study, step: int) -> Question:
    try:
        return study.asked(step)
    except QuestionError as error:
        raise Refusal(404, str(error)) from None


def _check_own(caller: Caller, question: Question) -> None:
    if caller.role == "judge" and question.judge != caller.name:
        raise Refusal(403, f"question {question.step} was asked somebody else")


def give_answer(call: Call) -> Any:
    """Save an answer to the question that waits; the reply comes when it is stored."""
    body = call.body
    judge = call.caller.judge(body.get("judge"))
    extras = {
        "judge": judge,
        "answer_id": body["answer_id"],
        "seconds": body.get("seconds"),
        "note": body.get("note", ""),
    }

    def saved(study: Study) -> Any:
        record = _said(study, body["step"], body["answer"], extras)
        _check_repeat(study, record, body["step"], judge)
        return payloads.of_saved(study, record)

    return call.live.save(call.study, saved)


def _said(study: Study, step: int, answer: str, extras: dict[str, Any]) -> Record:
    if answer == SKIPPED:
        return study.skip(step, **extras)
    if answer in ("a failed", "b failed"):
        return study.fail(step, "a" if answer == "a failed" else "b", **extras)
    return study.tell(step, answer, **extras)


def _check_repeat(study: Study, record: Record, step: int, judge: str) -> None:
    """An id that stands for another question's answer is a client's mistake, and must not look like success."""
    told = record.fields()["step"]
    if told != step or study.asked(told).judge != judge:
        raise Refusal(
            409, f"answer_id: {record.answer_id!r} is the answer to question {told} already; nothing was saved"
        )


def undo_answer(call: Call) -> Any:
    """Take a judge's last answer back: its question waits again, the same pair and sides."""
    judge, step = call.caller.judge(call.body.get("judge")), call.body.get("step")

    def undone(study: Study) -> Any:
        question = study.undo(judge, step)
        return payloads.of_current(study, question, preparing=call.live.preparing(call.study))

    return call.live.save(call.study, undone)


def correct_answer(call: Call) -> Any:
    """Say anew what was said about a question."""
    said = call.body["answer"]
    return _amended(call, lambda study, step, more: study.correct(step, said, **more))


def remove_answer(call: Call) -> Any:
    """Let what was said about a question not count any more; it stays visible."""
    return _amended(call, lambda study, step, more: study.remove(step, **more))


def restore_answer(call: Call) -> Any:
    """Let what was removed or undone count again."""
    return _amended(call, lambda study, step, more: study.restore(step, **more))


def _amended(call: Call, amend: Any) -> Any:
    step, more = call.path["step"], {"who": call.caller.name, "note": call.body.get("note", "")}

    def saved(study: Study) -> Any:
        if call.caller.role == "judge":
            study.refresh()
            _check_own(call.caller, _question(study, step))
        return payloads.of_saved(study, amend(study, step, more))

    return call.live.save(call.study, saved)


def list_answers(call: Call) -> Any:
    """What was said, question by question, in the order it was said; a judge sees their own."""
    judge = call.caller.judge(call.query.get("judge")) if call.caller.role == "judge" else call.query.get("judge")

    def found(study: Study) -> Any:
        entries = [entry for entry in study.answers if judge in (None, entry.who)]
        return {"history": [payloads.of_entry(study, entry) for entry in entries]}

    return call.live.look(call.study, found)


_NOTED = schema.thing({}, {"note": _NOTE})
_CORRECTION = schema.thing({"answer": schema.words(*WORDS)}, {"note": _NOTE})
_UNDO = schema.thing(
    {}, {"judge": _JUDGE, "step": schema.integer(0, 10**9, description="refused unless it is the last")}
)
_HISTORY = schema.thing({"history": payloads.several(payloads.ENTRY)})
_ANSWER = "/studies/{study}/answers/{step}"

OPERATIONS = (
    Operation(
        "GET", "/studies/{study}/question", get_question, JUDGES, payloads.CURRENT, query={"judge": _JUDGE}, thinks=True
    ),
    Operation("GET", "/studies/{study}/questions/{step}", find_question, gives=payloads.QUESTION),
    Operation("POST", "/studies/{study}/answers", give_answer, JUDGES, payloads.SAVED, takes=ANSWER),
    Operation("POST", "/studies/{study}/undo", undo_answer, JUDGES, payloads.CURRENT, takes=_UNDO),
    Operation("POST", f"{_ANSWER}/correct", correct_answer, JUDGES, payloads.SAVED, takes=_CORRECTION),
    Operation("POST", f"{_ANSWER}/remove", remove_answer, JUDGES, payloads.SAVED, takes=_NOTED),
    Operation("POST", f"{_ANSWER}/restore", restore_answer, JUDGES, payloads.SAVED, takes=_NOTED),
    Operation(
        "GET",
        "/studies/{study}/history",
        list_answers,
        gives=_HISTORY,
        query={"judge": schema.name(0, description="one judge alone")},
    ),
)
