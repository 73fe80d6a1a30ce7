"""What the answers say beyond the recommendation, for the page's Result and for whoever draws their own figures.

All of it is of the posterior, whatever proposed: the paper's own surrogate is not meant as a utility.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from prefero.errors import InputError
from prefero.study import Study
from prefero.web import payloads, schema
from prefero.web.access import Caller
from prefero.web.operation import Call, Operation
from prefero.web.refusals import Refusal

MOST_RANKED = 20
NOBODY: dict[str, Any] = {"advice": None, "runner_up": None, "ranking": [], "importance": {}}


def get_insight(call: Call) -> Any:
    """Whether to stop, who would win, what matters, and how consistent the answers are."""
    return call.live.think(call.study, lambda study: _insight(study, call.caller))


def _insight(study: Study, caller: Caller) -> Any:
    own = caller.role == "judge"
    if own and any(judge != caller.name for judge in study.judges):
        raise Refusal(403, "several people judge this study: what all of them say is for its owner")
    return (_learned(study) if study.n_comparisons else NOBODY) | {"person": _person(study)}


def _learned(study: Study) -> dict[str, Any]:
    means, spreads = study.utility(study.candidates)
    best = study.best
    seen = [k for k, candidate in enumerate(study.candidates) if candidate != best]
    order = sorted(seen, key=lambda k: -means[k])
    first = [k for k, candidate in enumerate(study.candidates) if candidate == best]
    ranking = [
        {"candidate": dict(study.candidates[k]), "utility": float(means[k]), "spread": float(spreads[k])}
        for k in (first + order)[:MOST_RANKED]
    ]
    return {
        "advice": _advice(study),
        "runner_up": _runner_up(study, order[0]) if first and order else None,
        "ranking": ranking,
        "importance": study.importance(),
    }


def _advice(study: Study) -> Any:
    try:
        return dict(vars(study.advice()))
    except InputError:  # no two feasible candidates were compared yet
        return None


def _runner_up(study: Study, index: int) -> Any:
    candidate = study.candidates[index]
    return {"candidate": dict(candidate), "probability": study.probability(study.best, candidate)}


def _person(study: Study) -> dict[str, int]:
    said = Counter(entry.answer for entry in study.answers if entry.status == "effective")
    counts = {word: said[word] for word in ("a", "same", "b", "skipped")}
    return counts | {"contradictions": study.contradictions}


_SHARE = {"type": "number"}
_ADVICE = schema.thing(
    {"stop": schema.flag(), "reason": payloads.TEXT, "probability_best": _SHARE, "expected_gain": _SHARE}
)
_NULL = {"type": "null"}
INSIGHT = schema.thing(
    {
        "advice": {"anyOf": [_ADVICE, _NULL]},
        "runner_up": {"anyOf": [schema.thing({"candidate": payloads.CANDIDATE, "probability": _SHARE}), _NULL]},
        "ranking": payloads.several(
            schema.thing({"candidate": payloads.CANDIDATE, "utility": _SHARE, "spread": _SHARE})
        ),
        "importance": payloads.free(description="the share of each variable"),
        "person": schema.thing(dict.fromkeys(("a", "same", "b", "skipped", "contradictions"), payloads.COUNT)),
    }
)

OPERATIONS = (Operation("GET", "/studies/{study}/insight", get_insight, gives=INSIGHT, thinks=True),)
