"""State: what stands after the records of a log.

A state is a value. `after(record)` checks that the record's event can come next and returns the state that follows, whether the
event happens now or was appended by another process. `State.of` replays a log: the same check and the same fold for each record,
with the samples derived once, at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from prefero.answers import (
    ANSWERS,
    DIRECTIONS,
    PAIR,
    RATED,
    History,
    as_answer,
    as_efforts,
    as_kind,
    as_kinds,
    rated_level,
)
from prefero.answers.orders import KINDS, fits
from prefero.errors import FormatError, PreferoError, QuestionError, shorten
from prefero.models.population import Others
from prefero.proposers.posterior import Posterior
from prefero.proposers.protocol import Proposer
from prefero.space import Candidate, Domain
from prefero.space.arrays import ROUNDING, Matrix, Vector
from prefero.storage.events import (
    Answered,
    Asked,
    Corrected,
    Created,
    Event,
    Failed,
    Hinted,
    Imported,
    Measured,
    ProposerChanged,
    Rated,
    Record,
    Rejected,
    Removed,
    Restored,
    SettingsChanged,
    Skipped,
    SpaceChanged,
    Undone,
)
from prefero.study import checks, sources
from prefero.study.growing import GrowingDict, GrowingList
from prefero.study.questions import Question
from prefero.study.samples import CANDIDATES, REJECTED, SKIPPED, Samples

RESERVED = 60
"""A question that waits holds its pair back from others until so many further questions were asked."""
Status = Literal["effective", "undone", "removed"]


@dataclass(frozen=True)
class Response:
    """What was said about one question, and whether it counts.

    step: the question's number; imported comparisons, ratings and hints have −1, −2, … in the order they came.
    said: one of `answers.ANSWERS`, `UNACCEPTABLE` or `RATED`, "skipped", "a failed" or "b failed"; a hint, `Hinted.said`;
        "candidates" of an import without comparisons, which no question, entry or amendment is about.
    row: of an imported comparison, its row in the event.
    sure: False if the person was not sure.
    reason: of the last correction that has one.
    """

    step: int
    said: str
    record: Record
    status: Status = "effective"
    corrected: bool = False
    row: int = 0
    sure: bool = True
    reason: str = ""


def answers_question(said: str, asked: Asked | None) -> bool:
    """Return whether a word or an order, as it is stored, is an answer to a question; None stands for an imported comparison."""
    return fits(said, as_kind(asked.kind)) if asked is not None and asked.more else said in ANSWERS


def rejects(said: str, asked: Asked | None) -> bool:
    """Return whether a text, as it is stored, calls a candidate of a question not acceptable, or all of them."""
    return asked is not None and said in [f"{side} {REJECTED}" for side in (*asked.shown, "both")]


def _allowed(asked: Asked | None) -> str:
    several = asked is not None and asked.more
    return f"the orders that a question {asked.kind!r} takes" if asked and several else ", ".join(ANSWERS)


def _is_well_formed(asked: Asked) -> bool:
    """Return whether a question shows as many candidates as its kind says, each of them once."""
    if not asked.more:
        return asked.kind == str(PAIR) and not asked.order
    size = len(asked.candidates)
    kind = KINDS.get(asked.kind)
    return kind is not None and kind.size == size and sorted(asked.order) == list(range(size))


class State:
    """What stands after the records so far. Never changed once it is made."""

    def __init__(self) -> None:
        self.records: GrowingList[Record] = GrowingList()
        self.settings: Created | None = None  # as they are now
        self.space_data: dict[str, Any] = {}
        self.proposer_data: dict[str, Any] = {}
        self.fill: dict[str, Any] = {}  # values of variables that were added later
        self.asked: GrowingDict[int, Asked] = GrowingDict()  # by step
        self.waiting: dict[str, int] = {}  # the step that waits, by judge and slot: `Asked.seat`
        self.responses: GrowingDict[int, Response] = GrowingDict()  # in the order given; imports have negative steps
        self.imported = 0  # how many comparisons were imported, and ratings and hints given, whether they count or not
        self.measured: GrowingList[Measured] = GrowingList()
        self._measured_of: dict[Candidate, Measured] | None = None  # made when it is first needed
        self.by_answer_key: GrowingDict[str, Record] = GrowingDict()
        self.space: Domain
        self.proposer: Proposer
        self.samples: Samples
        self.start: list[Candidate]  # the user's own candidates that the space admits
        self.start_points: Matrix
        self.others: Others | None  # the sources of the prior

    @classmethod
    def of(
        cls, records: Sequence[Record], space: Any = None, proposer: Any = None, *, if_function: Proposer | None = None
    ) -> State:
        """Replay a log. FormatError if its records do not fit together.

        `space` and `proposer` replace what the log describes; they are needed if those hold functions, which no log does.
        `if_function` is a proposer to use only in that case.
        """
        state = cls()
        try:
            for record in records:
                state._check(record.event)
                state._fold(record)
            created = state.created
            checks.checked_count("comparisons", created.comparisons)
            checks.checked_seed(created.seed)
            checks.checked_sides(created.sides)
            as_kinds(created.offered)
            if not set(as_efforts(created.efforts)) <= {*created.offered}:
                raise FormatError.of("efforts", created.efforts, f"seconds of the kinds {created.offered}")
            if proposer is None and if_function is not None:
                name = if_function.to_dict()["name"]
                proposer = if_function if name == state.proposer_data.get("name") not in checks.PROPOSERS else None
            state._settle(checks.space_of(state.space_data, space), checks.proposer_of(state.proposer_data, proposer))
        except FormatError:
            raise
        except (PreferoError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise FormatError(f"the study does not fit together: {shorten(str(error), 200)}") from error
        return state

    def after(self, record: Record, space: Domain | None = None, proposer: Proposer | None = None) -> State:
        """Return the state that follows; QuestionError if the event cannot come next.

        `space` and `proposer` are those of an event that changes them, if they hold functions.
        """
        self._check(record.event)
        following = self._copy()
        responses = following._fold(record)
        match record.event:
            case SpaceChanged(space=data):
                following._settle(space or checks.space_of(data), self.proposer)
            case ProposerChanged(proposer=data):
                following.proposer = proposer or checks.proposer_of(data)
                if following.slow != self.slow:
                    following.samples = Samples.of(following, following.space)
            case Undone(step=step) | Removed(step=step):
                following.samples = self.samples.without(step) or Samples.of(following, following.space)
            case Corrected() | Restored():
                following.samples = Samples.of(following, following.space)
            case _ if responses:
                following.samples = self.samples.copy()
                for response in responses:
                    following.samples.add(response, following)
        return following

    def _copy(self) -> State:
        copied = State.__new__(State)
        copied.__dict__.update(self.__dict__)
        copied.waiting = self.waiting.copy()
        return copied

    # What can be read -------------------------------------------------------------------------------------------------

    @property
    def created(self) -> Created:
        """What the study was created with; title, question and comparisons as they are now."""
        if self.settings is None:
            raise FormatError("the study does not begin with its creation")
        return self.settings

    @property
    def slow(self) -> float | None:
        """How many times the usual time an answer takes that counts as unsure, if the proposer says so."""
        return self.proposer.slow if isinstance(self.proposer, Posterior) else None

    @property
    def history(self) -> History:
        """All samples and effective answers, in the box."""
        return self.samples.history

    @property
    def answers(self) -> int:
        """How many answers to questions count, without those that were imported."""
        return self.samples.answered

    @property
    def effective(self) -> Iterator[Response]:
        """The responses that count, in order."""
        return (response for response in self.responses.values() if response.status == "effective")

    def has_answer(self, step: int) -> bool:
        """Return whether something was said about that question or imported comparison, whether it counts or not."""
        return step in self.responses and self.responses[step].said != CANDIDATES

    def said_before(self, judge: str, answer_id: str | None) -> Record | None:
        """Return the record that has a judge's `answer_id` already; None without an id, which is no repetition."""
        return None if answer_id is None else self.by_answer_key.get(f"{judge}\n{answer_id}")

    def judge(self, step: int) -> str:
        """Return whose question that is, or who made that imported comparison."""
        if step >= 0:
            return self.asked[step].judge
        response = self.responses[step]
        judges = getattr(response.record.event, "judges", ())
        return str(judges[response.row]) if judges else response.record.who

    def question(self, step: int) -> Question:
        """Return the question of that number, its sides as they were shown, or an imported comparison as one.

        A rating has its candidate as A, and no B. So has a hint that is about one.
        """
        if step < 0:
            event, row = self.responses[step].record.event, self.responses[step].row
            if isinstance(event, Rated | Hinted):
                about = self.samples.complete(event.candidate) if event.candidate else Candidate({})
                return Question(step, about, Candidate({}), "", self.judge(step))
            assert isinstance(event, Imported)
            i, j, _ = event.comparisons[row]
            a, b = (self.samples.complete(event.candidates[k]) for k in (i, j))
            return Question(step, a, b, "", self.judge(step))
        asked = self.asked[step]
        a, b, *more = (self.samples.complete(values) for values in asked.shown.values())
        return Question(step, a, b, asked.note, asked.judge, tuple(more), asked.kind)

    def measured_of(self, candidate: Candidate) -> Measured:
        """Return what was measured about a candidate of the space, the newest value of each name."""
        return self.measurements.get(candidate, Measured(dict(candidate)))

    @property
    def measurements(self) -> Mapping[Candidate, Measured]:
        """What was measured about each candidate, the newest value of each name."""
        if self._measured_of is None:
            found: dict[Candidate, Measured] = {}
            for event in self.measured:
                about = self.samples.complete(event.candidate)
                merged = found.setdefault(about, Measured(dict(about)))
                merged.numbers.update(event.numbers)
                merged.files.update(event.files)
            self._measured_of = found
        return self._measured_of

    def points(self, step: int) -> tuple[Vector, ...]:
        """Return the candidates of a question as points of the box, the incumbent first."""
        return tuple(self.space.encode(self.samples.complete(values)) for values in self.asked[step].candidates)

    @property
    def reserved(self) -> list[tuple[Vector, ...]]:
        """The questions that wait, which nobody else is asked: not those that waited while many others were asked.

        The judge of such a question may have left. It still waits for them, but no longer holds its pair back.
        """
        oldest = len(self.asked) - RESERVED
        shown = {str(self.asked[step].candidates): step for step in self.waiting.values()}
        return [self.points(step) for step in shown.values() if step >= oldest]

    def waiting_for(self, judge: str) -> list[int]:
        """Return the questions that wait for a judge, oldest first."""
        return sorted(step for step in self.waiting.values() if self.asked[step].judge == judge)

    def free_slot(self, judge: str) -> int:
        """Return the first slot of a judge in which no question waits."""
        used = {self.asked[step].slot for step in self.waiting_for(judge)}
        return next(slot for slot in range(len(used) + 1) if slot not in used)

    def last_response(self, judge: str | None) -> Response | None:
        """Return the last effective response of a judge, or of anybody if judge is None."""
        for response in map(self.responses.__getitem__, reversed(self.responses)):
            own = response.said != CANDIDATES and (judge is None or self.judge(response.step) == judge)
            if own and response.status == "effective":
                return response
        return None

    def candidates(self) -> Iterator[dict[str, Any]]:
        """Every candidate that was shown or imported."""
        for asked in self.asked.values():
            yield from asked.candidates
        for response in self.responses.values():
            if isinstance(response.record.event, Imported) and response.row == 0:
                yield from response.record.event.candidates
            elif isinstance(response.record.event, Rated | Hinted) and response.record.event.candidate:
                yield response.record.event.candidate

    def may_wait_again(self, step: int) -> bool:
        """Return whether a question may be shown again: inside the current bounds, and nothing failed in another question."""
        asked = self.asked[step]
        elsewhere = [values for r in self.effective if r.step != step for values in self.ruled_out(r.step, r.said)]
        complete = all(set(values) == set(self.space.present(values)) for values in asked.candidates)
        inside = all(np.abs(x).max() <= 1 + ROUNDING for x in self.points(step))
        return complete and inside and not any(values in elsewhere for values in asked.candidates)

    def ruled_out(self, step: int, said: str) -> list[dict[str, Any]]:
        """Return the candidates of a question that an answer rules out: those that failed or are not acceptable."""
        side, _, what = said.partition(" ")
        if step < 0 or what not in ("failed", "unacceptable"):  # a hint may be about a variable of that name
            return []
        shown = self.asked[step].shown
        return list(shown.values()) if side == "both" else [shown[side]]

    # Which event can come next ----------------------------------------------------------------------------------------

    def _check(self, event: Event) -> None:
        """Raise a QuestionError that says why an event cannot come next."""
        reason = self._refusal(event)
        if reason:
            raise QuestionError(reason)

    def _refusal(self, event: Event) -> str:
        """Return why an event cannot come next; "" if it can."""
        if isinstance(event, Created):
            return "the study was created already" if self.records else ""
        if not self.records:
            return "the study does not begin with its creation"
        match event:
            case Asked(step=step, judge=judge):
                if step != len(self.asked):
                    return f"the next question has number {len(self.asked)}, not {step}"
                if not _is_well_formed(event):
                    return f"question {step} does not show what its kind, {shorten(event.kind)}, asks for"
                waits = self.waiting.get(event.seat)
                return "" if waits is None else f"question {waits} waits for {judge or 'an answer'} already"
            case Answered() | Skipped() | Failed() | Rejected():
                return self._response_refusal(event)
            case Undone(step=step):
                last = self.last_response(self.judge(step)) if step in self.responses else None
                return "" if last is not None and last.step == step else f"question {step} was not answered last"
            case Corrected() | Removed() | Restored():
                return self._amendment_refusal(event)
            case Imported() | Rated() | Hinted():
                return self._import_refusal(event)
        return ""

    def _response_refusal(self, event: Answered | Skipped | Failed | Rejected) -> str:
        asked = self.asked.get(event.step)
        if asked is None:
            return f"question {event.step} was never asked"
        waits = self.waiting.get(asked.seat)
        if waits != event.step:
            response = self.responses.get(event.step)
            answered = response is not None and response.status == "effective"
            became = "has been answered already" if answered else "no longer waits for an answer"
            return f"question {event.step} {became}; " + (
                "fetch the current question" if waits is None else f"question {waits} waits now"
            )
        if self.said_before(asked.judge, event.answer_id) is not None:
            return f"answer_id {event.answer_id!r} is taken"
        if isinstance(event, Answered) and not answers_question(event.answer, asked):
            return f"answer: {shorten(event.answer)} is none of {_allowed(asked)}"
        if isinstance(event, Failed | Rejected):
            sides = [*asked.shown] + ["both"] * isinstance(event, Rejected)
            return "" if event.side in sides else f"side: {shorten(event.side)} is none of {', '.join(sides)}"
        return ""

    def _import_refusal(self, event: Imported | Rated | Hinted) -> str:
        if isinstance(event, Hinted):
            return self._hint_refusal(event)
        if isinstance(event, Rated):
            levels = len(self.created.scale)
            return "" if 1 <= event.level <= levels else f"level: {event.level} is not on the scale from 1 to {levels}"
        last_row = len(event.candidates) - 1
        for i, j, said in event.comparisons:
            if not (0 <= i <= last_row and 0 <= j <= last_row and i != j and said in (-2, -1, 0, 1, 2)):
                return "comparisons: a row does not name two different candidates and an answer"
        if not all(type(row) is int and 0 <= row < len(event.comparisons) for row in event.unsure):
            return "unsure: it does not hold numbers of comparisons"
        if event.judges and len(event.judges) != len(event.comparisons):
            return f"judges: there are {len(event.judges)} for {len(event.comparisons)} comparisons"
        return ""

    def _hint_refusal(self, event: Hinted) -> str:
        if event.since != len(self.asked):
            return f"since: the next question has number {len(self.asked)}, not {event.since}"
        if event.kind in DIRECTIONS:
            return (
                "" if event.variable and event.candidate else f"a hint {event.kind!r} needs a variable and a candidate"
            )
        if event.kind == "near":
            fits = event.candidate and event.questions >= 1 and 0 < event.within <= 1
            return "" if fits else "a hint 'near' needs a candidate, a number of questions and a share of each range"
        if event.kind == "fix":
            return "" if event.variable and list(event.fixed) == [event.variable] else "a hint 'fix' needs a value"
        return "" if event.kind == "free" else f"there is no hint {shorten(event.kind)}"

    def _amendment_refusal(self, event: Corrected | Removed | Restored) -> str:
        if not self.has_answer(event.step):
            return f"question {event.step} was not answered or skipped"
        response = self.responses[event.step]
        now = f"question {event.step} is {response.said!r} and {response.status}"
        if isinstance(event, Restored):
            return f"{now}: only a removed or undone answer can be restored" if response.status == "effective" else ""
        if response.status != "effective":
            verb = "corrected" if isinstance(event, Corrected) else "removed"
            return f"{now}: only an effective answer can be {verb}"
        if isinstance(event, Corrected):
            asked = self.asked.get(event.step)
            rated = rated_level(response.said) > 0
            known = answers_question(response.said, asked) or rejects(response.said, asked)
            if not rated and response.said != SKIPPED and not known:
                return f"{now}: only an answer, a rating or a skip can be corrected"
            scale = RATED[: len(self.created.scale)]
            said = answers_question(event.answer, asked) or (rejects(event.answer, asked) and event.sure)
            fitting = event.answer in scale if rated else said
            if not fitting or (event.answer, event.sure) == (response.said, response.sure):
                return f"{now}: correct it to another of {', '.join(scale) if rated else _allowed(asked)}"
        return ""

    # What an event changes --------------------------------------------------------------------------------------------

    def _fold(self, record: Record) -> tuple[Response, ...]:  # noqa: C901 (one case for each event)
        """Take a record in; return the responses that it adds to what counts, if it does only that."""
        self.records = self.records.plus(record)
        if record.answer_key is not None:
            self.by_answer_key = self.by_answer_key.plus(record.answer_key, record)
        match record.event:
            case Created(space=space, proposer=proposer) as created:
                self.settings, self.space_data, self.proposer_data = created, space, proposer
            case SettingsChanged() as change:
                self.settings = change.of(self.created)
            case Asked(step=step) as asked:
                self.asked = self.asked.plus(step, asked)
                self.waiting[asked.seat] = step
            case Answered(step=step, answer=answer, sure=sure):
                return (self._respond(step, answer, record, sure),)
            case Skipped(step=step):
                return (self._respond(step, SKIPPED, record),)
            case Failed(step=step, side=side, candidate=candidate):
                # Other judges cannot judge this candidate either: withdraw their questions about it.
                self._withdraw([candidate])
                return (self._respond(step, f"{side} failed", record),)
            case Rejected(step=step, side=side):
                said = f"{side} unacceptable"
                self._withdraw(self.ruled_out(step, said))
                return (self._respond(step, said, record),)
            case Imported(comparisons=rows, unsure=unsure):
                earlier, self.imported = self.imported, self.imported + max(1, len(rows))
                if not rows:
                    return (self._add(Response(-1 - earlier, CANDIDATES, record)),)
                return tuple(
                    self._add(Response(-1 - earlier - k, as_answer(said), record, row=k, sure=k not in unsure))  # type: ignore[arg-type]
                    for k, (_, _, said) in enumerate(rows)
                )
            case Rated(level=level, sure=sure):
                self.imported += 1
                return (self._add(Response(-self.imported, f"rated {level}", record, sure=sure)),)
            case Hinted() as hint:
                self.imported += 1
                return (self._add(Response(-self.imported, hint.said, record)),)
            case Undone() | Corrected() | Removed() | Restored():
                self._amend(record.event)
            case SpaceChanged(space=space, fill=fill):
                self.space_data, self.fill = space, self.fill | dict(fill)
                self.waiting = {}  # a waiting pair may lie outside the new bounds
            case ProposerChanged(proposer=proposer):
                self.proposer_data = proposer
            case Measured():
                self.measured = self.measured.plus(record.event)
                self._measured_of = None
        return ()

    def _respond(self, step: int, said: str, record: Record, sure: bool = True) -> Response:
        self.waiting.pop(self.asked[step].seat, None)
        self.responses = self.responses.minus(step)  # the new answer replaces one that was undone, and comes last
        return self._add(Response(step, said, record, sure=sure))

    def _add(self, response: Response) -> Response:
        self.responses = self.responses.plus(response.step, response)
        return response

    def _withdraw(self, ruled_out: Sequence[Mapping[str, Any]]) -> None:
        """Let no question wait that shows a candidate which failed or is not acceptable."""
        if ruled_out:
            self.waiting = {j: k for j, k in self.waiting.items() if not any(self._shows(k, c) for c in ruled_out)}

    def _shows(self, step: int, candidate: Mapping[str, Any]) -> bool:
        return candidate in self.asked[step].candidates

    def _amend(self, event: Undone | Corrected | Removed | Restored) -> None:
        response = self.responses[event.step]
        seat = self.asked[event.step].seat if event.step >= 0 else None  # no question waits for an imported comparison
        match event:
            case Undone(waits=waits):
                response = replace(response, status="undone")
                if seat is not None:
                    self.waiting.pop(seat, None)
                    if waits:
                        self.waiting[seat] = event.step
            case Corrected(answer=answer, sure=sure, note=note):
                reason = note or response.reason
                response = replace(response, said=answer, sure=sure, corrected=True, reason=reason)
                self._withdraw(self.ruled_out(event.step, answer))
            case Removed():
                response = replace(response, status="removed")
            case Restored():
                response = replace(response, status="effective")
                if seat is not None and self.waiting.get(seat) == event.step:
                    del self.waiting[seat]
        self.responses = self.responses.plus(event.step, response)

    def _settle(self, space: Domain, proposer: Proposer) -> None:
        """Derive the samples in a space; FormatError if a logged candidate is not one of it."""
        self.space, self.proposer = space, proposer
        self.samples = Samples.of(self, space)
        self._measured_of = None
        for response in self.responses.values():
            hinted = response.record.event
            if isinstance(hinted, Hinted) and hinted.variable and hinted.variable not in space.names:
                raise FormatError.of("variable", hinted.variable, f"a variable of the space: {list(space.names)}")
        for shown in dict.fromkeys(map(self.samples.complete, self.candidates())):
            if space.candidate(shown) != shown:
                raise FormatError.of("candidate", dict(shown), "a candidate of the space")
        own = [space.candidate(self.samples.complete(values)) for values in self.created.start]
        self.start = [candidate for candidate in own if space.admits(candidate)]
        points = [space.encode(candidate) for candidate in self.start]
        self.start_points = np.array(points).reshape(-1, space.dimension)
        self.others = sources.others(self.created.prior, space, self.samples.complete)
