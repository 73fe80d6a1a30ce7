"""Candidates to prepare, and what is measured about them: numbers and files of the types that are taken."""

import pytest

from prefero.web import access
from tests.web.conftest import answer

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
HTML = b"<p>fine</p><script>alert(1)</script>"


def upload(owner, path, content, kind, name="picture"):
    return owner.request("PUT", f"{path}/files/{name}", body=content, headers={"Content-Type": kind})


@pytest.fixture
def side(owner, study):
    owner.get(f"{study}/question")
    return f"{study}/questions/0/a"


def test_the_candidates_of_every_waiting_question_are_to_be_prepared_each_once(owner, study):
    assert owner.get(f"{study}/candidates").json() == {"candidates": []}
    answer(owner, study, judge="ann")
    pairs = [owner.get(f"{study}/question?judge={judge}").json()["question"] for judge in ("ann", "bob")]
    listed = owner.get(f"{study}/candidates").json()["candidates"]
    shown = [pair[side] for pair in pairs for side in "ab"]
    assert all(each["candidate"] in shown for each in listed)
    assert sum(len(each["shown"]) for each in listed) == 4
    assert len(listed) == len({str(candidate) for candidate in shown})


def test_numbers_and_files_come_with_the_question(service, owner, study, side):
    assert owner.post(f"{side}/numbers", {"numbers": {"overshoot": 1.5}}).status == 200
    assert upload(owner, side, PNG, "image/png").status == 200
    measured = owner.get(f"{study}/question").json()["question"]["measured"]["a"]
    assert measured["numbers"] == {"overshoot": 1.5}
    file = measured["files"]["picture"]
    assert (file["media_type"], file["size"]) == ("image/png", len(PNG))
    served = owner.get(f"{study}/files/{file['digest']}")
    assert served.body == PNG
    assert served.headers["content-type"] == "image/png"
    assert [event["who"] for event in service.events(study)][-2:] == ["owner", "owner"]
    assert owner.get(f"{study}/questions/0").json()["measured"]["a"] == measured


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (PNG, "image/x-icon", 415),
        (PNG, "", 415),
        (PNG, "application/x-msdownload", 415),
        (PNG, "image/jpeg", 422),
        (b"GIF", "image/gif", 422),
        (b"", "image/png", 422),
        (b"\xff\xfe", "text/html", 422),
    ],
)
def test_a_file_that_is_not_taken_changes_nothing(service, owner, study, side, content, kind, status):
    before = service.events(study)
    reply = upload(owner, side, content, kind)
    assert reply.status == status
    assert reply.json()["error"]
    assert service.events(study) == before


@pytest.mark.parametrize("numbers", [{}, {"": 1}, {"x": "1"}, {"x": None}, {"x": 1e300}, {"a\nb": 1}])
def test_numbers_that_are_none_change_nothing(service, owner, study, side, numbers):
    before = service.events(study)
    assert owner.post(f"{side}/numbers", {"numbers": numbers}).status == 422
    assert service.events(study) == before


def served(owner, study, side, content, kind):
    assert upload(owner, side, content, kind).status == 200
    digest = owner.get(f"{study}/question").json()["question"]["measured"]["a"]["files"]["picture"]["digest"]
    return owner.get(f"{study}/files/{digest}")


@pytest.mark.parametrize(("content", "kind"), [(SVG, "image/svg+xml"), (HTML, "text/html")])
def test_scripts_in_a_file_do_not_run(owner, study, side, content, kind):
    reply = served(owner, study, side, content, kind)
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "allow-scripts" not in policy
    assert "script-src" not in policy
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_an_svg_is_an_image_and_nothing_that_opens_by_itself(owner, study, side):
    reply = served(owner, study, side, SVG, "image/svg+xml; charset=utf-8")
    assert reply.headers["content-disposition"] == "attachment"
    assert reply.headers["content-type"] == "image/svg+xml"


def test_what_was_stored_as_something_else_is_only_ever_downloaded(service, owner, study, side):
    import prefero as pf

    with pf.Study.open("line 3", service.url) as stored:
        record = stored.measure(stored.waiting.get("").a, files={"run me": (b"<script>", "application/xhtml+xml")})
    digest = record.event.files["run me"]["digest"]
    reply = owner.get(f"{study}/files/{digest}")
    assert reply.headers["content-type"] == "application/octet-stream"
    assert reply.headers["content-disposition"] == "attachment"


@pytest.mark.parametrize(
    "name", ["..%2f..%2fetc%2fpasswd", "../../../etc/passwd", "%2e%2e/%2e%2e", "..", "0" * 64, "a\\..\\b", "%00", ""]
)
def test_no_path_leads_out_of_the_files(owner, study, name):
    reply = owner.get(f"{study}/files/{name}")
    assert reply.status in (404, 422)
    assert reply.json()["error"]


