"""What people said: comparisons, the history they make, and answers that contradict each other. Values, never changed in place."""

from prefero.answers.comparison import Answer, Comparison, Preference, as_answer, as_preference
from prefero.answers.contradictions import contradicting, contradictions
from prefero.answers.history import ROUNDING, History, incumbent, loses_to

__all__ = [
    "ROUNDING",
    "Answer",
    "Comparison",
    "History",
    "Preference",
    "as_answer",
    "as_preference",
    "contradicting",
    "contradictions",
    "incumbent",
    "loses_to",
]
