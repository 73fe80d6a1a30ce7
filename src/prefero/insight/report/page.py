"""The report as one HTML file: figures and styles are inside, there are no scripts, and nothing is loaded from elsewhere.

Texts of a study are escaped, and `dir="auto"` gives each its own writing direction.
"""

from __future__ import annotations

import json

from prefero import __version__
from prefero import insight as findings
from prefero.insight import Table, Verdict, plots, shown
from prefero.insight.agreement import judge_names
from prefero.insight.plots.inline import text
from prefero.insight.report.sections import Exhibit, Section, sections, thinned
from prefero.insight.tables import Column, count, minute
from prefero.storage.events import NOT_NAMED
from prefero.study import Study

_CSS = """\
:root{color-scheme:light dark;--paper:#fff;--ink:#26282b;--soft:#5c6066;--line:#dcdee1;--tint:#f4f6f8;--accent:#005c91}
@media (prefers-color-scheme:dark){:root{--paper:#1b1d20;--ink:#e9e9ea;--soft:#a9adb3;--line:#3c3e43;
  --tint:#24272b;--accent:#7cc0f0}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main,footer{max-width:68rem;margin:0 auto;padding:0 1.25rem}
header{padding:2.5rem 0 .5rem}
h1{font-size:1.75rem;line-height:1.25;margin:0;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2.75rem 0 .25rem}
h3{font-size:1rem;margin:0 0 .25rem;overflow-wrap:anywhere}
p{margin:.25rem 0;max-width:46rem;overflow-wrap:anywhere;white-space:pre-line}
.soft{color:var(--soft)}
.advice{border-left:4px solid var(--accent);background:var(--tint);padding:.75rem 1rem;margin:1rem 0;max-width:46rem}
.beside{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem 2rem;align-items:start}
.small{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,18rem),1fr));gap:1.5rem 1.25rem;margin-top:1rem}
.small p{font-size:.875rem}
figure{margin:.75rem 0 0;min-width:0}
.scroll{overflow-x:auto;margin-top:.75rem}
.tall{max-height:26rem;overflow-y:auto}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding-bottom:.25rem}
th,td{padding:.25rem .75rem .25rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);
  min-width:3.5rem;max-width:18rem;overflow-wrap:break-word}
th{font-weight:600}
thead th{vertical-align:bottom}
td.number,th.number{text-align:right}
td.number{white-space:nowrap}
.winner{margin:1rem 0 1.5rem}
.winner img,.winner video,.winner svg{display:block;max-width:100%;max-height:80vh;border-radius:6px}
.winner svg{width:44rem;background:var(--tint)}
.winner audio{width:min(100%,36rem)}
.setting td,.setting th{font-size:1rem;padding-right:1.5rem}
summary{cursor:pointer;color:var(--accent);font-size:.875rem;margin-top:.5rem}
summary:focus-visible,.scroll:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
pre{background:var(--tint);padding:.75rem 1rem;overflow-x:auto;font-size:.875rem;white-space:pre-wrap;overflow-wrap:anywhere}
footer{margin-top:3rem;padding-bottom:2rem;font-size:.875rem}
@media print{
  :root{--paper:#fff;--ink:#000;--soft:#444;--line:#bbb;--tint:#fff;--accent:#005c91}
  body{font-size:10.5pt}
  main,footer{max-width:none;padding:0}
  header{padding-top:0}
  h2,h3{break-after:avoid}
  figure,tr,.advice,.small>section{break-inside:avoid}
  .scroll,.tall{overflow:visible;max-height:none}
  .small{grid-template-columns:repeat(3,1fr)}
  details:not([open]){display:none}
}
"""


def page(study: Study) -> str:
    """Return the whole report as HTML."""
    title = study.settings.title or study.settings.name or "Result"
    file = shown.slot(study)
    return shown.filled(_document(study, title, file), study.log)


def _document(study: Study, title: str, file: str) -> str:
    allowed = shown.POLICY if file else ""
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'{allowed}\">\n"
        f"<title>{text(title)} – prefero</title>\n<style>\n{_CSS}{plots.stylesheet()}{_PAPER}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join([_header(study, title), _verdict(study, file), *map(_section, sections(study))])
        + f"\n</main>\n{_footer(study)}\n</body>\n</html>\n"
    )


def _on_paper() -> str:
    """Return the rules for print: the light colours, since paper is white."""
    light = "".join(f"--pf-{name}:{colours[0]};" for name, colours in plots.COLOURS.items())
    return f"@media print{{:root{{{light}}}}}\n"


_PAPER = _on_paper()


# The parts -----------------------------------------------------------------------------------------------------------


