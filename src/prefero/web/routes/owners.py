"""What only an owner does: change a study, pause it, put it away, and look after invitations."""

from __future__ import annotations

from typing import Any

import segno

from prefero.errors import InputError
from prefero.space import Space
from prefero.space.space import variable_from_dict
from prefero.space.variables import Variable
from prefero.storage import Invitation
from prefero.study.checks import LONGEST_NAME, MOST_COMPARISONS, checked_name
from prefero.web import access, payloads, schema
from prefero.web.access import OWNER
from prefero.web.operation import Call, Operation
from prefero.web.refusals import Refusal
from prefero.web.routes.studies import MOST_VARIABLES, VARIABLE, get_study

LONGEST_CODE = 1_000
"""Characters of a text that is drawn as a QR code; a phone cannot read much more from a screen."""
_SWITCHES = ("paused", "archived", "deleted")


def change_study(call: Call) -> Any:
    """Change a study: what it is called and asks, its bounds, a quota; pause, archive or delete it, or take that back."""
    body = call.body
    _change_log(call)
    changes = {key: access.now() if body[key] else None for key in _SWITCHES if key in body}
    if "quota" in body:
        changes["quota"] = body["quota"]
    if changes:
        call.storage.arrange(call.study, changes)
        call.services.arrangements.forget(call.study)
    if body.get("deleted"):
        return {"deleted": call.study}
    return get_study(call)


def _change_log(call: Call) -> None:
    """Change what is part of the log."""
    body, who = call.body, call.caller.name
    settings = {key: body[key] for key in ("title", "question", "comparisons") if key in body}
    if "title" in settings:
        checked_name("title", settings["title"])  # before the space is changed: all of it happens, or nothing
    if "variables" in body:
        study = call.fresh()
        if not isinstance(study.space, Space):
            raise Refusal(422, "variables: this study chooses from a table, whose rows cannot be changed")
        changed = {row["name"]: _variable(row) for row in body["variables"]}
        space = Space(study.space.variables | changed, study.space.constraints, fixed=study.space.fixed)
        study.change_space(space, body.get("fill", {}), who=who)
    elif "fill" in body:
        raise Refusal(422, "fill: only with new variables")
    if settings:
        call.fresh().log.change_settings(**settings, who=who)


def _variable(row: dict[str, Any]) -> Variable:
    try:
        return variable_from_dict(row)
    except InputError as error:
        raise Refusal(422, f"{row['name']}, {error}") from None


def list_invitations(call: Call) -> Any:
    """The invitations that were not accepted yet and have not expired, without their secrets."""
    now = access.now()
    waiting = [each for each in call.storage.invitations(call.study) if each.used is None and each.expires > now]
    return {"invitations": [_shown(each) for each in waiting]}


def _shown(invitation: Invitation) -> dict[str, Any]:
    kept = ("judge", "created", "expires", "inviter")
    return {"id": invitation.digest} | {key: getattr(invitation, key) for key in kept}


def revoke_invitation(call: Call) -> Any:
    """Take back an invitation that was not accepted yet."""
    wanted = call.path["digest"]
    own = [each.digest for each in call.storage.invitations(call.study)]
    if wanted not in own or not call.storage.revoke_invitation(wanted):
        raise Refusal(404, "there is no such invitation, or it was accepted")
    return {"revoked": wanted}


def draw_code(call: Call) -> Any:
    """A text as a QR code: the side of the square, and the dark parts as the path of an SVG element."""
    code = segno.make(call.body["text"], error="m", micro=False)
    rows = [
        f"M{x} {y}h1v1h-1z"
        for y, row in enumerate(code.matrix_iter(border=code.default_border_size))
        for x, dark in enumerate(row)
        if dark
    ]
    return {"size": code.symbol_size()[0], "path": "".join(rows)}


_CHANGE = schema.thing(
    {},
    {
        "title": schema.text(LONGEST_NAME, description="what people see instead of the name, which stays"),
        "question": schema.text(1_000, 1),
        "comparisons": schema.integer(1, MOST_COMPARISONS, description="about how many answers"),
        "variables": schema.listing(VARIABLE, MOST_VARIABLES, 1, description="the new bounds, and new variables"),
        "fill": schema.table(
            schema.scalar(), MOST_VARIABLES, description="the values of new variables for the candidates so far"
        ),
        "quota": schema.maybe(
            schema.integer(1, MOST_COMPARISONS, description="how many answers each judge is asked for; null: no limit")
        ),
        "paused": schema.flag(description="whether nobody is asked; answers to questions that are out are taken"),
        "archived": schema.flag(description="whether the list of studies hides it"),
        "deleted": schema.flag(description="whether it is deleted, to be brought back within thirty days"),
    },
)
_INVITATION = schema.thing(
    {"id": payloads.TEXT} | dict.fromkeys(("judge", "created", "expires", "inviter"), payloads.TEXT)
)
_CODE = schema.thing({"size": payloads.COUNT, "path": payloads.TEXT})
_CHANGED = {"anyOf": [payloads.STUDY, schema.thing({"deleted": payloads.TEXT})]}

OPERATIONS = (
    Operation("PATCH", "/studies/{study}", change_study, OWNER, _CHANGED, takes=_CHANGE),
    Operation(
        "GET",
        "/studies/{study}/invitations",
        list_invitations,
        OWNER,
        schema.thing({"invitations": payloads.several(_INVITATION)}),
    ),
    Operation(
        "DELETE",
        "/studies/{study}/invitations/{digest}",
        revoke_invitation,
        OWNER,
        schema.thing({"revoked": payloads.TEXT}),
    ),
    Operation("POST", "/qr", draw_code, OWNER, _CODE, takes=schema.thing({"text": schema.text(LONGEST_CODE, 1)})),
)
