"""The widget in a real JupyterLab, in chromium; `make next` installs both."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

pytest.importorskip("jupyterlab")
from playwright.sync_api import expect, sync_playwright

OUT = Path(__file__).parents[2] / "out" / "page"
PATIENCE = 120_000
CODE = """import numpy as np
import prefero as pf


def render(candidate):
    y, x = np.mgrid[0:1:120j, 0:1:200j]
    return 0.5 + 0.5 * np.sin(2 * np.pi * (candidate["waves"] * x + candidate["tilt"] * y))


space = pf.Space({"waves": pf.Real(1, 8), "tilt": pf.Real(-4, 4)})
study = pf.Study.create(space, name="stripes", storage="stripes.db", comparisons=12, seed=3, load_if_exists=True)
pf.widget(study, render=render)"""


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def lab(folder, theme):
    """A JupyterLab with one notebook; its address."""
    settings = folder / "settings" / "@jupyterlab"
    for name, value in {
        "apputils-extension/themes": {"theme": theme},
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    }.items():
        file = settings / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value))
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": CODE, "id": "one"}
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    book = {"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    work = folder / "work"
    work.mkdir()
    (work / "stripes.ipynb").write_text(json.dumps(book))
    port = free_port()
    apart = {name: str(folder / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
    options = ["--no-browser", f"--port={port}", "--ip=127.0.0.1", f"--ServerApp.root_dir={work}", "--allow-root"]
    options += ["--IdentityProvider.token=", f"--LabApp.user_settings_dir={folder / 'settings'}"]
    options += [f"--LabApp.workspaces_dir={folder / 'workspaces'}"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options], env=os.environ | apart, stdout=log, stderr=log
        )
        try:
            address = f"http://127.0.0.1:{port}"
            waited_for(f"{address}/api", server, folder / "log")
            yield address, work
        finally:
            server.terminate()
            server.wait(60)


def waited_for(url, server, log):
    for _ in range(240):
        assert server.poll() is None, log.read_text()
        try:
            with urlopen(url):
                return
        except URLError:
            time.sleep(0.5)
    raise AssertionError(log.read_text())


@contextmanager
def browser_page():
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(PATIENCE)
        yield page
        browser.close()


def run(page):
    page.locator(".jp-Notebook .jp-Cell .cm-content").first.click()
    page.keyboard.press("Shift+Enter")


def at(widget, step):
    expect(widget).to_have_attribute("data-step", str(step), timeout=PATIENCE)
    widget.page.wait_for_timeout(300)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_a_person_answers_in_a_cell_and_the_study_goes_on(theme, tmp_path):
    import prefero as pf

    with lab(tmp_path, theme) as (address, work), browser_page() as page:
        page.goto(f"{address}/lab/tree/stripes.ipynb")
        expect(page.locator(".jp-Notebook .cm-content").first).to_be_visible(timeout=PATIENCE)
        expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle", timeout=PATIENCE)  # the kernel
        run(page)
        widget = page.locator(".prefero")
        at(widget, 0)
        expect(widget.locator(".pane img")).to_have_count(2)
        cells = page.locator(".jp-Notebook .jp-CodeCell").count()
        widget.get_by_role("button", name="A is better").click()
        at(widget, 1)
        widget.focus()
        for step, key in enumerate(
            ["b", "x", "ArrowDown", "z", "a"], 1
        ):  # b and a would insert a cell, x would cut one
            page.keyboard.press(key)
            at(widget, {4: 3}.get(step, step + 1 if step < 4 else 5))
        assert page.locator(".jp-Notebook .jp-CodeCell").count() == cells
        with pf.Study.open("stripes", str(work / "stripes.db")) as study:
            said = [entry.answer for entry in study.answers if entry.status == "effective"]
            assert said == ["a", "b", "skipped", "a"]
        step = int(widget.get_attribute("data-step"))
        run(page)  # again: the study goes on
        expect(widget).to_have_count(1, timeout=PATIENCE)
        at(widget, step)
        widget.get_by_role("button", name="B is better").click()
        at(widget, step + 1)
        OUT.mkdir(parents=True, exist_ok=True)
        widget.scroll_into_view_if_needed()
        page.screenshot(path=OUT / f"notebook-{re.sub('[^a-z]+', '-', theme.lower())}.png")
