"""The bell of a small synthesiser, judged by ear. Serve it with: prefero serve sound.py."""

import numpy as np

import prefero as pf

question = "Which bell would you rather wake up to?"
space = pf.Space(
    {
        "pitch": pf.Real(220, 880, log=True, unit="Hz"),
        "brightness": pf.Real(0, 1),
        "decay": pf.Real(0.2, 2, log=True, unit="s"),
        "shimmer": pf.Real(0, 1),
        "echo": pf.Real(0, 0.7),
    }
)

RATE, SECONDS = 22_050, 3.5
MELODY = ((0.0, 1.0), (0.35, 5 / 4), (0.7, 3 / 2), (1.2, 2.0))
"""The start of each note in seconds, and its pitch as a ratio."""


def note(candidate, ratio):
    """Return one stroke of the bell; higher partials are softer and decay faster."""
    time = np.arange(round(RATE * SECONDS)) / RATE
    sound = np.zeros_like(time)
    for partial in (1, 2, 2.76, 4.07, 5.4):
        loud = candidate["brightness"] ** (partial - 1) if partial > 1 else 1.0
        trembling = 1 + 0.006 * candidate["shimmer"] * np.sin(2 * np.pi * 5.5 * time)
        phase = 2 * np.pi * np.cumsum(candidate["pitch"] * ratio * partial * trembling) / RATE
        sound += loud * np.sin(phase) * np.exp(-time * partial**0.7 / candidate["decay"])
    return sound * np.minimum(time / 0.004, 1)


def render(candidate):
    """Return a sound: the sampling rate, and samples from -1 to 1."""
    sound = np.zeros(round(RATE * SECONDS))
    for begins, ratio in MELODY:
        start = round(begins * RATE)
        sound[start:] += note(candidate, ratio)[: sound.size - start]
    late = round(0.28 * RATE)
    for k in range(late, sound.size, late):
        sound[k : k + late] += candidate["echo"] * sound[k - late : k][: sound.size - k]
    return RATE, 0.8 * sound / np.abs(sound).max()


def prefer(a, b):
    """Answer as a simulated person, who likes a deep and soft bell."""
    dislike = [np.log(c["pitch"] / 330) ** 2 + (c["brightness"] - 0.35) ** 2 + (c["echo"] - 0.3) ** 2 for c in (a, b)]
    return "a" if dislike[0] < dislike[1] else "b"
