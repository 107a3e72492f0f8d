"""Errors and remarks of ptxas on PTX that was made of a source, with the lines of the source."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines
from jitstudio.analysis.sass.model import InlineChain
from jitstudio.core.disk import working_folder

_ERROR = re.compile(
    # `ptxas kernel.ptx, line 12; error   : Unknown symbol 'foo'`
    r"^ptxas (?:[^\n,]+, line (?P<line>\d{1,9}+); [^\n]*+"
    # `info    : (C7518) Potential Performance Loss: text in the function 'k' in line 54`
    r"|(?:info|warning) *: \(C\d+\) [^\n]*?\bin (?:around )?line (?P<remarked>\d{1,9}+)\b[^\n]*+)$",
    re.MULTILINE,
)
# An error may be told at the line behind the one that it is in, as where a semicolon is missing.
_NEAR = 3


def has_places(errors: str) -> bool:
    """Returns whether ptxas names lines of the PTX."""
    return bool(_ERROR.search(errors))


def with_sources(errors: str, ptx: str, names: Iterable[str]) -> str:
    """Returns the errors of ptxas, with the place in the source below each error.

    Args:
        errors: What it said.
        ptx: The PTX that it was about, with a line table.
        names: The modules and headers of the build. Line tables join them to the working directory.
    """
    lines = read_ptx_lines(ptx.split("\n"))
    known = {f"{working_folder()}/{name}": name for name in names}

    def placed(error: re.Match[str]) -> str:
        number = int(error["line"] or error["remarked"])
        near = (lines.places_of(n) for n in range(number, number - _NEAR, -1))
        chain: InlineChain = next(filter(None, near), ())
        frames = [f"{known.get(place.file, place.file)}({place.line})" for place in chain]
        more = "".join(f", inlined at {frame}" for frame in frames[1:])
        return f"{error[0]}\n    from {frames[0]}{more}" if frames else error[0]

    return _ERROR.sub(placed, errors)
