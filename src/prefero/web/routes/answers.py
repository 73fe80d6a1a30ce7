"""Questions and answers: the question that waits, what was said about it, and later amendments.

An answer carries the number of its question and an `answer_id` made by the client. Repeated, it returns the first record; an
answer to a question that does not wait is refused. The reply comes when the answer is in the database; the next question is
chosen when it is asked for, so that saving never waits for a proposer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from prefero.answers import ANSWERS, HINTS, MOST_LEVELS, PAIR, RATED, SIDES, UNACCEPTABLE, contradicting
from prefero.answers.orders import KINDS
from prefero.errors import ExhaustedError, QuestionError
from prefero.insight.agreement import history_of
from prefero.storage import Stored
from prefero.storage.events import Answered, Asked, Removed, Skipped
from prefero.study import Study, checks
from prefero.study.checks import LONGEST_NAME, LONGEST_TEXT
from prefero.study.hints import MOST_QUESTIONS
from prefero.study.log import new_record
from prefero.study.questions import Question
from prefero.study.samples import SKIPPED, history_step
from prefero.web import payloads, schema
from prefero.web.access import JUDGES
from prefero.web.operation import Call, NotYet, Operation
from prefero.web.refusals import Refusal

RESPONSES = (*ANSWERS, SKIPPED, "a failed", "b failed", *UNACCEPTABLE)
"""What can be said about a pair."""
ORDERS = "|".join(
    (
        "best [a-f]",
        "worst [a-f]",
        "best [a-f] worst [a-f]",
        "[a-f](,[a-f]){2,5}",
        "[a-f]+(>[a-f]+)+",
        "place [1-6]",
        "[c-f]",
        "[c-f] (failed|unacceptable)",
        "neither",
    )
)
"""What can be said about more than two candidates besides."""
_SAID = schema.text(
    LONGEST_NAME,
    1,
    pattern=f"^({'|'.join(RESPONSES)}|{ORDERS})$",
    description=f"of a pair: {', '.join(RESPONSES)}; of more than two, as the question's kind asks: best c, worst d, "
    "best c worst d, b,a,d,c (best first), place 2, the order as it is stored, c>abd; "
    "and also skipped, c failed, c unacceptable; of any question neither, which is stored as both unacceptable",
)
PAUSED = "The owner has paused this study for a while. Your answers are safe."
ENOUGH = "You have given all the answers that you were asked for. Thank you."
UNLIMITED = 2**31 - 1
MOST_VALUES = 1000
"""Values of one candidate."""
_STEP = schema.integer(0, 10**9, description="the question's number")
_JUDGE = schema.name(0, description="whose question it is; not needed with a judge's token")
_NOTE = schema.text(LONGEST_TEXT, description="the reason, or any other remark by the person")
_SURE = schema.flag(description="false if the person is not sure")
ANSWER = schema.thing(
    {
        "step": _STEP,
        "answer": _SAID,
        "answer_id": schema.name(description="made by the client; repeated, it returns the first record"),
    },
    {
        "kind": schema.words(
            *KINDS, description="the kind of question that is answered; refused if it is of another kind"
        ),
        "seconds": schema.maybe(schema.number(0, 1e9, description="the response time")),
        "note": _NOTE,
        "sure": _SURE,
        "judge": _JUDGE,
    },
)


def get_question(call: Call) -> Any:
    """The question that waits for a judge; it stays the same until it is answered."""
    judge = call.caller.judge(call.query.get("judge"))
    arranged = call.services.arrangements.of(call.study)
    if arranged is not None and arranged.paused is not None:
        return _nothing(call, PAUSED, paused=True)
    if arranged is not None and arranged.quota is not None and _has_given(call, judge, arranged.quota):
        return _nothing(call, ENOUGH, enough=True)
    if call.services.studies.in_database(call.study) and call.services.crowds.gathered(call.study, judge):
        stored = call.services.crowds.ask(call.study, judge)
        if stored is not None:
            return _from_pool(call, stored)
        if call.patient:
            raise NotYet
    _check_quota(call, judge)
    study = call.opened()
    try:
        question = call.services.studies.lookaheads.ask(study, judge)
    except ExhaustedError as error:
        return payloads.of_current(study, None, str(error))
    if call.renders is not None:
        call.renders.ask(study, question)
    return payloads.of_current(study, question, renders=call.renders)


def _nothing(call: Call, why: str, **more: bool) -> Any:
    return payloads.of_current(call.fresh(), None, why) | more


def _has_given(call: Call, judge: str, quota: int) -> bool:
    """Return whether a judge has given as many answers as the owner asks each judge for."""
    if call.caller.role != "judge" or call.storage.events_of(call.study, judge) < quota:
        return False  # the number of events is known without opening the study, and is never smaller
    return history_of(call.fresh().log.state, judge).answered >= quota


def _from_pool(call: Call, stored: Stored) -> Any:
    """Return a question without opening the study, unless something was measured in it."""
    asked = stored.record.event
    assert isinstance(asked, Asked)
    if stored.measured or call.renders is not None:
        study = call.fresh()
        question = study.log.question(asked.step)
        if call.renders is not None:
            call.renders.ask(study, question)
        return payloads.of_current(study, question, renders=call.renders)
    return payloads.of_pooled(stored)


def _check_quota(call: Call, judge: str) -> None:
    """Raise a Refusal if a judge has caused as many events as one may; the owner is not limited."""
    most = call.services.settings.judge_events
    if call.caller.role == "judge" and call.storage.events_of(call.study, judge) >= most:
        raise Refusal(429, f"{judge!r} has reached the limit of {most} questions and answers in this study")


def find_question(call: Call) -> Any:
    """A question by its number, answered or not."""
    study = call.fresh()
    return payloads.of_question(study, own_question(call, study), call.renders)


def own_question(call: Call, study: Study, step: int | None = None) -> Question:
    """Return a question, by default that of the request's path; a judge may only see their own."""
    try:
        question = study.log.question(call.path["step"] if step is None else step)
    except QuestionError as error:
        raise Refusal(404, str(error)) from None
    if call.caller.role == "judge" and question.judge != call.caller.name:
        raise Refusal(403, f"question {question.step} belongs to another judge")
    return question


