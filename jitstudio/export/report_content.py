"""The content of a report: the texts with corresponding lines, and the figures.

Lines that belong together have one group, by which a page lights them up together, and one of the
few hues of the window.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from jitstudio.analysis.control_flow import FlowGraph
from jitstudio.analysis.correlation.hues import HUES
from jitstudio.analysis.correlation.index import Correlation
from jitstudio.analysis.correlation.line_hues import line_hues
from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines
from jitstudio.analysis.diagrams.captions import Caption, TextMetrics, sass_captions
from jitstudio.analysis.diagrams.flow_layout import GraphLayout, lay_out
from jitstudio.analysis.findings.find import findings
from jitstudio.analysis.findings.model import Finding
from jitstudio.analysis.occupancy.calculate import filling_of
from jitstudio.analysis.report import KernelReport, report
from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.analysis.sass.model import Disassembly, InlineChain, SassFunction
from jitstudio.core.arch import Arch
from jitstudio.core.code import TEXT_KINDS, CodeKind
from jitstudio.core.kernel_resources import merge
from jitstudio.core.line_table_paths import spellings
from jitstudio.core.prebuilt import ptx_of
from jitstudio.core.result import BuildResult
from jitstudio.export.recipe import ExportError, Recipe
from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer
from jitstudio.listing.lexers.line_lexer import Tokens
from jitstudio.listing.lexers.nvvm_ir import NvvmIrLexer
from jitstudio.listing.lexers.ptx import PtxLexer
from jitstudio.listing.lexers.sass import SassLexer

MOST_LINES = 20_000
"""Lines of each text; a page with more is none that a browser shows."""
_LONGEST_LINE = 1_000
_MOST_BLOCKS = 250
_PTX = "PTX of "
LETTERS = TextMetrics(6.6, 15.0, 11.0)
"""The room of a letter in a graph."""
_LEXERS = {
    CodeKind.CUDA: CudaCxxLexer,
    CodeKind.HEADER: CudaCxxLexer,
    CodeKind.LLVM_IR: NvvmIrLexer,
    CodeKind.PTX: PtxLexer,
    CodeKind.SASS: SassLexer,
}


@dataclass(frozen=True, eq=False)
class ReportLine:
    """A line of a text.

    Attributes:
        text: The text of the line.
        tokens: Its tokens, as lexers give them.
        hue: From 1 to `HUES`; 0 for none.
        group: The number that corresponding lines share; 0 for a line by itself.
    """

    text: str
    tokens: Tokens
    hue: int = 0
    group: int = 0


@dataclass(frozen=True, eq=False)
class ReportText:
    """A text with a heading.

    Attributes:
        title: The heading.
        lines: Its lines, or the first `MOST_LINES`.
        left_out: How many more there are.
        numbered: Whether lines are counted, from 1.
        name: The name in findings.
    """

    title: str
    lines: tuple[ReportLine, ...]
    left_out: int = 0
    numbered: bool = True
    name: str = ""


@dataclass(frozen=True, eq=False)
class ReportFunction:
    """A function of the machine code.

    Attributes:
        title: Its name in C++.
        report: Its figures.
        findings: The rules of the report that apply.
        graph, captions, layout: Its control flow; none where it has too many blocks.
        occupancy: Of a usual block, from 0 to 1; None where it is unknown.
        threads: Of that block.
    """

    title: str
    report: KernelReport
    findings: tuple[Finding, ...]
    graph: FlowGraph
    captions: tuple[Caption, ...]
    layout: GraphLayout | None
    occupancy: float | None
    threads: int


@dataclass(frozen=True, eq=False)
class ReportContent:
    """All of a report.

    Attributes:
        recipe: The build.
        result: The result of the build.
        sources, ptx, sass: The texts.
        functions: The functions of the machine code, kernels first.
        files: The name of a source, by what line tables call it.
    """

    recipe: Recipe
    result: BuildResult
    sources: tuple[ReportText, ...]
    ptx: tuple[ReportText, ...]
    sass: tuple[ReportText, ...]
    functions: tuple[ReportFunction, ...]
    files: Mapping[str, str]

    def place(self, finding: Finding) -> tuple[str, int]:
        """Returns the source and the line of a finding; an empty name where there is none."""
        for place in finding.places:
            if place.file in self.files:
                return PurePath(self.files[place.file]).name, place.line
        return "", 0


def report_content(recipe: Recipe) -> ReportContent:
    """Returns the content of a report.

    Raises:
        ExportError: The machine code was not read.
    """
    code, result = recipe.code, recipe.result
    if code is None or result is None:
        raise ExportError("The machine code was not read, of which a report is made.")
    request = recipe.request
    shown = [s for s in (*request.sources, *request.libraries) if s.kind in TEXT_KINDS]
    files: dict[str, str] = {}
    for source in shown:
        files |= dict.fromkeys(spellings(source.name, source.folder), source.name)
        if source.folder:
            files[os.path.join(source.folder, os.path.basename(source.name))] = source.name
    for header in request.headers:
        files |= dict.fromkeys(spellings(header.name), header.name)
    texts = {n: t.splitlines() for n, t in ptx_of(request, result, recipe.program).items()}
    modules = {module: read_ptx_lines(lines) for module, lines in texts.items()}
    correlation = Correlation(code, modules)
    hues = line_hues(correlation, files.__contains__)
    groups = _Groups(files)
    by_hand = {source.name for source in shown if source.kind is CodeKind.PTX}
    functions = sorted(code.functions, key=lambda function: not function.is_kernel)
    sass = tuple(
        _sass(f, code, correlation, hues.code.get(f, b""), groups, by_hand) for f in functions
    )
    ptx = []
    for module, lines in texts.items():
        places = modules[module]
        line_groups = [
            groups.of_chain(places.places_of(at))
            or groups.known(f"{_PTX}{module}", int(places.starts[at]))
            for at in range(1, len(lines) + 1)
        ]
        title = f"{_PTX}{PurePath(module).name}"
        ptx.append(_text(title, CodeKind.PTX, lines, hues.ptx.get(module, b""), line_groups))
    of_sources = {files[file]: lines for file, lines in hues.sources.items() if file in files}
    readable = [(source.name, source.kind, source.content) for source in shown]
    readable += [(header.name, CodeKind.HEADER, header.content) for header in request.headers]
    sources = [
        _source(name, kind, content, of_sources.get(name, {}), groups)
        for name, kind, content in readable
        if kind is not CodeKind.PTX
    ]
    resources = merge(code.resources, {k.name: k.resources for k in result.kernels if k.resources})
    module = recipe.request.sources[0].name if len(recipe.request.sources) == 1 else ""
    return ReportContent(
        recipe=recipe,
        result=result,
        sources=tuple(sources),
        ptx=tuple(ptx),
        sass=sass,
        functions=tuple(_function(f, code, resources.get(f.name), module) for f in functions),
        files=files,
    )


class _Groups:
    """Numbers for lines of sources, the same for all that belongs to a line."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._known: dict[tuple[str, int], int] = {}

    def of(self, name: str, line: int) -> int:
        """Returns the number of a line of a source."""
        return self._known.setdefault((name, line), len(self._known) + 1)

    def known(self, name: str, line: int) -> int:
        """Returns the number of a line's group; 0 where no other line belongs to the line."""
        return self._known.get((name, line), 0)

    def of_chain(self, places: InlineChain) -> int:
        """Returns the number of the innermost line that is shown; 0 for none."""
        for place in places:
            if place.file in self._files:
                return self.of(self._files[place.file], place.line)
        return 0


