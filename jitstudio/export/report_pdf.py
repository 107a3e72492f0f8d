"""A report as PDF, written by itself: pages of A4 across, with the three texts next to each other.

PDF 1.4 with two of the fonts that every reader has (ISO 32000-1, 9.6.2.2), so that no font is
carried; letters that these lack are shown as ``?``.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from textwrap import wrap

from jitstudio import __version__
from jitstudio.analysis.findings.model import nothing_found
from jitstudio.export.recipe import Recipe
from jitstudio.export.report_content import (
    LETTERS,
    ReportContent,
    ReportFunction,
    ReportText,
    report_content,
)
from jitstudio.export.report_html import facts, figure_rows, finding_heads, theme_colors

_WIDTH, _HEIGHT = 842.0, 595.0
_MARGIN = 32.0
_GAP = 10.0
_CODE = 6.2
# A letter of Courier is 0.6 of its size wide.
_CELL = 0.6
_LEAD = 1.22
_PROSE = 9.0
_MOST_PAGES = 400


class _Page:
    """The drawing operators of a page, from the upper left corner."""

    def __init__(self) -> None:
        self.drawn: list[str] = []

    def text(
        self, x: float, y: float, words: str, size: float, font: str = "F1", color: str = "#000000"
    ) -> None:
        """Writes words on a line."""
        encoded = words.encode("cp1252", "replace")
        # ISO 32000-1, 7.3.4.2: these three have a meaning in a string.
        escaped = encoded.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        literal = escaped.decode("latin-1")
        place = f"{x:.2f} {_HEIGHT - y:.2f}"
        self.drawn.append(f"{_color(color)} rg BT /{font} {size:g} Tf {place} Td ({literal}) Tj ET")

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, stroke: str = ""
    ) -> None:
        """Draws a rectangle."""
        place = f"{x:.2f} {_HEIGHT - y - height:.2f} {width:.2f} {height:.2f} re"
        pen = f"{_color(stroke)} RG 0.5 w " if stroke else ""
        self.drawn.append(f"{_color(fill)} rg {pen}{place} {'B' if stroke else 'f'}")


def pdf_report(recipe: Recipe) -> bytes:
    """Returns the document.

    Raises:
        ExportError: The machine code was not read.
    """
    content = report_content(recipe)
    pages = [*_summary(content), *_details(content), *_code(content)]
    for function in content.functions:
        if function.layout is not None and function.graph.blocks:
            pages.append(_graph(function))
    pages = pages[:_MOST_PAGES]
    for number, page in enumerate(pages, 1):
        foot = f"{recipe.title[:120]}, {recipe.arch.sm}: page {number} of {len(pages)}"
        page.text(_MARGIN, _HEIGHT - 16, foot, 7, "F1", _muted())
    return _document(pages, recipe.title)


def _muted() -> str:
    color: str = theme_colors("light")["ui"]["muted_text"]
    return color


def _color(name: str) -> str:
    parts = (int(name[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return " ".join(f"{part:.3f}" for part in parts)


def _summary(content: ReportContent) -> Iterator[_Page]:
    """Yields the page of figures and findings in short; of many kernels, more pages."""
    lines: list[_Line] = [(content.recipe.title[:90], 16, "F2")]
    lines += [(line, 8, "F1") for line in wrap(" · ".join(facts(content)), 170)]
    lines.append(("", _PROSE, "F1"))
    rows = [*figure_rows(content.functions)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    widths[0] = min(widths[0], 48)
    for number, row in enumerate(rows):
        cells = [row[0][: widths[0]].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append(("  ".join(cells), 6.6, "F4" if number == 0 else "F3"))
    lines.append(("", _PROSE, "F1"))
    lines += [(head[:150], _PROSE, "F1") for head in finding_heads(content)]
    yield from _set(lines)


def _details(content: ReportContent) -> Iterator[_Page]:
    """Yields the pages of findings in full and of tools."""
    lines: list[_Line] = []
    for function in content.functions:
        for finding in function.findings:
            name, line = content.place(finding)
            more = f", {finding.more_lines}" if finding.more_lines else ""
            where = f" ({name}:{line}{more})" if name else ""
            lines.append((f"{finding.title} in {function.title}{where}"[:150], _PROSE, "F2"))
            text = f"{finding.reason} {finding.remedy}".strip()
            lines += [(part, _PROSE, "F1") for part in wrap(text, 150)]
    if not any(function.findings for function in content.functions):
        lines += [(part, _PROSE, "F1") for part in wrap(nothing_found(), 150)]
    lines.append(("", _PROSE, "F1"))
    for stage in content.result.stages:
        head = f"{stage.tool.value} {stage.version}: {stage.source}: {' '.join(stage.options)}"
        lines += [(part, 7, "F3") for part in wrap(head, 180)[:3]]
        log = "\n".join(filter(None, (stage.log, stage.error_log)))
        lines += [(f"    {part[:175]}", 6.6, "F3") for part in log.split("\n")[:40] if part]
    yield from _set(lines)


_Line = tuple[str, float, str]
"""Words, their size and their font."""


def _set(lines: Sequence[_Line]) -> Iterator[_Page]:
    """Yields the pages of some lines."""
    page, y = _Page(), _MARGIN
    for words, size, font in lines:
        y += size * 1.35
        if y > _HEIGHT - _MARGIN:
            yield page
            page, y = _Page(), _MARGIN + size
        page.text(_MARGIN, y, words, size, font)
    yield page


_Row = tuple[str, int, bool]
"""Words, hue and whether they are a heading."""


def _rows(texts: Sequence[ReportText], cells: int) -> Iterator[_Row]:
    """Yields the rows of a column, long lines over several."""
    for text in texts:
        yield text.title[:cells], 0, True
        for number, line in enumerate(text.lines, 1):
            lead = f"{number:>4} " if text.numbered else ""
            words = line.text.expandtabs(4)
            room = max(10, cells - len(lead))
            for at in range(0, max(1, len(words)), room):
                yield (lead if not at else " " * len(lead)) + words[at : at + room], line.hue, False
        if text.left_out:
            yield f"{text.left_out:,} lines more", 0, False


def _code(content: ReportContent) -> Iterator[_Page]:
    """Yields pages with the texts next to each other."""
    columns = [texts for texts in (content.sources, content.ptx, content.sass) if texts]
    if not columns:
        return
    bands, code = theme_colors("light")["bands"], theme_colors("light")["code"]
    width = (_WIDTH - 2 * _MARGIN - _GAP * (len(columns) - 1)) / len(columns)
    cells = int((width - 6) / (_CODE * _CELL))
    rows = [[*_rows(texts, cells)] for texts in columns]
    pitch = _CODE * _LEAD
    per_page = int((_HEIGHT - 2 * _MARGIN) / pitch)
    for first in range(0, max(map(len, rows)), per_page):
        page = _Page()
        for column, column_rows in enumerate(rows):
            left = _MARGIN + column * (width + _GAP)
            for at, (words, hue, heading) in enumerate(column_rows[first : first + per_page]):
                top = _MARGIN + at * pitch
                if hue:
                    page.box(left, top, width, pitch, bands["hues"][hue - 1])
                    page.box(left, top, 1.5, pitch, bands["edges"][hue - 1])
                font = "F2" if heading else "F3"
                page.text(left + 4, top + _CODE, words, _CODE, font, code["text"])
        yield page


def _graph(function: ReportFunction) -> _Page:
    """Returns a page with the control flow of a function, as large as the page allows."""
    assert function.layout is not None
    page, layout = _Page(), function.layout
    colors = theme_colors("light")
    page.text(_MARGIN, _MARGIN + 8, f"Control flow of {function.title}"[:120], 11, "F2")
    top = _MARGIN + 20
    room = (_WIDTH - 2 * _MARGIN, _HEIGHT - _MARGIN - top)
    scale = min(1.0, room[0] / max(1, layout.width), room[1] / max(1, layout.height))
    for route in layout.routes:
        path = _path(route.start, route.steps, top, scale)
        color = colors["marks"]["info"] if route.is_back else colors["ui"]["field_border"]
        page.drawn.append(f"{_color(color)} RG 0.7 w {path} S")
    size = LETTERS.width / _CELL * scale
    for block, box, caption in zip(
        function.graph.blocks, layout.boxes, function.captions, strict=True
    ):
        depth = function.graph.depth(block.id)
        hues = colors["bands"]["hues"]
        fill = hues[(depth - 1) % len(hues)] if depth else colors["ui"]["alternate"]
        x, y = _MARGIN + box.x * scale, top + box.y * scale
        frame = colors["ui"]["field_border"]
        page.box(x, y, box.width * scale, box.height * scale, fill, frame)
        for row, words in enumerate((caption.title, *caption.rows)):
            base = y + (LETTERS.row_top(row) + LETTERS.above) * scale
            page.text(x + LETTERS.margin * scale, base, words, size, "F3" if row else "F4")
    return page


def _path(
    start: tuple[float, float], steps: Sequence[tuple[float, ...]], top: float, scale: float
) -> str:
    def at(step: Sequence[float]) -> str:
        pairs = zip(step[::2], step[1::2], strict=True)
        return " ".join(
            f"{_MARGIN + x * scale:.2f} {_HEIGHT - top - y * scale:.2f}" for x, y in pairs
        )

    marks = (f"{at(step)} {'l' if len(step) == 2 else 'c'}" for step in steps)
    return " ".join((f"{at(start)} m", *marks))


_FONTS = ("Helvetica", "Helvetica-Bold", "Courier", "Courier-Bold")


def _document(pages: Sequence[_Page], title: str) -> bytes:
    """Returns the file: objects, a table of offsets, and the reference to the first object."""
    fonts = 3
    first = fonts + len(_FONTS)
    kids = " ".join(f"{first + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
    ]
    objects += [
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
        for name in _FONTS
    ]
    named = " ".join(f"/F{at} {fonts + at - 1} 0 R" for at in range(1, len(_FONTS) + 1))
    for at, page in enumerate(pages):
        drawn = zlib.compress("\n".join(page.drawn).encode("latin-1"), 9)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {_WIDTH:g} {_HEIGHT:g}] /Contents "
            f"{first + 2 * at + 1} 0 R /Resources << /Font << {named} >> >> >>".encode()
        )
        head = f"<< /Length {len(drawn)} /Filter /FlateDecode >>\nstream\n".encode()
        objects.append(head + drawn + b"\nendstream")
    # ISO 32000-1, 7.9.2.2: FEFF begins UTF-16. Letters beyond 16 bits are left out.
    digits = "".join(f"{ord(letter):04X}" for letter in title if ord(letter) < 1 << 16)
    objects.append(f"<< /Title <FEFF{digits}> /Producer (jitstudio {__version__}) >>".encode())
    # ISO 32000-1, 7.5.2: bytes above 127 in the second line mark a binary file.
    file = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(file))
        file += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = len(file)
    file += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    # ISO 32000-1, 7.5.4: an entry has 20 bytes, with the end of the line.
    file += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    file += (
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\n".encode()
    )
    file += f"startxref\n{table}\n%%EOF\n".encode()
    return bytes(file)
