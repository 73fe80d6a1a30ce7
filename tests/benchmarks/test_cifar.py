"""The classifier's experiment: reading photographs, the cost as a problem, and that nothing is fetched in vain."""

import json
import sys

import numpy as np
import pytest
from PIL import Image

from benchmarks.cifar import __main__ as command
from benchmarks.cifar import costs, images, optimum
from prefero.cli.demos import classifier


def package(folder, labels):
    """A tiny package of the same form: images whose first pixel is their number."""
    folder.mkdir()
    pixels = np.zeros((len(labels), 1024, 3), dtype=np.uint8)
    pixels[:, 0, 0] = np.arange(len(labels))
    pixels[:, 33, 1] = 7  # second line, second column
    for name in ("test_batch.png", *images.BATCHES):
        Image.fromarray(pixels).save(folder / name)
    (folder / "test_lables.json").write_text(json.dumps(labels))
    (folder / "train_lables.json").write_text(json.dumps(labels * 5))
    return folder


def test_photographs_of_the_four_classes_are_read(tmp_path):
    read = images.read(package(tmp_path / "package", [3, 1, 8, 6, 0, 4, 1]), "test")
    assert read.pixels.shape == (5, 3, 32, 32)
    assert read.actual.tolist() == [0, 3, 2, 1, 0]
    assert read.pixels[:, 0, 0, 0].tolist() == [1, 2, 3, 5, 6]
    assert (read.pixels[:, 1, 1, 1] == 7).all()
    assert len(images.read(tmp_path / "package", "train").actual) == 25


def test_labels_that_do_not_fit_and_missing_files_are_named(tmp_path):
    folder = package(tmp_path / "package", [1, 4])
    (folder / "test_lables.json").write_text("[1]")
    with pytest.raises(images.ImagesError, match="2 images and 1 labels"):
        images.read(folder, "test")
    with pytest.raises(images.ImagesError, match=r"lacks test_batch\.png"):
        images.read(tmp_path, "test")


def test_an_unpacked_package_is_not_fetched_again(tmp_path, monkeypatch):
    monkeypatch.setattr(images.shutil, "which", lambda _: None)
    (tmp_path / "package").mkdir()
    assert images.fetch(tmp_path) == tmp_path / "package"
    with pytest.raises(images.ImagesError, match="no npm"):
        images.fetch(tmp_path / "elsewhere")


def test_without_pytorch_the_command_says_what_to_install(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == "torch" else sys)
    assert command.main(["train", "--out", str(tmp_path / "x.npz")]) == 2
    assert "pip install 'prefero[cifar]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_cost_as_a_problem_eliminates_the_fourth_weight():
    x = np.array([[0.3, 0.2, 0.1], [0.25, 0.25, 0.25]])
    assert costs.cost(x).tolist() == [classifier.cost([0.3, 0.2, 0.1, 0.4]), classifier.cost([0.25] * 4)]
    assert costs.cost(x[0]).shape == ()
    assert classifier.cost(costs.BEST) == costs.LEAST


def test_polishing_never_makes_weights_worse():
    start = np.array([0.2, 0.2, 0.2])
    x, least = optimum.polished(start, np.random.default_rng(0))
    assert least == costs.cost(x) <= costs.cost(start)
    assert optimum.within(np.array([0.9, 0.2, 0.1])) == float("inf")
