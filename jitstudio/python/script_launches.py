"""The launch of a kernel by a script, as facts of its captured kernel: see `LAUNCH`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from jitstudio.core.captured import LAUNCH

_AXES = 3


def launch_facts(
    file: str, sizes: Mapping[str, Any], arguments: Mapping[str, Any], *, kernel: str = ""
) -> dict[str, str]:
    """Returns the facts of a launch, by name.

    Args:
        file: The file with the line that launches.
        sizes: Properties of the launch that are numbers along up to three axes, such as ``grid``.
        arguments: The arguments, by names of parameters or by places from 0 on. Arrays are given by
            their bytes.
        kernel: The kernel of a module with several; empty where there is only one.
    """
    facts = {name: ",".join(map(str, size)) for name, size in sizes.items()}
    if line := _line_in(file):
        facts["line"] = str(line)
    for name, value in arguments.items():
        if (size := getattr(value, "nbytes", None)) and getattr(value, "shape", ()) != ():
            facts[f"bytes {name}"] = str(size)
        elif number := number_of(value):
            facts[f"number {name}"] = number
    prefix = f"{LAUNCH}{kernel}: " if kernel else LAUNCH
    return {prefix + name: text for name, text in facts.items()}


def number_of(value: Any) -> str:
    """Returns a number of Python or NumPy as Python writes numbers; empty for other values."""
    if isinstance(value, (bool, int, float)) or getattr(value, "shape", None) == ():
        return repr(getattr(value, "item", lambda: value)())
    return ""


def axes_of(size: Any) -> tuple[int, ...]:
    """Returns the extents of a grid or block, which may be a single number."""
    listed = size if isinstance(size, (tuple, list)) else (size,)
    return tuple(int(extent) for extent in listed)[:_AXES]


def _line_in(file: str) -> int:
    """Returns the innermost running line of a file; 0 for none."""
    frame = sys._getframe()  # noqa: SLF001 - who launches is nowhere else
    while frame is not None and frame.f_code.co_filename != file:
        frame = frame.f_back  # type: ignore[assignment]
    return frame.f_lineno if frame is not None else 0