def _header(study: Study, title: str) -> str:
    facts = [f"{study.history.answered} of about {count(study.settings.comparisons, 'answer')}"]
    names = judge_names(study)
    if any(names):
        facts.append("judges: " + ", ".join(text(judge or NOT_NAMED) for judge in names))
    if study.log.records[-1].time:
        facts.append(f"last change {text(minute(study.log.records[-1].time))} UTC")
    said = f'<p dir="auto">{text(study.settings.question)}</p>' if study.settings.question else ""
    return f'<header>\n<h1 dir="auto">{text(title)}</h1>\n{said}\n<p class="soft">{" · ".join(facts)}</p>\n</header>'


def _verdict(study: Study, file: str) -> str:
    found = findings.verdict(study)
    if found.best is None:
        return (
            f'<section aria-labelledby="result">\n<h2 id="result">Result</h2>\n<p>{text(found.reason)}</p>\n</section>'
        )
    data = json.dumps(dict(found.best), ensure_ascii=False, indent=2)
    parts = [
        '<section aria-labelledby="result">\n<h2 id="result">Recommended setting</h2>',
        file,
        f"<p>{text(found.words)}</p>" if found.words != found.reason else "",
        _table(_with_units(found, study), "", "setting"),
        f'<p class="advice">{text(found.reason)}</p>',
        f'<details><summary>As JSON</summary><pre dir="auto">{text(data)}</pre></details>',
        "</section>",
    ]
    return "\n".join(part for part in parts if part)


def _with_units(found: Verdict, study: Study) -> Table:
    variables = getattr(study.space, "variables", {})
    rows = [
        (Column(name, unit=getattr(variables.get(name), "unit", "")).heading, *values)
        for name, *values in found.table.rows
    ]
    return Table(found.table.columns, tuple(rows))


def _section(section: Section) -> str:
    words = "".join(f"<p>{text(line)}</p>" for line in section.words.split("\n"))
    head = f'<section aria-labelledby="{section.key}">\n<h2 id="{section.key}">{text(section.title)}</h2>\n{words}\n'
    if section.key == "slices":
        body = '<div class="small">\n' + "\n".join(map(_small, section.exhibits)) + "\n</div>"
    else:
        body = "\n".join(map(_beside, section.exhibits))
    return f"{head}{body}\n</section>"


def _beside(exhibit: Exhibit) -> str:
    """Return a figure with its table beside it, or below it if the table is wide."""
    table = _table(exhibit.table, exhibit.caption, "tall" if len(exhibit.table.rows) > 12 else "")
    if not exhibit.figure:
        return table
    both = f"<figure>\n{exhibit.figure}\n</figure>\n{table}"
    return both if len(exhibit.table.columns) > 5 else f'<div class="beside">\n{both}\n</div>'


def _small(exhibit: Exhibit) -> str:
    words = f'<p class="soft">{text(exhibit.words)}</p>\n' if exhibit.words else ""
    table = _table(thinned(exhibit.table), exhibit.caption)
    return (
        f'<section>\n<h3 dir="auto">{text(exhibit.caption)}</h3>\n<figure>\n{exhibit.figure}\n</figure>\n{words}'
        f"<details><summary>As a table</summary>\n{table}\n</details>\n</section>"
    )


def _table(table: Table, caption: str, kind: str = "") -> str:
    """Return a table; the first column is the heading of each row, and numbers are aligned right."""
    number = [' class="number"' if is_number else "" for is_number in table.numeric]
    heads = "".join(
        f'<th scope="col" dir="auto"{mark}>{text(column.heading)}</th>'
        for column, mark in zip(table.columns, number, strict=True)
    )
    rows = "\n".join("<tr>" + "".join(_cells(row, number)) + "</tr>" for row in table.texts())
    titled = f'<caption dir="auto">{text(caption)}</caption>' if caption else ""
    box = f"scroll {kind}".strip()
    label = text(caption or "Recommended setting")
    return (
        f'<div class="{box}" role="region" tabindex="0" aria-label="{label}">\n'
        f"<table>{titled}\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>\n</div>"
    )


def _cells(row: tuple[str, ...], number: list[str]) -> list[str]:
    first = f'<th scope="row" dir="auto"{number[0]}>{text(row[0])}</th>'
    return [first, *(f'<td dir="auto"{mark}>{text(cell)}</td>' for cell, mark in zip(row[1:], number[1:], strict=True))]


def _footer(study: Study) -> str:
    proposer = text(study.proposer.to_dict()["name"])
    return (
        f'<footer class="soft">\n<p>Made by prefero {text(__version__)} with the proposer {proposer}. Utilities, bands and '
        "probabilities come from the posterior of the answers. Utilities are relative: higher is better, and "
        "1 is a typical difference over the space.</p>\n</footer>"
    )
