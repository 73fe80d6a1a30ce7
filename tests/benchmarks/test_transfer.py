"""Tables of what earlier studies are worth, and of what batches cost."""

import pytest

from benchmarks import batches, transfer
from benchmarks.transfer import Case


def test_the_ratio_is_the_geometric_mean_over_cases():
    found = {}
    for k, ratio in enumerate([0.25, 1.0]):
        found[Case("bbob", k, 2, 1), "cold"] = 0.4
        found[Case("bbob", k, 2, 1), "similar"] = 0.4 * ratio
    _, cold, similar = transfer.table(found, ("cold", "similar"))
    assert cold.split() == ["bbob", "cold", "2", "0.4000"]
    assert similar.split()[:5] == ["bbob", "similar", "2", "0.2500", "0.50"]


def test_a_regret_below_the_floor_counts_as_the_floor():
    case = Case("bbob", 1, 2, 1)
    found = {(case, "cold"): 1e-9, (case, "similar"): 1e-5}
    assert " 1.00 " in transfer.table(found, ("cold", "similar"))[-1]


def test_an_opposite_source_says_the_opposite():
    cost = sum
    assert transfer.exact(cost)([1], [2]) == "a"
    assert transfer.exact(cost, transfer.opposite("opposite", 2))([1], [2]) == "b"
    assert [transfer.opposite("mixed", k) for k in range(3)] == [-1.0, 1.0, 1.0]


def test_a_batch_is_answered_to_the_last_question():
    case = Case("bbob", 1, 2, 1)
    assert batches.run(case, 4, 10) == batches.run(case, 4, 10)
    assert batches.run(case, 4, 10)[2] != batches.run(case, 1, 10)[2]


@pytest.mark.parametrize("argv", [["--size", "1"], ["--answers", "0"], ["--instances", "1000"]])
def test_a_command_that_makes_no_sense_is_refused(argv, capsys):
    assert batches.main(argv) == 2
    assert capsys.readouterr().err
