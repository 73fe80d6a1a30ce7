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
from prefero.answers.efforts import EFFORTS, as_efforts, as_kinds, most_telling
from prefero.answers.hint import DIRECTIONS, HINTS, Leaning, Limit, is_hint
from prefero.answers.history import History, incumbent, loses_to
from prefero.answers.orders import PAIR, SIDES, Kind, as_kind, as_order, better_pairs, is_order, narrowed
from prefero.answers.rating import MOST_LEVELS, RATED, Rating, as_rating, rated_level
from prefero.answers.said import Said, as_said, because, rated, unsure

__all__ = [
    "ANSWERS",
    "DIRECTIONS",
    "EFFORTS",
    "FIRST_IMPORTED",
    "HINTS",
    "MOST_LEVELS",
    "PAIR",
    "RATED",
    "SIDES",
    "UNACCEPTABLE",
    "Answer",
    "Comparison",
    "History",
    "Kind",
    "Leaning",
    "Level",
    "Limit",
    "Preference",
    "Rating",
    "Said",
    "as_answer",
    "as_efforts",
    "as_kind",
    "as_kinds",
    "as_level",
    "as_order",
    "as_preference",
    "as_rating",
    "as_said",
    "as_unacceptable",
    "because",
    "better_pairs",
    "contradicting",
    "contradictions",
    "incumbent",
    "is_hint",
    "is_order",
    "loses_to",
    "most_telling",
    "much",
    "narrowed",
    "rated",
    "rated_level",
    "unsure",
]
