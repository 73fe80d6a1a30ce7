"""The page about the architecture shows the code as it is."""

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def script():
    spec = importlib.util.spec_from_file_location("architecture", ROOT / "docs" / "architecture.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_drawing_is_that_of_the_import_graph():
    assert script().drawn(PAGE) == PAGE, "run python docs/architecture.py"


def test_every_room_is_described():
    assert {room for room in script().arrows() if f"\n| `{room}/` |" not in PAGE} == {"errors"}


def test_every_file_on_the_page_exists():
    named = set(re.findall(r"`([\w/]+\.(?:py|js|html|css|md))`", PAGE))
    assert len(named) > 20
    assert {
        name for name in named if not any((base / name).exists() for base in (ROOT, ROOT / "src" / "prefero"))
    } == set()


def test_every_function_named_with_its_file_exists():
    for file, name in re.findall(r"`([\w/]+\.py)`[^|\n]*?, `(?:\w+\.)?(\w+)`", PAGE):
        source = ROOT / "src" / "prefero" / file
        if source.exists():
            assert re.search(rf"\b{name}\b", source.read_text(encoding="utf-8")), (file, name)
