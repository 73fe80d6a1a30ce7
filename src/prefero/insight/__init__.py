"""The results of a study for people: values that each have a sentence and a table. `prefero.insight.plots` draws them.

| function | returns |
|---|---|
| `verdict` | the recommendation, the probability that it beats the runner-up, whether to stop and why |
| `development` | the best candidate after each answer, with its utility as known today |
| `slices` | the utility along each variable, with the others at the recommendation |
| `ranking` | the best candidates seen, and the probability that each beats the next |
| `importance` | how much each variable matters |
| `consistency` | contradictions, repeated pairs, side bias and response times of each judge |
| `judges` | the recommendation of each judge's answers alone, and the pairs the judges disagree about |
| `second_thoughts` | the answers that deserve a second look, and whether a judge's taste has changed |
| `panel` | what is best for all judges, for the worst-off and for each; weights, reliabilities, and where tastes differ |

All utilities and probabilities come from the posterior of the answers, whichever proposer asked.
"""

from prefero.insight.doubts import Drift, Look, SecondThoughts, second_thoughts
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
from prefero.insight.panels import Disputed, Member, PanelFound, panel
from prefero.insight.people import Consistency, Judges, Person, Share, consistency, judges
from prefero.insight.slicing import Slice, slices
from prefero.insight.tables import Column, Table

__all__ = [
    "NO_BEST",
    "Column",
    "Consistency",
    "Development",
    "Disputed",
    "Drift",
    "Importance",
    "Judges",
    "Look",
    "Member",
    "Moment",
    "PanelFound",
    "Person",
    "Ranked",
    "Ranking",
    "SecondThoughts",
    "Share",
    "Slice",
    "Table",
    "Verdict",
    "consistency",
    "development",
    "importance",
    "judges",
    "panel",
    "ranking",
    "second_thoughts",
    "slices",
    "verdict",
]
