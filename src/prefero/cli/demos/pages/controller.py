"""A PID controller, judged by its step responses on a plant with delay and noise. Serve it with: prefero serve controller.py."""

import numpy as np

import prefero as pf

question = "Which response would you rather have on your machine?"
space = pf.Space(
    {
        "gain": pf.Real(0.2, 6, log=True),
        "integral": pf.Real(1, 30, log=True, unit="s"),
        "derivative": pf.Real(0, 2, unit="s"),
    }
)

STEP, SECONDS, DELAY, LAG = 0.05, 30.0, 1.0, 4.0
"""In seconds: the sampling time, the duration of a response, the plant's dead time and its time constant."""


def response(candidate):
    """Return time, temperature and heating after a step of the set point from 0 to 1."""
    steps, late = round(SECONDS / STEP), round(DELAY / STEP)
    noise = 0.004 * np.random.default_rng(1).standard_normal(steps)  # the same for every candidate
    temperature, heating = np.zeros(steps), np.zeros(steps)
    total, rate, before = 0.0, 0.0, 0.0
    for k in range(1, steps):
        arriving = heating[k - 1 - late] if k > late else 0.0
        temperature[k] = temperature[k - 1] + STEP / LAG * (arriving - temperature[k - 1])
        measured = temperature[k] + noise[k]
        error = 1 - measured
        rate += STEP / (0.2 + STEP) * ((before - measured) / STEP - rate)  # filtered, or it would be mostly noise
        wanted = candidate["gain"] * (error + total / candidate["integral"] + candidate["derivative"] * rate)
        heating[k] = np.clip(wanted, 0, 3)
        if heating[k] == wanted:  # anti-windup: integrate only while the heating is within its limits
            total += STEP * error
        before = measured
    return STEP * np.arange(steps), temperature + noise, heating


def render(candidate):
    """Return curves: columns by name, the first is the horizontal axis."""
    time, temperature, heating = response(candidate)
    return {"time [s]": time, "temperature": temperature, "heating": heating}


def prefer(a, b):
    """Answer as a simulated person, who wants a fast response without overshoot and with calm heating."""
    dislike = []
    for candidate in (a, b):
        _, temperature, heating = response(candidate)
        overshoot = max(temperature.max() - 1.02, 0)
        dislike.append(np.abs(1 - temperature).mean() + 2 * overshoot + 0.3 * np.abs(np.diff(heating)).mean())
    return "a" if dislike[0] < dislike[1] else "b"