def give_answer(call: Call) -> Any:
    """Save an answer to the question that waits; the reply comes once it is stored."""
    body = call.body
    judge, step, said = call.caller.judge(body.get("judge")), body["step"], body["answer"]
    sure = body.get("sure", True)
    if (said in ANSWERS or (said == SKIPPED and sure)) and body.get("kind", str(PAIR)) == str(PAIR):
        stored = _settled(call, judge, step, said)
        if stored is not None:
            saved = {"saved": payloads.of_record(stored.record)}
            return saved | {"answers": stored.answers, "expected": stored.expected}
    if not sure and (said == SKIPPED or said == "neither" or said.endswith((" failed", " unacceptable"))):
        raise Refusal(422, f"sure: only a comparison can be unsure, not {said!r}")
    _check_quota(call, judge)
    study = call.opened()
    _check_kind(study, step, body.get("kind"))
    extras = {
        "judge": judge,
        "answer_id": body["answer_id"],
        "seconds": body.get("seconds"),
        "note": body.get("note", ""),
    }
    if said == SKIPPED:
        record = study.skip(step, **extras)
    elif said.endswith(" failed"):
        record = study.fail(step, said[0], **extras)
    else:
        record = study.tell(step, said, **extras, sure=sure)
    return payloads.of_saved(study, record)


def _check_kind(study: Study, step: int, kind: str | None) -> None:
    """Raise a Refusal if a client takes a question for one of another kind."""
    asked = study.log.state.asked.get(step)
    if kind is not None and asked is not None and asked.kind != kind:
        raise Refusal(422, f"kind: got {kind!r}; question {step} is {asked.kind!r}")


