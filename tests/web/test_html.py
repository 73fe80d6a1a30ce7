"""What is not there or not allowed is a page for a person who opens an address, and JSON for scripts and programs."""

import pytest

BROWSER = {"Accept": "text/html,application/xhtml+xml", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none"}
SCRIPT = {"Accept": "text/html,*/*", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "same-origin"}


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nothing", 404, "There is nothing here"),
        ("/api/v1/studies/none", 404, "There is nothing here"),
        ("/api/v1/nothing", 404, "There is nothing here"),
        ("/api/v1/studies/line%203/insight?judge=%3Cb%3E", 422, "This did not work"),
    ],
)
def test_a_refusal_is_a_page_for_a_person(owner, study, path, status, words):
    reply = owner.get(path, headers=BROWSER)
    assert (reply.status, reply.headers["content-type"].split(";")[0]) == (status, "text/html")
    assert words in reply.body.decode()
    assert "<b>" not in reply.body.decode()
    for headers in (SCRIPT, {}):
        assert owner.get(path, headers=headers).json()["error"]


def test_who_is_not_signed_in_or_not_allowed_is_told_what_to_do(service, owner, study):
    reply = owner.get("/api/v1/studies/line%203/report.html", headers=BROWSER, token=None)
    assert (reply.status, reply.headers["www-authenticate"]) == (401, "Bearer")
    assert "Please open your link" in reply.body.decode()
    reply = owner.get("/api/v1/tokens", headers=BROWSER, token=service.token("judge", "line 3", "ann"))
    assert reply.status == 403
    assert "This is not for you to see" in reply.body.decode()


def test_an_invitation_names_the_study_its_question_and_who_invites(owner, study):
    owner.request("PATCH", study, {"title": "Line three", "question": "Which <curve>?"})
    made = owner.post(f"{study}/invitations", {"judge": "ann", "inviter": "Bea"}).json()
    page = owner.get(made["path"], headers=BROWSER, token=None).body.decode()
    for words in ("Line three", "Which &lt;curve&gt;?", "<b>Bea</b> invites you", "<b>ann</b>"):
        assert words in page
    unnamed = owner.post(f"{study}/invitations", {"judge": "bob"}).json()
    assert "You are invited" in owner.get(unnamed["path"], headers=BROWSER, token=None).body.decode()


def test_a_link_that_no_longer_works_says_so(owner, study):
    made = owner.post(f"{study}/invitations", {"judge": "ann"}).json()
    owner.post("/api/v1/invitations/accept", {"invitation": made["invitation"]})
    late = owner.post(f"{study}/invitations", {"judge": "bob", "hours": 1e-9}).json()
    taken = owner.post(f"{study}/invitations", {"judge": "cy"}).json()
    for each in owner.get(f"{study}/invitations").json()["invitations"]:
        owner.request("DELETE", f"{study}/invitations/{each['id']}")
    for path in (made["path"], late["path"], taken["path"], "/join", "/join?invitation=x"):
        reply = owner.get(path, headers=BROWSER, token=None)
        assert reply.status == 410, path
        assert "Ask whoever sent it for a new one." in reply.body.decode()
