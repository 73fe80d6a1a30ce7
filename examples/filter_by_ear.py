"""Find a filter that takes hum and hiss out of a recording, by ear.

The filter is SciPy's. A listener compares two filtered recordings; here a function plays the listener, who minds the hum, the
hiss, and a voice that becomes thin. The filtered sound is written as a WAV file, to be listened to.
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import signal
from scipy.io import wavfile

import prefero as pf
from prefero.insight import plots

RATE = 16_000
Array = NDArray[np.float64]
SPACE = pf.Space({
    "low cut": pf.Real(20, 400, log=True, unit="Hz"),
    "high cut": pf.Real(1500, 7500, log=True, unit="Hz"),
    "order": pf.Integer(1, 6),
    "kind": pf.Choice(["butter", "bessel"]),
})  # fmt: skip


def recording() -> tuple[Array, Array]:
    """Return two seconds of something like a voice, and the hum and hiss it was recorded with."""
    rng, t = np.random.default_rng(0), np.arange(2 * RATE) / RATE
    pitch = 130 * (1 + 0.05 * np.sin(2 * np.pi * 3 * t))
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    voice = sum(np.sin(k * phase) / k**1.2 for k in range(1, 20)) * (0.6 + 0.4 * np.sin(2 * np.pi * 2 * t))
    hum = 0.8 * np.sin(2 * np.pi * 50 * t)
    return np.asarray(0.3 * voice), np.asarray(0.3 * hum + 0.08 * rng.standard_normal(t.size))


VOICE, NOISE = recording()


@cache
def sections(setting: pf.Candidate) -> Array:
    """Return the filter as second-order sections."""
    design = {"butter": signal.butter, "bessel": signal.bessel}[setting["kind"]]
    band = [setting["low cut"], setting["high cut"]]
    return np.asarray(design(setting["order"], band, "bandpass", fs=RATE, output="sos"))


@cache
def annoyance(setting: pf.Candidate) -> float:
    """Return the listener's hidden dislike: the noise that is left, and the voice that is gone."""
    voice, noise = (np.asarray(signal.sosfilt(sections(setting), sound)) for sound in (VOICE, NOISE))
    delay = np.argmax(signal.correlate(voice[:4000], VOICE[:4000])) - 3999
    lost = np.roll(voice, -delay) - VOICE
    return float(1.5 * np.sqrt(np.mean(noise**2)) + np.sqrt(np.mean(lost**2)))


def main() -> None:
    """Run the example, print the result, write the sound and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    result = pf.optimize(pf.preference(annoyance), SPACE, comparisons=30, seed=options.seed)
    print(result)
    first, best = result.incumbents[0], result.best
    assert first is not None  # there is one unless nothing was answered
    assert best is not None
    print(f"annoyance after the first answer {annoyance(first):.3f}, of the chosen filter {annoyance(best):.3f}")
    sound = signal.sosfilt(sections(best), VOICE + NOISE)
    wavfile.write(options.out / "filtered.wav", RATE, (20_000 * sound / np.abs(sound).max()).astype(np.int16))

    figure = plots.Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    for setting, colour, label in ((first, plots.SKY, "after 1 answer"), (best, plots.BLUE, "chosen")):
        frequency, response = map(np.asarray, signal.sosfreqz(sections(setting), 4000, fs=RATE))
        axes.semilogx(frequency[1:], 20 * np.log10(np.abs(response[1:]) + 1e-6), color=colour, linewidth=2, label=label)
    axes.axvline(50, color=plots.ORANGE, linewidth=1, linestyle=(0, (5, 3)), label="hum")
    plots.labelled(axes, "frequency [Hz]", "gain [dB]")
    axes.set(xlim=(20, 8000), ylim=(-50, 3))
    axes.legend(frameon=False, loc="lower right")
    figure.savefig(options.out / "filter_by_ear.png", dpi=110)
    print(f"figure: {options.out / 'filter_by_ear.png'}")


if __name__ == "__main__":
    main()
