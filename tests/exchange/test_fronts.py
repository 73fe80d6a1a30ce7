"""Choosing from a front that somebody has computed, whatever it came as."""

from types import SimpleNamespace

import numpy as np
import pytest

import prefero as pf
from prefero.errors import InputError
from prefero.exchange.fronts import choose_from, front_of
from prefero.study.loop import Status
from tests.complaints import complaint

FRONT = np.column_stack([np.linspace(0, 1, 12), 1 - np.sqrt(np.linspace(0, 1, 12))])
prefer = pf.preference(lambda row: abs(row[0] - 0.45))
FAVOURITE = 5  # 5/11 = 0.4545


def test_the_favourite_row_of_an_array_is_found():
    result = choose_from(prefer, FRONT, seed=0)
    assert np.asarray(result.best) == pytest.approx(FRONT[FAVOURITE])
    assert result.n_comparisons <= 11
    assert isinstance(result.study.space, pf.Catalogue)


def test_names_comparisons_and_options_are_passed_on():
    result = choose_from(prefer, FRONT, names=["cost", "mass"], comparisons=4, seed=3)
    assert set(result.best) == {"cost", "mass"}
    assert result.n_comparisons == 4
    assert result.status is Status.BUDGET
    assert result.study.settings.seed == 3


@pytest.mark.parametrize(("rows", "comparisons"), [(2, 1), (5, 4), (40, 30)])
def test_by_default_at_most_thirty_comparisons_and_fewer_than_rows(rows, comparisons):
    result = choose_from(pf.preference(lambda row: row[0]), np.arange(2.0 * rows).reshape(rows, 2), seed=0)
    assert result.n_comparisons == comparisons


def test_mappings_with_texts():
    rows = [{"maker": maker, "cost": cost} for maker, cost in (("A", 3.0), ("B", 1.0), ("C", 2.0), ("A", 2.5))]
    result = choose_from(lambda a, b: "a" if (a["maker"] == "C") >= (b["maker"] == "C") else "b", rows, seed=0)
    assert result.best == rows[2]


def test_a_csv_file(tmp_path):
    path = tmp_path / "front.csv"
    path.write_text("\ufeffcost,mass,maker\n1,2.5,A\n2,1.5,B\n3,0.5,A\n", encoding="utf-8")
    for given in (path, str(path)):
        catalogue = front_of(given)
        assert catalogue.names == ("cost", "mass", "maker")
        assert catalogue.rows[1] == {"cost": 2.0, "mass": 1.5, "maker": "B"}
    assert choose_from(lambda a, b: -1 if a["cost"] < b["cost"] else 1, path, seed=0).best["cost"] == 1.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, ("front", "cannot read")),
        ("", ("front", "a header")),
        ("cost,mass\n", ("front", "a header")),
        ("cost,mass\n1,2\n3\n", ("front", "one value per column")),
        ("cost,mass\n1,2\n3,4,5\n", ("front", "one value per column")),
        ("cost,cost\n1,2\n3,4\n", ("front", "['cost', 'cost']", "each name occurs once")),
        ("cost,mass\n1,2\n1,2\n", ("rows", "at least two different rows")),
        ("cost,mass\n1,nan\n3,4\n", ("rows[0], column 'mass'", "missing")),
    ],
)
def test_a_csv_file_that_is_no_front_is_refused(tmp_path, text, words):
    path = tmp_path / "front.csv"
    if text is not None:
        path.write_text(text)
    with complaint(InputError, *words):
        front_of(path)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "front.csv"
    path.write_bytes(b"a,b\n\xff\xfe,2\n")
    with complaint(InputError, "front", "cannot read"):
        front_of(path)


def test_what_pymoo_returns():
    catalogue = front_of(SimpleNamespace(F=FRONT, X=np.zeros((12, 3))))
    assert catalogue.names == ("objective 1", "objective 2")
    assert len(catalogue.rows) == 12
    assert front_of(SimpleNamespace(F=FRONT), ["f", "g"]).names == ("f", "g")
    with complaint(InputError, "rows", "None"):
        front_of(SimpleNamespace(F=None))


def test_what_optuna_returns():
    trials = [SimpleNamespace(values=list(row)) for row in FRONT]
    catalogue = front_of(SimpleNamespace(best_trials=trials, metric_names=None))
    assert catalogue.names == ("objective 1", "objective 2")
    assert [list(row.values()) for row in catalogue.rows] == FRONT.tolist()
    assert front_of(SimpleNamespace(best_trials=trials, metric_names=["loss", "time"])).names == ("loss", "time")
    assert front_of(SimpleNamespace(best_trials=trials), ["f", "g"]).names == ("f", "g")
    with complaint(InputError, "rows"):
        front_of(SimpleNamespace(best_trials=[]))


def test_a_data_frame():
    class Frame:
        columns = ("cost", "mass")

        def to_dict(self, orient):
            assert orient == "records"
            return [{"cost": 1.0, "mass": 2.0}, {"cost": 2.0, "mass": 1.0}]

    assert front_of(Frame()).rows[0] == {"cost": 1.0, "mass": 2.0}


def test_a_catalogue_is_a_front():
    catalogue = pf.Catalogue(FRONT)
    assert front_of(catalogue) is catalogue


@pytest.mark.parametrize("front", [None, 3, [], [1.0, 2.0]])
def test_what_is_not_a_front_is_refused(front):
    with complaint(InputError, "rows", repr(front)):
        choose_from(prefer, front)


def test_a_row_given_as_start_is_asked_about_first():
    result = choose_from(prefer, FRONT, start=[FAVOURITE, 0], seed=0, comparisons=1)
    assert result.best[0] == pytest.approx(FRONT[FAVOURITE][0])


def test_the_row_is_known_where_equal_rows_were_dropped():
    twice = np.vstack([FRONT[:1], FRONT[:1], FRONT])
    result = choose_from(prefer, twice, seed=0)
    assert len(result.study.space.rows) == 12
    assert np.asarray(result.best) == pytest.approx(twice[result.row])
    assert result.row == FAVOURITE + 2
    assert (result.decision, result.trial) == (None, None)


def test_the_decision_of_pymoo_and_the_trial_of_optuna_are_found():
    X = np.arange(36.0).reshape(12, 3)
    chosen = choose_from(prefer, SimpleNamespace(F=FRONT, X=X), seed=0)
    assert chosen.decision.tolist() == X[FAVOURITE].tolist()
    trials = [SimpleNamespace(values=list(row), number=100 + k) for k, row in enumerate(FRONT)]
    assert choose_from(prefer, SimpleNamespace(best_trials=trials), seed=0).trial.number == 100 + FAVOURITE
