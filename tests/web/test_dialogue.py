"""What the notebook's widget shows and understands, without a notebook."""

import base64

import numpy as np
import pytest

import prefero as pf
from prefero.web.notebook.dialogue import KEPT, MOST_BYTES, Dialogue

XY = {"x": pf.Real(0, 1, unit="mm"), "window": pf.Choice(["hann", "flat"])}


def study(**more):
    return pf.Study(pf.Space(XY), **({"comparisons": 3, "seed": 1, "proposer": "glisp"} | more))


def answer(dialogue, said="a", **more):
    step = dialogue.state["question"]["step"]
    dialogue.say({"action": "answer", "answer": said, "step": step, "id": f"id {step}", "seconds": 1.5} | more)


def test_it_shows_the_question_that_waits_and_goes_on_with_it():
    asked = study()
    state = Dialogue(asked).state
    assert [each["side"] for each in state["question"]["candidates"]] == ["a", "b"]
    assert [name for name, _ in state["question"]["candidates"][0]["values"]] == ["x (mm)", "window"]
    assert state["question"]["asks"] == "Which is better?"
    assert (state["answers"], state["expected"], state["finished"]) == (0, 3, "")
    again = Dialogue(asked).state  # the cell runs again
    assert again["question"] == state["question"]


def test_an_answer_is_saved_with_its_time_and_the_next_question_follows():
    asked = study()
    dialogue = Dialogue(asked, judge="ann")
    answer(dialogue, "b")
    assert dialogue.state["question"]["step"] == 1
    entry = asked.answers[0]
    assert (entry.answer, entry.who, entry.seconds) == ("b", "ann", 1.5)


def test_an_answer_sent_twice_counts_once():
    asked = study()
    dialogue = Dialogue(asked)
    answer(dialogue)
    dialogue.say({"action": "answer", "answer": "a", "step": 0, "id": "id 0"})
    assert dialogue.state["message"] == ""
    assert len(asked.history) == 1
    dialogue.say({"action": "answer", "answer": "b", "step": 0, "id": "late"})
    assert "Not saved" in dialogue.state["message"]
    assert len(asked.history) == 1


def test_skip_undo_and_set_aside():
    asked = study()
    dialogue = Dialogue(asked)
    first = dialogue.state["question"]
    dialogue.say({"action": "skip", "step": 0, "id": "s"})
    assert dialogue.state["question"]["step"] == 1
    dialogue.say({"action": "undo"})
    assert dialogue.state["question"] == first
    dialogue.say({"action": "fail", "side": "b", "step": 0, "id": "f"})
    assert asked.answers[-1].answer == "b failed"


def test_the_undo_of_one_judge_takes_back_nobody_elses_answer():
    asked = study()
    asked.tell(asked.ask("bob"), "a")
    dialogue = Dialogue(asked, judge="ann")
    dialogue.say({"action": "undo"})
    assert "Not saved" in dialogue.state["message"]
    assert len(asked.history) == 1


@pytest.mark.parametrize(
    "said", [{}, {"action": "answer"}, {"action": "dance", "step": 0}, {"action": "answer", "answer": 7, "step": 0},
             {"action": "answer", "answer": "a", "step": 9}, {"action": "answer", "answer": "a", "step": "0"},
             {"action": "fail", "side": "q", "step": 0}, {"action": "answer", "answer": "a", "step": 0, "seconds": -1}],
)  # fmt: skip
def test_what_is_wrong_is_said_and_nothing_is_stored(said):
    asked = study()
    dialogue = Dialogue(asked)
    before = asked.to_json()
    dialogue.say(said)
    assert dialogue.state["message"].startswith("Not saved: ")
    assert asked.to_json() == before


def test_the_end_shows_the_best_and_the_person_may_go_on():
    dialogue = Dialogue(study(comparisons=2))
    answer(dialogue)
    answer(dialogue)
    assert dialogue.state["question"] is None
    assert dialogue.state["finished"] == "All 2 planned answers are given."
    assert dialogue.state["best"]["values"]
    dialogue.say({"action": "continue"})
    assert dialogue.state["question"]["step"] == 2


def test_a_finite_space_comes_to_an_end():
    dialogue = Dialogue(pf.Study(pf.Space({"k": pf.Choice(["p", "q"])}), seed=0))
    answer(dialogue)
    assert dialogue.state["question"] is None
    assert dialogue.state["finished"].startswith("Finished: ")


def test_a_question_about_four():
    asked = study(kind="best of 4")
    state = Dialogue(asked).state
    assert state["question"]["kind"] == "best"
    assert state["question"]["asks"] == "Which one is the best?"
    assert [each["side"] for each in state["question"]["candidates"]] == ["a", "b", "c", "d"]
    dialogue = Dialogue(asked)
    answer(dialogue, "best c")
    assert asked.answers[0].answer == "c>abd"


def shown_by(render, **more):
    return Dialogue(study(**more), render=render).state["question"]["candidates"][0]


