"""A study made in the browser without programming, and the list of studies that leads there and back."""

import re

import pytest
from playwright.sync_api import expect

from prefero.cli.recipe import from_toml
from prefero.web.server import background
from tests.page import media
from tests.page.conftest import QUIET, Shown, Site, compare, fits, in_state, no_scrolling, press
from tests.page.test_screens import violations

COLOURS = [(30 * k, 200 - 20 * k, 90) for k in range(8)]
PICTURES = [
    {"name": f"wall {k}.png", "mimeType": "image/png", "buffer": media.png(80, 60, colour)}
    for k, colour in enumerate(COLOURS)
]

EXAMPLE = "Which coffee would you rather drink again?"


def new(page, site, start=""):
    page.goto(f"{site.address}/new{start}")
    expect(page.get_by_role("button", name="Create the study")).to_be_visible()


def create(page, site, name):
    page.get_by_role("button", name="Create the study").click()
    expect(page.get_by_role("link", name="Start comparing")).to_be_visible()
    return Shown(site, name)


def test_eight_pictures_become_a_study_that_is_answered_on_a_phone(site, open_context, axe):
    _, page = open_context("phone", "dark", has_touch=True)
    new(page, site, "?files")
    page.get_by_label("Your question").fill("Which wall do you prefer?")
    page.get_by_label("A name for the study").fill("walls")
    page.get_by_label("Pictures, sounds or films").set_input_files(PICTURES)
    expect(page.locator(".picked li")).to_have_count(8)
    page.get_by_role("button", name="Remove wall 7.png").click()
    page.get_by_label("About how many answers in all").fill("4")
    fits(page)
    assert violations(page, axe) == []
    study = create(page, site, "walls")
    compare(page, study)
    no_scrolling(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Which wall do you prefer?")
    expect(page.get_by_role("img", name="Candidate A", exact=True)).to_be_visible()  # without the file's name
    for step in range(1, 4):
        in_state(page, "ready")
        page.wait_for_timeout(QUIET)
        page.locator(".pane.of-a .frame").tap()
        expect(page.locator(".compare")).to_have_attribute("data-step", str(step))
    press(page, "b")
    page.get_by_role("button", name="See result").click()
    expect(page.locator(".hero .winner img")).to_be_visible()
    assert len(study.said()) == 4
    page.get_by_role("link", name="All studies").click()
    card = page.get_by_role("link", name="walls", exact=False).first
    expect(card).to_contain_text("4 of about 4 answers")
    expect(card.locator(".view img")).to_be_visible()


def test_an_upload_that_broke_off_goes_on_where_it_was(site, page, watched):
    watched.allowed = ("Failed to load resource",)
    new(page, site, "?files")
    page.get_by_label("A name for the study").fill("broken off")
    page.get_by_label("Pictures, sounds or films").set_input_files(PICTURES[:3])
    page.route("**/rows/1/files/*", lambda route: route.abort())
    page.get_by_role("button", name="Create the study").click()
    expect(page.get_by_role("alert")).to_contain_text("Only 1 of 3 files uploaded")
    expect(page.get_by_role("button", name="Remove wall 0.png")).to_be_disabled()  # the study's rows are these files
    page.unroute("**/rows/1/files/*")
    study = create(page, site, "broken off")
    files = [event for event in site.call(f"{study.path}/events")["events"] if event["event"] == "measured"]
    assert len(files) == 3


def test_knobs_of_every_kind(site, page):
    new(page, site)
    page.get_by_role("button", name="Fill in an example").click()
    page.get_by_label("A name for the study").fill("coffee")
    page.get_by_label("Step").nth(2).fill("2")
    preview = page.get_by_role("complementary")
    expect(preview.get_by_text("pours 3", exact=True).first).to_be_visible()  # 1, 3 or 5
    expect(preview.get_by_text("grind 342 µm")).to_be_visible()  # nearer to 200 than to 1200: ratios matter
    page.get_by_role("button", name="Remove this knob").first.click()
    study = create(page, site, "coffee")
    grind, pours, filters = site.call(study.path)["space"]["variables"]
    assert (grind["low"], grind["high"], grind["unit"], grind["log"]) == (200, 1200, "µm", True)
    assert (pours["type"], pours["step"]) == ("integer", 2)
    assert filters["levels"] == ["paper", "cloth", "metal"]


def test_the_rows_of_a_table(site, page):
    new(page, site, "?table")
    page.get_by_label("A name for the study").fill("table")
    table = page.get_by_label("A CSV file")
    table.set_input_files({"name": "t.csv", "mimeType": "text/csv", "buffer": b"cost,mass\n1,2\n3\n"})
    expect(page.get_by_text("Line 3 has 1 value, but there are 2 names.")).to_be_visible()
    rows = b'what;cost;mass\n"a; b";1;2.5\nc;3;1\nd;2;2\n'
    table.set_input_files({"name": "t.csv", "mimeType": "text/csv", "buffer": rows})
    expect(page.get_by_text("3 rows: what, cost, mass.")).to_be_visible()
    study = create(page, site, "table")
    question = study.question()
    assert {"what": "a; b", "cost": 1, "mass": 2.5} in (
        question["a"],
        question["b"],
        *_rows(site.call(study.path)["space"]),
    )


def test_a_table_of_a_spreadsheet_that_writes_commas_in_numbers(site, page):
    new(page, site, "?table")
    page.get_by_label("A name for the study").fill("commas")
    table = page.get_by_label("A CSV file")
    table.set_input_files({"name": "t.csv", "mimeType": "text/csv", "buffer": b"x\n1\n"})
    expect(table).to_have_accessible_description("Two lines at least, below the names.")
    large = b"x,y\n" + b"".join(b"%d,2\n" % k for k in range(5001))
    table.set_input_files({"name": "t.csv", "mimeType": "text/csv", "buffer": large})
    expect(table).to_have_accessible_description("This table is too large: leave out lines or columns.")
    table.set_input_files({"name": "t.csv", "mimeType": "text/csv", "buffer": b"cost;mass\n1,5;2\n3;1,25\n"})
    expect(page.get_by_text("2 rows: cost, mass.")).to_be_visible()
    study = create(page, site, "commas")
    assert _rows(site.call(study.path)["space"]) == [{"cost": 1.5, "mass": 2}, {"cost": 3, "mass": 1.25}]


def _rows(space):
    return [dict(zip(space["names"], row, strict=True)) for row in space["rows"]]


def wrong(page, label, text, nth=0):
    page.get_by_role("button", name="Create the study").click()
    field = page.get_by_label(label, exact=True).nth(nth)
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(text)


def test_a_mistake_is_said_at_its_field(site, page, watched):
    watched.allowed = ("Failed to load resource",)
    taken = site.study().name
    new(page, site)
    wrong(page, "A name for the study", "Give the study a name.")
    page.get_by_label("A name for the study").fill(taken)
    wrong(page, "Name", "Give it a name.")
    page.get_by_label("Name", exact=True).first.fill("x")
    wrong(page, "From", "A number.")
    page.get_by_label("From").first.fill("2")
    page.get_by_label("To", exact=True).first.fill("1")
    wrong(page, "To", "More than “From”.")
    page.get_by_label("To", exact=True).first.fill("3,5")
    page.get_by_label("Name", exact=True).nth(1).fill("x")
    wrong(page, "Name", "There is one of this name already.", 1)
    page.get_by_role("button", name="Remove this knob").nth(1).click()
    page.get_by_label("Step").fill("-1")
    wrong(page, "Step", "More than 0, or nothing.")
    page.get_by_label("Step").fill("2")
    wrong(page, "Step", "A step that divides the range.")
    page.get_by_label("Step").fill("")
    page.get_by_label("Kind", exact=True).select_option("integer")
    wrong(page, "To", "A whole number.")
    page.get_by_label("Kind", exact=True).select_option("real")
    page.get_by_label("From").fill("0")
    page.get_by_label("Ratios matter").check()
    wrong(page, "From", "More than 0, because ratios matter.")
    page.get_by_label("From").fill("1e-310")
    wrong(page, "From", re.compile("got 1e-310; allowed"))  # what only the server knows
    page.get_by_label("From").fill("2")
    wrong(page, "A name for the study", "There is a study of this name already.")
    page.get_by_label("A name for the study").fill("a/b")
    wrong(page, "A name for the study", "A name without /, please.")


@pytest.mark.parametrize(("size", "scheme"), [("desk", "light"), ("phone", "dark")])
def test_an_empty_house_invites_and_the_form_is_accessible(tmp_path, chromium, axe, size, scheme):
    width, height = {"desk": (1280, 800), "phone": (390, 844)}[size]
    with background(f"sqlite:///{tmp_path / 'empty.db'}") as link:
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        page = context.new_page()
        page.goto(link)
        expect(page.get_by_role("heading", level=1)).to_have_text("What would you like to choose?")
        assert violations(page, axe) == []
        page.get_by_role("link", name="A demo").click()
        expect(page.get_by_label("A name for the study")).to_have_value("Mountains")
        expect(page.locator("#picked li")).to_have_count(10)
        assert page.evaluate("scrollY") == 0
        fits(page)
        assert violations(page, axe) == []
        study = create(page, Site(link), "Mountains")
        assert len(Site(link).call(study.path)["files"]) == 1
        page.goto(f"{study.url}/compare")
        in_state(page, "ready")
        expect(page.get_by_role("img", name="Candidate A", exact=True)).to_be_visible()
        page.goto(Site(link).address)
        expect(page.get_by_text("No answers yet")).to_be_visible()
        context.close()


def test_only_an_owner_may_make_studies(site, chromium):
    study = site.study()
    judge = site.call("/tokens", {"role": "judge", "study": study.name, "label": "ann"})["token"]
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{site.address}/enter?token={judge}")
    page.goto(site.address)
    expect(page.get_by_text(study.name)).to_be_visible()
    expect(page.get_by_role("link", name="New study")).to_have_count(0)
    page.goto(f"{site.address}/new")
    expect(page.get_by_role("heading", name="This is not for you to see")).to_be_visible()
    context.close()


def test_the_form_is_kept_as_a_file_that_the_command_line_reads(site, page):
    new(page, site)
    page.get_by_role("button", name="Fill in an example").click()
    page.get_by_label("They see the values").uncheck()
    with page.expect_download() as kept:
        page.get_by_role("button", name="Keep it as a file").click()
    assert kept.value.suggested_filename == "Coffee.toml"
    recipe = from_toml(kept.value.path().read_text(encoding="utf-8"))
    study = create(page, site, "Coffee")
    told = site.call(study.path)["space"]
    assert recipe.space().to_dict()["variables"] == told["variables"]
    assert (recipe.arguments["question"], recipe.arguments["hide_parameters"]) == (EXAMPLE, True)


def test_kinds_of_answer_are_shown_before_and_asked_afterwards(site, page):
    new(page, site, "?table")
    rows = "x,what\n" + "".join(f'{k},"a ""{k}"""\n' for k in range(6))
    page.get_by_label("A CSV file").set_input_files({"name": "t.csv", "mimeType": "text/csv", "buffer": rows.encode()})
    preview = page.get_by_role("complementary")
    expect(preview.get_by_text('a "1"')).to_be_visible()
    page.get_by_label("They may also say “much better”").check()
    expect(preview.get_by_text("A is much better")).to_be_visible()
    page.get_by_text("The best of four").click()
    expect(preview.get_by_text("Press the best one")).to_be_visible()
    page.get_by_label("Your question").fill("Which four?")
    expect(preview.get_by_text("Which four?")).to_be_visible()
    page.get_by_label("They may also rate each one by itself").check()
    page.get_by_label("A name for the study").fill("best of four")
    with page.expect_download() as kept:
        page.get_by_role("button", name="Keep it as a file").click()
    recipe = from_toml(kept.value.path().read_text(encoding="utf-8"))
    assert recipe.rows[1] == {"x": 1, "what": 'a "1"'}
    study = site.call(create(page, site, "best of four").path)
    assert (study["kind"], study["ratings"]) == ("best of 4", True)
    assert recipe.arguments["kind"] == "best of 4"


def test_files_of_two_kinds_or_too_many_are_refused_before_anything_is_sent(site, page):
    new(page, site, "?files")
    sound = {"name": "a.wav", "mimeType": "audio/wav", "buffer": media.wav(300)}
    files = page.get_by_label("Pictures, sounds or films")
    files.set_input_files([PICTURES[0], sound])
    expect(files).to_have_accessible_description("Files of one kind, please: all pictures, all sounds or all films.")
    files.set_input_files([{**PICTURES[0], "name": f"{k}.png"} for k in range(101)])
    expect(files).to_have_accessible_description("At most 100 files.")
    for name, kind, content, why in (
        ("a.pdf", "application/pdf", b"x", "a.pdf: not one of the kinds below."),
        ("a.heic", "image/heic", b"x", "a.heic: not one of the kinds below."),  # the server takes none
        ("a.png", "image/png", b"", "a.png: empty, or larger than 32 MB."),
        ("b.png", "image/png", bytes((32 << 20) + 1), "b.png: empty, or larger than 32 MB."),
    ):
        files.set_input_files([{"name": name, "mimeType": kind, "buffer": content}])
        expect(files).to_have_accessible_description(why)
    expect(page.locator("#picked li")).to_have_count(0)
    for _ in range(2):  # once removed, it can be chosen again
        files.set_input_files([{**sound, "mimeType": "audio/x-wav"}])
        expect(page.get_by_text("1 file", exact=True)).to_be_visible()
        page.get_by_role("button", name="Remove a.wav").click()
        expect(page.locator("#picked li")).to_have_count(0)
