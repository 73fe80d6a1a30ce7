"""Attempts that fail: foreign hosts and sites, no token or the wrong one, invitations used twice, too much and too often."""

import logging

import pytest

from prefero.web import access
from tests.web.conftest import answer

OWN = "http://127.0.0.1:8477"


@pytest.fixture
def cookie(service):
    """Headers of a browser that came in by the printed link."""
    reply = service.owner.get(f"/enter?token={service.owner.token}", token=None)
    return {"Cookie": reply.headers["set-cookie"].split(";")[0]}


# Hosts and sites ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8477",
        "127.0.0.1.evil.example",
        "",
        "user@127.0.0.1",
        "[::1",
        "10.0.0.1",
        "127.0.0.1:x",
    ],
)
def test_a_foreign_host_is_refused(service, owner, study, host):
    for path in ("/api/v1/studies", "/", "/api/v1/openapi.json", f"/enter?token={owner.token}"):
        reply = owner.get(path, headers={"Host": host})
        assert reply.status == 421
        assert reply.json()["error"]
        assert "set-cookie" not in reply.headers


@pytest.mark.parametrize("host", ["127.0.0.1:8477", "localhost:1", "LOCALHOST", "[::1]:8477"])
def test_our_own_names_are_answered(owner, study, host):
    assert owner.get("/api/v1/studies", headers={"Host": host}).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "https://127.0.0.1:8477"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": OWN},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
        {},
    ],
)
def test_another_site_cannot_use_the_cookie(service, owner, study, cookie, headers):
    before = service.events(study)
    for method, path, value in (
        ("DELETE", study, None),
        ("POST", f"{study}/undo", {"step": 0}),
        ("POST", "/api/v1/tokens", {"role": "owner", "label": "evil"}),
        ("POST", "/leave", None),
    ):
        reply = owner.request(method, path, value, headers=cookie | headers, token=None)
        assert reply.status == 403
        assert reply.json()["error"]
    assert service.events(study) == before


def test_a_cookie_is_read_as_it_was_sent(service, owner, study):
    """Python's reader of quoted values takes quadratic time: six seconds for one header, while nobody else is served."""
    quoted = '"' + "".join(f"\\{ord(letter):03o}" for letter in owner.token) + '"'
    headers = {"Sec-Fetch-Site": "same-origin"}
    for sent, status in ((owner.token, 200), (quoted, 401), ('"' + "\\" * 32_000 + '"', 401)):
        for cookies in (f"prefero={sent}", f"a=b; prefero={sent};", f"x ; =;;prefero ={sent} ; prefero=other"):
            assert owner.get(study, headers=headers | {"Cookie": cookies}, token=None).status == status


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_cannot_even_read_or_ask_with_the_cookie(service, owner, study, cookie, site):
    for path in (study, f"{study}/question"):
        assert owner.get(path, headers=cookie | {"Sec-Fetch-Site": site}, token=None).status == 403
    assert len(service.events(study)) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": OWN},
        {"Sec-Fetch-Site": "same-origin"},
        {"Origin": OWN, "Sec-Fetch-Site": "same-origin"},
        {"Origin": "null", "Sec-Fetch-Site": "same-origin"},  # a form of ours, whose pages tell no referrer
    ],
)
def test_our_own_page_can(owner, study, cookie, headers):
    owner.get(f"{study}/question", headers=cookie, token=None)
    body = {"step": 0, "answer": "a", "answer_id": "1"}
    assert owner.post(f"{study}/answers", body, headers=cookie | headers, token=None).status == 200


def test_a_program_with_a_token_needs_neither(owner, study):
    assert (
        owner.post(f"{study}/undo", {"step": 0}, headers={"Origin": "https://evil.example"}).status == 409
    )  # nothing to undo


def test_no_other_origin_is_ever_allowed_in(owner, study):
    reply = owner.request("OPTIONS", study, headers={"Origin": "https://evil.example"})
    assert reply.status == 405
    assert not [name for name in reply.headers if name.startswith("access-control")]


def test_what_every_reply_carries(owner, study):
    for path in (study, "/api/v1/nothing", "/", "/join"):
        headers = owner.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"


