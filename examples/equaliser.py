"""Set a five-band equaliser for a muffled recording.

Each band is a peaking filter of second order, made with SciPy. A listener who cannot say how many decibels are missing where
compares two settings at a time. The simulated one knows how the sound should be and hears differences on a logarithmic scale,
with some noise.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import prefero as pf
from prefero.insight import plots

RATE = 44_100
BANDS = (100, 300, 1000, 3000, 9000)
Array = NDArray[np.float64]
SPACE = pf.Space({f"{band} Hz": pf.Real(-12, 12, unit="dB") for band in BANDS})
FREQUENCIES = np.geomspace(40, 16_000, 200)
MUFFLED = -3 - 9 * np.clip(np.log2(FREQUENCIES / 800), 0, 2)  # dB: what the recording lost
IMPORTANT = np.exp(-(np.log2(FREQUENCIES / 1500) ** 2) / 8)  # where ears are keen


def response(gains: Array) -> Array:
    """Return the gain of the equaliser in dB at each frequency."""
    total, z = np.zeros_like(FREQUENCIES), np.exp(-2j * np.pi * FREQUENCIES / RATE)
    for band, gain in zip(BANDS, gains, strict=True):
        b, a = _peaking(band, float(gain))
        total += 20 * np.log10(np.abs(np.polyval(b[::-1], z) / np.polyval(a[::-1], z)))
    return total


def _peaking(centre: float, gain: float, width: float = 0.7) -> tuple[Array, Array]:
    """Return a peaking filter by the usual formulas of audio equalisers."""
    amplitude, angle = 10 ** (gain / 40), 2 * np.pi * centre / RATE
    alpha = np.sin(angle) / (2 * width)
    b = np.array([1 + alpha * amplitude, -2 * np.cos(angle), 1 - alpha * amplitude])
    return b, np.array([1 + alpha / amplitude, -2 * np.cos(angle), 1 - alpha / amplitude])


def distance(setting: pf.Candidate) -> float:
    """Return the listener's hidden dislike: how far the sound is from the original, loudness aside."""
    heard = MUFFLED + response(np.asarray(setting, dtype=float))
    heard = heard - np.average(heard, weights=IMPORTANT)
    return float(np.sqrt(np.average(heard**2, weights=IMPORTANT)))


def main() -> None:
    """Run the example, print the result and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(options.seed)

    def listener(a: pf.Candidate, b: pf.Candidate) -> str:
        difference = distance(b) - distance(a) + 0.2 * rng.logistic()
        return "same" if abs(difference) < 0.1 else "a" if difference > 0 else "b"

    result = pf.optimize(listener, SPACE, comparisons=45, seed=options.seed)
    print(result)
    assert result.best  # there is one unless nothing was answered
    flat = SPACE.candidate([0.0] * len(BANDS))
    print(f"off by {distance(flat):.1f} dB without the equaliser, by {distance(result.best):.1f} dB with it")

    figure = plots.Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    curve = MUFFLED + response(np.asarray(result.best, dtype=float))
    for values, colour, label in ((MUFFLED, plots.ORANGE, "recorded"), (curve, plots.BLUE, "equalised")):
        centred = values - np.average(values, weights=IMPORTANT)
        axes.semilogx(FREQUENCIES, centred, color=colour, linewidth=2, label=label)
    axes.axhline(0, color=plots.QUIET, linewidth=1, linestyle=(0, (5, 3)))
    plots.labelled(axes, "frequency [Hz]", "difference from the original [dB]")
    axes.legend(frameon=False)
    figure.savefig(options.out / "equaliser.png", dpi=110)
    print(f"figure: {options.out / 'equaliser.png'}")


if __name__ == "__main__":
    main()
