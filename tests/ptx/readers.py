"""What each reader of PTX in the program makes of a text, without the numbers of its lines.

`READERS` is the table; two spellings of one program have to give the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines
from jitstudio.analysis.ptx_cfg import ptx_graph
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.listing.functions import first_instruction, functions
from jitstudio.listing.kernels.host_needs import host_needs
from jitstudio.listing.ptx import kernel_uses, parameter_slots, reaches_texels
from jitstudio.listing.symbols import ptx_symbols
from jitstudio.ptx.scanner import bare_ptx
from jitstudio.ptx.skimming import entries, file_names, places_in, ptx_target, ptx_version
from jitstudio.ptx.tokens import PtxReadError
from jitstudio.python.things import found_in
from jitstudio.simulator.ptx.linking import link_ptx
from jitstudio.simulator.ptx.program import PtxProgram
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.toolchain.library import kernels_in
from jitstudio.toolchain.supplied_copy import supply_ptx

OTHER = """.version 9.0
.target sm_90a
.address_size 64
.extern .global .align 8 .b32 g[4];
.global .b32 c = 7;
.file 1 "other.cu"
.visible .func (.param .b32 r) other(.param .b32 a) { .loc 1 3 1
.reg .b32 x; ld.global.b32 x, [c]; st.param.b32 [r], x; ret; }
"""


def _program(text: str) -> Any:
    return _told(read_program(text))


def _told(program: PtxProgram) -> Any:
    """All that a program holds but its lines, and its text."""
    instructions = [
        (i.opcode, i.modifiers, i.types, i.operands, i.guard, i.source, i.inlined_at, i.function)
        for i in program.instructions
    ]
    parts = [
        tuple(value for name, value in vars(f).items() if name != "line")
        for f in program.functions.values()
    ]
    written = [" ".join(i.text.split(",")).replace(" ", "") for i in program.instructions]
    return (
        program.version, program.target, program.variables, parts, program.declared, instructions,
        written,
    )  # fmt: skip


def _graphs(text: str) -> Any:
    lines = text.split("\n")
    graphs = [ptx_graph(lines, function) for function in functions(CodeKind.PTX, lines)]
    return [(g.name, [(b.name, b.id) for b in g.blocks], g.edges, len(g.loops)) for g in graphs]


def _functions(text: str) -> Any:
    return [(f.name, f.is_kernel, f.is_defined) for f in functions(CodeKind.PTX, text.split("\n"))]


def _symbols(text: str) -> Any:
    return [(symbol.name, symbol.kind) for symbol in ptx_symbols(text)]


def _files(text: str) -> Any:
    bare = bare_ptx(text)
    return file_names(text, bare), list(places_in(bare))


def _lines(text: str) -> Any:
    read = read_ptx_lines(text.split("\n"))
    return set(read.places), read.callees, read.is_recounted


READERS: dict[str, Callable[[str], Any]] = {
    "simulator": _program,
    "linker, first": lambda text: _told(read_program(link_ptx([text, OTHER]))),
    "linker, second": lambda text: _told(read_program(link_ptx([OTHER, text]))),
    "kernels": entries,
    "parameters": parameter_slots,
    "uses": kernel_uses,
    "texels": reaches_texels,
    "target": ptx_target,
    "version": ptx_version,
    "functions": _functions,
    "symbols": _symbols,
    "graphs": _graphs,
    "files": _files,
    "needs of hosts": host_needs,
    "lines": _lines,
    "objects": lambda text: [found.name for found in found_in(text)],
    "libraries": lambda text: list(kernels_in(CodeKind.PTX, text.encode())),
    "supplied": lambda text: supply_ptx("text", text.encode(), Arch.parse("sm_75"))[1],
}


def lines_of_instructions(text: str) -> list[tuple[int, Any]]:
    """The line of each instruction, and where it is from."""
    return [(i.line, i.source.line) for i in read_program(text).instructions]


def wrong_lines(text: str, expected: Sequence[tuple[range, int]]) -> list[str]:
    """What readers of lines say else than this: lines and line of the source of instructions."""
    lines = text.split("\n")
    read = read_ptx_lines(lines)
    wrong, sources, begun = [], dict[int, set[int]](), set()
    for (line, _), (wanted, source) in zip(lines_of_instructions(text), expected, strict=True):
        begun.add(line)
        if line != wanted.start:
            wrong.append(f"the simulator has line {line} for {wanted}")
        for of_it in wanted:
            sources.setdefault(of_it, set()).add(source)
    for line, of_line in sources.items():
        places = read.places_of(line)
        if (places[0].line if places else 0) not in of_line:
            wrong.append(f"line {line} is of {places}, not {of_line}")
    for function in functions(CodeKind.PTX, lines):
        if function.is_defined and function.name != "empty":
            first = first_instruction(CodeKind.PTX, lines, function) + 1
            if first not in begun:
                wrong.append(f"{function.name} begins in line {first}")
    return wrong


def tracebacks(text: str) -> list[str]:
    """The readers that end in another error than that the text cannot be read."""
    wrong = []
    for name, reader in READERS.items():
        try:
            reader(text)
        except Exception as error:
            # Of what does not say that it is PTX, Python objects are told with a TypeError.
            is_told = isinstance(error, PtxReadError) or name == "objects"
            if not (is_told and isinstance(error, PtxReadError | TypeError)):
                wrong.append(f"{name}: {error!r}")
    return wrong
