"""The benchmark of second looks runs, and its people slip and drift as it says."""

from benchmarks import second_thoughts


def test_a_person_who_never_slips_has_no_slips_to_find():
    run = second_thoughts.slipping(0, 0.0)
    assert (run.slips, run.found) == (0, 0)
    assert min(run.plain, run.reviewed, run.more) >= 0


def test_a_person_who_slips_is_reviewed():
    run = second_thoughts.slipping(5, 0.3)
    assert run.slips > 0
    assert 0 <= run.found <= second_thoughts.LOOKS


def test_the_table_is_printed(capsys):
    second_thoughts.main(["--people", "1"])
    assert "five second looks: regret mean" in capsys.readouterr().out
