"""Small files to upload: pictures, sounds, curves."""

import math
import struct
import zlib


def png(width: int, height: int, colour: tuple[int, int, int]) -> bytes:
    """A picture of one colour."""
    rows = (b"\0" + bytes(colour) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )


def wav(frequency: float, seconds: float = 2.0, rate: int = 8000) -> bytes:
    """A tone."""
    samples = (int(12000 * math.sin(2 * math.pi * frequency * k / rate)) for k in range(int(rate * seconds)))
    data = b"".join(struct.pack("<h", sample) for sample in samples)
    form = struct.pack("<IHHIIHH", 16, 1, 1, rate, 2 * rate, 2, 16)
    return (
        b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + form + b"data" + struct.pack("<I", len(data)) + data
    )


def csv(damping: float) -> bytes:
    """A step response."""
    times = [k / 20 for k in range(100)]
    return "".join(["t,y\n", *(f"{t},{1 - math.exp(-damping * t) * math.cos(3 * t)}\n" for t in times)]).encode()
