"""What people said: comparisons, the history they form, and contradictions among them; all immutable values."""

from prefero.answers.comparison import (
    ANSWERS,
    FIRST_IMPORTED,
    UNACCEPTABLE,
    Answer,
    Comparison,
    Level,
    Preference,
    as_answer,
    as_level,
    as_preference,
    as_unacceptable,
    much,
)
from prefero.answers.contradictions import contradicting, contradictions
from prefero.answers.history import History, incumbent, loses_to

__all__ = [
    "ANSWERS",
    "FIRST_IMPORTED",
    "UNACCEPTABLE",
    "Answer",
    "Comparison",
    "History",
    "Level",
    "Preference",
    "as_answer",
    "as_level",
    "as_preference",
    "as_unacceptable",
    "contradicting",
    "contradictions",
    "incumbent",
    "loses_to",
    "much",
]
