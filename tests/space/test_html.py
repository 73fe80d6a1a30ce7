"""What notebooks show: small tables, escaped, without colours of their own."""

import pytest

import prefero as pf

SPACE = pf.Space({"<gain>": pf.Real(0, 1), "mode": pf.Choice(["on", "<off>"])})
RESULT = pf.optimize(lambda a, b: -1, SPACE, comparisons=4, seed=0)
NAMED = pf.Study.create(SPACE, name="<b>", seed=0)
SHOWN = [RESULT, RESULT.study, RESULT.best, RESULT.study.ask("<i>"), RESULT.study.learned.advice(), NAMED]


@pytest.mark.parametrize("value", SHOWN, ids=lambda value: type(value).__name__)
def test_a_value_shows_itself_as_a_small_table(value):
    html = value._repr_html_()
    assert html.startswith("<table")
    assert html.endswith("</table>")
    assert html.count("<table") == html.count("</table>")
    assert len(html) < 3000
    for raw in ("<gain>", "<off>", "<b>", "<i>"):
        assert raw not in html
    for fixed in ("color:", "background", "#"):  # readable in a dark notebook, too
        assert fixed not in html


def test_the_tables_say_what_matters():
    question = RESULT.study.ask("<i>")
    assert f"Question {question.step} for &lt;i&gt;" in question._repr_html_()
    assert f"{question.a['<gain>']:.6g}" in question._repr_html_()
    assert "&lt;gain&gt;" in RESULT.best._repr_html_()
    assert "All 4 comparisons were made." in RESULT._repr_html_()
    assert "4 of about 4 answers" in RESULT.study._repr_html_()
    assert "Study &lt;b&gt;: 0 of about 30 answers" in NAMED._repr_html_()


def test_a_result_prints_in_a_few_short_lines():
    assert repr(RESULT) == str(RESULT)
    assert len(repr(RESULT).splitlines()) < 12
