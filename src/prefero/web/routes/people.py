"""Tokens, invitations, and who the caller is."""

from __future__ import annotations

from typing import Any

from prefero import __version__
from prefero.storage import Token
from prefero.study.checks import checked_name
from prefero.web import access, payloads, schema
from prefero.web.access import INVITATION_HOURS, MOST_HOURS, OWNER, ROLES, TOKEN_HOURS
from prefero.web.operation import Call, Operation
from prefero.web.refusals import Refusal

_HOURS = {"type": "number", "exclusiveMinimum": 0, "maximum": MOST_HOURS, "description": "how long it is valid"}


def whoami(call: Call) -> Any:
    """The caller's role, study and name, the server's version, and whether it suggests hints from reasons."""
    caller, suggests = call.caller, call.services.suggesting.offered
    told = {"role": caller.role, "study": caller.study, "name": caller.name}
    return told | {"prefero": __version__, "suggests": suggests}


def create_token(call: Call) -> Any:
    """Make a token; this reply is the only one that shows it."""
    body = call.body
    study = body.get("study", call.caller.study)
    call.caller.check(OWNER, study)
    if study is None:
        call.caller.check_unbound()
    label = checked_name("label", body["label"], empty=False)
    hours = body.get("hours", TOKEN_HOURS)
    secret, token = access.make_token(call.storage, body["role"], study=study, label=label, hours=hours)
    return _shown(secret, token)


def _shown(secret: str, token: Token) -> dict[str, Any]:
    return {"token": secret} | payloads.of_token(token)


def list_tokens(call: Call) -> Any:
    """The tokens that this one may revoke, without their secrets."""
    return {"tokens": [payloads.of_token(token) for token in _own(call)]}


def _own(call: Call) -> list[Token]:
    return [token for token in call.storage.tokens() if call.caller.study in (None, token.study)]


def revoke_token(call: Call) -> Any:
    """Revoke a token."""
    wanted = call.path["digest"]
    if wanted not in [token.digest for token in _own(call)]:
        raise Refusal(404, "there is no such token")
    if not call.storage.revoke_token(wanted, access.now()):
        raise Refusal(409, "this token is already revoked")
    return {"revoked": wanted}


def create_invitation(call: Call) -> Any:
    """Invite a judge; the invitation works once, until it expires."""
    judge = checked_name("judge", call.body["judge"], empty=False)
    hours = call.body.get("hours", INVITATION_HOURS)
    inviter = checked_name("inviter", call.body.get("inviter", ""))
    secret, invitation = access.make_invitation(call.storage, call.study, judge, hours, inviter)
    return {
        "invitation": secret,
        "path": f"/join?invitation={secret}",
        "study": invitation.study,
        "judge": judge,
        "expires": invitation.expires,
    }


def accept_invitation(call: Call) -> Any:
    """Exchange an invitation for a judge's token; it works once."""
    return _shown(*access.accept_invitation(call.storage, call.body["invitation"]))


_ROLE = schema.words(*ROLES)
_STUDY: schema.Schema = {"type": ["string", "null"]}
_SELF = schema.thing(
    {
        "role": _ROLE,
        "study": _STUDY,
        "name": payloads.TEXT,
        "prefero": payloads.TEXT,
        "suggests": schema.flag(description="whether the owner's program suggests hints from reasons"),
    }
)
_SECRET = schema.thing({"token": payloads.TEXT} | payloads.TOKEN["properties"])
_NEW_TOKEN = schema.thing(
    {"role": _ROLE, "label": schema.name(description="a judge's name, or whose token it is")},
    {"study": schema.maybe(schema.name(description="for this study only")), "hours": _HOURS},
)
_INVITED = schema.thing(dict.fromkeys(("invitation", "path", "study", "judge", "expires"), payloads.TEXT))

OPERATIONS = (
    Operation("GET", "/me", whoami, gives=_SELF),
    Operation("GET", "/tokens", list_tokens, OWNER, schema.thing({"tokens": payloads.several(payloads.TOKEN)})),
    Operation("POST", "/tokens", create_token, OWNER, _SECRET, takes=_NEW_TOKEN, status=201, refuses=(404,)),
    Operation(
        "DELETE", "/tokens/{digest}", revoke_token, OWNER, schema.thing({"revoked": payloads.TEXT}), refuses=(404, 409)
    ),
    Operation(
        "POST",
        "/studies/{study}/invitations",
        create_invitation,
        OWNER,
        _INVITED,
        takes=schema.thing(
            {"judge": schema.name()},
            {"hours": _HOURS, "inviter": schema.name(0, description="who invites, as the judge knows them")},
        ),
        status=201,
    ),
    Operation(
        "POST",
        "/invitations/accept",
        accept_invitation,
        None,
        _SECRET,
        takes=schema.thing({"invitation": schema.text(200, 1)}),
        status=201,
        refuses=(403,),
    ),
)