# Tokens ------------------------------------------------------------------------------------------------------------------


def everything(study: str) -> list[tuple[str, str, object]]:
    return [
        ("GET", "/api/v1/studies", None),
        ("POST", "/api/v1/studies", {"name": "mine"}),
        ("GET", study, None),
        ("GET", f"{study}/question", None),
        ("POST", f"{study}/answers", {"step": 0, "answer": "a", "answer_id": "1"}),
        ("GET", f"{study}/export.json", None),
        ("DELETE", study, None),
        ("POST", "/api/v1/tokens", {"role": "owner", "label": "x"}),
        ("GET", "/", None),
    ]


def refused(service, study, status, **how):
    before = service.events(study)
    for method, path, value in everything(study):
        reply = service.owner.request(method, path, value, **how)
        assert reply.status == status, (method, path, reply.body)
        assert reply.json()["error"]
    assert service.events(study) == before


def test_without_a_token_nothing_opens(service, study):
    refused(service, study, 401, token=None)
    refused(service, study, 401, token=None, headers={"Authorization": "Basic b3duZXI6"})


def test_nor_with_a_wrong_one(service, study):
    refused(service, study, 401, token="prefero_wrong")
    refused(service, study, 401, token=access.digest(service.owner.token))  # what the database holds opens nothing


def test_nor_with_an_expired_or_revoked_one(service, study):
    refused(service, study, 401, token=service.token("owner", hours=-0.001))
    secret = service.token("owner")
    assert service.owner.request("DELETE", f"/api/v1/tokens/{access.digest(secret)}").status == 200
    refused(service, study, 401, token=secret)
    assert service.owner.request("DELETE", f"/api/v1/tokens/{access.digest(secret)}").status == 409


def test_a_token_in_the_query_opens_nothing_but_the_door(service, owner, study):
    assert owner.get(f"{study}?token={owner.token}", token=None).status == 401


JUDGING, READING = {"question", "answer", "undo"}, {"export", "events", "disagreements"}
OWNING = {"candidates", "numbers", "invite", "tokens", "delete"}


@pytest.mark.parametrize(
    ("role", "may"), [("judge", JUDGING), ("viewer", READING), ("owner", JUDGING | READING | OWNING)]
)
@pytest.mark.parametrize("bound", [True, False])
def test_a_role_may_do_its_own_and_nothing_else(service, study, role, may, bound):
    secret = service.token(role, "line 3" if bound else None)
    who = {"judge": "judge"} if role != "judge" else {}
    tries = {
        "read": ("GET", study, None),
        "question": ("GET", f"{study}/question?judge=judge", None),
        "answer": ("POST", f"{study}/answers", {"step": 0, "answer": "a", "answer_id": "1"} | who),
        "undo": ("POST", f"{study}/undo", {"step": 0} | who),
        "history": ("GET", f"{study}/history", None),
        "export": ("GET", f"{study}/export.json", None),
        "events": ("GET", f"{study}/events", None),
        "disagreements": ("GET", f"{study}/disagreements", None),
        "candidates": ("GET", f"{study}/candidates", None),
        "numbers": ("POST", f"{study}/questions/0/a/numbers", {"numbers": {"x": 1}}),
        "invite": ("POST", f"{study}/invitations", {"judge": "eve"}),
        "tokens": ("GET", "/api/v1/tokens", None),
        "delete": ("DELETE", study, None),
    }
    for name, (method, path, value) in tries.items():
        status = service.owner.request(method, path, value, token=secret).status
        assert (status < 400) == (name in may | {"read", "history"}), (name, status)
        assert status in (200, 201, 403), (name, status)


def test_a_token_of_one_study_opens_no_other(service, owner, study):
    other = service.create("other")
    owner.get(f"{other}/question")
    before = service.events(other)
    secret = service.token("owner", "line 3")
    for method, path, value in everything(other):
        if path.startswith(other) or (method, path) == ("POST", "/api/v1/studies"):
            assert owner.request(method, path, value, token=secret).status == 403, path
    assert [each["name"] for each in owner.get("/api/v1/studies", token=secret).json()["studies"]] == ["line 3"]
    assert service.events(other) == before
    assert {token["study"] for token in owner.get("/api/v1/tokens", token=secret).json()["tokens"]} == {"line 3"}
    assert owner.post("/api/v1/tokens", {"role": "owner", "label": "up", "study": None}, token=secret).status == 403


