"""A client in plain Python, without prefero: python client.py http://127.0.0.1:8477 TOKEN "line 3" 10

It plays a test bench: it asks which two settings to try, tries both, answers which was better, and prints the result.
"""

import json
import sys
import uuid
from urllib.parse import quote
from urllib.request import Request, urlopen


def call(path, value=None):
    """Send a GET request, or a POST request if there is a value to send."""
    body = None if value is None else json.dumps(value).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urlopen(Request(f"{address}/api/v1/studies/{quote(study, safe='')}/{path}", body, headers)) as reply:
        return json.load(reply)


def cost(setting):
    """Return what the bench measures; replace this by your machine."""
    return sum((value - 0.3) ** 2 for value in setting.values())


address, token, study, count = sys.argv[1:]
for _ in range(int(count)):
    question = call("question")["question"]
    if question is None:  # every candidate has been compared
        break
    better = "a" if cost(question["a"]) < cost(question["b"]) else "b"
    said = {"step": question["step"], "answer": better, "answer_id": str(uuid.uuid4())}
    print(f"question {question['step']}: {better}, {call('answers', said)['answers']} answers")
print(json.dumps(call("result")["best"]))
