"""The scikit-learn estimator; these tests run where scikit-learn is installed, as in the environment of `make next`."""

import numpy as np
import pytest

from prefero.errors import InputError

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from prefero.compat.sklearn import PreferenceModel

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (40, 2))
VALUES = -((X - 0.3) ** 2).sum(axis=1)


def compared(count: int, rng=RNG) -> np.ndarray:
    pairs = np.array([rng.choice(len(X), 2, replace=False) for _ in range(count)])
    wrong = VALUES[pairs[:, 0]] < VALUES[pairs[:, 1]]
    pairs[wrong] = pairs[wrong][:, ::-1]
    return pairs


def test_it_learns_what_is_better():
    pairs, held_out = compared(60), compared(60)
    model = PreferenceModel().fit(X, pairs)
    assert model.score(X, held_out) > 0.85
    means, deviations = model.predict(X, return_std=True)
    assert np.corrcoef(means, VALUES)[0, 1] > 0.85
    assert (deviations > 0).all()
    chances = model.predict_proba(X, held_out)
    assert chances.shape == (60, 2)
    assert chances.sum(axis=1) == pytest.approx(np.ones(60))
    assert (chances[:, 0] > 0.5).mean() > 0.85
    assert chances[0, 0] == pytest.approx(model.learned_.predict(*X[held_out[0]]))
    against_best = model.predict_proba(X)[:, 0]
    assert against_best[model.best_] == pytest.approx(0.5)
    assert (against_best < 0.6).all()
    assert VALUES[model.best_] > np.quantile(VALUES, 0.9)
    assert np.array_equal(model.predict([[5.0, 0.0]]), model.predict([[X[:, 0].max(), 0.0]]))


def test_scores_are_read_as_an_order():
    model = PreferenceModel(bounds=([-1, -1], [1, 1])).fit(X, VALUES)
    assert model.score(X, compared(50)) > 0.9
    same = PreferenceModel(bounds=([-1, -1], [1, 1])).fit(X, np.exp(VALUES))
    assert np.array_equal(model.predict(X), same.predict(X))
    tied = PreferenceModel().fit(X, np.round(VALUES), ties=[(0, 1)])
    assert any(c.preference == 0 for c in tied.learned_.history.comparisons)


def test_it_works_with_other_parts_of_scikit_learn():
    piped = make_pipeline(StandardScaler(), PreferenceModel()).fit(X, VALUES)
    assert np.corrcoef(piped.predict(X), VALUES)[0, 1] > 0.9
    search = GridSearchCV(PreferenceModel(), {"noise": [None, 0.1]}, cv=3).fit(X, VALUES)
    assert search.best_score_ > 0.8
    assert clone(search.best_estimator_).get_params() == search.best_estimator_.get_params()


@pytest.mark.parametrize("pairs", [[(0, 99)], [(0.5, 1)], [1, 2, 3], "ab", [(0, 1, 1)]])
def test_wrong_pairs_are_refused(pairs):
    with pytest.raises(InputError, match="pairs"):
        PreferenceModel().fit(X, pairs)


@pytest.mark.filterwarnings("default")
def test_the_estimator_checks_of_scikit_learn_pass():
    results = check_estimator(PreferenceModel(), on_fail=None)
    failed = {each["check_name"]: repr(each["exception"])[:300] for each in results if each["status"] == "failed"}
    assert failed == {}
    assert sum(each["status"] == "passed" for each in results) > 30
