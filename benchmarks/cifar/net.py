"""The net: a convolutional network with three hidden layers and a softmax output, trained with PyTorch.

`Training()` is as section 7.4 says: Adam, 150 epochs, batches of 2000. The paper does not print its layers, its learning rate or
whether it kept the last epoch: the layers below, 1e-3 and the last epoch are ours. `DEMO` trained the net whose outputs the package
carries.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.cifar.images import Images


@dataclass(frozen=True)
class Training:
    """How the net is trained."""

    epochs: int = 150
    batch: int = 2000
    rate: float = 1e-3
    seed: int = 0


DEMO = Training(epochs=5, batch=100)


def train(images: Images, training: Training, progress: Callable[[str], None]) -> Any:
    """A trained net that maps scaled pixels to the logits of the four classes."""
    import torch
    from torch import nn

    torch.set_num_threads(1)  # the same sums in the same order on every machine, and no waiting for busy cores
    torch.manual_seed(training.seed)
    net = nn.Sequential(
        nn.Conv2d(3, 16, 5, stride=2, padding=2),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 8 * 8, 64),
        nn.ReLU(),
        nn.Linear(64, 4),
    )
    X, y = _scaled(images), torch.from_numpy(images.actual)
    optimizer = torch.optim.Adam(net.parameters(), lr=training.rate)
    for epoch in range(training.epochs):
        total = 0.0
        for rows in torch.randperm(len(X)).split(training.batch):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(X[rows]), y[rows])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        progress(f"epoch {epoch + 1} of {training.epochs}, cross entropy {total / len(X):.3f}")
    return net


def confidences(net: Any, images: Images) -> NDArray[np.float32]:
    """The softmax outputs for each photograph, one a row."""
    import torch

    with torch.no_grad():
        return np.asarray(torch.softmax(net(_scaled(images)), dim=1).numpy(), dtype=np.float32)


def _scaled(images: Images) -> Any:
    """The pixels between -1 and 1, as PyTorch takes them."""
    import torch

    return torch.from_numpy(images.pixels).float() / 127.5 - 1
