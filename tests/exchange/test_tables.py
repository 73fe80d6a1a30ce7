"""Tables and pairs for other programs, and comparisons that were made with them."""

import csv
import io
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies

import prefero as pf
from prefero import exchange
from prefero.errors import AnswerError, InputError
from prefero.exchange import tables
from prefero.insight.agreement import judge_names
from tests.complaints import complaint
from tests.strategies import answered, distance_to

BOX = pf.Space.box([-1, -1], [1, 1])
SPACE = pf.Space(
    {"x": pf.Real(0.1, 10, log=True), "taps": pf.Integer(1, 8), "mode": pf.Choice(["=slow", "@fast", "'x"])}
)


def study(space=BOX, count: int = 6) -> pf.Study:
    live = pf.Study(space, comparisons=9, seed=2)
    for k in range(count):
        live.tell(live.ask("ann"), ("a", "b", "same")[k % 3], note="-1+1", seconds=1.5)
    return live


def cells(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_answers_as_csv():
    live = study()
    live.log.remove(1)
    rows = cells(exchange.answers_csv(live))
    assert [row["step"] for row in rows] == [str(k) for k in range(6)]
    assert [float(rows[0][f"a {name}"]) for name in BOX.names] == list(live.answers[0].a.values())
    assert rows[0]["note"] == "'-1+1"
    assert (rows[0]["who"], rows[0]["seconds"], rows[1]["status"]) == ("ann", "1.5", "removed")


def test_candidates_as_csv():
    live = study()
    live.measure(live.candidates[0], {"loss": -0.5})
    live.fail(live.ask(), "a")
    rows = cells(exchange.candidates_csv(live))
    assert len(rows) == len(live.candidates)
    assert rows[0]["measured loss"] == "-0.5"
    assert sum(row["best"] == "True" for row in rows) == 1
    assert sum(row["failed"] == "True" for row in rows) == 1
    total = {name: sum(int(row[name]) for row in rows) for name in ("won", "lost", "tied")}
    assert total == {"won": 4, "lost": 4, "tied": 4}


FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
TEXTS = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\tx",
    "\rx",
    "\n=1",
    "'x",
    "''x",
    "x",
    "",
    "a=b",
    "'",
    "＝1+1",
    "＋1",
    "－1",
    "＠x",
]
TEXTS += ["x;=1", "x;'=1", ";=1", "x\t=1", "x\n=1", 'x;"=1"', '"=1"', ";\n=1", "x;＝1", "x; =1", "a,=b"]


def opened(text: str, separator: str) -> list[str]:
    """The cells of a CSV as a spreadsheet with that separator sees them: a quote counts only where a cell begins."""
    return [cell for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) for cell in row]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("text", TEXTS)
def test_no_spreadsheet_runs_a_text_and_reading_gives_it_back(text, separator):
    assert tables.unescaped(tables.escaped(text)) == text
    written = tables._csv([{"step": 0, "note": text, "who": text}], ["step", "note", "who"])
    assert not [cell for cell in opened(written, separator) if cell.lstrip("\t\r\n").startswith(FORMULA)]


@given(strategies.text(strategies.sampled_from("=+-@＝;\t\r\n\"', ax"), max_size=12), strategies.sampled_from(",;\t"))
@settings(max_examples=500)
def test_no_spreadsheet_runs_any_text(text, separator):
    assert tables.unescaped(tables.escaped(text)) == text
    written = tables._csv([{"step": 0, "note": text, "who": text}], ["step", "note", "who"])
    assert not [cell for cell in opened(written, separator) if cell.lstrip("\t\r\n").startswith(FORMULA)]


@pytest.mark.parametrize("number", [-1, -1.5, 1e-9, True, 0])
def test_numbers_stay_numbers(number):
    assert tables.escaped(number) is number


