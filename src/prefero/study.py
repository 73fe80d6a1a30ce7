"""Study: a space, a history and a proposer over time. The only thing with state.

What happened is the log of events; everything else is derived from it. Randomness is a function of (seed, step), step
the number of questions asked so far, skipped and undone ones included, so that no generator state is kept or lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from prefero import answers, checks, events, insight
from prefero.answers import History, outcome, word
from prefero.arrays import Vector
from prefero.catalogue import Catalogue
from prefero.checks import DEFAULT_PROPOSER, as_proposer, as_space
from prefero.domain import Domain
from prefero.errors import FormatError, InputError, NameTakenError, QuestionError
from prefero.events import (
    QUESTION,
    Answered,
    Artifact,
    Corrected,
    Created,
    Event,
    Failed,
    Imported,
    Measured,
    ProposerChanged,
    Record,
    Removed,
    Restored,
    Skipped,
    Undone,
)
from prefero.foresight import Foreseen, Foresight
from prefero.insight import Advice
from prefero.journal import Journal, new_record
from prefero.panel import Disagreement, Entry, Question, Standing, disagreements, entries, of_judge
from prefero.proposers.base import Proposal, Proposer, Task, compared, left_to_ask
from prefero.proposers.outcomes import knowing
from prefero.proposing import Proposing
from prefero.shelf import Shelf, as_artifacts
from prefero.space import Candidate, Space
from prefero.surrogates.learned import Learned

if TYPE_CHECKING:
    from prefero.storage import Storage

Sides = Literal["random", "incumbent first"]
Side = Literal["a", "b"]
_AMENDS = {
    Corrected: "an answer or a skip that counts can be corrected",
    Removed: "what counts can be removed",
    Restored: "what was removed or undone can be restored",
}


def _door(room: str, name: str, extra: str) -> Callable[..., Any]:
    try:
        return getattr(import_module(room), name)  # type: ignore[no-any-return]
    except ModuleNotFoundError as error:
        raise InputError(f"{name} needs {error.name}: pip install 'prefero[{extra}]'") from None


class Study:
    """Ask and tell, for any answer that is not a function.

    >>> study = Study(Space.box([0, 0], [1, 1]), comparisons=30, seed=0)
    >>> question = study.ask()
    >>> record = study.tell(question, "a")

    space: a Space, a Catalogue, or (lower, upper).
    comparisons: the expected number of answers, which may be exceeded.
    seed: makes the study repeatable; drawn, and kept, if not given.
    proposer: "posterior", "glisp" (the paper's method) or "pbo", one of them configured, or a function of the history.
    start: the user's own candidates, asked about first.
    sides: "random" draws which candidate is A, balanced; "incumbent first" makes the best so far A, as in the paper.
    name, storage: what the study is called and where it is kept: a database's URL, the path of a file, or a Storage.
    question: what the person is asked, in the owner's words.
    load_if_exists: open the study of that name if there is one; its space must be this one, all else is as it was stored.
    max_step: the largest change of a variable from the best candidate so far, by name, in the variable's unit.
    hide_parameters: whether the page shows the candidates by their files alone, without the values of their variables.
    """

    def __init__(
        self,
        space: Space | Catalogue | Any,
        *,
        comparisons: int = 30,
        seed: int | None = None,
        proposer: Any = DEFAULT_PROPOSER,
        start: Sequence[Any] = (),
        sides: Sides = "random",
        name: str | None = None,
        storage: str | Storage | Any = None,
        question: str = QUESTION,
        load_if_exists: bool = False,
        max_step: Mapping[str, float] | None = None,
        hide_parameters: bool = False,
    ) -> None:
        domain, asks = as_space(space), as_proposer(proposer)
        created = Created(
            space=events.plain(domain.to_dict()),
            comparisons=checks.checked_count("comparisons", comparisons),
            seed=checks.checked_seed(seed),
            proposer=events.plain(asks.to_dict()),
            start=[dict(candidate) for candidate in checks.checked_start(start, domain)],
            sides=checks.checked_sides(sides),
            name="" if name is None else checks.checked_name("name", name, empty=False),
            question=checks.checked_text("question", question),
            max_step=checks.checked_max_step(max_step, domain),
            hide_parameters=checks.checked_flag("hide_parameters", hide_parameters),
        )
        if storage is not None and not created.name:
            raise InputError.of("name", name, "a name, since the study is to be stored")
        records = [new_record(0, created, "")]
        shelf = Shelf.of(storage)
        with shelf.closed_on_error():
            try:
                shelf.create(records)
            except NameTakenError:
                if not load_if_exists:
                    raise
                self._begin(Journal(shelf, shelf.find(created.name), domain, None, asks))
            else:
                self._begin(Journal(shelf, records, domain, asks))

    def _begin(self, journal: Journal) -> None:
        self._journal = journal
        self._known: tuple[History, Learned] | None = None  # of which answers

    @classmethod
    def open(cls, name: str, storage: str | Storage | Any, *, space: Any = None, proposer: Any = None) -> Study:
        """The stored study of that name, as it is.

        `space` and `proposer` are needed where they hold functions, which a database does not: constraints, a proposer of
        one's own.
        """
        shelf = Shelf.of(storage, create=False)
        with shelf.closed_on_error():
            return cls._of(Journal(shelf, shelf.find(name), space, proposer))

    @classmethod
    def _of(cls, journal: Journal) -> Study:
        study = cls.__new__(cls)
        study._begin(journal)
        return study

    @classmethod
    def from_json(
        cls,
        text: str | bytes,
        *,
        space: Any = None,
        proposer: Any = None,
        name: str | None = None,
        storage: str | Storage | Any = None,
    ) -> Study:
        """The study that `to_json` wrote: the same history, and the same next question; stored under a name if asked to.

        `space` and `proposer` are needed where they hold functions, which JSON does not: constraints, a proposer of one's own.
        """
        records = events.loads(text)
        if not records or not isinstance(records[0].event, Created):
            raise FormatError("the study does not begin with its creation")
        journal = Journal(Shelf.of(None), records, space, proposer)
        if storage is not None or name is not None:
            called = journal.ledger.created.name if name is None else name
            renamed = replace(journal.ledger.created, name=checks.checked_name("name", called, empty=storage is None))
            journal.ledger.records[0] = replace(records[0], event=renamed)
            journal.shelf = Shelf.of(storage)
            with journal.shelf.closed_on_error():
                journal.shelf.create(journal.ledger.records, len(journal.history))
        return cls._of(journal)

    # What is known ---------------------------------------------------------------------------------------------------

    @property
    def space(self) -> Domain:
        """Where the candidates come from, as it is now."""
        return self._journal.space

    @property
    def proposer(self) -> Proposer:
        """What asks, as it is now."""
        return self._journal.proposer

    @property
    def task(self) -> Task:
        """What a proposer is told beside the history."""
        return self._journal.task

    @property
    def comparisons(self) -> int:
        """The expected number of answers."""
        return self._journal.comparisons

    @property
    def seed(self) -> int:
        """What the randomness is drawn from."""
        return self._journal.seed

    @property
    def sides(self) -> str:
        """How the sides are drawn."""
        return self._journal.sides

    @property
    def seconds(self) -> float:
        """The time spent on proposing, by this process."""
        return self._journal.seconds

    @property
    def name(self) -> str:
        """What the study is called; "" for one that was not named."""
        return self._journal.ledger.created.name

    @property
    def question(self) -> str:
        """What the person is asked, in the owner's words."""
        return self._journal.ledger.created.question

    @property
    def hide_parameters(self) -> bool:
        """Whether the page shows the candidates without the values of their variables."""
        return self._journal.ledger.created.hide_parameters

    @property
    def history(self) -> History:
        """All samples and effective answers, in the box."""
        return self._journal.history

    @property
    def records(self) -> tuple[Record, ...]:
        """Everything that happened, with when and who."""
        return tuple(self._journal.ledger.records)

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that happened."""
        return tuple(record.event for record in self._journal.ledger.records)

    @property
    def n_comparisons(self) -> int:
        """The number of answers that count."""
        return len(self._journal.samples.comparisons)

    @property
    def waiting(self) -> Question | None:
        """The question that waits for an answer of nobody in particular, if there is one."""
        return self.waiting_for("")

    def waiting_for(self, judge: str) -> Question | None:
        """The question that waits for that judge's answer, if there is one."""
        step = self._journal.ledger.waiting.get(judge)
        return None if step is None else self._journal.question(step)

    @property
    def questions(self) -> tuple[Question, ...]:
        """Every question that waits, whomever it asks, in the order they were asked."""
        return tuple(self._journal.question(step) for step in sorted(self._journal.ledger.waiting.values()))

    def asked(self, step: int) -> Question:
        """A question of this study by its number, whatever became of it."""
        if isinstance(step, bool) or not isinstance(step, int) or step not in self._journal.ledger.asked:
            raise QuestionError.of("step", step, "the number of a question that this study asked")
        return self._journal.question(step)

    @property
    def best(self) -> Candidate | None:
        """The recommendation: a candidate the person has seen, None before the first answer."""
        return self.recommend()

    def recommend(self) -> Candidate | None:
        """The candidate to stake one's name on, None before the first answer."""
        best = self._journal.proposing.best(self.history)
        return None if best is None else self._journal.samples.shown[best]

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The samples of the history, as they were shown."""
        return tuple(self._journal.samples.shown)

    @property
    def answers(self) -> tuple[Entry, ...]:
        """What was said, question by question: the pair, who, when, whether it counts and whether it contradicts another."""
        return entries(self._journal.ledger, self._journal.samples)

    @property
    def judges(self) -> tuple[str, ...]:
        """Everybody whose answers count, in the order of their first."""
        return tuple(dict.fromkeys(self._journal.samples.authors))

    def result(self, judge: str | None = None) -> Standing:
        """What is recommended, by everybody's answers or by one judge's alone."""
        if judge is None:
            return Standing(None, self.recommend(), self.n_comparisons, self.contradictions)
        if judge not in self.judges:
            raise InputError.of("judge", judge, f"somebody who answered: {list(self.judges)}")
        history = of_judge(self._journal.samples, judge)
        best = Proposing(self.proposer, self.task).best(history)
        shown = None if best is None else self._journal.samples.shown[best]
        return Standing(judge, shown, len(history), answers.contradictions(history.comparisons))

    def disagreements(self) -> tuple[Disagreement, ...]:
        """Pairs of which one judge's answers say the opposite of another's."""
        return disagreements(self._journal.samples)

    def measurements(self, candidate: Any) -> Measured:
        """What was measured about a candidate, the last of each name."""
        values = dict(self.space.candidate(candidate))
        measured = [
            m for m in self._journal.ledger.measured if dict(self._journal.samples.complete(m.candidate)) == values
        ]
        numbers, files = {}, {}
        for event in measured:
            numbers.update(event.numbers)
            files.update(event.files)
        return Measured(values, numbers, files)

    def artifact(self, digest: str) -> Artifact | None:
        """A file that was measured, by its digest."""
        return self._journal.shelf.artifact(digest)

    # What was learned: of the posterior, whatever proposed ------------------------------------------------------------

    def probability(self, a: Any, b: Any) -> float:
        """The chance that candidate a is better than candidate b."""
        A, B = (insight.matrix_of(self.space, [given]) for given in (a, b))
        return float(self._learned().probabilities(A, B)[0])

    def utility(self, candidates: Sequence[Any]) -> tuple[Vector, Vector]:
        """Mean and spread of the utility of candidates, higher is better; 1 is a typical difference over the space."""
        if isinstance(candidates, str | Mapping) or not isinstance(candidates, Iterable):
            raise InputError.of("candidates", candidates, "a list of candidates")
        return self._learned().utilities(insight.matrix_of(self.space, list(candidates)))

    def importance(self) -> dict[str, float]:
        """How much of what the person likes hangs on each variable; the shares sum to one."""
        rng = np.random.default_rng([self.seed, self.n_comparisons, 5])
        names = self.space.varying
        return dict(zip(names, insight.importance(self._learned(), self.space, rng).tolist(), strict=True))

    def advice(self) -> Advice:
        """Whether to stop, with its reason in words."""
        learned = self._learned()
        rng = np.random.default_rng([self.seed, self.n_comparisons, 6])
        seen = compared(self.history)
        best = self._journal.proposing.best(self.history)
        if best is None or seen.size < 2:
            raise InputError("advice: it needs an answer about two feasible candidates first")
        if not left_to_ask(self.history, best, self.space):
            return insight.nothing_left(learned, best, seen, rng)
        return insight.advise(learned, best, seen, self.space, rng)

    def _learned(self) -> Learned:
        if not self.n_comparisons:
            raise InputError("nothing was answered yet: the first answer is what there is to learn from")
        if self._known is None or self._known[0] is not self.history:
            rng = np.random.default_rng([self.seed, self.n_comparisons, 4])
            prefix = self.history.prefix(self.n_comparisons)
            self._known = (self.history, knowing(self.proposer).learned(prefix, self.task, rng))
        return self._known[1]

    @property
    def contradictions(self) -> int:
        """How many answers contradict others; a surrogate weighs them, nothing is refused."""
        return answers.contradictions(self.history.comparisons)

    def __repr__(self) -> str:
        called = f"{self.name!r}, " if self.name else ""
        progress = f"{self.n_comparisons} of about {self.comparisons} answers"
        return f"Study({called}{progress}, seed={self.seed}, best={self.best})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the database's connections back, where the study opened them; everything that happened is stored already."""
        self._journal.shelf.close()

    # What happens ----------------------------------------------------------------------------------------------------

    def refresh(self) -> int:
        """Read what other processes have appended; returns how many events that were."""
        return self._journal.refresh()

    def foresee(self, judge: str = "") -> Foresight | None:
        """The study as it is while a question waits for a judge, to compute in another thread what may be asked next.

        `foresight.after("a")` is for `ask`, which uses it if that was answered and nothing else happened: the question is the
        same as without it, only sooner. None where no question waits.
        """
        return Foresight.of(self._journal, checks.checked_name("judge", judge))

    def ask(self, judge: str = "", foreseen: Foreseen | None = None) -> Question:
        """The next question for a judge; the same one until it is answered, skipped or taken back."""
        checks.checked_name("judge", judge)
        proposal: Proposal | None = None

        def asked() -> Event | Record:
            nonlocal proposal
            if judge in self._journal.ledger.waiting:
                return self._journal.ledger.records[-1]  # nothing happens
            if proposal is None and foreseen is not None and foreseen.fits(self._journal.ledger.records):
                proposal = foreseen.proposal
                self._journal.proposing.take_over(foreseen.states)
            question, proposal = self._journal.next_question(judge, proposal)
            return question

        self._journal.happen(asked, judge)
        return self._journal.question(self._journal.ledger.waiting[judge])

    def tell(
        self,
        question: Question | int,
        answer: object,
        *,
        judge: str | None = None,
        answer_id: str | None = None,
        seconds: float | None = None,
        note: str = "",
    ) -> Record:
        """Record what the person said about a question: "a", "b", "same", or -1, 1, 0 as in the paper.

        answer_id: the client's own name for this answer; told again, it returns the first outcome and nothing happens.
        seconds: the response time. note: whatever the person wants to add.
        """
        said = word(outcome(answer))
        return self._say(question, judge, answer_id, seconds, note, lambda step, *rest: Answered(step, said, *rest))

    def skip(
        self,
        question: Question | int,
        *,
        judge: str | None = None,
        answer_id: str | None = None,
        seconds: float | None = None,
        note: str = "",
    ) -> Record:
        """Record that the person cannot judge; not a tie, and the next question is another one."""
        return self._say(question, judge, answer_id, seconds, note, Skipped)

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
        """Record that the candidate on side "a" or "b" could not be tried: the question is over.

        It is never recommended, and nothing within 5 % of the box around it is proposed again.
        """
        if side not in ("a", "b"):
            raise InputError.of("side", side, '"a" or "b"')

        def failed(step: int, *rest: Any) -> Failed:
            asked = self._journal.ledger.asked[step]
            return Failed(step, side, asked.second if (side == "a") == asked.swapped else asked.first, *rest)

        return self._say(question, judge, answer_id, seconds, note, failed)

    def _say(
        self,
        question: Question | int,
        judge: str | None,
        answer_id: str | None,
        seconds: float | None,
        note: str,
        event: Callable[..., Event],
    ) -> Record:
        extras = (
            checks.checked_answer_id(answer_id),
            checks.checked_seconds(seconds),
            checks.checked_text("note", note),
        )

        def said() -> Event | Record:
            if answer_id in self._journal.ledger.by_answer_id:
                return self._journal.ledger.by_answer_id[answer_id]
            return event(self._journal.checked_question(question, judge), *extras)

        return self._journal.happen(said, lambda e: self._journal.ledger.asked[e.step].judge)

    def undo(self, judge: str | None = None, step: int | None = None) -> Question | None:
        """Take the last answer, skip or failure back, a judge's or whoever's; its question, the same pair and sides, waits again.

        None where that pair may not be shown any more: a candidate failed, or the bounds have changed. `step` says which
        question is believed to be the last one: where it is not, nothing is taken back.
        """

        def undone() -> Event:
            line = self._journal.ledger.last_of(judge)
            if line is None:
                raise QuestionError("undo: there is no answer to take back")
            if step is not None and step != line.step:
                raise QuestionError.of("step", step, f"{line.step}, the question that was answered last")
            return Undone(line.step, self._journal.may_wait_again(line.step))

        event = self._journal.happen(undone, lambda e: self._journal.ledger.asked[e.step].judge).event
        assert isinstance(event, Undone)
        return self._journal.question(event.step) if event.waits else None

    def correct(self, step: int, answer: object, *, who: str = "", note: str = "") -> Record:
        """Say anew what was said about a question, whichever it was; a skip may become an answer."""
        said = word(outcome(answer))
        return self._amend(Corrected(step, said, checks.checked_text("note", note)), who)

    def remove(self, step: int, *, who: str = "", note: str = "") -> Record:
        """Let what was said about a question not count any more; it stays visible, and can be restored."""
        return self._amend(Removed(step, checks.checked_text("note", note)), who)

    def restore(self, step: int, *, who: str = "", note: str = "") -> Record:
        """Let what was removed or undone count again."""
        return self._amend(Restored(step, checks.checked_text("note", note)), who)

    def _amend(self, event: Corrected | Removed | Restored, who: str) -> Record:
        def amended() -> Event | Record:
            step = event.step
            line = self._journal.ledger.lines.get(step) if isinstance(step, int) and step >= 0 else None
            if line is None:
                raise QuestionError.of("step", step, "the number of a question that was answered or skipped")
            if isinstance(event, Corrected) and line.status == "effective" and line.said == event.answer:
                return line.record  # it says so already
            if not self._journal.ledger.fits(event):
                raise QuestionError(f"question {step} is {line.said!r}, {line.status}: {_AMENDS[type(event)]}")
            return event

        return self._journal.happen(amended, checks.checked_name("who", who))

    # Changes -----------------------------------------------------------------------------------------------------------

    def change_space(self, space: Any, fill: Mapping[str, Any] | None = None, *, who: str = "") -> Record:
        """Go on in another space: other bounds, or new variables, `fill` naming their value for the candidates that there are.

        Candidates outside the new bounds stay what they are, data; they are not proposed and not recommended. Questions
        that wait are withdrawn.
        """
        domain = as_space(space)
        author = checks.checked_name("who", who)
        return self._journal.happen(lambda: self._journal.space_change(domain, fill or {}), author, space=domain)

    def use(self, proposer: Any, *, who: str = "") -> Record:
        """Go on with another proposer."""
        asks = as_proposer(proposer)
        return self._journal.happen(
            lambda: ProposerChanged(events.plain(asks.to_dict())), checks.checked_name("who", who), proposer=asks
        )

    def import_comparisons(
        self, candidates: Sequence[Any], comparisons: Sequence[Any], *, source: str = "", who: str = ""
    ) -> Record:
        """Take comparisons made elsewhere as a warm start: rows (i, j, answer) of candidates; all of them, or none.

        An answer is about candidates[i] as A and candidates[j] as B: "a" or -1 says that the first is better.
        """
        rows = [checks.checked_row(k, row, len(candidates)) for k, row in enumerate(comparisons)]
        origin = checks.checked_text("source", source)

        def imported() -> Event:
            checked = [
                checks.checked_candidate(f"candidates[{k}]", given, self.space) for k, given in enumerate(candidates)
            ]
            return Imported([dict(candidate) for candidate in checked], rows, origin)

        return self._journal.happen(imported, checks.checked_name("who", who))

    def measure(
        self,
        candidate: Any,
        numbers: Mapping[str, float] | None = None,
        files: Mapping[str, Any] | None = None,
        *,
        who: str = "",
    ) -> Record:
        """Record what was measured about a candidate: numbers by name, files by name (bytes, or bytes with their media type)."""
        kept = as_artifacts(files or {})
        described = {name: artifact.to_dict() for name, artifact in kept.items()}
        values = checks.checked_numbers(numbers or {})

        def measured() -> Event:
            return Measured(dict(self.space.candidate(candidate)), values, described)

        return self._journal.happen(measured, checks.checked_name("who", who), artifacts=tuple(kept.values()))

    # Doors: rooms above this one, found by name when somebody asks for them ---------------------------------------------------

    def widget(self, **options: Any) -> Any:
        """The compare page in a notebook, served by a thread of this process: needs a name and a storage, and the extra `ui`.

        Options are those of `prefero.web.widget.widget`: origin, address, height, render. After answering there, `refresh`
        reads the answers into this study.
        """
        return _door("prefero.web.widget", "widget", "ui")(self, **options)

    def compare_in_terminal(self, judge: str = "", answers: int | None = None) -> None:
        """Answer question after question in this terminal with single keys, or in a notebook line by line; needs `studies`.

        judge: who answers. answers: stop after so many; None until q is pressed.
        """
        _door("prefero.cli.comparing", "in_terminal", "studies")(self, judge, answers)

    # The versioned form ----------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """The whole study, to be read by `Study.from_json`; of measured files only their digests."""
        return events.dumps(self._journal.ledger.records)
