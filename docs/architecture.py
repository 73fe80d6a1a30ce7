"""Draw the rooms of prefero and the arrows between them from the import graph: `python docs/architecture.py`.

The drawing is written into docs/architecture.md, between the two marks. A test compares it with the code.
"""

from __future__ import annotations

from pathlib import Path

import grimp

PAGE = Path(__file__).parent / "architecture.md"
BEGIN, END = "<!-- drawn by docs/architecture.py -->\n", "<!-- end of the drawing -->"
PACKAGE = "prefero"

Arrows = dict[str, set[str]]


def arrows() -> Arrows:
    """Return the rooms that each room imports from."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    rooms = {name.split(".")[1] for name in graph.find_children(PACKAGE)} - {"__main__"}
    found: Arrows = {room: set() for room in rooms}
    for importer in graph.modules:
        for imported in graph.find_modules_directly_imported_by(importer):
            here, there = _room(importer), _room(imported)
            if here in rooms and there in rooms and here != there:
                found[here].add(there)
    return found


def _room(module: str) -> str:
    """Return the second part of a module's name; the package itself is no room."""
    return module.partition(".")[2].partition(".")[0]


def _reachable(room: str, found: Arrows) -> set[str]:
    """Return the rooms that a room imports from, directly or through others."""
    return found[room].union(*(_reachable(other, found) for other in found[room]))


def _needed(room: str, found: Arrows) -> set[str]:
    """Return the arrows that no path through another room replaces; only those are drawn."""
    return found[room] - set().union(*(_reachable(other, found) for other in found[room]))


def drawing() -> str:
    """Return the diagram and the table of all arrows, as Markdown."""
    found = arrows()
    order = sorted(found, key=lambda room: (-len(_reachable(room, found)), room))
    lines = ["```mermaid", "flowchart TD"]
    lines += [f"    {room} --> {other}" for room in order for other in order if other in _needed(room, found)]
    lines += ["```", "", "| room | imports from |", "|---|---|"]
    lines += [f"| `{room}` | {', '.join(other for other in order if other in found[room]) or '–'} |" for room in order]
    return "\n".join(lines) + "\n"


def drawn(text: str) -> str:
    """Return the page with the drawing of today's code."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + "\n" + drawing() + "\n" + END + rest.split(END, 1)[1]


if __name__ == "__main__":
    PAGE.write_text(drawn(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
