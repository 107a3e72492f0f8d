"""Reports as static HTML for notebooks: nothing runs, and all texts are escaped.

Colours are those of the page that it is in, so that it can be read on light and dark ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from jitstudio.analysis.findings.model import nothing_found
from jitstudio.api.kernels import InspectedKernel
from jitstudio.core.figures import FIGURES

if TYPE_CHECKING:
    from jitstudio.api.buffers import BufferArrays
    from jitstudio.commands.handed import AnyArray

# A notebook keeps what it shows: a kernel of a megabyte would make it slow for good.
_MOST_LINES = 4_000
_LONGEST_LINE = 400
_FIRST = 8
"""Elements of a buffer that are shown."""

_EDGE = "1px solid rgba(128, 128, 128, 0.4)"
_NUMBER = f"padding: 2px 10px; text-align: right; border-bottom: {_EDGE}"
_TEXT = f"padding: 2px 10px 2px 0; text-align: left; border-bottom: {_EDGE}"
# Pages that notebooks are exported to have other fonts, or none, for what is in here.
_FONT = "font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_TABLE = f"border-collapse: collapse; font-size: 13px; {_FONT}"
_CODE = (
    f"{_FONT}; font-size: 13px; "
    "max-height: 30em; overflow: auto; margin: 4px 0; padding: 8px; line-height: 1.35; "
    f"border: {_EDGE}; background: transparent; color: inherit"
)
_SHOWN = (
    *("registers", "spill_stores", "spill_loads", "stack_bytes", "shared_bytes"),
    *("instructions", "occupancy"),
)
_TITLES = {"instructions": "instructions", "occupancy": "occupancy"}


def page(text: str, messages: Sequence[str], texts: Mapping[str, str] | None = None) -> str:
    """Returns a text as printed, and below this further texts that can be opened.

    Args:
        text: The report.
        messages: The messages that are missing in the report.
        texts: By their titles.
    """
    folded = (_folded(title, code) for title, code in (texts or {}).items())
    return _whole(_code(text), *map(_paragraph, messages), *folded)


def inspected(kernels: Sequence[InspectedKernel], ending: str, messages: Sequence[str]) -> str:
    """Returns the figures of kernels, possible costs in time, and the instructions."""
    parts = []
    if kernels:
        headings = [_TITLES.get(name) or FIGURES[name].heading for name in _SHOWN]
        head = _row("th", ["kernel", "target", *headings])
        rows = [_row("td", [k.demangled, k.target, *_amounts(k)]) for k in kernels]
        parts.append(_table(head, rows))
    else:
        parts.append(_paragraph(ending))
    parts += map(_paragraph, messages)
    for kernel in kernels:
        for finding in kernel.findings:
            place = f" ({finding.file}:{finding.line})" if finding.file else ""
            said = f"{finding.reason} {finding.remedy}".strip()
            parts.append(
                f"<div><b>{escape(finding.severity)}: {escape(finding.title)}</b>"
                f"{escape(place)}<br>{escape(said)}</div>"
            )
        if not kernel.findings:
            parts.append(_paragraph(nothing_found()))
        parts.append(_folded(f"SASS of {kernel.demangled}", kernel.sass))
    return _whole(*parts)


def launched(
    lines: Sequence[tuple[str, str]],
    buffers: BufferArrays,
    ending: str,
    messages: Sequence[str],
    console: str,
) -> str:
    """Returns the figures and checks of a launch, and the first elements of each buffer.

    Args:
        lines: The figures and checks, a word and a text each.
        buffers: The contents of the buffers.
        ending: The outcome of the launch.
        messages: Its messages.
        console: The text that the kernel has printed.
    """
    rows = (_row("td", line, left=2) for line in [*lines, ("outcome", ending)])
    parts = [_table("", rows), *map(_paragraph, messages)]
    if buffers:
        head = _row("th", ["buffer", "type", "shape", "first elements"], left=4)
        cells = ((name, *_content(array)) for name, array in buffers.items())
        parts.append(_table(head, (_row("td", row, left=4) for row in cells)))
    if console:
        parts.append(_folded("Text that the kernel has printed", console))
    return _whole(*parts)


def _content(array: AnyArray) -> tuple[str, str, str]:
    """Returns type and shape of an array, and its first elements, as texts."""
    first = ", ".join(str(number) for number in array.ravel()[:_FIRST])
    more = ", …" if array.size > _FIRST else ""
    return str(array.dtype), " x ".join(map(str, array.shape)), first + more


def _table(head: str, rows: Iterable[str]) -> str:
    return f'<table style="{_TABLE}">{head}{"".join(rows)}</table>'


def _amounts(kernel: InspectedKernel) -> list[str]:
    amounts = [getattr(kernel, name) for name in _SHOWN]
    return ["-" if a is None else f"{a:.0%}" if isinstance(a, float) else f"{a:,}" for a in amounts]


def _row(tag: str, cells: Sequence[str], left: int = 2) -> str:
    """Returns a row of a table; the first `left` cells are texts, the others numbers."""
    marked = (
        f'<{tag} style="{_TEXT if place < left else _NUMBER}">{escape(cell)}</{tag}>'
        for place, cell in enumerate(cells)
    )
    return f"<tr>{''.join(marked)}</tr>"


def _folded(title: str, code: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{_code(code)}</details>"


def _code(text: str) -> str:
    lines = text.split("\n")
    shortened = [line[:_LONGEST_LINE] for line in lines[:_MOST_LINES]]
    if len(lines) > _MOST_LINES:
        shortened.append(f"… {len(lines) - _MOST_LINES:,} lines more")
    return f'<pre style="{_CODE}">{escape(chr(10).join(shortened))}</pre>'


def _paragraph(text: str) -> str:
    return f'<div style="white-space: pre-wrap">{escape(text)}</div>'


def _whole(*parts: str) -> str:
    return f'<div class="jitstudio" style="color: inherit">{"".join(parts)}</div>'