def test_a_judge_speaks_for_nobody_else(service, owner, study):
    answer(owner, study, judge="ann")
    owner.get(f"{study}/question?judge=ann")
    bob = service.token("judge", "line 3", "bob")
    before = service.events(study)
    tries = [
        ("GET", f"{study}/question?judge=ann", None),
        ("POST", f"{study}/answers", {"step": 1, "answer": "a", "answer_id": "1", "judge": "ann"}),
        ("POST", f"{study}/undo", {"step": 0, "judge": "ann"}),
        ("POST", f"{study}/answers/0/remove", None),
        ("POST", f"{study}/answers/0/correct", {"answer": "b"}),
        ("GET", f"{study}/questions/0", None),
        ("GET", f"{study}/result?judge=ann", None),
        ("GET", f"{study}/history?judge=ann", None),
    ]
    for method, path, value in tries:
        assert owner.request(method, path, value, token=bob).status == 403, path
    assert owner.post(f"{study}/answers", {"step": 1, "answer": "a", "answer_id": "1"}, token=bob).status == 409
    assert owner.post(f"{study}/answers", {"step": 0, "answer": "a", "answer_id": "ann-0"}, token=bob).status == 409
    assert service.events(study) == before
    assert owner.get(f"{study}/history", token=bob).json() == {"history": []}
    assert owner.get(f"{study}/result", token=bob).json()["answers"] == 0
    assert owner.get(study, token=bob).json()["judges"] == []


def test_tokens_are_stored_as_digests(service, owner, study):
    made = owner.post("/api/v1/tokens", {"role": "viewer", "label": "wall"}).json()
    invited = owner.post(f"{study}/invitations", {"judge": "ann"}).json()["invitation"]
    service.storage.close()
    stored = b"".join(path.read_bytes() for path in service_files(service))
    for secret in (made["token"], invited, owner.token):
        assert secret.encode() not in stored
    assert made["id"].encode() in stored


def service_files(service):
    from pathlib import Path

    file = Path(service.url.removeprefix("sqlite:///"))
    return list(file.parent.glob(f"{file.name}*"))


def test_no_secret_is_ever_logged(service, owner, study, caplog):
    caplog.set_level(logging.DEBUG)
    invited = owner.post(f"{study}/invitations", {"judge": "ann"}).json()["invitation"]
    owner.get(f"/enter?token={owner.token}", token=None)
    owner.get(f"/join?invitation={invited}", token=None)
    owner.post("/api/v1/invitations/accept", {"invitation": invited}, token=None)
    owner.get(f"{study}?token={owner.token}")
    assert "/enter 303" in caplog.text
    assert owner.token not in caplog.text
    assert invited not in caplog.text


# Doors -------------------------------------------------------------------------------------------------------------------


def test_the_printed_link_becomes_a_cookie_and_leaves_the_address(owner):
    reply = owner.get(f"/enter?token={owner.token}", token=None)
    assert (reply.status, reply.headers["location"]) == (303, "/")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(reply.headers["set-cookie"].split("; "))
    assert "Secure" not in reply.headers["set-cookie"]


def test_behind_https_the_cookie_is_for_https_alone(make_service):
    owner = make_service(https=True).owner
    assert "Secure" in owner.get(f"/enter?token={owner.token}", token=None).headers["set-cookie"]


@pytest.mark.parametrize("query", ["", "?token=", "?token=prefero_wrong"])
def test_a_wrong_link_sets_no_cookie(owner, query):
    reply = owner.get(f"/enter{query}", token=None)
    assert reply.status == 401
    assert "set-cookie" not in reply.headers


def test_who_comes_with_a_browser_is_told_in_a_page(owner):
    reply = owner.get("/enter?token=<b>", headers={"Accept": "text/html,*/*"}, token=None)
    assert reply.status == 401
    assert reply.headers["content-type"].startswith("text/html")
    assert b"open the link that the server printed" in reply.body
    assert b"<b>" not in reply.body
    assert owner.get("/", headers={"Accept": "application/json"}, token=None).json()["error"]


