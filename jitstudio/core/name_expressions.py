"""Which module is asked for which lowered name, and how NVRTC speaks of name expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from jitstudio.core.code import CodeKind, Source

NAME_MAP = "__nv_name_map"
"""What NVRTC calls the list of all name expressions, as if it were a file."""
_ECHO = "#pragma nv_mangled_name "


def expression_in(line: str) -> str:
    """The name expression that NVRTC repeats below an error in it; empty for another line."""
    _, _, expression = line.partition(_ECHO)
    return expression.strip()


def with_name_expressions(
    sources: tuple[Source, ...], expressions: Iterable[str]
) -> tuple[Source, ...]:
    """Give each expression to the CUDA C++ modules that mention its first name.

    Where none does, all get it, so that NVRTC says what is wrong with it. A module that has the
    expression already keeps it once.
    """
    given = {s.name: list(s.name_expressions) for s in sources if s.kind is CodeKind.CUDA}
    takers = [source for source in sources if source.name in given]
    for expression in expressions:
        name = re.search(r"\w+(?=\s*(?:<|$))", expression)
        word = re.compile(rf"\b{re.escape(name[0] if name else expression)}\b".encode())
        mentioned = [source for source in takers if word.search(source.content)]
        for source in mentioned or takers:
            given[source.name].append(expression)
    return tuple(
        replace(s, name_expressions=tuple(dict.fromkeys(given[s.name]))) if s.name in given else s
        for s in sources
    )
