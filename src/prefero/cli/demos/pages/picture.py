"""A picture of mountains from a generator with five parameters. Serve it with: prefero serve picture.py."""

import numpy as np

import prefero as pf

question = "Which picture would you rather hang on your wall?"
space = pf.Space(
    {
        "sun": pf.Real(0, 1),  # from the horizon to high up
        "warmth": pf.Real(0, 1),  # from blue to orange
        "haze": pf.Real(0, 1),
        "ridges": pf.Integer(2, 9),
        "roughness": pf.Real(0.2, 1),
    }
)

HEIGHT, WIDTH = 480, 640
COLD, WARM = np.array([[120, 170, 220], [35, 70, 130]]) / 255, np.array([[255, 170, 90], [90, 50, 110]]) / 255
"""Colours of the sky at the horizon and at the top."""


def render(candidate):
    """Return an image: an array of height × width × 3, with values from 0 to 1."""
    x, y = np.linspace(0, 1, WIDTH), np.linspace(0, 1, HEIGHT)[:, None]
    horizon, top = COLD + candidate["warmth"] * (WARM - COLD)
    rise = np.clip(y / 0.7, 0, 1)[..., None]
    picture = np.broadcast_to(top + rise * (horizon - top), (HEIGHT, WIDTH, 3)).copy()

    distance = np.hypot((x - 0.68) * WIDTH / HEIGHT, y - 0.62 + 0.5 * candidate["sun"])
    glow = np.exp(-((distance / (0.12 + 0.2 * candidate["haze"])) ** 2)) + 2 * (distance < 0.055)
    picture += 0.8 * np.minimum(glow, 1)[..., None] * (np.array([1, 0.95, 0.8]) - picture)

    rng = np.random.default_rng(7)  # the same mountains in every picture
    for near in np.linspace(0, 1, candidate["ridges"]):
        waves = 2.0 ** np.arange(1, 8)
        shape = np.sin(np.pi * np.outer(waves, x) + rng.uniform(0, 2 * np.pi, (7, 1)))
        skyline = 0.5 + 0.4 * near - (waves ** -(1.7 - candidate["roughness"])) @ shape * 0.1 * (1.2 - 0.5 * near)
        veil = (1 - near) * (0.35 + 0.65 * candidate["haze"])
        colour = veil * horizon + (1 - veil) * top * 0.35
        picture[y > skyline] = colour
    return np.clip(picture, 0, 1)


def prefer(a, b):
    """Answer as a simulated person, who likes warm colours, haze and a low sun."""
    dislike = [(c["sun"] - 0.2) ** 2 + (c["warmth"] - 0.8) ** 2 + (c["haze"] - 0.6) ** 2 for c in (a, b)]
    return "a" if dislike[0] < dislike[1] else "b"
