"""A report as a page of HTML that loads nothing, and can be printed.

Its colours are those of the window's two themes, by the reader's own preference. The only script
is a few lines of the page itself, which light up the lines that belong together.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from html import escape
from typing import Any

from pygments.token import STANDARD_TYPES, Token, string_to_tokentype

from jitstudio import __version__
from jitstudio.analysis.control_flow import EdgeKind
from jitstudio.analysis.diagrams.flow_svg import Colors, svg
from jitstudio.analysis.findings.model import nothing_found
from jitstudio.core.figures import FIGURES
from jitstudio.export.recipe import Recipe
from jitstudio.export.report_content import (
    LETTERS,
    ReportContent,
    ReportFunction,
    ReportLine,
    ReportText,
    report_content,
)
from jitstudio.export.report_passes import passes_section
from jitstudio.system.paths import resource

SHOWN = (
    *("registers", "spill_stores", "spill_loads", "stack_bytes", "shared_bytes", "constant_bytes"),
    *("barriers", "max_threads"),
)
"""The figures of a kernel, in their order."""

_STYLE = """
:root { color-scheme: light dark; @LIGHT@ }
@media screen and (prefers-color-scheme: dark) {
  :root { @DARK@ }
  svg { filter: invert(1) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; background: var(--window); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 1.8rem 0 .5rem; }
h3 { font-size: .85rem; margin: 0; padding: .4rem .7rem; color: var(--muted); position: sticky;
  top: 0; background: var(--ground); border-bottom: 1px solid var(--border); z-index: 1; }
p { margin: .3rem 0; } .muted { color: var(--muted); }
table { border-collapse: collapse; } .wide { overflow-x: auto; }
th, td { padding: .25rem .8rem; text-align: right; border-bottom: 1px solid var(--border); }
th:first-child, td:first-child { text-align: left; padding-left: 0; overflow-wrap: anywhere;
  min-width: 9em; }
.finding { border-left: 3px solid var(--warning); padding: .1rem .8rem; margin: .6rem 0;
  max-width: 60rem; }
.finding.info { border-color: var(--info); }
.code { display: grid; grid-template-columns: repeat(@COLUMNS@, minmax(0, 1fr)); gap: .7rem; }
.pane { border: 1px solid var(--border); border-radius: 6px; background: var(--ground);
  overflow: auto; max-height: 80vh; }
pre { margin: 0; font: 12.5px/1.5 ui-monospace, "DejaVu Sans Mono", Consolas, monospace;
  color: var(--t); width: max-content; min-width: 100%; }
.l { display: block; padding: 0 .6rem; border-left: 3px solid transparent; white-space: pre; }
.l:target { outline: 2px solid var(--accent); outline-offset: -2px; }
.n { display: inline-block; width: 3.5em; padding-right: 1em; text-align: right;
  color: var(--margin); user-select: none; }
details { margin: .5rem 0; } summary { cursor: pointer; }
details pre { padding: .5rem .7rem; background: var(--ground); border: 1px solid var(--border);
  border-radius: 6px; white-space: pre-wrap; width: auto; overflow-wrap: anywhere; }
ins, del { display: inline-block; min-width: 100%; text-decoration: none; }
ins { background: var(--added); } del { background: var(--removed); }
.graph { overflow: auto; max-height: 80vh; background: var(--ground);
  border: 1px solid var(--border); border-radius: 6px; }
svg { max-width: 100%; height: auto; display: block; margin: auto; }
a { color: var(--link); }
@HUES@
@TOKENS@
@page { size: landscape; margin: 12mm; }
@media print {
  :root { color-scheme: light; }
  body { padding: 0; font-size: 9pt; background: none; }
  th, td { padding: .15rem .5rem; }
  .wide, .pane, .graph { max-height: none; overflow: visible; }
  h1 { font-size: 14pt; } h2 { font-size: 11pt; } h3 { font-size: 8pt; position: static; }
  .code { gap: 3mm; }
  .summary { break-after: page; }
  pre { font-size: 6pt; width: auto; } .l { white-space: pre-wrap; overflow-wrap: anywhere; }
  .l { padding: 0 .5em 0 4em; text-indent: -3.5em; break-inside: avoid; }
  .n { width: 3.5em; padding-right: 1em; text-indent: 0; white-space: nowrap; }
  svg { max-height: 170mm; }
  h2, h3, .finding, summary { break-after: avoid; } .graph { break-inside: avoid; }
  .screen { display: none; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
@media (max-width: 900px) { .code { grid-template-columns: minmax(0, 1fr); } }
"""

# Findings that are named on the page of summary.
_MOST_HEADS = 30
_SCRIPT = """
document.addEventListener("mouseover", light);
document.addEventListener("focusin", light);
addEventListener("beforeprint", function () {
  document.querySelectorAll("details").forEach(function (one) { one.open = true; });
});
document.addEventListener("click", function (event) {
  var line = event.target.closest("[data-g]");
  if (!line) return;
  document.querySelectorAll(".pane").forEach(function (pane) {
    var other = pane.querySelector('[data-g="' + line.dataset.g + '"]');
    if (other && !pane.contains(line)) {
      pane.scrollTop = other.offsetTop - pane.offsetTop - pane.clientHeight / 3;
    }
  });
});
function light(event) {
  var line = event.target.closest && event.target.closest("[data-g]");
  document.querySelectorAll(".on").forEach(function (one) { one.classList.remove("on"); });
  if (!line) return;
  document.querySelectorAll('[data-g="' + line.dataset.g + '"]').forEach(function (one) {
    one.classList.add("on");
  });
}
"""


def html_report(recipe: Recipe) -> str:
    """Returns the page.

    Raises:
        ExportError: The machine code was not read.
    """
    content = report_content(recipe)
    body = "\n".join(_body(content))
    columns = sum(map(bool, (content.sources, content.ptx, content.sass)))
    title = escape(f"{recipe.title}, {recipe.arch.sm}")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="jitstudio {__version__}">\n'
        f"<title>{title}</title>\n<style>{_style(columns)}</style>\n</head>\n"
        f"<body>\n{body}\n<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def _body(content: ReportContent) -> Iterator[str]:
    recipe = content.recipe
    yield '<section class="summary">'
    yield f"<h1>{escape(recipe.title)}</h1>"
    yield f'<p class="muted">{escape(" · ".join(facts(content)))}</p>'
    yield "<h2>Figures</h2>"
    yield from _figures(content.functions)
    heads = finding_heads(content)
    if heads:
        yield "<h2>In short</h2><ul>"
        yield from (f"<li>{escape(head)}</li>" for head in heads)
        yield "</ul>"
    yield "</section>"
    yield "<h2>What may cost time</h2>"
    yield from _findings(content)
    yield "<h2>Source, PTX and SASS</h2>"
    yield (
        '<p class="muted">Lines of one colour belong together.<span class="screen"> Those that '
        "match the line at the mouse are lit up; a click scrolls to them.</span></p>"
    )
    yield '<div class="code">'
    for number, texts in enumerate((content.sources, content.ptx, content.sass)):
        if texts:
            yield f'<div class="pane" tabindex="0">{"".join(_text(t, number) for t in texts)}</div>'
    yield "</div>"
    graphs = [
        function
        for function in content.functions
        if function.layout is not None and function.graph.blocks
    ]
    if graphs:
        yield "<h2>Control flow</h2>"
    for function in graphs:
        yield (
            f"<details open><summary>{escape(function.title)}</summary>"
            f'<div class="graph">{_graph(function)}</div></details>'
        )
    yield from passes_section(recipe.films)
    yield "<h2>How it was built</h2>"
    yield from _stages(content)


def facts(content: ReportContent) -> Iterator[str]:
    """Yields the facts below the title of a report."""
    recipe = content.recipe
    yield f"built for {content.result.arch.sm}"
    yield f"link: {recipe.request.link.value}"
    yield f"options: {' '.join(recipe.request.options) or 'none'}"
    for source in recipe.request.sources:
        if source.options is not None:
            yield f"options of {source.name}: {' '.join(source.options) or 'none'}"
    yield f"cubin: {len(recipe.cubin):,} bytes"
    yield from (f"{tool.value} {version}" for tool, version in recipe.versions.items())
    yield f"jitstudio {__version__}"


def finding_heads(content: ReportContent) -> list[str]:
    """Returns a line for each finding, as many as a page of summary has room for."""
    heads = []
    for function in content.functions:
        for finding in function.findings:
            name, line = content.place(finding)
            where = f", {name}:{line}" if name else ""
            heads.append(f"{finding.title} in {function.title}{where}")
    rest = len(heads) - _MOST_HEADS
    return [*heads[:_MOST_HEADS], f"and {rest:,} more"] if rest > 0 else heads


def figure_rows(functions: tuple[ReportFunction, ...]) -> list[tuple[str, ...]]:
    """Returns the rows of the table of figures, the headings first.

    Columns without any value, such as those of another kind of memory, are left out.
    """
    rows = [*_all_figures(functions)]
    filled = [at for at in range(len(rows[0])) if any(row[at] != "-" for row in rows[1:])]
    return [tuple(row[at] for at in filled) for row in rows] if functions else rows


def _all_figures(functions: tuple[ReportFunction, ...]) -> Iterator[tuple[str, ...]]:
    headings = (FIGURES[name].heading or FIGURES[name].title for name in SHOWN)
    yield ("kernel", *headings, "instructions", "occupancy")
    for function in functions:
        amounts = (getattr(function.report.resources, name) for name in SHOWN)
        filled = (
            "-" if function.occupancy is None else f"{function.occupancy:.0%} of {function.threads}"
        )
        yield (
            function.title,
            *("-" if amount is None else f"{amount:,}" for amount in amounts),
            f"{function.report.instructions:,}",
            filled,
        )


def _figures(functions: tuple[ReportFunction, ...]) -> Iterator[str]:
    head, *rows = figure_rows(functions)
    yield '<div class="wide"><table><thead><tr>'
    yield "".join(f"<th>{escape(cell)}</th>" for cell in head)
    yield "</tr></thead><tbody>"
    for row in rows:
        yield f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
    yield "</tbody></table></div>"
    yield '<p class="muted">Occupancy is of blocks of this many threads.</p>'


def _findings(content: ReportContent) -> Iterator[str]:
    any_finding = False
    for function in content.functions:
        for finding in function.findings:
            any_finding = True
            name, line = content.place(finding)
            where = ""
            if name:
                target = _id(0, name, line)
                where = f' <a href="#{escape(target)}">{escape(name)}:{line}</a>'
                where += f", {escape(finding.more_lines)}" if finding.more_lines else ""
            text = f"{finding.reason} {finding.remedy}".strip()
            yield (
                f'<div class="finding {finding.severity.value}">'
                f"<b>{escape(finding.title)}</b> in {escape(function.title)}{where}"
                f"<p>{escape(text)}</p></div>"
            )
    if not any_finding:
        yield f"<p>{escape(nothing_found())}</p>"


def _id(column: int, name: str, line: int) -> str:
    safe = "".join(letter if letter.isalnum() else "-" for letter in name)
    return f"c{column}-{safe}-{line}"


def _text(text: ReportText, column: int) -> str:
    lines = "".join(_line(text, line, at, column) for at, line in enumerate(text.lines, 1))
    more = f'<p class="muted">{text.left_out:,} lines more</p>' if text.left_out else ""
    return f"<h3>{escape(text.title)}</h3><pre>{lines}</pre>{more}"


def _line(text: ReportText, line: ReportLine, number: int, column: int) -> str:
    marks = f' id="{_id(column, text.name, number)}"' if text.name else ""
    marks += f' data-g="{line.group}"' if line.group else ""
    hue = f" h{line.hue}" if line.hue else ""
    shown = f'<span class="n">{number}</span>' if text.numbered else ""
    return f'<span class="l{hue}"{marks}>{shown}{_tokens(line)}\n</span>'


def _tokens(line: ReportLine) -> str:
    pieces, at = [], 0
    for start, length, token in line.tokens:
        pieces.append(escape(line.text[at:start], quote=False))
        text = escape(line.text[start : start + length], quote=False)
        name = _class(token)
        pieces.append(f'<span class="{name}">{text}</span>' if name else text)
        at = start + length
    pieces.append(escape(line.text[at:], quote=False))
    return "".join(pieces)


@cache
def _class(token: Any) -> str:
    """Returns the class of a token; empty where a token looks like the text around."""
    named = {string_to_tokentype(name) for name in theme_colors("light")["tokens"]}
    known = next((name_type for name_type in reversed(token.split()) if name_type in named), Token)
    if known in (Token, Token.Name):
        return ""
    return f"t-{STANDARD_TYPES.get(known) or str(known).rpartition('.')[2].lower()}"


def _graph(function: ReportFunction) -> str:
    assert function.layout is not None
    theme = theme_colors("light")
    marks, ui, code = theme["marks"], theme["ui"], theme["code"]
    bands = theme["bands"]
    colors = Colors(
        ground=code["background"],
        text=code["text"],
        title=ui["muted_text"],
        frame=ui["field_border"],
        fill=ui["alternate"],
        edges=dict.fromkeys(EdgeKind, ui["field_border"]),
        back=marks["info"],
        loops=tuple(bands["edges"]),
        loop_fills=tuple(bands["hues"]),
    )
    return svg(function.graph, function.layout, function.captions, LETTERS, colors)


def _stages(content: ReportContent) -> Iterator[str]:
    for stage in content.result.stages:
        log = "\n".join(filter(None, (stage.log, stage.error_log, stage.stderr)))
        yield (
            f"<details><summary>{escape(stage.tool.value)} {escape(stage.version)}: "
            f"{escape(stage.source)}</summary>"
            f"<pre>{escape(' '.join(stage.options))}\n{escape(log)}</pre></details>"
        )


@cache
def theme_colors(name: str) -> dict[str, Any]:
    """Returns the colours of a theme of the window."""
    return tomllib.loads(resource(f"themes/{name}.toml").read_text("utf-8"))


def _style(columns: int) -> str:
    light, dark = theme_colors("light"), theme_colors("dark")
    style = _STYLE.replace("@LIGHT@", _variables(light)).replace("@DARK@", _variables(dark))
    hues = "\n".join(
        f".h{n} {{ background: var(--h{n}); border-left-color: var(--e{n}); }} "
        f".h{n}.on {{ background: var(--m{n}); }}"
        for n in range(1, len(light["bands"]["hues"]) + 1)
    )
    tokens = "\n".join(_token_rules(light))
    return (
        style.replace("@HUES@", hues)
        .replace("@TOKENS@", tokens)
        .replace("@COLUMNS@", str(max(1, columns)))
    )


def _variables(theme: dict[str, Any]) -> str:
    ui, code, marks, bands = theme["ui"], theme["code"], theme["marks"], theme["bands"]
    values = {
        "window": ui["window"],
        "text": ui["text"],
        "muted": ui["muted_text"],
        "border": ui["border"],
        "link": ui["link"],
        "accent": ui["accent"],
        "ground": code["background"],
        "margin": code["margin_text"],
        "warning": marks["warning"],
        "info": marks["info"],
        "removed": theme["diff"]["removed"],
        "added": theme["diff"]["added"],
        "t": theme["tokens"]["Token"]["color"],
    }
    for n, (hue, matched, edge) in enumerate(
        zip(bands["hues"], bands["matched"], bands["edges"], strict=True), 1
    ):
        values |= {f"h{n}": hue, f"m{n}": matched, f"e{n}": edge}
    for name, look in theme["tokens"].items():
        if cls := _class(string_to_tokentype(name)):
            values[cls] = look["color"]
    return " ".join(f"--{name}: {value};" for name, value in values.items())


def _token_rules(theme: dict[str, Any]) -> Iterator[str]:
    for name, look in theme["tokens"].items():
        if cls := _class(string_to_tokentype(name)):
            bold = " font-weight: bold;" if look.get("bold") else ""
            italic = " font-style: italic;" if look.get("italic") else ""
            yield f".{cls} {{ color: var(--{cls});{bold}{italic} }}"