def _settled(call: Call, judge: str, step: int, said: str) -> Stored | None:
    """Store an answer in one transaction that depends on nothing else; None if the log has to tell what became of the question."""
    body = call.body
    extras = (
        checks.checked_answer_id(body["answer_id"]),
        checks.checked_seconds(body.get("seconds")),
        checks.checked_text("note", body.get("note", "")),
    )
    event = Skipped(step, *extras) if said == SKIPPED else Answered(step, said, *extras, body.get("sure", True))
    most = call.services.settings.judge_events if call.caller.role == "judge" else UNLIMITED
    return call.storage.settle(call.study, judge, step, new_record(-1, event, judge), counts=said != SKIPPED, most=most)


def undo_answer(call: Call) -> Any:
    """Undo a judge's last answer: its question waits again, with the same pair and sides."""
    judge = call.caller.judge(call.body.get("judge"))
    _check_quota(call, judge)
    study = call.opened()
    question = study.undo(judge, call.body["step"])
    if question is not None and call.renders is not None:
        call.renders.ask(study, question)
    return payloads.of_current(study, question, renders=call.renders)


def probe_again(call: Call) -> Any:
    """Ask about an old pair again, its sides swapped; without a step, show one candidate on both sides."""
    step, judge = call.body.get("step"), call.body.get("judge")
    study = call.opened()
    if call.caller.role == "judge":
        judge = call.caller.judge(judge)
        _check_quota(call, judge)
        study.refresh()
        if step is not None and study.log.question(step).judge != judge:
            raise Refusal(403, f"question {step} belongs to another judge")
    question = study.probe(step, judge)
    if call.renders is not None:
        call.renders.ask(study, question)
    return payloads.of_current(study, question, renders=call.renders)


def enqueue_candidate(call: Call) -> Any:
    """Ask about a given candidate next, against another one or the best one so far."""
    judge = call.caller.judge(call.body.get("judge"))
    _check_quota(call, judge)
    study = call.opened()
    question = study.enqueue(call.body["candidate"], judge, against=call.body.get("against"))
    if call.renders is not None:
        call.renders.ask(study, question)
    return payloads.of_current(study, question, renders=call.renders)


def rate_candidate(call: Call) -> Any:
    """Rate one candidate, of a question or of your own; a judge's new rating replaces the old one."""
    body = call.body
    judge = call.caller.judge(body.get("judge"))
    _check_quota(call, judge)
    study = call.opened()
    study.refresh()
    if ("candidate" in body) == ("side" in body) or ("step" in body) != ("side" in body):
        raise Refusal(422, "body: give either a candidate, or step and side of a question")
    if "candidate" in body:
        candidate: Any = body["candidate"]
    else:
        question = own_question(call, study, body["step"])
        candidate = question.sides.get(body["side"])
        if not candidate:  # a rating has no B
            shown = ", ".join(side for side, each in question.sides.items() if each)
            raise Refusal(422, f"side: got {body['side']!r}; question {question.step} shows {shown or 'no candidate'}")
    more = {name: body[name] for name in ("answer_id", "seconds", "note", "sure") if name in body}
    return payloads.of_saved(study, study.rate(candidate, body["level"], judge=judge, **more))


def give_hint(call: Call) -> Any:
    """Say where to look: more or less of a variable, stay near a candidate, keep a variable fixed or let it go, try a candidate."""
    body = call.body
    judge = call.caller.judge(body.get("judge"))
    _check_quota(call, judge)
    study = call.opened()
    candidate = body.get("candidate")
    about = {"about": body.get("variable"), "at": candidate}
    if body["kind"] in ("near", "try"):
        if body.get("variable") is not None:
            raise Refusal(422, f"variable: a hint {body['kind']!r} is about a candidate")
        about = {"about": candidate}
    more = {"n": body.get("questions"), "within": body.get("within"), "answer_id": body.get("answer_id")}
    record = study.hint(body["kind"], **about, **more, judge=judge, note=body.get("note", ""))
    if call.renders is not None and isinstance(record.event, Asked):
        call.renders.ask(study, study.log.question(record.event.step))
    return payloads.of_saved(study, record)