def _lexed(kind: CodeKind, lines: Iterable[str]) -> Iterator[Tokens]:
    lexer, state = _LEXERS[kind](), 0
    for line in lines:
        tokens, state = lexer.lex_line(line, state)
        yield tokens


def _text(
    title: str,
    kind: CodeKind,
    lines: Sequence[str],
    hues: bytes | Callable[[int], int],
    groups: Sequence[int],
    *,
    numbered: bool = True,
    name: str = "",
) -> ReportText:
    shown = [line[:_LONGEST_LINE] for line in lines[:MOST_LINES]]
    rows = []
    for at, (line, tokens) in enumerate(zip(shown, _lexed(kind, shown), strict=True)):
        hue = hues(at) if callable(hues) else hues[at] if at < len(hues) else 0
        rows.append(ReportLine(line, tokens, hue if 0 < hue <= HUES else 0, groups[at]))
    return ReportText(title, tuple(rows), len(lines) - len(shown), numbered, name)


def _source(
    name: str, kind: CodeKind, content: bytes, hues: Mapping[int, int], groups: _Groups
) -> ReportText:
    lines = content.decode("utf-8", "replace").splitlines()
    line_groups = [groups.known(name, at) for at in range(1, len(lines) + 1)]
    title = PurePath(name).name
    return _text(title, kind, lines, lambda at: hues.get(at + 1, 0), line_groups, name=title)


def _sass(
    function: SassFunction,
    code: Disassembly,
    correlation: Correlation,
    hues: bytes,
    groups: _Groups,
    by_hand: Collection[str],
) -> ReportText:
    origins = correlation.tied(function)
    module = correlation.module_of(function)
    is_by_hand = module in by_hand
    labels = {label.index: label.name for label in function.labels}
    lines, line_groups, colours = [], [], bytearray()
    for index in range(function.code_length):
        if index in labels:
            lines.append(f"{labels[index]}:")
            line_groups.append(0)
            colours.append(0)
        instruction = function[index]
        place = int(origins.ids[index])
        lines.append(f"/*{instruction.address:04x}*/  {instruction.text}")
        group = groups.of_chain(origins.places[place]) if place >= 0 else 0
        start = int(origins.starts[index])
        # Of code that was written in PTX its line is where it comes from.
        line_groups.append(
            group or (groups.of(f"{_PTX}{module}", start) if is_by_hand and start else 0)
        )
        colours.append(hues[index] if index < len(hues) else 0)
    title = code.demangled.get(function.name, function.name)
    return _text(
        f"SASS of {title}", CodeKind.SASS, lines, bytes(colours), line_groups, numbered=False
    )


def _function(
    function: SassFunction, code: Disassembly, resources: Any, module: str
) -> ReportFunction:
    graph = sass_graph(function)
    captions = sass_captions(graph, function)
    layout = None
    if len(graph.blocks) <= _MOST_BLOCKS:
        layout = lay_out(graph, [LETTERS.size(caption) for caption in captions])
    fraction, threads = None, 0
    if resources is not None and function.is_kernel and code.target:
        filling = filling_of(Arch.parse(code.target), resources)
        if filling is not None:
            fraction, threads = filling.occupancy.fraction, filling.usage.threads
    return ReportFunction(
        title=code.demangled.get(function.name, function.name),
        report=report(function, resources),
        findings=findings(function, resources, module),
        graph=graph,
        captions=captions,
        layout=layout,
        occupancy=fraction,
        threads=threads,
    )
