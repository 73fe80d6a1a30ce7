"""The words of the pages that the server writes, in the reader's language: from the catalogues of the page's scripts.

The English text stands where it is used and is the key, as page/words.js says. Texts and translations hold no markup, so they are
HTML as they are; values must be HTML already.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from starlette.requests import Request

FOLDER = Path(__file__).parent / "page"
TEXT = re.compile(r'>\s*([^<>\s][^<>]*?)\s*(?=<)|\b(?:aria-label|placeholder|title|data-wrong\d?)="([^"]+)"')
"""A text of a template: between two tags, or in one of the attributes that are read or shown. The last say what is wrong with a
field."""
_VALUE = re.compile(r"\{(\w+)(?:\|([^}]*))?\}")


class Words:
    """The words of one language."""

    def __init__(self, language: str, catalogue: dict[str, str]) -> None:
        self.language = language
        self._catalogue = catalogue

    def __call__(self, text: str, **values: object) -> str:
        """Return a text in this language, with its values. Of a count's forms the first is for 1, the last for all others."""

        def value(found: re.Match[str]) -> str:
            given = values[found[1]]
            forms = found[2].split("|") if found[2] else []
            return (forms[0] if given == 1 else forms[-1]) if forms else str(given)

        return _VALUE.sub(value, self._catalogue.get(text, text))

    def template(self, html: str) -> str:
        """Return a template of ours with every text that the catalogue has in this language."""

        def translated(found: re.Match[str]) -> str:
            text = found[1] or found[2]
            return found[0].replace(text, self._catalogue.get(text, text))

        return TEXT.sub(translated, html)


ENGLISH = Words("en", {})
WORDS = {"en": ENGLISH} | {
    file.stem: Words(file.stem, json.loads(file.read_text(encoding="utf-8"))) for file in sorted(FOLDER.glob("*.json"))
}


def words_of(request: Request) -> Words:
    """Return the words of the first of a browser's languages that there is; browsers name the preferred one first."""
    asked = re.findall(r"(?:^|,)\s*([A-Za-z]+)", request.headers.get("accept-language", ""))
    return WORDS[next((language for language in map(str.lower, asked) if language in WORDS), "en")]