def test_what_render_makes_is_shown():
    picture = shown_by(lambda c: {"picture": np.full((2, 3), c["x"]), "loudness": 0.5})
    kind, _, data = picture["files"][0]["src"].partition(",")
    assert kind == "data:image/png;base64"
    assert base64.b64decode(data).startswith(b"\x89PNG")
    assert picture["numbers"] == [["loudness", "0.5"]]
    page = shown_by(lambda _: "<b>bold</b>")["files"][0]
    assert page == {"name": "page", "type": "text/html", "text": "<b>bold</b>"}
    assert shown_by(lambda _: {"y": [1.0, 2.0], "t": [0.0, 1.0]})["files"][0]["type"] == "text/csv"


def test_a_figure_is_shown_and_closed():
    from matplotlib import pyplot as plt

    def render(candidate):
        figure, axes = plt.subplots()
        axes.plot([0, candidate["x"]])
        return figure

    assert shown_by(render)["files"][0]["type"] == "image/png"
    assert plt.get_fignums() == []


def test_a_failed_rendering_is_told():
    def render(_):
        raise RuntimeError("no signal")

    assert "RuntimeError: no signal" in shown_by(render)["failed"]
    assert "allowed" in shown_by(lambda _: object())["failed"]
    assert "MB" in shown_by(lambda _: "x" * (MOST_BYTES + 1))["failed"]


def test_a_candidate_is_rendered_once_and_few_are_kept():
    calls = []
    dialogue = Dialogue(study(comparisons=40, seed=0), render=lambda c: calls.append(dict(c)) or "text")
    for _ in range(2 * KEPT):
        answer(dialogue, "a")
        if dialogue.state["question"] is None:
            break
    assert len(calls) >= 30
    assert len(dialogue._rendered) == KEPT
    before = len(calls)
    dialogue.say({"action": "undo"})
    assert len(calls) <= before + 1


def test_hidden_parameters_stay_hidden_beside_a_picture():
    kept = pf.Study.create(pf.Space(XY), name="x", hide_parameters=True, seed=0)
    assert Dialogue(kept, render=lambda _: "text").state["question"]["candidates"][0]["values"] == []
    assert Dialogue(kept).state["question"]["candidates"][0]["values"] != []


def test_ratings_hints_reasons_and_doubts_are_saved_beside_the_answers():
    space = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})
    asked = pf.Study.create(space, name="said", ratings=True, seed=1, proposer=pf.Posterior(unsure=0.3))
    dialogue = Dialogue(asked, judge="ann")
    assert dialogue.state["scale"] == ["very bad", "bad", "neutral", "good", "very good"]
    assert dialogue.state["unsure"]
    assert dialogue.state["hints"] == {}  # there is no best so far
    dialogue.say({"action": "rate", "side": "b", "level": 4, "step": 0, "id": "r"})
    assert dialogue.state["message"] == "B is rated: good."
    assert [each["level"] for each in dialogue.state["question"]["candidates"]] == [0, 4]
    answer(dialogue, "b", note="less noise", sure=False)
    assert dialogue.state["hints"] == {"x": ["more", "less", "fix"], "y": ["more", "less", "fix"]}
    dialogue.say({"action": "hint", "kind": "fix", "variable": "x", "id": "h"})
    assert dialogue.state["message"] == "Noted: keep x as in the best so far. It counts from the next question."
    assert dialogue.state["hints"] == {"x": ["free"], "y": ["more", "less"]}
    by_words = {entry.answer: entry for entry in asked.answers}
    assert (by_words["b"].note, by_words["b"].sure, by_words["rated 4"].who) == ("less noise", False, "ann")


def test_a_rating_is_of_the_candidate_that_was_shown_though_another_pair_waits_by_now():
    asked = pf.Study.create(pf.Space(XY), name="said", ratings=True, seed=1)
    dialogue = Dialogue(asked)
    shown = asked.ask()
    asked.tell(shown, "a")  # in another cell
    dialogue.say({"action": "rate", "side": "b", "level": 4, "step": shown.step, "id": "r"})
    assert asked.answers[-1].a == shown.b


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"action": "rate", "side": "c", "level": 4}, "side"),
        ({"action": "rate", "side": "a", "level": 9}, "level"),
        ({"action": "hint", "kind": "more", "variable": "z"}, "z"),
        ({"action": "hint", "kind": "up", "variable": "x"}, "kind"),
        ({"action": "answer", "answer": "a", "note": 3}, "note"),
    ],
)
def test_a_wrong_rating_hint_or_reason_is_said_and_nothing_is_saved(wrong, words):
    asked = pf.Study.create(pf.Space(XY), name="said", ratings=True, seed=1)
    dialogue = Dialogue(asked)
    dialogue.say({"step": 0, "id": "w"} | wrong)
    assert dialogue.state["message"].startswith("Not saved: ")
    assert words in dialogue.state["message"]
    assert len(asked.answers) == 0
