"""A simulated language model as judge: it reads a question as JSON from standard input and prints a, b or same.

It likes short, friendly texts, and is drawn a little to what it reads first. See examples/program_judge.py.
"""

import json
import sys


def dislike(setting):
    """Return how much the model dislikes a setting."""
    tone = {"sober": 0.3, "friendly": 0.0, "excited": 0.8}[setting["tone"]]
    return tone + (setting["temperature"] - 0.6) ** 2 + ((setting["words"] - 70) / 60) ** 2


asked = json.load(sys.stdin)
print("a" if dislike(asked["b"]) - dislike(asked["a"]) + 0.05 > 0 else "b")
