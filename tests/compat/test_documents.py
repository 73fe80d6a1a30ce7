"""The blocks of the documentation that need other packages run where these are installed, as in the environment of `make next`.

They are fenced as py; those fenced as python run everywhere, see `tests/docs/test_examples.py`.
"""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NEEDS = {
    "from-botorch.md": "botorch",
    "from-optuna.md": "optuna_dashboard",
    "pareto-front.md": "pymoo",
    "tables.md": "sklearn",
}
FENCED = re.compile(r"^```(python|py)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_no_document_is_forgotten():
    assert {path.name for path in DOCS.glob("*.md") if "\n```py\n" in path.read_text(encoding="utf-8")} == set(NEEDS)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("document", sorted(NEEDS))
def test_the_blocks_of_a_document_run_one_after_the_other(document, tmp_path, monkeypatch):
    pytest.importorskip(NEEDS[document])
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": document}
    for _, block in FENCED.findall((DOCS / document).read_text(encoding="utf-8")):
        exec(compile(block, document, "exec"), namespace)