@pytest.mark.parametrize("name", ["..%2f..%2fevil", "a/b", "%0a", "x" * 300])
def test_a_files_name_is_a_name(service, owner, study, side, name):
    before = service.events(study)
    assert upload(owner, side, PNG, "image/png", name).status in (404, 422)
    assert service.events(study) == before


def test_a_file_of_another_study_is_not_found(service, owner, study, side):
    served(owner, study, side, PNG, "image/png")
    digest = owner.get(f"{study}/question").json()["question"]["measured"]["a"]["files"]["picture"]["digest"]
    other = service.create("other")
    assert owner.get(f"{other}/files/{digest}").status == 404


def test_a_file_that_is_too_large_is_refused_before_it_is_read(make_service):
    service = make_service(file_bytes=100)
    study = service.create()
    service.owner.get(f"{study}/question")
    path = f"{study}/questions/0/a/files/big"
    for headers in ({"Content-Length": str(1 << 30)}, {"Content-Length": "9" * 30}, {}):
        reply = service.owner.request("PUT", path, body=PNG * 10, headers={"Content-Type": "image/png"} | headers)
        assert reply.status == 413
        assert "at most 100 bytes" in reply.json()["error"]


@pytest.mark.parametrize(
    ("asked", "status", "got"),
    [
        ("bytes=0-", 206, b"t,y\n0,0\n"),
        ("bytes=2-3", 206, b"y\n"),
        ("bytes=4-99", 206, b"0,0\n"),
        ("bytes=-2", 206, b"0\n"),
        ("bytes=8-", 416, None),
        ("bytes=3-2", 200, b"t,y\n0,0\n"),
        ("bytes=0-1,4-5", 200, b"t,y\n0,0\n"),
        ("lines=1-2", 200, b"t,y\n0,0\n"),
        ("bytes=-", 200, b"t,y\n0,0\n"),
    ],
)
def test_a_player_may_ask_for_a_part_of_a_file(owner, study, side, asked, status, got):
    upload(owner, side, b"t,y\n0,0\n", "text/csv")
    digest = owner.get(f"{study}/question").json()["question"]["measured"]["a"]["files"]["picture"]["digest"]
    reply = owner.get(f"{study}/files/{digest}", headers={"Range": asked})
    assert reply.status == status
    if status == 416:
        assert reply.json()["error"]
    else:
        assert reply.body == got
    assert ("content-range" in reply.headers) == (status != 200)


def test_a_large_file_comes_in_pieces(owner, study, side):
    content = bytes(range(256)) * 4096  # a megabyte
    assert upload(owner, side, content, "application/octet-stream").status == 200
    digest = owner.get(f"{study}/question").json()["question"]["measured"]["a"]["files"]["picture"]["digest"]
    path = f"{study}/files/{digest}"
    whole = owner.get(path)
    assert (whole.status, whole.headers["content-length"]) == (200, str(len(content)))
    assert whole.body == content
    part = owner.get(path, headers={"Range": "bytes=262000-800001"})
    assert (part.status, part.headers["content-range"]) == (206, f"bytes 262000-800001/{len(content)}")
    assert part.body == content[262000:800002]
    head = owner.request("HEAD", path)
    assert (head.status, head.headers["content-length"], head.body) == (200, str(len(content)), b"")


def test_an_upload_counts_as_bytes_in_flight(make_service):
    service = make_service(client_bytes=1000)
    study = service.create()
    service.owner.get(f"{study}/question")
    side, held = f"{study}/questions/0/a", service.app.state.monitor.in_flight
    key = access.digest(service.owner.token)
    with held.hold(key, 500):
        refused = upload(service.owner, side, PNG * 30, "image/png")
        assert (refused.status, refused.headers["retry-after"]) == (429, "2")
    assert upload(service.owner, side, PNG * 30, "image/png").status == 200
    assert held.total == 0


def test_a_row_of_a_catalogue_gets_its_file_before_it_is_asked_about(owner, study):
    rows = [{"file": name} for name in ("one.png", "two.png", "three.png")]
    made = owner.post("/api/v1/studies", {"name": "files", "catalogue": rows, "features": ["file"], "seed": 1})
    assert made.status == 201
    for row in range(len(rows)):
        assert upload(owner, f"/api/v1/studies/files/rows/{row}", PNG + bytes([row]), "image/png").status == 200
    question = owner.get("/api/v1/studies/files/question").json()["question"]
    digests = [question["measured"][side]["files"]["picture"]["digest"] for side in "ab"]
    assert len(set(digests)) == 2
    assert upload(owner, "/api/v1/studies/files/rows/3", PNG, "image/png").status == 404
    assert upload(owner, f"{study}/rows/0", PNG, "image/png").status == 409  # it has variables, and no rows
