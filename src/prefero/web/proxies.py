"""Trusted proxies: for which address a request was made.

Behind a proxy, every connection comes from the proxy. It appends the address of its client to the header X-Forwarded-For. Whatever
stands before that was written by the client, so the list is read from the right, and only as far as trusted proxies wrote it.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence

from prefero.errors import InputError

FORWARDED = b"x-forwarded-for"
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Proxies:
    """The addresses and networks of trusted proxies."""

    def __init__(self, trusted: Iterable[str]) -> None:
        self._networks = [_network(given) for given in trusted]

    def __contains__(self, address: str) -> bool:
        found = _address(address)
        return found is not None and self._trust(found)

    def _trust(self, address: _Address) -> bool:
        return any(address in network for network in self._networks)

    def client(self, peer: str, headers: Sequence[tuple[bytes, bytes]]) -> str:
        """Return the address that a request comes from: the connection's, or the one that trusted proxies name."""
        if not self._networks or peer not in self:
            return peer
        listed = b",".join(value for name, value in headers if name == FORWARDED)
        client = peer
        for given in reversed(listed.decode("latin-1").split(",")):
            address = _address(given.strip())
            if address is None:
                break
            client = str(address)
            if not self._trust(address):
                break
        return client


def _network(given: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(given, strict=False)
    except ValueError:
        raise InputError.of("proxies", given, "addresses or networks, such as 10.0.0.5 or 10.0.0.0/8") from None


def _address(text: str) -> _Address | None:
    """Return an address without its port and zone, if there are any; IPv4 in IPv6's notation is IPv4.

    A zone, as in fe80::1%eth0, is any text: it could hold what looks like the rest of a line in the log.
    """
    bare = text[1:].partition("]")[0] if text.startswith("[") else text
    bare = bare.partition("%")[0]
    if bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
