"""A space, a history and a proposer over time: the only thing with state."""

from prefero.study.questions import Entry, Question
from prefero.study.study import Study, delete_study, studies

__all__ = ["Entry", "Question", "Study", "delete_study", "studies"]
