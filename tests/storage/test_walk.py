"""As a new user would: create, answer over three processes, undo, correct, export, import elsewhere, the same next question."""

import subprocess
import sys

import prefero as pf

DAY = """
import sys
import prefero as pf

url, answers = sys.argv[1], sys.argv[2]
space = pf.Space({"gain": pf.Real(0.1, 10, log=True), "taps": pf.Integer(1, 8), "window": pf.Choice(["hann", "flat"])})
with pf.Study.create(space, name="line 3", storage=url, comparisons=15, seed=7, proposer=sys.argv[3], load_if_exists=True) as study:
    for said in answers:
        study.tell(study.ask(), {"a": "a", "b": "b", "s": "same"}[said])
    print(study.ask())
"""


def test_ten_answers_in_three_processes_and_on_elsewhere(database, tmp_path):
    said, proposer = [], "glisp" if database.startswith("sqlite") else "posterior"
    for answers in ("abb", "asab", "bba"):
        run = subprocess.run([sys.executable, "-c", DAY, database, answers, proposer], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        said.append(run.stdout)
    with pf.Study.open("line 3", database) as study:
        assert len(study.history) == 10
        assert repr(study.ask()) == said[-1].strip()
        study.undo()
        study.undo()
        study.log.correct(3, "b")
        assert [entry.status for entry in study.answers] == ["effective"] * 8 + ["undone"] * 2
        assert len(study.history) == 8
        text = study.to_json()
        with pf.Study.from_json(text, storage=tmp_path / "elsewhere.db") as moved:
            assert moved.ask() == study.ask()
            moved.tell(moved.ask(), "a")
            study.tell(study.ask(), "a")
            assert moved.ask() == study.ask()
            assert moved.best == study.best
    with pf.Study.open("line 3", tmp_path / "elsewhere.db") as again:
        assert again.ask() == moved.ask()