def test_the_page_says_who_one_is_without_running_what_a_name_holds(service, owner, cookie):
    service.create("a <b>")
    secret = service.token("judge", "a <b>", "<script>")
    page = owner.get("/", headers={"Cookie": f"prefero={secret}"}, token=None)
    assert b"<script>" not in page.body
    assert b"&lt;script&gt;" in page.body
    assert owner.get("/", headers=cookie, token=None).status == 200


def test_an_invitation_is_good_once(service, owner, study):
    invited = owner.post(f"{study}/invitations", {"judge": "ann"}).json()
    first = owner.post("/api/v1/invitations/accept", {"invitation": invited["invitation"]}, token=None)
    assert first.status == 201
    secret = first.json()["token"]
    me = owner.get("/api/v1/me", token=secret).json()
    assert (me["role"], me["study"], me["name"]) == ("judge", "line 3", "ann")
    tokens = len(service.storage.tokens())
    again = owner.post("/api/v1/invitations/accept", {"invitation": invited["invitation"]}, token=None)
    assert again.status == 403
    assert invited["invitation"] not in again.body.decode()
    assert len(service.storage.tokens()) == tokens


def test_an_invitation_expires(service, owner, study):
    secret, _ = access.make_invitation(service.storage, "line 3", "ann", hours=-0.001)
    assert owner.post("/api/v1/invitations/accept", {"invitation": secret}, token=None).status == 403


def test_looking_at_an_invitation_does_not_use_it(service, owner, study):
    secret = owner.post(f"{study}/invitations", {"judge": "ann"}).json()["path"].partition("=")[2]
    for _ in range(2):
        page = owner.get(f"/join?invitation={secret}", token=None)
        assert secret in page.body.decode()
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    body = f"invitation={secret}".encode()
    foreign = owner.request("POST", "/join", body=body, headers=form | {"Origin": "https://evil.example"}, token=None)
    assert foreign.status == 403
    joined = owner.request("POST", "/join", body=body, headers=form | {"Origin": OWN}, token=None)
    assert joined.status == 303
    cookie = joined.headers["set-cookie"].split(";")[0]
    assert owner.get(f"{study}/question", headers={"Cookie": cookie}, token=None).json()["question"]["judge"] == "ann"
    assert owner.request("POST", "/join", body=body, headers=form | {"Origin": OWN}, token=None).status == 410


def test_what_an_address_holds_is_not_run(owner):
    page = owner.get('/join?invitation="><script>alert(1)</script>', token=None)
    assert b"<script>" not in page.body


# A link that another site opens -------------------------------------------------------------------------------------------

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def opened(owner, secret, site, cookies=""):
    """What a browser gets that opens the printed link; site: whose page led there, as the browser says, if it does."""
    headers = {"Accept": "text/html"} | ({"Sec-Fetch-Site": site} if site else {})
    return owner.get(f"/enter?token={secret}", headers=headers | ({"Cookie": cookies} if cookies else {}), token=None)


@pytest.mark.parametrize(
    ("site", "cookies"),
    [
        ("none", ""),
        ("none", "prefero=old; prefero-session=1"),
        ("same-origin", "prefero=old"),
        (None, ""),
        (None, "x=1"),
    ],
)
def test_a_link_that_the_person_opened_signs_in_at_once(owner, site, cookies):
    assert opened(owner, owner.token, site, cookies).status == 303


