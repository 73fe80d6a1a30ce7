"""Reports: the result of a study as one file, HTML for people or JSON for programs.

| function | returns |
|---|---|
| `save` | the path of the file it writes, .html or .json |
| `page` | the report as HTML, with figures and styles inside |
| `data` | the same results as plain data |
| `sections` | the parts of a report (title, text, SVG figures, tables), for a page of your own |

It needs the extra `plot`: pip install "prefero[plot]".
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from prefero import insight as findings
from prefero.errors import InputError
from prefero.insight.report.page import page
from prefero.insight.report.sections import Exhibit, Section, sections, thinned
from prefero.storage.atomic import write
from prefero.study import Study

__all__ = ["ENDINGS", "Exhibit", "Section", "data", "page", "save", "sections", "thinned"]

ENDINGS = (".html", ".htm", ".json")


def save(study: Study, path: str | os.PathLike[str]) -> Path:
    """Write the result of a study to a .html or .json file, and return its path; an existing file is overwritten."""
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise InputError.of("path", target.name, "a file name that ends in .html or .json")
    write(target, json.dumps(data(study), ensure_ascii=False, indent=2) + "\n" if ending == ".json" else page(study))
    return target


def data(study: Study) -> dict[str, Any]:
    """Return the result as plain data: the verdict, and the text and tables of each section."""
    found = asdict(findings.verdict(study))
    for name in ("best", "runner_up"):
        found[name] = found[name] and dict(found[name])
    parts = [
        {
            "key": part.key,
            "title": part.title,
            "words": part.words,
            "tables": [{"caption": e.caption} | e.table.to_dict() for e in part.exhibits],
        }
        for part in sections(study)
    ]
    return {
        "study": study.settings.name,
        "question": study.settings.question,
        "answers": study.history.answered,
        "expected": study.settings.comparisons,
        "result": found,
        "sections": parts,
    }
