"""What people said: comparisons, the history they form, and contradictions among them; all immutable values."""

from prefero.answers.comparison import FIRST_IMPORTED, Answer, Comparison, Preference, as_answer, as_preference
from prefero.answers.contradictions import contradicting, contradictions
from prefero.answers.history import History, incumbent, loses_to

__all__ = [
    "FIRST_IMPORTED",
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
