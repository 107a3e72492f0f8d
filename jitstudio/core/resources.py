"""What kernels need, as ptxas and nvlink write it into their logs when asked for verbosity.

Two spellings (NVRTC and nvJitLink 13)::

    ptxas info    : Compiling entry function 'k' for 'sm_90'
    ptxas info    : Function properties for k
    ptxas         .     8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
    ptxas info    : Used 10 registers, used 1 barriers, 512 bytes smem

    info    : Function properties for 'k':
    info    : used 10 registers, used 1 barriers, 8 stack, 0 bytes smem, 536 bytes cmem[0]

A cubin tells the same except for the spills, and more of it: where both are known, `merge`
takes the cubin's word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace

from jitstudio.core.result import Resources

_FUNCTION = re.compile(r"Function properties for '?([\w$.]+)'?:?")
_ENTRY = re.compile(r"Compiling entry function '([\w$.]+)'")
_USED = re.compile(r"\b[Uu]sed \d+ registers\b")
_AMOUNTS: dict[str, re.Pattern[str]] = {
    name: re.compile(rf"(?<![\w.])(\d{{1,18}}+) {unit}")
    for name, unit in {
        "registers": "registers",
        "barriers": "barriers",
        "stack_bytes": r"(?:bytes stack frame|stack\b)",
        "spill_stores": "bytes spill stores",
        "spill_loads": "bytes spill loads",
        "shared_bytes": "bytes smem",
        "constant_bytes": r"bytes cmem\[0\]",
        "local_bytes": "bytes lmem",
    }.items()
}


def read_verbose_log(text: str) -> dict[str, Resources]:
    """What a log tells of each function, by its lowered name.

    Device functions are among them; ptxas tells their spills, too.
    """
    told: dict[str, Resources] = {}
    function = entry = ""
    for line in text.splitlines():
        if match := _ENTRY.search(line):
            function = entry = match[1]
        elif match := _FUNCTION.search(line):
            function = match[1]
        elif function:
            # ptxas may tell of the functions that a kernel calls before it tells its registers.
            of = entry if _USED.search(line) and line.startswith("ptxas") and entry else function
            if amounts := _amounts(line):
                told[of] = replace(told.get(of, Resources()), **amounts)
    return told


def merge(known: Mapping[str, Resources], told: Mapping[str, Resources]) -> dict[str, Resources]:
    """Fill what is unknown in `known` with what is `told` of the functions of the same name."""
    return {
        name: _filled(resources, told.get(name, Resources())) for name, resources in known.items()
    }


def _amounts(line: str) -> dict[str, int]:
    matches = {name: pattern.search(line) for name, pattern in _AMOUNTS.items()}
    return {name: int(match[1]) for name, match in matches.items() if match}


def _filled(known: Resources, told: Resources) -> Resources:
    unknown = (f.name for f in fields(Resources) if getattr(known, f.name) is None)
    return replace(known, **{name: getattr(told, name) for name in unknown})
