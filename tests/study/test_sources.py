"""Earlier studies as a prior."""

import numpy as np
import pytest

import prefero as pf
from prefero.errors import InputError
from prefero.storage import events

SPACE = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})


def study_of(best, answers, *, seed=0, judges=("",), space=SPACE, **settings):
    """A study whose judges like this point best."""
    study = pf.Study(space, comparisons=answers, seed=seed, **settings)
    for k in range(answers):
        question = study.ask(judge=judges[k % len(judges)])
        far = [sum((v - c) ** 2 for v, c in zip(side.values(), best, strict=True)) for side in (question.a, question.b)]
        study.tell(question, "a" if far[0] < far[1] else "b")
    return study


def missed(study, best):
    return float(np.hypot(*(np.array(list(study.best.values())) - best)))


def test_similar_studies_save_questions():
    earlier = [study_of((0.3, 0.4), 30, seed=1), study_of((0.35, 0.4), 30, seed=2)]
    best = (0.32, 0.45)
    warm = [missed(study_of(best, 6, seed=s, prior=earlier), best) for s in range(5)]
    cold = [missed(study_of(best, 6, seed=s), best) for s in range(5)]
    assert np.median(warm) < 0.5 * np.median(cold)


def test_a_misleading_study_is_discounted():
    earlier = [study_of((0.1, 0.1), 30, seed=1)]
    best = (0.8, 0.7)
    assert np.median([missed(study_of(best, 25, seed=s, prior=earlier), best) for s in range(3)]) < 0.1


def test_a_stored_study_keeps_its_sources_and_asks_the_same_question():
    study = study_of((0.3, 0.3), 7, prior=[study_of((0.3, 0.4), 12, seed=1)])
    again = pf.Study.from_json(study.to_json())
    assert again.settings.prior == study.settings.prior
    assert again.ask() == study.ask()
    assert again.learned.predict(study.best, {"x": 1.0, "y": 1.0}) == study.learned.predict(
        study.best, {"x": 1.0, "y": 1.0}
    )


def test_each_judge_is_a_source():
    panel = study_of((0.3, 0.3), 8, judges=("anna", "ben"))
    sources = pf.Study(SPACE, seed=0, prior=[panel]).settings.prior
    assert [source["judge"] for source in sources] == ["anna", "ben"]
    assert sum(len(source["comparisons"]) for source in sources) == 8


def test_names_are_mapped():
    theirs = study_of((0.3, 0.4), 6, space=pf.Space({"gain": pf.Real(0, 2), "y": pf.Real(0, 1)}))
    study = pf.Study(SPACE, seed=0, prior=[(theirs, {"gain": "x"})])
    assert set(study.settings.prior[0]["candidates"][0]) == {"x", "y"}
    assert study.ask()


@pytest.mark.parametrize(
    ("names", "match"),
    [
        ({"gian": "x"}, r"prior\[0\]: got 'gian'; allowed: .*'gain'"),
        ({"gain": "x", "z": "x"}, r"prior\[0\]: gain and z are both mapped to x"),
    ],
)
def test_a_mapping_that_would_be_ignored_is_refused(names, match):
    theirs = pf.Space({"gain": pf.Real(0, 1), "z": pf.Real(0, 1), "y": pf.Real(0, 1)})
    with pytest.raises(InputError, match=match):
        pf.Study(SPACE, seed=0, prior=[(study_of((0.3, 0.4, 0.5), 2, space=theirs), names)])


def test_a_study_without_a_prior_is_stored_as_before():
    created = pf.Study(SPACE, seed=0).settings
    assert created.prior == []
    stored = events.dumps(pf.Study(SPACE, seed=0).log.records)
    assert pf.Study.from_json(stored).settings == created


@pytest.mark.parametrize(
    ("prior", "match"),
    [
        ("earlier", "a list; each item is a Study"),
        (["earlier"], r"prior\[0\].*a Study"),
        ([pf.Study(SPACE, seed=0)], r"prior\[0\]: this study has no answers yet"),
        ([study_of((0.5, 0.5), 2, space=pf.Space({"x": pf.Real(0, 1), "z": pf.Real(0, 1)}))], "it has no y; z is not"),
        (
            [study_of((0.5, 0.5), 2, space=pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})), 3],
            r"prior\[1\]",
        ),
    ],
)
def test_what_is_no_prior_is_refused(prior, match):
    with pytest.raises(InputError, match=match):
        pf.Study(SPACE, seed=0, prior=prior)


def test_only_the_default_learns_from_earlier_studies():
    with pytest.raises(InputError, match="only the proposer"):
        pf.Study(SPACE, seed=0, proposer="glisp", prior=[study_of((0.5, 0.5), 2)])


def test_a_level_that_is_unknown_here_is_refused():
    theirs = pf.Space({"kind": pf.Choice(["a", "b"]), "x": pf.Real(0, 1)})
    ours = pf.Space({"kind": pf.Choice(["a", "c"]), "x": pf.Real(0, 1)})
    study = pf.Study(theirs, comparisons=4, seed=0)
    for _ in range(4):
        study.tell(study.ask(), "a")
    with pytest.raises(InputError, match=r"prior\[0\]: a candidate does not fit this space"):
        pf.Study(ours, prior=[study])
