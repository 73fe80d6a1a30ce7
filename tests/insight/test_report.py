"""The report: one file with everything in it, that nothing in a study can turn into something else."""

import json
import re
from html.parser import HTMLParser

import pytest

import prefero as pf
from prefero import insight as findings
from prefero.insight import report
from tests.answered import LONG, MARKUP, RIGHT_TO_LEFT, answered, every_kind, strange

VOID = {"meta", "br", "path", "use", "rect"}


class Reader(HTMLParser):
    """The tags, the attributes and the words of a page, which must be closed in the order they were opened."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.words = [], [], [], ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data


@pytest.fixture(scope="module")
def study():
    return answered(every_kind(), 8, judges=("Ada", "Bob"), seconds=2.0)


@pytest.fixture(scope="module")
def odd():
    return Reader(report.page(answered(strange(), 3)))


def test_a_report_has_every_part_with_its_table(study):
    page = Reader(report.page(study))
    titles = ("Recommended setting", "Ranking", "Progress", "Slices", "What matters", "Consistency", "Judges")
    assert all(title in page.words for title in titles)
    assert page.tags.count("h1") == 1
    assert page.tags.count("svg") == 4 + len(study.space.names)
    assert page.tags.count("table") >= 1 + page.tags.count("svg")
    assert findings.verdict(study).reason in page.words


def test_a_report_asks_nobody_for_anything_and_runs_nothing(odd):
    assert not {"script", "link", "img", "iframe", "object", "image", "a"} & set(odd.tags)
    asked = [
        (name, value) for name, value in odd.attributes if name in ("src", "href", "xlink:href", "srcset", "action")
    ]
    assert all(value.startswith("#") for _, value in asked)
    assert not [name for name, _ in odd.attributes if name.startswith("on")]
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in odd.attributes


def test_the_texts_of_a_study_stay_texts(odd):
    assert odd.tags.count("b") == 0
    for text in (MARKUP, LONG, RIGHT_TO_LEFT, '"R&D" <1>', "ماذا تفضل؟"):
        assert text in odd.words


def test_control_characters_are_replaced():
    study = pf.Study(pf.Space({"a\x01b": pf.Real(0, 1)}), comparisons=2, seed=0)
    study.tell(study.ask(), "a")
    page = report.page(study)
    assert "\x01" not in page
    assert "a\N{REPLACEMENT CHARACTER}b" in page


def test_no_identifier_is_given_twice(study):
    names = re.findall(r'\sid="([^"]+)"', report.page(study))
    assert len(names) == len(set(names))


def test_before_the_first_answer_the_report_says_so():
    page = Reader(report.page(every_kind()))
    assert "No answers yet" in page.words
    assert "svg" not in page.tags


def test_a_study_without_anything_feasible_has_a_report():
    study = pf.Study(([0], [1]), comparisons=4, seed=0)
    study.import_comparisons([[0.9], [0.8]], [[0, 1, "a"]])
    study.change_space(pf.Space.box([0], [0.5]))
    assert "None of the compared candidates" in Reader(report.page(study)).words
    json.dumps(report.data(study))


def test_the_same_study_has_the_same_report(study):
    assert report.page(study) == report.page(pf.Study.from_json(study.to_json()))


def test_it_is_saved_for_people_and_for_programs(study, tmp_path):
    assert report.save(study, tmp_path / "report.html").read_text(encoding="utf-8") == report.page(study)
    data = json.loads(report.save(study, str(tmp_path / "report.json")).read_text(encoding="utf-8"))
    assert data["result"]["best"] == dict(study.best)
    assert [part["key"] for part in data["sections"]] == [part.key for part in report.sections(study)]
    slices = next(part for part in data["sections"] if part["key"] == "slices")
    assert len(slices["tables"][0]["rows"]) == len(findings.slices(study)[0].values)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "report.json"]


@pytest.mark.parametrize("name", ["report.pdf", "report", "nowhere/report.html"])
def test_a_file_that_cannot_be_is_refused(study, tmp_path, name):
    with pytest.raises(pf.PreferoError, match=r"\.html or \.json|report\.html"):
        report.save(study, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_long_table_is_thinned_with_its_ends(study):
    table = findings.slices(study)[0].table
    shown = report.thinned(table)
    assert len(shown.rows) == 13
    assert (shown.rows[0], shown.rows[-1]) == (table.rows[0], table.rows[-1])
    assert report.thinned(shown) is shown
