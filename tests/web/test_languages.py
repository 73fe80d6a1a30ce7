"""The words of the pages that the server writes: which language, and how a text gets its values."""

import re

import pytest

from prefero.web.languages import WORDS, Words
from tests.web.conftest import answer

SAID = Words(
    "xx", {"{count} {count|study|studies}": "{count|Studie|Studien}: {count}", "Name": "Nome", "any": "alcuno"}
)


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("fr-FR, it;q=0.5", "it"),
        ("fr", "en"),
        ("en-GB,de;q=0.5", "en"),
        ("DE", "de"),
        ("", "en"),
        ("*;q=x,,;-de", "en"),
    ],
)
def test_a_browsers_first_language_that_there_is_is_spoken(owner, study, header, language):
    answer(owner, study)
    for path in ("/", "/new"):
        page = owner.get(path, headers={"Cookie": f"prefero={owner.token}", "Accept-Language": header}, token=None)
        html = page.body.decode()
        assert f'<html lang="{language}">' in html
        assert f">{WORDS[language]('Studies' if path == '/' else 'New study')}</h1>" in html
        assert not re.search(r"\{\w+\}", html)


def test_what_a_study_is_called_stays_what_it_is(service, owner):
    service.create("Archive")
    owner.request("PATCH", "/api/v1/studies/Archive", {"title": "Delete {count} <b>", "question": "Search"})
    headers = {"Cookie": f"prefero={owner.token}", "Accept-Language": "de"}
    html = owner.get("/", headers=headers, token=None).body.decode()
    assert '<b dir="auto">Delete {count} &lt;b&gt;</b>' in html
    assert 'aria-label="Antworten zu Delete {count} &lt;b&gt;"' in html
    assert ">Search</span>" in html
    assert 'data-name="Archive"' in html


def test_a_text_has_the_form_of_its_count():
    assert SAID("{count} {count|study|studies}", count=1) == "Studie: 1"
    assert SAID("{count} {count|study|studies}", count=0) == "Studien: 0"
    assert SAID("{name} is new", name="{count}") == "{count} is new"


def test_a_template_is_translated_in_its_texts_and_what_is_read_of_its_attributes():
    html = '<label for="Name">\n Name </label><input id="Name" placeholder="any" value="any"><b>any Name</b>'
    shown = '<label for="Name">\n Nome </label><input id="Name" placeholder="alcuno" value="any"><b>any Name</b>'
    assert SAID.template(html) == shown
    assert WORDS["en"].template(html) == html
