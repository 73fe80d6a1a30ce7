"""What render returns is recognised by what it is, becomes a file that a browser shows, or is refused in one line."""

import io
import wave
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from PIL import Image

from prefero.errors import InputError
from prefero.web import files
from prefero.web.rendering import pictures
from prefero.web.rendering.pictures import Shown, shown_of
from tests.page.media import wav

PIXELS = np.arange(5 * 4 * 3, dtype=np.uint8).reshape(5, 4, 3)


def figure():
    made = Figure(figsize=(2, 1))
    made.subplots().plot([0, 1], [1, 0])
    return made


def by_pyplot():
    made, axes = plt.subplots(figsize=(2, 1))
    axes.plot([0, 1])
    return made


def axes():
    return figure().axes[0]


def written(tmp_path, name, content=b"x"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


RECOGNISED = {
    "a matplotlib figure": (figure, "picture", "image/png"),
    "one of pyplot's": (by_pyplot, "picture", "image/png"),
    "axes": (axes, "picture", "image/png"),
    "a Pillow image": (lambda: Image.fromarray(PIXELS), "picture", "image/png"),
    "a Pillow image of four inks": (lambda: Image.fromarray(PIXELS).convert("CMYK"), "picture", "image/png"),
    "grey pixels": (lambda: PIXELS[..., 0], "picture", "image/png"),
    "colours": (lambda: PIXELS, "picture", "image/png"),
    "colours from 0 to 1, one of them none": (lambda: np.full((2, 2, 4), np.nan), "picture", "image/png"),
    "a mask": (lambda: np.eye(3, dtype=bool), "picture", "image/png"),
    "a sound": (lambda: (8000, np.zeros(80)), "sound", "audio/wav"),
    "a sound for two ears": (lambda: (np.int64(8000), np.zeros((80, 2), np.int16)), "sound", "audio/wav"),
    "curves by name": (lambda: {"t": [0, 1, 2], "y": np.zeros(3)}, "curves", "text/csv"),
    "a curve": (lambda: ([0, 1], [2.5, 3]), "curves", "text/csv"),
    "samples": (lambda: np.zeros(9), "curves", "text/csv"),
    "rows by name": (lambda: [{"n": 1, "m": "x"}, {"n": 2}], "page", "text/html"),
    "rows": (lambda: [["", "cat"], ["cat", 3]], "page", "text/html"),
    "a table of pandas": (lambda: pd.DataFrame({"n": [1.5]}, index=["one"]), "page", "text/html"),
    "HTML": (lambda: "<p>Hello</p>", "page", "text/html"),
    "an SVG": (lambda: "<svg xmlns='http://www.w3.org/2000/svg'/>", "picture", "image/svg+xml"),
    "text": (lambda: "# A poem\n", "text", "text/markdown"),
    "bytes of a PNG": (lambda: b"\x89PNG\r\n\x1a\nrest", "picture", "image/png"),
    "bytes of a JPEG": (lambda: bytearray(b"\xff\xd8\xff\xe0"), "picture", "image/jpeg"),
    "bytes of a sound": (lambda: wav(440, 0.01), "sound", "audio/wav"),
    "bytes of a WebP": (lambda: b"RIFF\0\0\0\0WEBPVP8 ", "picture", "image/webp"),
    "bytes of a film": (lambda: b"\0\0\0\x18ftypisom", "film", "video/mp4"),
    "bytes of an AVIF": (lambda: b"\0\0\0\x18ftypavif", "picture", "image/avif"),
}


@pytest.mark.parametrize("what", sorted(RECOGNISED))
def test_a_thing_is_recognised(what):
    make, name, kind = RECOGNISED[what]
    shown = shown_of(make())
    assert {key: value[1] for key, value in shown.files.items()} == {name: kind}
    assert files.checked_content(kind, shown.files[name][0])
    assert not plt.get_fignums()


@pytest.mark.parametrize("suffix", sorted(pictures.SUFFIXES))
def test_a_path_is_known_by_its_ending_and_of_a_kind_that_the_service_takes(suffix, tmp_path):
    ((content, kind),) = shown_of(written(tmp_path, f"file{suffix.upper()}")).files.values()
    assert (content, kind) == (b"x", pictures.SUFFIXES[suffix])
    assert kind in files.ALLOWED


def test_several_things_by_name_and_numbers():
    shown = shown_of({"view": PIXELS, "response": {"t": [0, 1], "y": [0, 1]}, "overshoot": np.float32(0.5), "n": 3})
    assert {name: kind for name, (_, kind) in shown.files.items()} == {"view": "image/png", "response": "text/csv"}
    assert shown.numbers == {"overshoot": 0.5, "n": 3.0}
    assert shown_of(None) == Shown()


def test_pixels_come_back_as_they_were():
    content, _ = shown_of(PIXELS).files["picture"]
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(content))), PIXELS)
    content, _ = shown_of(PIXELS[..., 0] / 255).files["picture"]
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(content))), PIXELS[..., 0])


def test_a_sound_comes_back_as_it_was():
    samples = np.array([0, 0.5, -1, 2])  # 2 is louder than loud
    content, _ = shown_of((44_100, samples)).files["sound"]
    with wave.open(io.BytesIO(content)) as file:
        assert (file.getframerate(), file.getnchannels()) == (44_100, 1)
        assert np.frombuffer(file.readframes(9), "<i2").tolist() == [0, 16384, -32767, 32767]


def test_curves_have_a_line_for_each_sample_and_no_comma_in_a_name():
    content, _ = shown_of({"t, in s": [0, 1], "y": [0.5, np.nan]}).files["curves"]
    assert content == b"t  in s,y\n0,0.5\n1,\n"


def test_a_table_holds_text_and_not_markup():
    content, _ = shown_of([{"<b>": "<script>"}]).files["page"]
    assert b"<script>" not in content
    assert b"&lt;script&gt;" in content


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (3.5, ["a float", "allowed: a matplotlib figure"]),
        (object, ["a type"]),
        (np.zeros((2, 2, 2)), ["numpy.ndarray of shape (2, 2, 2)"]),
        ({"a": object()}, ["'a' is an object"]),
        ({"a": {"t": [0, 1], "y": [0]}}, ["'a' is a dict"]),
        ({"t": [0, 1], "y": [0, 1, 2]}, ["lengths {'t': 2, 'y': 3}"]),
        ({"n": float("nan")}, ["'n' is nan", "finite"]),
        ({3: "x"}, ["the name 3"]),
        ((10, np.zeros(5)), ["10 samples a second"]),
        ((8000, np.zeros((5, 7))), ["a tuple"]),
        (b"what is this", ["bytes of an unknown kind", "PNG"]),
        (Path("nowhere.png"), ["nowhere.png", "No such file"]),
        (Path("file.exe"), ["'.exe'", ".png"]),
        ("", ["empty"]),
        ({str(k): "x" for k in range(21)}, ["21 things"]),
    ],
)
def test_what_is_nothing_known_is_refused_in_one_line(returned, words):
    with pytest.raises(InputError) as refused:
        shown_of(returned)
    said = str(refused.value)
    assert said.startswith("render")
    assert [word for word in words if word not in said] == []
    assert "\n" not in said


def test_a_file_may_not_be_larger_than_that(monkeypatch):
    monkeypatch.setattr(pictures, "MOST_BYTES", 100)
    with pytest.raises(InputError, match="allowed: at most"):
        shown_of(np.random.default_rng(0).random((40, 40)))
