"""Several judges in a study: what is best for whom, weights, and where they disagree."""

import numpy as np
import pytest

import prefero as pf
from prefero.errors import InputError
from prefero.insight import panel
from prefero.insight.report import sections

CAMPS = {"anna": (0.2, 0.3), "bert": (0.3, 0.35), "carl": (0.8, 0.7)}


def answered(camps, answers, **settings):
    study = pf.Study(pf.Space.box([0, 0], [1, 1]), comparisons=answers, seed=1, **settings)
    for k in range(answers):
        question = study.ask(list(camps)[k % len(camps)])
        a, b = (np.linalg.norm(np.asarray(x) - camps[question.judge]) for x in (question.a, question.b))
        study.tell(question, "a" if a < b else "b")
    return study


def on_carls_side(candidate):
    """Return whether a candidate is nearer to what carl wants than to what the others want."""
    distances = {judge: np.linalg.norm(np.asarray(candidate) - taste) for judge, taste in CAMPS.items()}
    return min(distances, key=distances.get) == "carl"


@pytest.fixture(scope="module")
def camps():
    return answered(CAMPS, 42)


def test_camps_disagree_and_nobody_is_told_to_stop(camps):
    found = panel(camps)
    assert [member.judge for member in found.members] == list(CAMPS)
    assert not any(member.random for member in found.members)
    assert "carl" in found.conflicts[0].judges
    assert found.conflicts[0].probability > 0.9
    assert "want different things" in found.words
    advice = camps.learned.advice()
    assert not advice.stop
    assert "compromise" in advice.reason


def test_each_judge_has_a_best_of_their_own(camps):
    for judge in CAMPS:
        best = camps.candidates[camps.learned.for_judge(judge).best]
        assert on_carls_side(best) == (judge == "carl")
    carl = camps.learned.for_judge("carl")
    assert carl.probability([0.8, 0.7], [0.2, 0.3]) > 0.9
    assert camps.learned.for_judge("anna").probability([0.8, 0.7], [0.2, 0.3]) < 0.1
    with pytest.raises(InputError, match="judge"):
        camps.learned.for_judge("nobody")


def test_the_worst_off_loses_no_more_by_what_is_fairest(camps):
    learned = camps.learned
    points = camps.history.points[camps.history.compared]

    def worst(sample):
        losses = []
        for judge in CAMPS:
            utility = learned.utility.of_judge(judge)
            x = camps.history.points[sample][None]
            losses.append(utility.utilities(points)[0].max() - utility.utilities(x)[0][0])
        return max(losses)

    assert worst(learned.fairest) <= worst(learned.best)


def test_the_report_has_a_section_about_the_panel(camps):
    assert "panel" in [section.key for section in sections(camps)]


def test_a_weight_moves_the_recommendation(camps):
    camps = pf.Study.from_json(camps.to_json())
    camps.change_proposer(pf.Posterior(weights={"anna": 0, "bert": 0}))
    assert camps.learned.weights == {"anna": 0.0, "bert": 0.0, "carl": 1.0}
    assert on_carls_side(camps.best)
    assert pf.Study.from_json(camps.to_json()).proposer == camps.proposer


@pytest.mark.parametrize("weights", [{"a": np.nan}, {"a": -1}, {"a": np.inf}, {"a": "x"}, {"a": True}, {1: 1}, [1]])
def test_a_weight_that_makes_no_sense_is_refused(weights):
    with pytest.raises(InputError, match="weights"):
        pf.Posterior(weights=weights)


def test_a_single_judge_is_asked_the_same_whatever_the_name():
    named, unnamed = answered({"anna": (0.2, 0.3)}, 12), answered({"": (0.2, 0.3)}, 12)
    assert named.candidates == unnamed.candidates
    assert panel(named).members == ()
    assert named.learned.for_judge("anna") is named.learned