@pytest.mark.parametrize(
    "space", [BOX, SPACE, pf.Catalogue([{"k": -1, "t": "=a"}, {"k": 2, "t": "b"}, {"k": 3, "t": "b"}])]
)
def test_what_was_written_as_csv_is_read_back(space):
    live = study(space, 3)
    live.skip(live.ask("ann")) if space is not None and not isinstance(space, pf.Catalogue) else None
    other = pf.Study(space, comparisons=9, seed=5)
    exchange.import_csv(other, exchange.answers_csv(live), who="ann")
    assert len(other.history) == len(live.history)
    told = [(entry.a, entry.b, entry.answer) for entry in live.answers if entry.answer != "skipped"]
    imported = other.log.events[-1]
    rows = [
        (imported.candidates[i], imported.candidates[j], {-1: "a", 0: "same", 1: "b"}[said])
        for i, j, said in imported.comparisons
    ]
    assert rows == told
    assert other.best is not None
    assert judge_names(other) == ("ann",)


def test_an_imported_study_goes_on_the_same_after_replay():
    other = pf.Study(BOX, comparisons=9, seed=5, proposer="posterior")
    exchange.import_csv(other, exchange.answers_csv(answered(pf.Study(BOX, seed=1), distance_to([0.3, 0.3]), 20)))
    again = pf.Study.from_json(other.to_json())
    assert again.best == other.best
    assert again.ask() == other.ask()
    other.tell(other.ask(), "a")
    assert pf.Study.from_json(other.to_json()).ask() == other.ask()


HEADER = "a x1,a x2,b x1,b x2,answer"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ("text",)),
        (HEADER, ("text",)),
        (f"{HEADER},colour\n0,0,1,1,a,red", ("columns", "colour")),
        ("a x1,a x2,b x1,answer\n0,0,1,a", ("columns", "b x2", "missing")),
        (f"{HEADER},answer\n0,0,1,1,a,a", ("columns", "each name occurs once")),
        (f"{HEADER}\n0,0,1,1", ("line 2", "5 cells")),
        (f"{HEADER}\n0,0,1,1,a\n0,0,1,1,c", ("line 3, answer", "'c'")),
        (f"{HEADER}\n0,0,one,1,a", ("line 2, x1", "'one'")),
        (f"{HEADER}\n0,0,7,1,a", ("candidates[1]", "7.0", "within the bounds")),
        (f"{HEADER}\n0,0,nan,1,a", ("candidates[1]", "nan")),
        (f"{HEADER}\n0,0,0,0,a", ("comparisons[0]", "different")),
        (f"{HEADER},status\n0,0,1,1,a,maybe", ("line 2, status", "maybe")),
        (f"{HEADER}\n0,0,1,1,skipped", ("no comparison",)),
        (f"{HEADER}\n0,0,1,1,rated 9", ("line 2, answer", "'rated 9'")),
        (f"{HEADER}\n0,0,1,1,more nonsense", ("line 2, answer", "'more nonsense'")),
        (f'{HEADER}\n"0,0,1,1,a', ("not CSV",)),
        (None, ("not CSV",)),
    ],
)
def test_csv_that_contradicts_the_space_is_refused_whole(text, words):
    live = study()
    with complaint(InputError, *words, unchanged=live):
        exchange.import_csv(live, text)


def test_a_study_s_own_hints_and_ratings_are_left_out():
    live = study()
    live.rate(live.best, 4)
    hints = [("more", "x1"), ("fix", "x2"), ("free", "x2"), ("near", None), ("free", None)]
    for kind, variable in hints:
        live.hint(kind, variable)
    copy = pf.Study(live.space, seed=0)
    exchange.import_csv(copy, exchange.answers_csv(live))
    assert len(copy.history) == len(live.history)


def test_csv_of_numbers_and_with_a_byte_order_mark_is_understood():
    live = pf.Study(BOX, seed=0)
    exchange.import_csv(live, f"\ufeff{HEADER}\r\n0,0,1,1,-1\r\n0.5,0,1,1,0\r\n")
    assert live.history.preferences.tolist() == [-1, 0]


