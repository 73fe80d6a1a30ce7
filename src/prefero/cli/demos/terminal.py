"""Demos for the terminal, each with a simulated person who has a hidden taste."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from prefero.space import Choice, Integer, Real, Space

Sight = tuple[str, str, str]
"""A row that shows a candidate: label, text, and the style of the text, "" or a colour as rgb(…)."""


@dataclass(frozen=True)
class Demo:
    """A demo: its question, its space, and `dislike`, the hidden taste of the simulated person; lower is better."""

    name: str
    title: str
    question: str
    space: Space
    dislike: Callable[[Mapping[str, Any]], float]
    picture: Callable[[Mapping[str, Any]], list[Sight]]
    comparisons: int = 25

    def prefer(self, a: Mapping[str, Any], b: Mapping[str, Any]) -> str:
        """Return the answer of the simulated person."""
        first, second = self.dislike(a), self.dislike(b)
        return "same" if first == second else "a" if first < second else "b"


# Colour: three integers --------------------------------------------------------------------------------


def _colour_dislike(c: Mapping[str, Any]) -> float:
    """Return the dislike of a person who wants a muted teal."""
    return math.dist((c["red"], c["green"], c["blue"]), (38, 128, 118))


def _colour_picture(c: Mapping[str, Any]) -> list[Sight]:
    return [("", "████████████", f"rgb({c['red']},{c['green']},{c['blue']})") for _ in range(3)]


COLOUR = Demo(
    "colour",
    "A colour for a wall, with three channels",
    "Which colour do you prefer?",
    Space({"red": Integer(0, 255), "green": Integer(0, 255), "blue": Integer(0, 255)}),
    _colour_dislike,
    _colour_picture,
)


# Espresso: real, integer and categorical variables ---------------------------------------------------------------------------


def _espresso_dislike(c: Mapping[str, Any]) -> float:
    """Return the dislike of a person who wants a certain strength and no bitterness; hot water or long brewing is bitter."""
    strength = c["dose"] / 18 * math.sqrt(c["seconds"] / 27)
    bitter = (c["degrees"] - 93) / 5 + (c["seconds"] - 27) / 15
    milk = {"none": 0.0, "oat": 0.2, "cow": 0.35}[c["milk"]]
    return float((3 * (strength - 1.05)) ** 2 + bitter**2 + milk)


def _nothing(_: Mapping[str, Any]) -> list[Sight]:
    return []


ESPRESSO = Demo(
    "espresso",
    "An espresso, with variables of three kinds",
    "Which cup is better?",
    Space([
        ("dose", Real(12, 22, unit="g")),
        ("seconds", Real(15, 45, unit="s")),
        ("degrees", Integer(85, 98, unit="°C")),
        ("milk", Choice(["none", "oat", "cow"])),
    ]),
    _espresso_dislike,
    _nothing,
)  # fmt: skip


# Suspension: a curve --------------------------------------------------------------------------------------

STEP_SECONDS, STEPS, BLOCKS = 0.01, 200, "▁▂▃▄▅▆▇█"


def bounce(c: Mapping[str, Any]) -> list[float]:
    """Return the height of a quarter of a car for two seconds after a bump: 300 kg on a spring and a damper."""
    height, speed, heights = 1.0, 0.0, []
    for _ in range(STEPS):
        force = -1000 * c["spring"] * height - 1000 * c["damper"] * speed
        speed += STEP_SECONDS * force / 300
        height += STEP_SECONDS * speed
        heights.append(height)
    return heights


def _suspension_dislike(c: Mapping[str, Any]) -> float:
    """Return the dislike of a person who wants the car to settle quickly without a jolt."""
    heights = bounce(c)
    jolt = max(abs(after - before) for before, after in pairwise(heights))
    return STEP_SECONDS * sum(map(abs, heights)) + 10 * jolt


def _suspension_picture(c: Mapping[str, Any]) -> list[Sight]:
    heights = bounce(c)[:: STEPS // 25]
    marks = [BLOCKS[min(max(round((height + 1) / 2 * 7), 0), 7)] for height in heights]
    return [("after a bump", "".join(marks), "")]


SUSPENSION = Demo(
    "suspension",
    "A car's spring and damper, judged by how it bounces",
    "Which ride is better?",
    Space({"spring": Real(2, 60, log=True, unit="kN/m"), "damper": Real(0.1, 10, log=True, unit="kN·s/m")}),
    _suspension_dislike,
    _suspension_picture,
)

DEMOS = {demo.name: demo for demo in (COLOUR, ESPRESSO, SUSPENSION)}
