"""The API's description as a page: every route is there, from the OpenAPI document, and nothing from elsewhere."""

import re
from html import unescape

from prefero.web.described import described
from prefero.web.operation import PREFIX
from prefero.web.routes import OPERATIONS


def test_every_route_is_described_without_a_token(owner):
    page = owner.get("/api", token=None).body.decode()
    told = re.findall(r"<code><b>([A-Z]+)</b> ([^<]+)</code>", page)
    assert sorted(told) == sorted((operation.method, PREFIX + operation.path) for operation in OPERATIONS)
    for operation in OPERATIONS:
        assert operation.summary in unescape(page)


def test_it_loads_nothing_from_elsewhere_and_has_no_script():
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//|<script|style=", described())


def test_fields_say_what_they_may_be():
    page = unescape(described())
    for words in ("integer, 1 to", '"random" or "incumbent first"', "list of", "string or null", "the only candidates"):
        assert words in page
