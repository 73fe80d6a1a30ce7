"""The handlers of all routes, and the list of operations: each stands next to its handler."""

from prefero.web.operation import Operation
from prefero.web.routes import answers, insights, measured, owners, people, studies

OPERATIONS: tuple[Operation, ...] = (
    *studies.OPERATIONS,
    *answers.OPERATIONS,
    *insights.OPERATIONS,
    *measured.OPERATIONS,
    *people.OPERATIONS,
    *owners.OPERATIONS,
)