def test_data_frames():
    live = study()
    frame = live.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame["answer"]) == ["a", "b", "same"] * 2
    assert frame["a x1"].dtype == float
    assert len(live.to_frame("candidates")) == len(live.candidates)
    assert exchange.answers_frame(live).equals(frame)
    assert exchange.candidates_frame(live).equals(live.to_frame("candidates"))


def test_a_frame_is_of_answers_or_of_candidates():
    with pytest.raises(pf.InputError, match='a row for each of "answers" or "candidates"'):
        study().to_frame("questions")


def test_pairs_have_the_winner_first():
    live = study()
    X, pairs = exchange.pairs(live)
    assert X.min() >= 0
    assert X.max() <= 1
    assert np.allclose(2 * X - 1, live.history.points)
    assert pairs.shape == (4, 2)
    entry = live.answers[0]
    assert dict(live.candidates[pairs[0, 0]]) == dict(entry.a)
    assert dict(live.candidates[pairs[0, 1]]) == dict(entry.b)


def test_arrays_in_the_convention_of_glis():
    live = pf.Study(BOX, seed=0)
    X = np.array([[0.0, 0.1], [0.5, 0.5], [-0.5, 0.2], [0.0, 0.1]])
    exchange.import_arrays(live, X, np.array([[0, 1, -1], [1, 2, 0], [2, 3, 1]]))
    assert len(live.candidates) == 3
    assert live.best == {"x1": 0.0, "x2": 0.1}
    assert live.history.preferences.tolist() == [-1, 0, 1]


@pytest.mark.parametrize(
    ("X", "preferences", "kind", "words"),
    [
        ([[0, 0, 0]], [(0, 1, 0)], InputError, ("X", "with the columns")),
        ([[0, 0], [1, 1]], [(0, 2, 0)], InputError, ("comparisons", "0 to 1")),
        ([[0, 0], [1, 1]], [(0, -1, 0)], InputError, ("comparisons", "0 to 1")),
        ([[0, 0], [1, 1]], [(0, 1)], InputError, ("preferences",)),
        ([[0, 0], [1, 1]], [(0, 1, 0.5)], InputError, ("preferences", "whole")),
        ([[0, 0], [1, 1]], [(0, 1, 3)], AnswerError, ("answer", "3")),
        ([[0, 0], [1, 9]], [(0, 1, 1)], InputError, ("candidates[1]", "9")),
        ([[0, 0], [1, 1]], [], InputError, ("no comparison",)),
        ([[0, 0], [0, 0]], [(0, 1, 1)], InputError, ("comparisons[0]", "different")),
    ],
)
def test_arrays_that_contradict_the_space_are_refused_whole(X, preferences, kind, words):
    live = study()
    with complaint(kind, *words, unchanged=live):
        exchange.import_arrays(live, X, preferences)


def trial(number: int, **params) -> SimpleNamespace:
    return SimpleNamespace(number=number, params=params)


def test_preferences_of_optuna():
    trials = [trial(0, x1=0.1, x2=0.2), trial(1, x1=0.5, x2=0.5), trial(4, x1=-0.5, x2=0.0)]
    reported = SimpleNamespace(preferences=[(trials[1], trials[0]), (trials[1], trials[2]), (trials[2], trials[0])])
    live = pf.Study(BOX, seed=0)
    exchange.import_optuna(live, reported)
    assert live.best == {"x1": 0.5, "x2": 0.5}
    assert len(live.history) == 3
    assert live.log.events[-1].source == "Optuna"


def test_preferences_about_other_parameters_are_refused_whole():
    live = study()
    reported = SimpleNamespace(preferences=[(trial(0, x1=0.1, x2=0.2), trial(1, x1=0.1, lr=0.2))])
    with complaint(InputError, "candidates[1]", "lr", unchanged=live):
        exchange.import_optuna(live, reported)
    with complaint(InputError, "preferential", unchanged=live):
        exchange.import_optuna(live, object())


@pytest.mark.parametrize("row", [(0, 0, "a"), (0, 5, "a"), ("x", 1, "a"), (0, 1), 3])
def test_a_comparison_of_nothing_is_refused(row):
    live = study()
    with complaint(InputError, "comparisons[0]", unchanged=live):
        live.import_comparisons([[0, 0], [1, 1]], [row])


