"""The pictures of the page's demo: `python docs/mountains.py` renders ten candidates of the demo `picture` again."""

from __future__ import annotations

import numpy as np
from PIL import Image

from prefero.cli.demos.pages import picture
from prefero.web.static import FOLDER

COUNT, SIZE, QUALITY = 10, (560, 420), 74


def main() -> None:
    """Write the pictures beside the page's scripts."""
    rng = np.random.default_rng(5)
    for k in range(COUNT):
        candidate = dict(zip(("sun", "warmth", "haze", "roughness"), rng.uniform(0.2, 1, 4), strict=True))
        pixels = (picture.render(candidate | {"ridges": 3 + k % 5}) * 255).astype("uint8")
        image = Image.fromarray(pixels).resize(SIZE, Image.Resampling.LANCZOS)
        image.save(FOLDER / f"mountain-{k + 1}.jpg", "JPEG", quality=QUALITY, optimize=True)


if __name__ == "__main__":
    main()
