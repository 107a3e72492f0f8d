"""Errors and remarks of ptxas on PTX that was made of a source, with the lines of the source."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from jitstudio.core.disk import working_folder
from jitstudio.ptx.scanner import bare_ptx
from jitstudio.ptx.skimming import function_texts

if TYPE_CHECKING:
    from jitstudio.analysis.correlation.ptx_lines import PtxLines
    from jitstudio.analysis.sass.model import InlineChain

_ERROR = re.compile(
    # `ptxas kernel.ptx, line 12; error   : Unknown symbol 'foo'`
    r"^(?:ptxas [^\n,]+, line (?P<line>\d{1,9}+); [^\n]*+"
    # `ptxas info    : (C7518) Potential Performance Loss: text in the function 'k' in line 54`,
    # `ptxas warning : Pragma 'nonsense' unsupported`; of a whole link `warning : Stack size ...`
    r"|(?:ptxas info *+: \(C\d+\)|(?:ptxas |)warning *+:) [^\n]*?"
    r"(?>\bin (?:around )?line (?P<remarked>\d{1,9}+)\b[^\n]*+)?+)$",
    re.MULTILINE,
)
# An error may be told at the line behind the one that it is in, as where a semicolon is missing.
_NEAR = 3
# A link by PTX reports each module apart: remarks, `ptxas info    : 0 bytes gmem`, its functions.
_REPORT = re.compile(
    r"^ptxas info *+: \d++ bytes gmem\b[^\n]*+\n?+"
    r"(?>ptxas (?> ++\.|info *+: (?:Compiling |Function |Used |Compile time))[^\n]*+\n?+)*+",
    re.MULTILINE,
)
_FUNCTION = re.compile(r"\bfunction '(?P<in>[^'\n]+)'|: Function properties for (?P<of>\S+)")
# `'setmaxnreg' ignored; ...`: where it stands is all that can be said of the place.
_OPCODE = re.compile(r"'(?P<opcode>setmaxnreg)'")


@dataclass(frozen=True)
class AssembledPtx:
    """PTX that ptxas reads.

    Attributes:
        file: The name of its file, as places in it are told.
        text: The PTX; empty where nobody knows it.
        sources: The modules and headers that its line table is about. Line tables join them to the
            working directory. Empty for PTX that the author wrote, whose places are its own lines.
    """

    file: str
    text: str
    sources: tuple[str, ...] = ()

    @cached_property
    def functions(self) -> dict[str, tuple[int, int]]:
        """The bodies of functions by their lowered names, as offsets."""
        return {f.name: (f.body, f.end) for f in function_texts(self._bare) if f.body >= 0}

    @cached_property
    def _bare(self) -> str:
        return bare_ptx(self.text)

    @cached_property
    def _lines(self) -> PtxLines:
        # It loads NumPy, which few compiles need.
        from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines  # noqa: PLC0415

        return read_ptx_lines(self.text.split("\n") if self.sources else [])

    def line_of(self, remark: str) -> int | None:
        """Returns the line of the instruction or function that a remark without a line is about.

        Of a function it is the first line that has a place in a source. An instruction that several
        functions have could be that of any of them: None.
        """
        named = [self.functions[name] for name in _function_names(remark) if name in self.functions]
        if opcode := _OPCODE.search(remark):
            bodies = named or self.functions.values()
            places = [self._bare.find(opcode["opcode"], *body) for body in bodies]
            places = [at for at in places if at >= 0]
            return self._line_at(places[0]) if len(places) == 1 else None
        for start, end in named:
            first = self._line_at(start)
            return next(filter(self._lines.places_of, range(first, self._line_at(end) + 1)), first)
        return None

    def _line_at(self, offset: int) -> int:
        return self._bare.count("\n", 0, offset) + 1

    def origin(self, number: int) -> str:
        """Returns the place of a line in the source, with the calls inlined, or in the PTX."""
        near = (self._lines.places_of(n) for n in range(number, number - _NEAR, -1))
        chain: InlineChain = next(filter(None, near), ())
        known = {f"{working_folder()}/{name}": name for name in self.sources}
        frames = [f"{known.get(place.file, place.file)}({place.line})" for place in chain]
        here = f"{self.file}({number})"
        return f"{', inlined at '.join(frames)}, compiled to {here}" if frames else here


def has_places(errors: str) -> bool:
    """Returns whether ptxas names lines, functions or instructions of the PTX."""
    return any(
        error["line"] or error["remarked"] or _FUNCTION.search(error[0]) or _OPCODE.search(error[0])
        for error in _ERROR.finditer(errors)
    )


def with_sources(errors: str, ptx: AssembledPtx) -> str:
    """Returns the errors of ptxas on one text, with the place in the source below each error."""

    def placed(error: re.Match[str]) -> str:
        number = _line_in(error, ptx)
        # The author's PTX is named as the module that it is.
        if number is None or not ptx.text or not (ptx.sources or error["line"] is None):
            return error[0]
        return f"{error[0]}\n    from {ptx.origin(number)}"

    return _ERROR.sub(placed, errors)


def with_modules(remarks: str, modules: Iterable[AssembledPtx]) -> str:
    """Returns the remarks of ptxas on the modules of a link, with the module and place of each.

    ptxas names neither. A module is recognised by its functions: that of the remark, and then those
    which are reported with it.
    """
    modules = tuple(modules)

    def placed(remark: re.Match[str]) -> str:
        after = bisect_right(reports, remark.start(), key=re.Match.start)
        reported = reports[after][0] if after < len(reports) else ""
        names = (*_function_names(remark[0]), *_function_names(reported))
        module = _with_functions(modules, names)
        if module is None:
            return remark[0]
        number = _line_in(remark, module)
        origin = module.origin(number) if number else [*module.sources, module.file][0]
        return f"{remark[0]}\n    from {origin}"

    reports = list(_REPORT.finditer(remarks))
    return _ERROR.sub(placed, remarks)


def _line_in(error: re.Match[str], ptx: AssembledPtx) -> int | None:
    """Returns the line of the PTX that ptxas names, or the line of the function or instruction."""
    number = error["line"] or error["remarked"]
    return int(number) if number else ptx.line_of(error[0])


def _function_names(log: str) -> Iterator[str]:
    return (match["in"] or match["of"] for match in _FUNCTION.finditer(log))


def _with_functions(modules: tuple[AssembledPtx, ...], names: Iterable[str]) -> AssembledPtx | None:
    """Returns the only module that has the functions, by as many of them as it takes."""
    is_known = False
    for name in names:
        # ptxas adds functions of its own, which no module has.
        if having := tuple(module for module in modules if name in module.functions):
            modules, is_known = having, True
        if is_known and len(modules) == 1:
            return modules[0]
    return None
