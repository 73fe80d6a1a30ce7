"""A report shows the best candidate as the page does: its picture, sound, curve or text, inside the file."""

import pytest

import prefero as pf
from prefero.insight import report, shown
from tests.page import media

FILES = {
    "picture": (media.png(8, 6, (200, 30, 30)), "image/png", '<img alt="Best so far" src="data:image/png;base64,'),
    "sound": (media.wav(300, 0.1), "audio/wav", '<audio controls aria-label="Best so far" src="data:audio/wav;base64,'),
    "curve": (media.csv(0.5), "text/csv", '<path class="pf-line-green"'),
    "words": (b"a,b\n<i>x</i>,2\n", "text/csv", '<pre dir="auto">a,b\n&lt;i&gt;x'),
    "one row": (b"t,y\n0,1\n", "text/csv", '<pre dir="auto">'),
    "a gap": (b"t,y\n0,1\n1,nan\n", "text/csv", '<pre dir="auto">'),
    "text": (b"<b>bold</b>", "text/plain", "&lt;b&gt;bold&lt;/b&gt;"),
}


def compared(**files):
    study = pf.Study(pf.Space({"x": pf.Real(0, 1)}), comparisons=4, seed=0)
    question = study.ask()
    for candidate in (question.a, question.b):
        study.measure(candidate, {}, files)
    study.tell(question, "a")
    return study


@pytest.mark.parametrize("kind", FILES)
def test_the_best_is_shown_in_its_report(kind):
    content, media_type, expected = FILES[kind]
    page = report.page(compared(**{kind: (content, media_type)}))
    assert expected in page
    assert f"style-src 'unsafe-inline'{shown.POLICY}\"" in page


def test_a_picture_comes_before_a_text():
    page = report.page(compared(a=(b"words", "text/plain"), b=FILES["picture"][:2]))
    assert "<img" in page
    assert "words" not in page


def test_a_file_that_is_not_shown_leaves_no_place(monkeypatch):
    for files in ({}, {"page": (b"<p>", "text/html")}):
        study = compared(**files)
        assert shown.slot(study) == ""
        assert "data:" not in report.page(study)
    monkeypatch.setattr(shown, "MOST_BYTES", 3)
    assert shown.slot(compared(text=(b"four", "text/plain"))) == ""


def test_a_report_that_was_made_without_its_files_gets_them_afterwards():
    study = compared(picture=FILES["picture"][:2])
    elsewhere = report.page(pf.Study.from_json(study.to_json()))
    assert "<img" not in elsewhere
    assert shown.filled(elsewhere, study.log) == report.page(study)
