"""Whose request it is, behind proxies that are trusted and before others that are not."""

import pytest

from prefero.errors import InputError
from prefero.web.proxies import Proxies
from tests.complaints import complaint

TRUSTED = Proxies(["10.0.0.1", "192.168.0.0/16", "fd00::/8"])


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("10.0.0.1", ["203.0.113.7"], "203.0.113.7"),
        ("10.0.0.1", ["6.6.6.6, 203.0.113.7"], "203.0.113.7"),  # what the client wrote itself is not believed
        ("10.0.0.1", ["6.6.6.6, 203.0.113.7, 192.168.1.2"], "203.0.113.7"),  # two proxies
        ("10.0.0.1", ["6.6.6.6", "203.0.113.7"], "203.0.113.7"),
        ("10.0.0.1", ["203.0.113.7:4711"], "203.0.113.7"),
        ("10.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        ("10.0.0.1", ["::ffff:203.0.113.7"], "203.0.113.7"),
        ("fd00::5", ["203.0.113.7"], "203.0.113.7"),
        ("fd00::5%eth0", ["203.0.113.7"], "203.0.113.7"),
        ("10.0.0.1", ["fe80::1%x GET /forged 200"], "fe80::1"),  # a zone may be any text
        ("::ffff:10.0.0.1", ["203.0.113.7"], "203.0.113.7"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", ["203.0.113.7, unknown"], "10.0.0.1"),
        ("10.0.0.1", ["unknown, 192.168.1.2"], "192.168.1.2"),
        ("10.0.0.1", ["192.168.1.2, 192.168.1.3"], "192.168.1.2"),
        ("10.0.0.2", ["203.0.113.7"], "10.0.0.2"),  # a stranger's header is ignored
        ("203.0.113.9", ["10.0.0.1"], "203.0.113.9"),
        ("", ["203.0.113.7"], ""),
    ],
)
def test_the_list_is_believed_as_far_as_trusted_proxies_wrote_it(peer, forwarded, client):
    headers = [(b"host", b"x"), *((b"x-forwarded-for", given.encode()) for given in forwarded)]
    assert TRUSTED.client(peer, headers) == client


def test_without_proxies_nobody_is_believed():
    assert Proxies([]).client("10.0.0.1", [(b"x-forwarded-for", b"203.0.113.7")]) == "10.0.0.1"


def test_what_is_no_address_is_said():
    with complaint(InputError, "proxies", "nginx", "10.0.0.5"):
        Proxies(["nginx"])


def guesses(service, address, times):
    headers = {"X-Forwarded-For": address}
    return [service.owner.get("/api/v1/me", token=f"prefero_{k}", headers=headers).status for k in range(times)]


def test_who_guesses_behind_a_proxy_is_told_apart_from_others(make_service):
    service = make_service(failures=3, proxies=("127.0.0.1",))
    assert guesses(service, "203.0.113.7", 5) == [401] * 3 + [429] * 2
    assert guesses(service, "203.0.113.8", 1) == [401]
    assert guesses(service, "203.0.113.9, 203.0.113.7", 1) == [429]


def test_who_writes_the_header_without_a_proxy_gains_nothing(make_service):
    service = make_service(failures=3)
    assert [guesses(service, f"203.0.113.{k}", 1)[0] for k in range(5)] == [401] * 3 + [429] * 2
