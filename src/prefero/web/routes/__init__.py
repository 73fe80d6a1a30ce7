"""What the routes do, and the list of all of them: each is data, next to the function that does it."""

from prefero.web.operation import Operation
from prefero.web.routes import answers, insights, measured, people, studies

OPERATIONS: tuple[Operation, ...] = (
    *studies.OPERATIONS,
    *answers.OPERATIONS,
    *insights.OPERATIONS,
    *measured.OPERATIONS,
    *people.OPERATIONS,
)
