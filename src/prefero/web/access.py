"""Tokens and invitations: who may come in, as what, to which study.

A secret is 32 random bytes, shown once; the database holds its SHA-256. A judge's token carries the judge's name as its
label, and answers under no other. An invitation lets a judge make a token, once, before it expires.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

from prefero.storage import Invitation, Storage, Token
from prefero.web.refusals import Refusal

Role = Literal["owner", "judge", "viewer"]
ROLES: tuple[Role, ...] = get_args(Role)
OWNER = frozenset({"owner"})
JUDGES = frozenset({"owner", "judge"})
READERS = frozenset({"owner", "viewer"})
ANYBODY = frozenset(ROLES)
TOKEN_HOURS, INVITATION_HOURS = 720.0, 72.0
"""How long tokens and invitations are good unless something else is asked for: a month, three days."""
MOST_HOURS = 87_600.0
PREFIX = "prefero_"
"""So that a secret that went astray can be recognised for what it is."""


@dataclass(frozen=True)
class Caller:
    """Who makes a request: a role, the only study it is for (None: every study), a name, and the token's digest."""

    role: str
    study: str | None
    name: str
    token: str | None = None

    def judge(self, given: str | None) -> str:
        """The judge that a request speaks for: its own for a judge, whichever is named for an owner."""
        if self.role != "judge":
            return given or ""
        if given not in (None, self.name):
            raise Refusal(403, f"this token answers for {self.name!r} alone")
        return self.name

    def sees_all(self, judges: Iterable[str]) -> bool:
        """Whether what these judges say together may be told: to a judge only where there is no other."""
        return self.role != "judge" or all(judge == self.name for judge in judges)

    def check(self, roles: frozenset[str], study: str | None) -> None:
        """A Refusal unless the role is one of these, and the study the token's."""
        if self.role not in roles:
            raise Refusal(403, f"a token of the role {self.role} may not do this; {' or '.join(sorted(roles))} may")
        if self.study is not None and study is not None and study != self.study:
            raise Refusal(403, f"this token is for the study {self.study!r} alone")

    def check_unbound(self) -> None:
        """A Refusal if the token is for one study."""
        if self.study is not None:
            raise Refusal(403, f"this token is for the study {self.study!r} alone")


def digest(secret: str) -> str:
    """What the database holds of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def now(hours: float = 0.0) -> str:
    """The time, so many hours from now, as the database has it."""
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat(timespec="milliseconds")


def make_token(
    storage: Storage, role: Role, *, study: str | None = None, label: str = "", hours: float | None = TOKEN_HOURS
) -> tuple[str, Token]:
    """A new token, and what the database holds of it; this is the only time it is seen."""
    secret = PREFIX + secrets.token_urlsafe(32)
    token = Token(digest(secret), role, study, label, now(), None if hours is None else now(hours))
    storage.add_token(token)
    return secret, token


def make_invitation(
    storage: Storage, study: str, judge: str, hours: float = INVITATION_HOURS
) -> tuple[str, Invitation]:
    """A new invitation for a judge of one study."""
    secret = PREFIX + secrets.token_urlsafe(32)
    invitation = Invitation(digest(secret), "judge", study, judge, now(), now(hours))
    storage.add_invitation(invitation)
    return secret, invitation


def accept_invitation(storage: Storage, secret: str) -> tuple[str, Token]:
    """The token that an invitation is good for; a Refusal where it is none, was used or has expired."""
    invitation = storage.take_invitation(digest(secret), now())
    if invitation is None:
        raise Refusal(403, "this invitation is unknown, was used already or has expired: ask for a new one")
    return make_token(storage, "judge", study=invitation.study, label=invitation.judge)


def valid_token(storage: Storage, key: str) -> Token:
    """Return the token with that digest; a Refusal if it is unknown or was revoked."""
    found = storage.tokens(key)
    if not found:
        raise Refusal(401, "the token is unknown", {"WWW-Authenticate": "Bearer"})
    if found[0].revoked is not None:
        raise revoked()
    return found[0]


def revoked() -> Refusal:
    """Return what the holder of a revoked token is told."""
    return Refusal(401, "the token was revoked", {"WWW-Authenticate": "Bearer"})


def caller_of(token: Token) -> Caller:
    """Return who holds a token; a Refusal if it has expired."""
    if token.expires is not None and token.expires <= now():
        raise Refusal(401, "the token has expired", {"WWW-Authenticate": "Bearer"})
    return Caller(token.role, token.study, token.label, token.digest)
