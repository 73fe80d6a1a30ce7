"""What a study found, for people to look at: values with a sentence in words and a table each; `prefero.insight.plots` draws them.

| function | tells |
|---|---|
| `verdict` | the recommendation, how it stands against the runner-up, whether to stop and why |
| `development` | what was best after each answer, as good as it is known today |
| `slices` | the utility along each variable, the others as recommended |
| `ranking` | the best candidates seen, and the chance that each beats the next |
| `importance` | how much hangs on each variable |
| `consistency` | contradictions, repeated pairs, the lean to a side and response times of each judge |
| `judges` | what each judge's answers alone recommend, and where the judges disagree |

Utilities and chances are of the posterior of the answers, whatever proposed.
"""

from prefero.insight.findings import (
    NO_BEST,
    Development,
    Importance,
    Moment,
    Ranked,
    Ranking,
    Verdict,
    development,
    importance,
    ranking,
    verdict,
)
from prefero.insight.people import Consistency, Judges, Person, Share, consistency, judges
from prefero.insight.slicing import Slice, slices
from prefero.insight.tables import Column, Table

__all__ = [
    "NO_BEST",
    "Column",
    "Consistency",
    "Development",
    "Importance",
    "Judges",
    "Moment",
    "Person",
    "Ranked",
    "Ranking",
    "Share",
    "Slice",
    "Table",
    "Verdict",
    "consistency",
    "development",
    "importance",
    "judges",
    "ranking",
    "slices",
    "verdict",
]
