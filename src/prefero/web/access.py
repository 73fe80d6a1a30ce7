"""Tokens and invitations: who may use the service, in which role, for which study.

A secret is 32 random bytes, shown once; the database holds its SHA-256. A judge's token has the judge's name as its label, and
answers under that name only. An invitation lets a judge make one token before it expires.
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
"""How long tokens and invitations are valid by default: thirty days, and three."""
KEPT_HOURS = 720.0
"""How long a deleted study can be brought back: thirty days."""
MOST_HOURS = 87_600.0
"""The longest validity that may be asked for: ten years."""
PREFIX = "prefero_"
"""Every secret begins with it, so that scanners recognise a leaked one."""


@dataclass(frozen=True)
class Caller:
    """The holder of a token: a role, the only study it is for (None for every study), a name, and the token's digest."""

    role: str
    study: str | None
    name: str
    token: str | None = None

    def judge(self, given: str | None) -> str:
        """Return the judge that a request answers for: a judge's own name, or the one that an owner names."""
        if self.role != "judge":
            return given or ""
        if given not in (None, self.name):
            raise Refusal(403, f"this token answers for {self.name!r} only")
        return self.name

    def sees_all(self, judges: Iterable[str]) -> bool:
        """Return whether the holder may see all judges' answers together: a judge may if there is no other judge."""
        return self.role != "judge" or all(judge == self.name for judge in judges)

    def check(self, roles: frozenset[str], study: str | None) -> None:
        """Raise a Refusal unless the role is one of these and the token is valid for the study."""
        if self.role not in roles:
            raise Refusal(403, f"the role {self.role} may not do this; {' or '.join(sorted(roles))} may")
        if self.study is not None and study is not None and study != self.study:
            raise Refusal(403, f"this token is for the study {self.study!r} alone")

    def check_unbound(self) -> None:
        """Raise a Refusal if the token is for one study only."""
        if self.study is not None:
            raise Refusal(403, f"this token is for the study {self.study!r} alone")


def digest(secret: str) -> str:
    """Return the SHA-256 of a secret, which is all that the database holds."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def now(hours: float = 0.0) -> str:
    """Return the time that many hours from now, as the database writes it."""
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat(timespec="milliseconds")


def make_token(
    storage: Storage, role: Role, *, study: str | None = None, label: str = "", hours: float | None = TOKEN_HOURS
) -> tuple[str, Token]:
    """Store a new token, and return its secret with what was stored; nothing can show the secret again."""
    secret = PREFIX + secrets.token_urlsafe(32)
    token = Token(digest(secret), role, study, label, now(), None if hours is None else now(hours))
    storage.add_token(token)
    return secret, token


def make_invitation(
    storage: Storage, study: str, judge: str, hours: float = INVITATION_HOURS, inviter: str = ""
) -> tuple[str, Invitation]:
    """Store a new invitation for a judge of one study, and return its secret with what was stored."""
    secret = PREFIX + secrets.token_urlsafe(32)
    invitation = Invitation(digest(secret), "judge", study, judge, now(), now(hours), inviter=inviter)
    storage.add_invitation(invitation)
    return secret, invitation


def accept_invitation(storage: Storage, secret: str) -> tuple[str, Token]:
    """Make the token that an invitation promises; a Refusal if it is unknown, was used or has expired."""
    own = PREFIX + secrets.token_urlsafe(32)

    def token_of(invitation: Invitation) -> Token:
        return Token(digest(own), "judge", invitation.study, invitation.judge, now(), now(TOKEN_HOURS))

    accepted = storage.accept_invitation(digest(secret), now(), token_of)
    if accepted is None:
        raise Refusal(403, "this invitation is unknown, already used or expired: ask for a new one")
    return own, accepted[1]


def valid_token(storage: Storage, key: str) -> Token:
    """Return the token with that digest; a Refusal if it is unknown or was revoked."""
    found = storage.tokens(key)
    if not found:
        raise Refusal(401, "the token is unknown", {"WWW-Authenticate": "Bearer"})
    if found[0].revoked is not None:
        raise revoked()
    return found[0]


def revoked() -> Refusal:
    """Return the Refusal for a revoked token."""
    return Refusal(401, "the token was revoked", {"WWW-Authenticate": "Bearer"})


def caller_of(token: Token) -> Caller:
    """Return who holds a token; a Refusal if it has expired."""
    if token.expires is not None and token.expires <= now():
        raise Refusal(401, "the token has expired", {"WWW-Authenticate": "Bearer"})
    return Caller(token.role, token.study, token.label, token.digest)
