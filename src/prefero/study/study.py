"""Study: a space, a history and a proposer over time.

What happened is the log of events; everything else is derived from it. Randomness is a function of (seed, step), where step is
the number of questions asked so far, skipped and undone ones included, so that no generator state is kept or lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal, Self, TypeAlias, TypedDict, Unpack, overload

import numpy as np

from prefero.answers import (
    SIDES,
    Answer,
    History,
    Level,
    Said,
    as_efforts,
    as_kinds,
    as_level,
    as_rating,
    as_said,
    contradicting,
)
from prefero.errors import AnswerError, ConflictError, ExhaustedError, FormatError, InputError, NameTakenError
from prefero.models.advice import by_side
from prefero.models.learned import Learned
from prefero.proposers.learning import learned_from
from prefero.proposers.protocol import Proposal, Proposer
from prefero.space import Candidate, Catalogue, Domain, Space
from prefero.space.html import table
from prefero.space.variables import plain
from prefero.storage import Memory, Storage, Summary, events, open_storage
from prefero.storage.events import (
    QUESTION,
    SCALE,
    Answered,
    Artifact,
    Created,
    Failed,
    Hinted,
    Imported,
    Rated,
    Record,
    Rejected,
    Skipped,
    Undone,
)
from prefero.study import checks
from prefero.study.checks import DEFAULT_PROPOSER, as_proposer, as_space
from prefero.study.commands import ChangeProposer, ChangeSpace, Enqueue, Import, Measure, Probe, Rate, Respond, Undo
from prefero.study.files import as_artifacts
from prefero.study.hints import Hint
from prefero.study.log import TRIES, Log, new_record
from prefero.study.lookahead import ComputedAhead
from prefero.study.questions import Entry, Question
from prefero.study.rows import answer_rows, candidate_rows, data_frame
from prefero.study.samples import history_step
from prefero.study.session import Session, question_of
from prefero.study.sources import checked_sources
from prefero.study.state import State

Sides = Literal["random", "incumbent first"]
HintKind = Literal["more", "less", "near", "fix", "free", "try"]
Side = Literal["a", "b", "c", "d", "e", "f"]
AnyProposer: TypeAlias = Proposer | Callable[..., Any] | Literal["posterior", "glisp", "pbo"]
"""A proposer, a function of the history that returns the next candidate, or the name of a built-in proposer."""
Word: TypeAlias = Answer | Literal["a unacceptable", "b unacceptable", "both unacceptable", "neither"]
"""An answer in words."""
OneOf: TypeAlias = Literal[
    "c", "d", "e", "f", "best a", "best b", "best c", "best d", "best e", "best f",
    "worst a", "worst b", "worst c", "worst d", "worst e", "worst f",
    "place 1", "place 2", "place 3", "place 4", "place 5", "place 6",
]  # fmt: skip
"""An answer about more than two candidates that names one of them."""
AnyAnswer: TypeAlias = Word | Level | np.integer[Any] | OneOf | list[str] | tuple[str, ...] | Said
"""An answer in words; a ranking, or the best and the worst, of more than two; or π as in the paper: -1 if A is better, 1 if B is
better, 0 if both are about the same; ±2: much better. `unsure(answer)`, `because(answer, reason)` and `rated(answer, b=2)` add what
was said beside it."""


Kinds: TypeAlias = str | Sequence[str] | Mapping[str, float | None]
"""A kind of question; several; or several with the seconds that each takes, None for as many as usual."""


class Settings(TypedDict, total=False):
    """What `Study` takes besides the space."""

    comparisons: int
    seed: int | None
    proposer: AnyProposer
    start: Sequence[Any]
    sides: Sides
    max_step: Mapping[str, float] | None
    prior: Sequence[Any]
    kind: Kinds


class Study:
    """Ask and tell, for answers that are not a function.

    >>> study = Study(Space.box([0, 0], [1, 1]), comparisons=30, seed=0)
    >>> question = study.ask()
    >>> record = study.tell(question, "a")

    `Study(...)` lives in memory. `Study.create` stores a new study under a name, `Study.open` opens a stored one.

    space: a Space, a Catalogue, or (lower, upper).
    comparisons: the expected number of answers to questions of the study; more may be given. Imported ones are not among them.
    seed: makes the study repeatable; drawn, and stored, if it is None.
    proposer: "posterior", "glisp" (the paper's method), "pbo", an object with the methods of a proposer, or a function of the
        history.
    start: your own candidates, asked about first.
    sides: "random" draws which candidate is A, balanced; "incumbent first" shows the best so far as A, as in the paper.
    max_step: the largest change of a variable from the best candidate so far, by name, in the variable's unit.
    prior: earlier studies, of this person or of others. What they say counts less and less as answers come, and a study that does
        not fit the answers is ignored. For a study whose variables have other names: (study, {"their name": "name here"}).
    kind: what a question asks for: "pair", or of more than two candidates "best of 4", "worst of 4", "best and worst of 4",
        "rank 4" or "insert among 3". A question that cannot be made so, as about a candidate of your own, is a pair.
        Of several, the one with the most comparisons for each second of the person's time is asked: a list, or with
        seconds other than `prefero.answers.EFFORTS`, {"pair": 4, "rank 4": 20}.
    """

    def __init__(
        self,
        space: Space | Catalogue | Any,
        *,
        comparisons: int = 30,
        seed: int | None = None,
        proposer: AnyProposer = DEFAULT_PROPOSER,
        start: Sequence[Any] = (),
        sides: Sides = "random",
        max_step: Mapping[str, float] | None = None,
        prior: Sequence[Any] = (),
        kind: Kinds = "pair",
    ) -> None:
        domain, asks, kinds = as_space(space), as_proposer(proposer), as_kinds(kind)
        created = Created(
            space=events.plain(domain.to_dict()),
            comparisons=checks.checked_count("comparisons", comparisons),
            seed=checks.checked_seed(seed),
            proposer=events.plain(asks.to_dict()),
            start=[dict(candidate) for candidate in checks.checked_start(start, domain)],
            sides=checks.checked_sides(sides),
            max_step=checks.checked_max_step(max_step, domain),
            prior=events.plain({"prior": checked_sources(prior, domain, asks)})["prior"],
            kind=str(kinds[0]),
            kinds=[str(each) for each in kinds] if len(kinds) > 1 else [],
            efforts=as_efforts(kind),
        )
        self._begin(_stored(Memory(), False, State.of([new_record(0, created, "")], domain, asks)))

    def _begin(self, log: Log) -> None:
        self._log = log
        self._session: Session | None = None
        self._learned: tuple[History, Proposer, Learned] | None = None  # of which history and proposer

    @classmethod
    def _of(cls, log: Log) -> Self:
        study = cls.__new__(cls)
        study._begin(log)
        return study

    @classmethod
    def create(
        cls,
        space: Space | Catalogue | Any,
        *,
        name: str,
        storage: str | Storage | Any = None,
        question: str = QUESTION,
        hide_parameters: bool = False,
        strengths: bool = False,
        scale: Sequence[str] = SCALE,
        ratings: bool = False,
        language: str = "",
        load_if_exists: bool = False,
        **settings: Unpack[Settings],
    ) -> Self:
        """Create a study with a name.

        Parameters
        ----------
        name: what the study is called.
        storage: a database's URL, the path of a SQLite file, or a Storage; None keeps it in memory.
        question: what the person is asked, in the owner's words.
        hide_parameters: show candidates on the page by their files alone, without the values of their variables.
        strengths: offer "much better" on the page, too; it can always be told.
        scale: words for the levels of ratings, the worst first; 2 to 10 of them.
        ratings: offer to rate each candidate on the page, too; they can always be told.
        language: of the page, such as "de"; empty for the language of each browser.
        load_if_exists: open the study of that name if there is one. Its space must be this one; its other settings stay.
        settings: as of `Study`.
        """
        study = cls(space, **settings)
        state = study._log.state
        created = replace(
            state.created,
            name=checks.checked_name("name", name, empty=False),
            question=checks.checked_text("question", question),
            hide_parameters=checks.checked_flag("hide_parameters", hide_parameters),
            strengths=checks.checked_flag("strengths", strengths),
            scale=checks.checked_scale(scale),
            ratings=checks.checked_flag("ratings", ratings),
            language=checks.checked_language(language),
        )
        named = State.of([replace(state.records[0], event=created)], state.space, state.proposer)
        kept, owned = (Memory(), False) if storage is None else open_storage(storage)
        try:
            return cls._of(_stored(kept, owned, named))
        except NameTakenError as error:
            if not load_if_exists:
                error.add_note("To go on with that study, pass load_if_exists=True.")  # no part of the message: the
                raise  # command line and the service show it, too
            return cls._opened(kept, owned, created.name, state.space, None, if_function=state.proposer)

    @classmethod
    def open(
        cls, name: str, storage: str | Storage | Any, *, space: Any = None, proposer: AnyProposer | None = None
    ) -> Self:
        """Open the stored study of that name.

        `space` and `proposer` are needed if they hold functions, which a database does not: constraints, or a proposer of
        your own.
        """
        kept, owned = open_storage(storage, create=False)
        return cls._opened(kept, owned, checks.checked_name("name", name), space, proposer)

    @classmethod
    def _opened(
        cls, storage: Storage, owned: bool, name: str, space: Any, proposer: Any, if_function: Proposer | None = None
    ) -> Self:
        try:
            number = storage.find(name)
            state = State.of(storage.read(number), space, proposer, if_function=if_function)
        except BaseException:
            if owned:
                storage.close()
            raise
        return cls._of(Log(storage, number, state, owned))

    @classmethod
    def from_json(
        cls,
        text: str | bytes,
        *,
        space: Any = None,
        proposer: AnyProposer | None = None,
        name: str | None = None,
        storage: str | Storage | Any = None,
        files: Iterable[Artifact] = (),
    ) -> Self:
        """Return the study that `to_json` wrote, with the same history and the same next question.

        `space` and `proposer` are needed if they hold functions, which JSON does not. With `name` or `storage` it is stored
        as a new study: a copy of the log whose first record has that name. `files` are stored with it.
        """
        records = events.loads(text)
        created = records[0].event if records else None
        if not isinstance(created, Created):
            raise FormatError("the study does not begin with its creation")
        if name is not None or storage is not None:
            called = checks.checked_name("name", created.name if name is None else name, empty=storage is None)
            records = [replace(records[0], event=replace(created, name=called)), *records[1:]]
        state = State.of(records, space, proposer)
        kept, owned = (Memory(), False) if storage is None else open_storage(storage)
        return cls._of(_stored(kept, owned, state, files))

    def to_json(self) -> str:
        """Return the whole study, to be read by `Study.from_json`; of measured files it holds only the digests."""
        return self._log.to_json()

    def to_frame(self, of: Literal["answers", "candidates"] = "answers") -> Any:
        """Return a pandas DataFrame with a row for each answer, or for each candidate of the history."""
        if not isinstance(of, str) or of not in ("answers", "candidates"):
            raise InputError.of("of", of, 'a row for each of "answers" or "candidates"')
        return data_frame(answer_rows(self) if of == "answers" else candidate_rows(self))

    def __repr__(self) -> str:
        state = self._log.state
        called = f"{state.created.name!r}, " if state.created.name else ""
        progress = f"{state.answers} of about {state.created.comparisons} answers"
        return f"Study({called}{progress}, seed={state.created.seed}, best={self.best})"

    def _repr_html_(self) -> str:
        state, best = self._log.state, self.best
        progress = f"{state.answers} of about {state.created.comparisons} answers"
        called = f"Study {state.created.name}" if state.created.name else "Study"
        return table({} if best is None else dict(best), caption=f"{called}: {progress}; best so far:")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database connections that this study opened; everything that happened is stored already."""
        self._log.close()

    def refresh(self) -> int:
        """Read what other processes appended; return how many events that were."""
        return self._log.refresh()

    # What is known -----------------------------------------------------------------------------------------------------

    @property
    def log(self) -> Log:
        """Everything that happened, and the way to amend it: `study.log.correct(step, "b")`."""
        return self._log

    @property
    def settings(self) -> Created:
        """What the study was created with: name, question, comparisons, seed, sides…"""
        return self._log.state.created

    @property
    def space(self) -> Domain:
        """Where the candidates come from, as it is now."""
        return self._log.state.space

    @property
    def proposer(self) -> Proposer:
        """What chooses the questions, as it is now."""
        return self._log.state.proposer

    @property
    def history(self) -> History:
        """All samples and effective answers, in the box; its length is the number of answers that count."""
        return self._log.state.history

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The samples of the history, as they were shown."""
        return tuple(self._log.state.samples.shown)

    @property
    def waiting(self) -> Mapping[str, Question]:
        """The questions that wait for an answer, by judge, oldest first; of several, the second one's key ends with " #2"."""
        state = self._log.state
        steps = sorted(state.waiting.items(), key=lambda waiting: waiting[1])
        asked = [(state.asked[step], state.question(step)) for _, step in steps]
        return MappingProxyType({a.judge + f" #{a.slot + 1}" * bool(a.slot): question for a, question in asked})

    @property
    def answers(self) -> tuple[Entry, ...]:
        """What was said, question by question: the pair, who, when, whether it counts and contradicts other answers."""
        return _entries(self._log.state)

    @property
    def best(self) -> Candidate | None:
        """The recommended candidate, always one that was shown; None before the first answer."""
        state = self._log.state
        best = self._session_of(state).best(state.history)
        return None if best is None else state.samples.shown[best]

    @property
    def learned(self) -> Learned:
        """What the answers say beyond the next question: probabilities, utilities, importance, advice."""
        state, known = self._log.state, self._learned
        if known is None or known[0] is not state.history or known[1] is not state.proposer:
            session = self._session_of(state)
            best = session.best(state.history)
            learned = learned_from(state.history, session.task, state.proposer, best, _sided(state))
            known = self._learned = (state.history, state.proposer, learned)
        return known[2]

    def _session_of(self, state: State) -> Session:
        """Return the session of the state's proposer, a new one if the proposer or the space changed."""
        session = self._session
        if session is None or not session.fits(state):
            session = self._session = Session.of(state)
        return session

    # Questions and answers ---------------------------------------------------------------------------------------------

    @overload
    def ask(self, judge: str = "", ahead: ComputedAhead | None = None, *, count: None = None) -> Question: ...

    @overload
    def ask(self, judge: str = "", ahead: ComputedAhead | None = None, *, count: int) -> tuple[Question, ...]: ...

    def ask(
        self, judge: str = "", ahead: ComputedAhead | None = None, *, count: int | None = None
    ) -> Question | tuple[Question, ...]:
        """Return the next question for a judge; the same one until it is answered, skipped or withdrawn.

        Parameters
        ----------
        judge: who is asked.
        ahead: what a `Lookahead` computed, used if the study continued as it assumed; the question is the same, only sooner.
            Or anything else that computes proposals in the study's place.
        count: return so many questions that wait together, for several test benches. They may be answered in any order; asked
            again, those that were answered are replaced by new ones. There are fewer if nothing is left to ask.
        """
        checks.checked_name("judge", judge)
        self._log.refresh()
        if not self._log.state.waiting_for(judge):
            self._log.renew_proposer()
        if count is None:
            return self._next(judge, 1, ahead)[0]
        try:
            for k in range(1, checks.checked_batch(count) + 1):
                questions = self._next(judge, k, None)
        except ExhaustedError:
            questions = tuple(map(self._log.question, self._log.state.waiting_for(judge)))
            if not questions:
                raise
        return questions

    def _next(self, judge: str, count: int, ahead: ComputedAhead | None) -> tuple[Question, ...]:
        """Return so many questions that wait for a judge, oldest first; ask one more if one is missing."""
        earlier: tuple[Session, Proposal] | None = None
        for _ in range(TRIES):
            state = self._log.state
            waiting = state.waiting_for(judge)
            if len(waiting) >= count:
                return tuple(map(state.question, waiting[:count]))
            slot = state.free_slot(judge)
            session = self._session_of(state)
            found = None if ahead is None else ahead.proposed(state)
            if found is not None:
                proposal, computed_by = found
                if computed_by is not None:
                    session.take_over(computed_by)
                if self._log.append(state, question_of(state, judge, proposal, slot), judge) is None:
                    earlier = session, proposal
                continue
            with session.lock:  # of several requests for one judge, the first proposes and the others find its question
                if self._log.state is not state:
                    continue
                # A proposal for a state that others have changed may still do, but not in another space.
                usable = earlier[1] if earlier is not None and earlier[0] is session else None
                asked, proposal = session.ask(state, judge, usable, slot)
                if self._log.append(state, asked, judge) is None:
                    earlier = session, proposal
        raise ConflictError(f"another process appended first {TRIES} times: try again")

    def enqueue(self, candidate: Any, judge: str = "", *, against: Any = None) -> Question:
        """Ask a judge about a candidate of your own next, against another one or the best one so far; return the question.

        It waits until the questions that wait for that judge already are answered. Before the first answer, the candidate meets
        one that fills the space.
        """
        checks.checked_name("judge", judge)
        self._log.refresh()
        return self._log.question(_step_of(self._log.submit(Enqueue(candidate, judge, self._session_of, against))))

    def probe(self, step: int | None = None, judge: str | None = None) -> Question:
        """Ask about an old pair again, its sides swapped; return the question.

        Both answers count. If they differ and only the new one is meant, remove the old one: `study.log.remove(step)`.

        Parameters
        ----------
        step: the question that was answered before. Without it, the best candidate so far is shown on both sides: the answer then
            tells whether the person favours a side, and counts for nothing else.
        judge: who is asked; by default who was asked before.
        """
        self._log.refresh()
        if judge is None:
            judge = "" if step is None else self._log.question(step).judge
        probe = Probe(step, checks.checked_name("judge", judge), self._session_of)
        return self._log.question(_step_of(self._log.submit(probe)))

    def tell(
        self,
        question: Question | int | tuple[Any, Any],
        answer: AnyAnswer,
        *,
        judge: str | None = None,
        answer_id: str | None = None,
        seconds: float | None = None,
        note: str = "",
        sure: bool = True,
    ) -> Record:
        """Record an answer: "a", "b" or "same", or -1, 1, 0 as in the paper; "much a", "much b", -2, 2 for much better.

        "a unacceptable", "b unacceptable" and "neither" say that nobody would take a candidate, or both, though it works. It is
        never recommended or shown again, and if the other one is acceptable, that one is better.

        To a question about more than two: "best c", or only "c"; "worst d"; ["c", "d"], the best and the worst; a ranking, best
        first, such as ["b", "a", "d", "c"]; "place 2". `question.kind` says which of these it takes.

        Parameters
        ----------
        question: the question, its number, or a pair (a, b) of any two candidates, shown by this study or not.
        judge: refuse the answer if the question belongs to another judge; of a pair, who judged it.
        answer_id: the client's own name for this answer; repeating it returns the first record and changes nothing.
        seconds: the response time. note: the reason, or anything else that the person wants to add.
        sure: False if the person is not sure; the answer then counts less if the proposer is told so (`Posterior(unsure=...)`).
        """
        given = as_said(answer)
        if given.ratings:
            return self._tell_and_rate(question, given, judge, answer_id, seconds, note, sure)
        note = checks.checked_reason(note, given.note)
        sure = checks.checked_flag("sure", sure) and checks.checked_flag("sure", given.sure)
        if isinstance(question, tuple | list):
            if seconds is not None:
                raise InputError.of(
                    "seconds", seconds, "None: of a pair that this study did not ask about, no time is kept"
                )
            return self._tell_pair(question, as_level(given.answer), judge or "", answer_id, note, sure)
        return self._respond(question, "", judge, answer_id, seconds, note, given.answer, sure)

    def _tell_and_rate(
        self,
        question: Question | int | tuple[Any, Any],
        given: Said,
        judge: str | None,
        answer_id: str | None,
        seconds: float | None,
        note: str,
        sure: bool,
    ) -> Record:
        """Record an answer and the ratings beside it; nothing if one of them is not on the scale, or of a side not shown."""
        levels = {side: as_rating(level, self.settings.scale) for side, level in given.ratings.items()}
        named = {side: None if answer_id is None else f"{answer_id}, rating of {side}" for side in levels}
        for name in named.values():
            checks.checked_answer_id(name)
        if isinstance(question, tuple | list):
            sides: Mapping[str, Any] = dict(zip(SIDES, question, strict=False))
        else:
            sides = self._log.question(question.step if isinstance(question, Question) else plain(question)).sides
        unknown = [side for side in levels if side not in sides]
        if unknown:
            raise AnswerError.of("ratings", unknown[0], f"ratings of the candidates shown, {', '.join(sides)}")
        record = self.tell(
            question,
            replace(given, ratings={}),
            judge=judge,
            answer_id=answer_id,
            seconds=seconds,
            note=note,
            sure=sure,
        )
        if not isinstance(question, tuple | list):
            judge = self._log.question(_step_of(record)).judge
        for side, level in levels.items():
            self.rate(sides[side], level, judge=judge or "", answer_id=named[side])
        return record

    def _tell_pair(
        self, pair: Sequence[Any], said: Level, judge: str, answer_id: str | None, note: str, sure: bool
    ) -> Record:
        if len(pair) != 2:
            raise InputError.of("question", pair, "a question, its number, or a pair (a, b) of two candidates")
        a, b = (checks.checked_candidate(f"question[{k}]", given, self.space) for k, given in enumerate(pair))
        if a == b:
            raise InputError.of("question", pair, "two different candidates")
        who, name = checks.checked_name("judge", judge), checks.checked_answer_id(answer_id)
        reason, unsure = checks.checked_text("note", note), [] if sure else [0]
        told = Import((a, b), [[0, 1, said]], "", [], name, reason, unsure, who)
        return self._log.submit(told)

    def skip(
        self,
        question: Question | int,
        *,
        judge: str | None = None,
        answer_id: str | None = None,
        seconds: float | None = None,
        note: str = "",
    ) -> Record:
        """Record that the person cannot judge; it is not a tie, and the next question is another one."""
        return self._respond(question, "skipped", judge, answer_id, seconds, note)

    def fail(
        self,
        question: Question | int,
        side: Side,
        *,
        judge: str | None = None,
        answer_id: str | None = None,
        seconds: float | None = None,
        note: str = "",
    ) -> Record:
        """Record that the candidate on side "a", "b", … could not be tried; this ends the question.

        The candidate is never recommended, and nothing within 1 % of the box around it is proposed again.
        """
        if not isinstance(side, str) or side not in tuple(SIDES):
            raise InputError.of("side", side, f"one of {', '.join(SIDES)}, a candidate of the question")
        return self._respond(question, f"{side} failed", judge, answer_id, seconds, note)

    def _respond(
        self,
        question: Question | int,
        said: str,
        judge: str | None,
        answer_id: str | None,
        seconds: float | None,
        note: str,
        answer: object = None,
        sure: bool = True,
    ) -> Record:
        checked = (
            checks.checked_answer_id(answer_id),
            checks.checked_seconds(seconds),
            checks.checked_text("note", note),
        )
        who = None if judge is None else checks.checked_name("judge", judge)
        return self._log.submit(Respond(question, said, who, *checked, answer, sure))

    def rate(
        self,
        candidate: Any,
        level: object,
        *,
        judge: str = "",
        answer_id: str | None = None,
        seconds: float | None = None,
        note: str = "",
        sure: bool = True,
    ) -> Record:
        """Record how good one candidate is: a level from 1, the worst, or its word; `study.settings.scale` has the words.

        A judge's new rating of a candidate replaces the old one. Ratings are answers beside the comparisons: they have negative
        numbers, as imported comparisons do, and do not count toward `comparisons`.

        Parameters
        ----------
        candidate: shown by this study or not.
        level: a number or a word of the scale.
        judge: who rates it. answer_id, seconds, note, sure: as of `tell`.
        """
        given = checks.without_ratings(as_said(level), "level")
        sure = checks.checked_flag("sure", sure) and checks.checked_flag("sure", given.sure)
        checked = (
            checks.checked_answer_id(answer_id),
            checks.checked_seconds(seconds),
            checks.checked_reason(note, given.note),
        )
        return self._log.submit(Rate(candidate, given.answer, *checked, sure, checks.checked_name("judge", judge)))

    def hint(
        self,
        kind: HintKind,
        about: Any = None,
        *,
        at: Any = None,
        n: int | None = None,
        within: float | None = None,
        judge: str = "",
        answer_id: str | None = None,
        note: str = "",
    ) -> Record:
        """Record where to look: a direction, which is learned, or what the next questions to this judge are about.

        Hints have negative numbers, as ratings do; they can be undone, removed and restored. A question that waits already stays.

        Parameters
        ----------
        kind: "more" or "less" of a variable would be better; "near": stay near a candidate for some questions; "fix" a variable
            at a value, until "free" lets it go, or everything; "try" a candidate next, as `enqueue` does.
        about: the variable of "more", "less", "fix" and "free"; the candidate of "near" and "try".
        at: the candidate, by default the best so far; of "fix" also the value alone, `{"dose": 18}`.
        n: how many questions "near" applies to, by default 5. within: how far it reaches, a share of each range, by default 0.1.
        judge: who gives the hint. answer_id, note: as of `tell`.
        """
        variable = about
        if isinstance(kind, str) and kind in ("near", "try"):
            if about is not None and at is not None:
                raise InputError.of("at", at, "the candidate once: it was given already")
            variable, at = None, about if at is None else at
        hint = Hint(
            kind,
            variable,
            at,
            n,
            within,
            checks.checked_answer_id(answer_id),
            checks.checked_text("note", note),
            checks.checked_name("judge", judge),
            self._session_of,
        )
        self._log.refresh()
        return self._log.submit(hint)

    def undo(self, judge: str | None = None, step: int | None = None) -> Question | None:
        """Take back the last answer, skip or failure of a judge, or of anybody; its question waits again, sides and all.

        Returns that question; None if the pair may no longer be shown, because a candidate failed or the bounds changed.
        `step` names the question expected to be the last one: if it is not, nothing is taken back.
        """
        who = None if judge is None else checks.checked_name("judge", judge)
        event = self._log.submit(Undo(who, plain(step))).event
        assert isinstance(event, Undone)
        return self._log.question(event.step) if event.waits else None

    # Other changes -----------------------------------------------------------------------------------------------------

    def measure(
        self,
        candidate: Any,
        numbers: Mapping[str, float] | None = None,
        files: Mapping[str, Any] | None = None,
        *,
        who: str = "",
    ) -> Record:
        """Record numbers and files about a candidate, by name; a file is bytes, or (bytes, media type)."""
        values, kept = checks.checked_numbers(numbers or {}), as_artifacts(files or {})
        return self._log.submit(Measure(candidate, values, kept, checks.checked_name("who", who)))

    def import_comparisons(
        self,
        candidates: Sequence[Any],
        comparisons: Sequence[Any],
        *,
        source: str = "",
        who: str = "",
        judges: Sequence[str] = (),
    ) -> Record:
        """Add comparisons made elsewhere as a warm start: all of them, or none.

        They are answers like any other, numbered −1, −2, … The opening asks only for the samples that they leave missing, and
        they do not count toward `comparisons`, the number of answers still to come.

        Parameters
        ----------
        candidates: what was compared.
        comparisons: rows (i, j, answer) about candidates[i] as A and candidates[j] as B; "a" or -1 if the first is better,
            `unsure("a")` if the person was not sure.
        source: where they come from. who: who imports them. judges: who made each of them; by default `who`.
        """
        for name, given in (("candidates", candidates), ("comparisons", comparisons)):
            if isinstance(given, str | bytes | Mapping) or not hasattr(given, "__len__"):
                raise InputError.of(name, given, "a list")
        if len(comparisons) > checks.MOST_COMPARISONS:
            raise InputError(
                f"comparisons: {len(comparisons)} are too many; {checks.MOST_COMPARISONS} may be imported at once"
            )
        rows = [checks.checked_row(k, row, len(candidates)) for k, row in enumerate(comparisons)]
        unsure = [k for k, (_, _, said) in enumerate(comparisons) if not as_said(said).sure]
        origin = checks.checked_text("source", source)
        importer = checks.checked_name("who", who)
        made_by = [checks.checked_name(f"judges[{k}]", judge) for k, judge in enumerate(judges)]
        if made_by and len(made_by) != len(rows):
            raise InputError.of("judges", len(made_by), f"one for each of the {len(rows)} comparisons, or none")
        if all(judge == importer for judge in made_by):
            made_by = []
        return self._log.submit(Import(tuple(candidates), rows, origin, made_by, unsure=unsure, who=importer))

    def change_space(self, space: Any, fill: Mapping[str, Any] | None = None, *, who: str = "") -> Record:
        """Continue in another space: other bounds, or new variables with `fill`, their values for the candidates so far.

        Candidates outside the new bounds stay in the history; they are not proposed or recommended. Waiting questions are
        withdrawn.
        """
        return self._log.submit(ChangeSpace(as_space(space), fill or {}, checks.checked_name("who", who)))

    def change_proposer(self, proposer: AnyProposer, *, who: str = "") -> Record:
        """Continue with another proposer."""
        return self._log.submit(ChangeProposer(as_proposer(proposer), checks.checked_name("who", who)))


def studies(storage: Any) -> list[Summary]:
    """Return the studies of a storage (a URL, a path or a Storage), oldest first."""
    kept, owned = open_storage(storage, create=False)
    try:
        return kept.studies()
    finally:
        if owned:
            kept.close()


def delete_study(name: str, storage: Any) -> None:
    """Delete a study with all its answers and files, for good."""
    kept, owned = open_storage(storage, create=False)
    try:
        kept.delete(checks.checked_name("name", name))
    finally:
        if owned:
            kept.close()


def _stored(storage: Storage, owned: bool, state: State, files: Iterable[Artifact] = ()) -> Log:
    """Store a state as a new study."""
    try:
        number = storage.create(state.records, state.answers, files)
    except BaseException:
        if owned:
            storage.close()
        raise
    return Log(storage, number, state, owned)


def _step_of(record: Record) -> int:
    """Return the number of the question that a record is about."""
    return int(record.event.step)  # type: ignore[union-attr]


def _sided(state: State) -> float:
    """Return the chance that the answers only tell which key was pressed; 0 if the sides are not random."""
    if state.created.sides != "random":
        return 0.0
    said = [response.said for response in state.effective if response.step >= 0]  # imports have no random sides
    return by_side(*(said.count(side) + said.count(f"much {side}") for side in "ab"))


def _entries(state: State) -> tuple[Entry, ...]:
    comparisons = state.history.comparisons
    odd = {c.step for c, contradicts in zip(comparisons, contradicting(comparisons), strict=True) if contradicts}
    entries = []
    for response in filter(lambda response: state.has_answer(response.step), state.responses.values()):
        event, question = response.record.event, state.question(response.step)
        assert isinstance(event, Answered | Skipped | Failed | Rejected | Rated | Hinted | Imported)
        entries.append(
            Entry(
                step=response.step,
                a=question.a,
                b=question.b,
                answer=response.said,
                who=question.judge if response.step < 0 else response.record.who,
                time=response.record.time,
                seconds=None if isinstance(event, Imported | Hinted) else event.seconds,
                note=response.reason or event.note,
                status=response.status,
                corrected=response.corrected,
                contradicts=response.status == "effective" and history_step(response.step) in odd,
                source=event.source if isinstance(event, Imported) else "",
                more=question.more,
                kind=question.kind,
                sure=response.sure,
            )
        )
    return tuple(entries)