def suggest_hints(call: Call) -> Any:
    """Hints that the owner's program suggests from an answer's reason; one counts once somebody gives it as a hint."""
    study, step = call.fresh(), call.path["step"]
    if call.caller.role == "judge":
        own_question(call, study)
    response = study.log.state.responses.get(step)
    if response is None or response.status != "effective":
        raise Refusal(404, f"question {step} has no answer that counts")
    return {"suggestions": [vars(each) for each in call.services.suggesting.of(study, response.record)]}


def correct_answer(call: Call) -> Any:
    """Change the answer to a question."""
    study, step, more = _amendment(call)
    sure = call.body.get("sure", True)
    return payloads.of_saved(study, study.log.correct(step, call.body["answer"], sure=sure, **more))


def remove_answer(call: Call) -> Any:
    """Remove the answer to a question: it no longer counts, but stays visible."""
    study, step, more = _amendment(call)
    return payloads.of_saved(study, study.log.remove(step, **more))


def restore_answer(call: Call) -> Any:
    """Restore a removed or undone answer; what somebody else removed, a judge may not."""
    study, step, more = _amendment(call)
    removals = [r.who for r in study.log.records if isinstance(r.event, Removed) and r.event.step == step]
    if call.caller.role == "judge" and removals and removals[-1] != call.caller.name:
        raise Refusal(403, f"the answer to question {step} was removed by somebody else, who has to restore it")
    return payloads.of_saved(study, study.log.restore(step, **more))


def _amendment(call: Call) -> tuple[Study, int, dict[str, Any]]:
    """Return the study, the question and the note of an amendment; a judge may only amend their own answers."""
    study = call.opened()
    if call.caller.role == "judge":
        _check_quota(call, call.caller.name)
        study.refresh()
        own_question(call, study)
    return study, call.path["step"], {"who": call.caller.name, "note": call.body.get("note", "")}


def list_answers(call: Call) -> Any:
    """All answers in the order they were given; a judge sees their own.

    Whether one judge's answers contradict each other is told without the others', which would tell what these said.
    """
    judge = call.caller.judge(call.query.get("judge")) if call.caller.role == "judge" else call.query.get("judge")
    study = call.fresh()
    entries = [entry for entry in study.answers if judge in (None, entry.who)]
    if judge is not None:
        own = history_of(study.log.state, judge).comparisons
        odd = {c.step for c, contradicts in zip(own, contradicting(own), strict=True) if contradicts}
        entries = [replace(entry, contradicts=history_step(entry.step) in odd) for entry in entries]
    return {"history": [payloads.of_entry(study, entry) for entry in entries]}