def test_a_warm_started_study_keeps_its_imports_when_it_is_exported_and_imported_again():
    study = pf.Study(([0, 0], [1, 1]), seed=0)
    made_by = ["Ada", "", "Ben"]
    rows = [(0, 1, "a"), (1, 2, "b"), (0, 2, "same")]
    study.import_comparisons([[0.1, 0.2], [0.5, 0.5], [0.9, 0.1]], rows, source="spring", judges=made_by)
    study.tell(study.ask(), "a")
    assert [(entry.step, entry.who, entry.source) for entry in study.answers[:3]] == [
        (-1, "Ada", "spring"),
        (-2, "", "spring"),
        (-3, "Ben", "spring"),
    ]
    again = pf.Study(([0, 0], [1, 1]), seed=0)
    exchange.import_csv(again, exchange.answers_csv(study))
    assert [(e.a, e.b, e.answer, e.who) for e in again.answers] == [(e.a, e.b, e.answer, e.who) for e in study.answers]
    reopened = pf.Study.from_json(study.to_json())
    assert reopened.answers == study.answers
    assert reopened.ask() == study.ask()


def test_judges_of_an_import_are_one_for_each_comparison():
    study = pf.Study(([0, 0], [1, 1]), seed=0)
    with complaint(InputError, "judges", "one for each of the 1 comparisons"):
        study.import_comparisons([[0.1, 0.2], [0.5, 0.5]], [(0, 1, "a")], judges=["Ada", "Ben"])
    assert not study.answers


def test_csv_is_read_from_a_path(tmp_path):
    file = tmp_path / "answers.csv"
    file.write_text(exchange.answers_csv(study()), encoding="utf-8")
    copy = pf.Study(BOX, seed=0)
    exchange.import_csv(copy, file)
    assert len(copy.history) == 6
    with complaint(InputError, "text: got", "pathlib.Path", unchanged=copy):
        exchange.import_csv(copy, str(file))  # a path is no CSV
    with complaint(InputError, "none.csv' cannot be read", unchanged=copy):
        exchange.import_csv(copy, tmp_path / "none.csv")


def test_winner_loser_pairs_are_not_read_as_triples():
    fresh = pf.Study(pf.Space.box([0, 0], [1, 1]), seed=0)
    X, won = np.random.default_rng(0).random((4, 2)), np.array([[0, 1], [2, 1], [2, 3]])
    with complaint(InputError, "preferences: got", "import_pairs", unchanged=fresh):
        exchange.import_arrays(fresh, X, won)
    exchange.import_pairs(fresh, X, won, ties=[[0, 3]])
    assert [(c.winner, c.loser, c.preference) for c in fresh.history.comparisons] == [
        (0, 1, -1), (2, 1, -1), (2, 3, -1), (0, 3, 0),
    ]  # fmt: skip


def test_pairs_go_to_botorch_and_back():
    one = study()
    points, won = exchange.pairs(one)
    other = pf.Study(one.space, seed=0)
    exchange.import_pairs(other, points, won, unit_box=True)
    assert np.allclose(exchange.pairs(other)[0], points)
    assert np.array_equal(exchange.pairs(other)[1], won)


@pytest.mark.parametrize(
    ("X", "won", "more", "words"),
    [
        ([[0.1, 0.2]], [[0, 1, -1]], {}, "pairs: got"),
        ([[0.1], [0.2]], [[0, 1]], {}, "X: got"),
        ([[0.1, 0.2], [0.3, 2.0]], [[0, 1]], {"unit_box": True}, "from 0 to 1"),
        ([[0.1, 0.2], [0.3, 0.4]], [[0, 5]], {}, "sample numbers from 0 to 1"),
        ([[0.1, 0.2], [0.3, 0.4]], [], {}, "no comparisons"),
        ([[0.1, 0.2], [0.3, 0.4]], "x", {}, "pairs: got"),
    ],
)
def test_pairs_that_do_not_fit_are_refused_whole(X, won, more, words):
    fresh = pf.Study(pf.Space.box([0, 0], [1, 1]), seed=0)
    with complaint(InputError, words, unchanged=fresh):
        exchange.import_pairs(fresh, X, won, **more)


