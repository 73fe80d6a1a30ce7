"""A twentieth of what `make torture` does to the service."""

import pytest

from benchmarks.torture import postgres
from benchmarks.torture.requests import REQUESTS, by_document, from_what_is_there, target
from benchmarks.torture.swarm import ANSWERS, STUDIES, swarm

SHARE = 20


@pytest.mark.parametrize("generate", [by_document, from_what_is_there])
def test_generated_requests_never_end_in_a_5xx_and_refused_ones_write_nothing(generate):
    count = REQUESTS // SHARE // 10 * (1 if generate is by_document else 9)
    with target() as service:
        generate(service, count, lambda: None)
        assert service.tally.requests >= count
        assert min(service.tally.statuses[status] for status in (200, 201, 404, 409, 422)) > 0


def test_many_clients_and_several_servers_lose_nothing():
    with postgres.server() as url:
        account = swarm(url, ANSWERS // SHARE, STUDIES // 5)
    assert len(account.acknowledged) == ANSWERS // SHARE