@pytest.mark.parametrize(
    ("site", "cookies"),
    [
        ("cross-site", ""),  # the session's cookie is not sent: there may be one
        ("cross-site", "prefero-session=1"),
        ("same-site", ""),
        ("same-site", "prefero=old; prefero-session=1"),
        (None, "prefero-session=1"),
        (None, "prefero=old"),
    ],
)
def test_a_link_that_another_site_may_have_opened_asks_first(service, owner, study, site, cookies):
    secret = service.token("judge", "line 3", "<b>eve")
    page = opened(owner, secret, site, cookies)
    assert page.status == 200
    assert "set-cookie" not in page.headers
    assert b"&lt;b&gt;eve (judge)" in page.body
    assert (b"replaces the session" in page.body) == bool(cookies)
    body = f"token={secret}".encode()
    for origin in ("https://evil.example", "null"):
        foreign = owner.request("POST", "/enter", body=body, headers=FORM | {"Origin": origin}, token=None)
        assert foreign.status == 403
        assert "set-cookie" not in foreign.headers
    pressed = owner.request("POST", "/enter", body=body, headers=FORM | {"Origin": OWN}, token=None)
    assert pressed.status == 303
    assert secret in pressed.headers["set-cookie"]


def test_a_link_to_the_session_that_there_is_changes_nothing(owner):
    assert opened(owner, owner.token, "same-site", f"prefero={owner.token}").status == 303


def test_a_wrong_token_or_form_signs_nobody_in(owner):
    assert opened(owner, "prefero_wrong", "cross-site").status == 401
    for body, status in ((b"token=prefero_wrong", 401), (b"", 401), (b"&".join([b"a=1"] * 20), 400)):
        assert owner.request("POST", "/enter", body=body, headers=FORM | {"Origin": OWN}, token=None).status == status


def test_signing_out_takes_the_cookie(owner, cookie):
    reply = owner.request("POST", "/leave", headers=cookie | {"Origin": OWN}, token=None)
    assert 'prefero=""' in reply.headers["set-cookie"]


# Too much, too often -------------------------------------------------------------------------------------------------------


def test_too_many_requests_have_to_wait(make_service):
    service = make_service(rate=0.001, burst=5)
    statuses = [service.owner.get("/api/v1/me").status for _ in range(8)]
    assert statuses == [200] * 5 + [429] * 3
    refused = service.owner.get("/api/v1/me")
    assert int(refused.headers["retry-after"]) > 0
    assert refused.json()["error"]
    assert service.owner.get("/api/v1/me", token=service.token("viewer")).status == 200


def test_who_guesses_tokens_has_to_wait_and_others_need_not(make_service):
    service = make_service(failures=5)
    service.owner.get("/api/v1/me")
    statuses = [service.owner.get("/api/v1/me", token=f"prefero_{k}").status for k in range(8)]
    assert statuses == [401] * 5 + [429] * 3
    assert service.owner.get("/api/v1/me").status == 200


def test_a_valid_token_or_invitation_passes_however_many_wrong_ones_were_tried(make_service):
    """Behind a proxy everybody has one address: a stranger must not lock the others out."""
    service = make_service(failures=3)
    study = service.create()
    invited = [service.owner.post(f"{study}/invitations", {"judge": judge}).json() for judge in ("ann", "bob")]
    wrong = {"invitation": "prefero_wrong"}
    for number in range(20):
        assert service.owner.get("/api/v1/me", token=f"prefero_{number}").status in (401, 429)
        assert service.owner.post("/api/v1/invitations/accept", wrong, token=None).status in (403, 429)
    assert service.owner.get("/api/v1/me", token="prefero_20").status == 429
    assert service.owner.post("/api/v1/invitations/accept", wrong, token=None).status == 429
    body = {"invitation": invited[0]["invitation"]}
    assert service.owner.post("/api/v1/invitations/accept", body, token=None).status == 201
    form = f"invitation={invited[1]['invitation']}".encode()
    assert service.owner.request("POST", "/join", body=form, headers=FORM | {"Origin": OWN}, token=None).status == 303
    new = service.token("viewer")
    assert service.owner.get("/api/v1/me", token=new).status == 200
    assert service.owner.get(f"/enter?token={service.token('judge', 'line 3', 'cid')}", token=None).status == 303


def test_a_large_body_is_refused(make_service):
    service = make_service(json_bytes=200)
    study = service.create(seed=1)
    before = service.events(study)
    for headers in ({}, {"Content-Length": str(1 << 30)}):
        reply = service.owner.post("/api/v1/studies", {"name": "x" * 1000}, headers=headers)
        assert reply.status == 413
    assert service.events(study) == before