def test_orders_travel_as_a_table_and_as_pairs():
    ranked = pf.Study(pf.Space.box([0, 0], [1, 1]), comparisons=6, seed=1, kind="best of 3")
    ranked.tell(ranked.ask(), "best c")
    ranked.skip(ranked.ask())
    text = exchange.answers_csv(ranked)
    header, first, *_ = text.splitlines()
    assert "c x1" in header
    assert "c>ab" in first
    other = pf.Study(ranked.space, comparisons=6, seed=1)
    exchange.import_csv(other, text)
    assert [(c.winner, c.loser) for c in other.history.comparisons] == [(2, 0), (2, 1)]
    assert other.candidates[2] == ranked.best
    X, won = exchange.pairs(ranked)
    assert {tuple(2 * X[winner] - 1) for winner, _ in won} == {tuple(ranked.space.encode(ranked.best))}
    before = other.to_json()
    for wrong in ("c>a", "c>aab", ">abc", "c>abd"):
        with pytest.raises(InputError, match="line 2"):
            exchange.import_csv(other, text.replace("c>ab", wrong))
    assert other.to_json() == before


def test_an_insertion_is_compared_with_the_new_candidate_alone():
    live = pf.Study(BOX, comparisons=6, seed=1, kind="insert among 3")
    live.tell(live.ask(), ["b", "a", "c"])
    for place in ("place 1", "place 2", "place 3", "place 4"):
        live.tell(live.ask(), place)
    other = pf.Study(BOX, seed=0)
    exchange.import_csv(other, exchange.answers_csv(live))
    assert len(other.history.comparisons) == len(live.history.comparisons) == 3 + 4 * 3
    assert {(other.candidates[c.winner], other.candidates[c.loser]) for c in other.history.comparisons} == {
        (live.candidates[c.winner], live.candidates[c.loser]) for c in live.history.comparisons
    }


def test_a_frame_of_answers_is_imported_again():
    live, copy = study(SPACE), pf.Study(SPACE, seed=0)
    frame = exchange.answers_frame(live)
    exchange.import_frame(copy, frame)
    assert [(e.a, e.b, e.answer, e.who) for e in copy.answers] == [(e.a, e.b, e.answer, e.who) for e in live.answers]

    rows = pf.Catalogue([{"price": 1.0, "old": True}, {"price": 2.0, "old": False}, {"price": 2.5, "old": True}])
    shop, again = study(rows, 2), pf.Study(rows, seed=0)
    exchange.import_frame(again, exchange.answers_frame(shop))
    assert [(e.a, e.b, e.answer) for e in again.answers] == [(e.a, e.b, e.answer) for e in shop.answers]

    small = pd.DataFrame({"a x1": [0.5, 1], "a x2": 0.0, "b x1": [-0.5, 0.25], "b x2": [0, 1], "answer": [-1.0, 0.0]})
    other = pf.Study(BOX, seed=0)
    exchange.import_frame(other, small, who="ann")
    assert [entry.answer for entry in other.answers] == ["a", "same"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda frame: frame.assign(answer="x"), "row 0, answer"),
        (lambda frame: frame.assign(**{"a x1": float("nan")}), "row 0, x1"),
        (lambda frame: frame.drop(columns="b x2"), "missing"),
        (lambda frame: [1, 2], "DataFrame"),
        (lambda frame: pd.concat([frame, frame], axis=1), "each name occurs once"),
    ],
)
def test_a_frame_with_a_mistake_imports_nothing(change, said):
    other = pf.Study(BOX, seed=0)
    with pytest.raises(InputError, match=said):
        exchange.import_frame(other, change(exchange.answers_frame(study())))
    assert not len(other.history)