_NOTED = schema.thing({}, {"note": _NOTE})
_CORRECTED = schema.text(
    LONGEST_NAME,
    1,
    pattern=f"^({'|'.join((*ANSWERS, *UNACCEPTABLE, *RATED))}|{ORDERS})$",
    description="the new answer, or rated 4",
)
_CORRECTION = schema.thing({"answer": _CORRECTED}, {"note": _NOTE, "sure": _SURE})
_UNDO = schema.thing(
    # The number is needed: a repeated request that named no question would undo another answer.
    {"step": schema.integer(-(10**9), 10**9, description="the question that was answered last; refused if it was not")},
    {"judge": _JUDGE},
)
_PROBE = schema.thing(
    {},
    {
        "step": schema.integer(
            -(10**9), 10**9, description="the question to ask again; without it, one candidate twice"
        ),
        "judge": schema.name(0, description="who is asked; by default who was asked before"),
    },
)
_CANDIDATE = schema.table(schema.scalar(), MOST_VALUES, 1, description="a value for each variable")
_ENQUEUE = schema.thing({"candidate": _CANDIDATE}, {"against": _CANDIDATE, "judge": _JUDGE})
_RATING = schema.thing(
    {
        "level": {
            "type": ["integer", "string"],
            "minimum": 1,
            "maximum": MOST_LEVELS,
            "minLength": 1,
            "maxLength": LONGEST_NAME,
            "description": "a level of the study's scale: its number, 1 is worst, or its word",
        },
        "answer_id": schema.name(description="made by the client; repeated, it returns the first record"),
    },
    {
        "candidate": _CANDIDATE,
        "step": _STEP,
        "side": schema.words(*SIDES, description="which candidate of the question"),
        "seconds": schema.maybe(schema.number(0, 1e9, description="the response time")),
        "note": _NOTE,
        "sure": _SURE,
        "judge": _JUDGE,
    },
)
_HINT = schema.thing(
    {"kind": schema.words(*HINTS, description="what the hint says")},
    {
        "variable": schema.maybe(
            schema.name(description="of more, less, fix and free; free without one lets go of everything")
        ),
        "candidate": schema.maybe(
            _CANDIDATE
            | {"description": "by default the best so far; of fix, the value alone, or any candidate that has it"}
        ),
        "questions": schema.maybe(
            schema.integer(1, MOST_QUESTIONS, description="how many near applies to; by default 5")
        ),
        "within": schema.maybe(
            schema.number(0, 1, description="how far near reaches, a share of each range; by default 0.1")
        ),
        "answer_id": schema.maybe(schema.name(description="made by the client; repeated, it returns the first record")),
        "note": _NOTE,
        "judge": _JUDGE,
    },
)
_SUGGESTED = {"kind": schema.words(*HINTS), "variable": schema.maybe(schema.name())}
_SUGGESTED |= {name: _HINT["properties"][name] for name in ("candidate", "questions", "within")}
_SUGGESTED |= {"why": schema.text(description="for the person who confirms it")}
_SUGGESTIONS = schema.thing({"suggestions": payloads.several(schema.thing(_SUGGESTED))})
_HISTORY = schema.thing({"history": payloads.several(payloads.ENTRY)})
_ANSWER = "/studies/{study}/answers/{step}"

OPERATIONS = (
    Operation(
        "GET",
        "/studies/{study}/question",
        get_question,
        JUDGES,
        payloads.CURRENT,
        query={"judge": _JUDGE},
        pool="propose",
    ),
    Operation("GET", "/studies/{study}/questions/{step}", find_question, gives=payloads.QUESTION),
    Operation("POST", "/studies/{study}/answers", give_answer, JUDGES, payloads.SAVED, takes=ANSWER),
    Operation("POST", "/studies/{study}/undo", undo_answer, JUDGES, payloads.CURRENT, takes=_UNDO),
    Operation("POST", "/studies/{study}/probe", probe_again, JUDGES, payloads.CURRENT, takes=_PROBE),
    Operation("POST", "/studies/{study}/enqueue", enqueue_candidate, JUDGES, payloads.CURRENT, takes=_ENQUEUE),
    Operation("POST", "/studies/{study}/ratings", rate_candidate, JUDGES, payloads.SAVED, takes=_RATING),
    Operation("POST", "/studies/{study}/hints", give_hint, JUDGES, payloads.SAVED, takes=_HINT),
    Operation(
        "POST",
        f"{_ANSWER}/suggest",
        suggest_hints,
        JUDGES,
        _SUGGESTIONS,
        takes=schema.thing({}),
        pool="suggest",
        refuses=(502,),
    ),
    Operation("POST", f"{_ANSWER}/correct", correct_answer, JUDGES, payloads.SAVED, takes=_CORRECTION),
    Operation("POST", f"{_ANSWER}/remove", remove_answer, JUDGES, payloads.SAVED, takes=_NOTED),
    Operation("POST", f"{_ANSWER}/restore", restore_answer, JUDGES, payloads.SAVED, takes=_NOTED),
    Operation(
        "GET",
        "/studies/{study}/history",
        list_answers,
        gives=_HISTORY,
        query={"judge": schema.name(0, description="only this judge")},
    ),
)
