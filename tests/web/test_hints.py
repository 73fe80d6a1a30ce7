"""Hints over HTTP: one form for every kind, listed in the history, refused without a trace."""


def study_with_answers(service, owner):
    path = service.create("hints")
    for step in range(2):
        owner.get(f"{path}/question?judge=ann")
        said = {"step": step, "answer": "a", "answer_id": f"a{step}", "judge": "ann"}
        assert owner.post(f"{path}/answers", said).status == 200
    return path, service.token("judge", "hints", "ann")


def test_every_kind_of_hint_is_given_and_listed(service, owner):
    path, ann = study_with_answers(service, owner)
    names = [variable["name"] for variable in owner.get(path).json()["space"]["variables"]]
    body = {"kind": "more", "variable": names[0], "answer_id": "h1", "note": "too little"}
    for _ in range(2):  # a repeat returns the first record
        saved = owner.post(f"{path}/hints", body, token=ann)
        assert (saved.status, saved.json()["answers"]) == (200, 2)
    best = saved.json()["saved"]["data"]["candidate"]
    empty = dict.fromkeys(("variable", "candidate", "questions", "within", "answer_id"))
    for hint in (
        {"kind": "less", "variable": names[1], "candidate": best},
        {"kind": "near", "questions": 2, "within": 0.2},
        {"kind": "fix", "variable": names[0]},
        {"kind": "free", "variable": names[0]},
        {"kind": "fix", "variable": names[1], "candidate": {names[1]: best[names[1]]}},
        {"kind": "free"},
    ):
        assert owner.post(f"{path}/hints", empty | hint, token=ann).status == 200, hint
    tried = owner.post(f"{path}/hints", {"kind": "try", "candidate": best | {names[0]: 0.5}}, token=ann)
    assert tried.json()["saved"]["data"]["second"][names[0]] == 0.5
    assert owner.get(f"{path}/question", token=ann).json()["question"]["note"] == "a candidate of your own"
    entries = owner.get(f"{path}/history").json()["history"][2:]
    assert [entry["answer"] for entry in entries] == [
        f"more {names[0]}",
        f"less {names[1]}",
        "near for 2 questions",
        f"fix {names[0]} at {best[names[0]]}",
        f"free {names[0]}",
        f"fix {names[1]} at {best[names[1]]}",
        "free",
    ]
    assert (entries[0]["a"], entries[0]["b"], entries[0]["note"], entries[0]["who"]) == (best, {}, "too little", "ann")
    assert owner.post(f"{path}/undo", {"step": -7}, token=ann).status == 200
    assert owner.post(f"{path}/answers/-1/remove", {}, token=ann).status == 200
    assert owner.post(f"{path}/answers/-1/restore", {}, token=ann).status == 200
    assert owner.post(f"{path}/answers/-1/correct", {"answer": "a"}, token=ann).status == 409


def test_a_wrong_hint_changes_nothing(service, owner):
    path, ann = study_with_answers(service, owner)
    name = owner.get(path).json()["space"]["variables"][0]["name"]
    events = len(service.events(path))
    for wrong in (
        {},
        {"kind": "warmer", "variable": name},
        {"kind": "more"},
        {"kind": "more", "variable": "salt"},
        {"kind": "more", "variable": name, "candidate": {name: 1e9}},
        {"kind": "more", "variable": name, "questions": 3},
        {"kind": "more", "variable": name, "judge": "bob"},
        {"kind": "near", "variable": name},
        {"kind": "near", "questions": 0},
        {"kind": "near", "within": 0},
        {"kind": "near", "within": "NaN"},
        {"kind": "fix", "variable": name, "candidate": {name: 1e9}},
        {"kind": "free", "variable": name},
        {"kind": "free"},
        {"kind": "try"},
        {"kind": "try", "candidate": {name: 1e9}},
        {"kind": "more", "variable": name, "answer_id": "a0"},
        {"kind": "more", "variable": name, "nothing": 1},
    ):
        assert 400 <= owner.post(f"{path}/hints", wrong, token=ann).status < 500, wrong
    owner.get(f"{path}/question", token=ann)
    clash = {"kind": "more", "variable": name, "answer_id": "h9"}
    assert owner.post(f"{path}/hints", clash, token=ann).status == 200
    said = {"step": 2, "answer": "same", "answer_id": "h9"}
    assert 400 <= owner.post(f"{path}/answers", said, token=ann).status < 500
    assert len(service.events(path)) == events + 2


def test_a_question_says_what_can_be_hinted(service, owner):
    path = service.create("offered")
    assert owner.get(f"{path}/question").json()["hints"] is None  # there is no best yet
    assert owner.post(f"{path}/answers", {"step": 0, "answer": "a", "answer_id": "a0"}).status == 200
    first, *others = [variable["name"] for variable in owner.get(path).json()["space"]["variables"]]
    all_kinds = ["more", "less", "fix"]
    assert owner.get(f"{path}/question").json()["hints"][first] == all_kinds
    assert owner.post(f"{path}/hints", {"kind": "fix", "variable": first}).status == 200
    told = owner.get(f"{path}/question").json()["hints"]
    assert told[first] == ["free"]
    assert all(told[name] == (all_kinds if len(others) > 1 else all_kinds[:2]) for name in others)
    assert owner.get(f"{path}/question?judge=ann").json()["hints"][first] == all_kinds
