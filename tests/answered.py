"""Studies that somebody has answered, in every shape that a result may have to show."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import prefero as pf
from prefero.answers import Comparison, History

LONG = "the pressure behind the second valve, five minutes after start"
RIGHT_TO_LEFT = "عتبة الصوت"
MARKUP = '<script>alert("$x$ & \\frac")</script>'


def history_of(*comparisons: tuple[int, int, int]) -> History:
    """Answers about eight samples along a line."""
    return History(np.linspace(-1, 1, 8)[:, None], np.ones(8, bool), tuple(Comparison(*c) for c in comparisons))


def every_kind(**options: Any) -> pf.Study:
    """A study of every kind of variable."""
    kinds = {
        "gain": pf.Real(0.01, 100, log=True, unit="dB"),
        "offset": pf.Real(-1, 1),
        "taps": pf.Integer(1, 8),
        "window": pf.Choice(["hann", "flat", "cosine"]),
    }
    return pf.Study.create(pf.Space(kinds), **{"comparisons": 12, "seed": 3, "name": "filter"} | options)


def catalogue() -> pf.Study:
    """A study of flats."""
    rows = [
        {"rent": 700 + 90 * k, "rooms": 1 + k % 4, "balcony": k % 3 == 0, "street": f"street {k}", "town": "Lucca"}
        for k in range(12)
    ]
    return pf.Study(pf.Catalogue(rows), comparisons=8, seed=0)


def strange() -> pf.Study:
    """A study whose texts are long, run from right to left, or look like something else."""
    kinds = {
        LONG: pf.Real(0, 1),
        RIGHT_TO_LEFT: pf.Choice(["هادئ", "צליל", MARKUP]),
        MARKUP: pf.Integer(0, 3, unit="<b>"),
    }
    return pf.Study.create(pf.Space(kinds), comparisons=6, seed=1, name='"R&D" <1>', question=f"{MARKUP}\nماذا تفضل؟")


def dislike(candidate: pf.Candidate) -> float:
    """Lower is better: numbers near the middle of what a dial shows, and the first levels."""
    return sum(abs(v - 0.4) if isinstance(v, int | float) else len(v) / 10 for v in candidate.values())


def answered(study: pf.Study, answers: int, judges: Sequence[str] = ("",), seconds: float | None = None) -> pf.Study:
    """The study after so many more answers, of judges who take turns; the last of several disagrees with the rest."""
    for k in range(answers):
        judge = judges[k % len(judges)]
        question = study.ask(judge)
        better = dislike(question.a) < dislike(question.b)
        if len(judges) > 1 and judge == judges[-1]:
            better = not better
        study.tell(question, "a" if better else "b", seconds=None if seconds is None else seconds + k)
    return study
