"""The part of a CUDA C++ module that a precompiled header can replace.

It ends before the first header of the user's: those change with every edit, NVIDIA's with the
version only. Before each use `precompile` checks that the headers on disk are still the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from jitstudio.core.code import split_variant
from jitstudio.core.plan import Job

# What may come before the first declaration; possessive, so that nothing is tried twice.
_PIECE = re.compile(
    rb"\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|(?P<directive>#(?:[^\\\n]|\\(?s:.))*+)", re.ASCII
)
_INCLUDE = re.compile(rb'#[ \t]*include[ \t]*[<"](?P<name>[^">\n]+)[">]')
# Their meaning may change with the user's files.
_UNSURE = re.compile(rb"#[ \t]*(?:include|include_next|import|embed)\b|__has_(?:include|embed)")
# What comes after the front end makes no difference to it.
_LATER = re.compile(r"(?:--ptxas-options|-Xptxas|--time|-time)\b")
_REAL = re.compile(r"^(-arch=|--gpu-architecture=)sm_")


@dataclass(frozen=True)
class Prefix:
    """The beginning of a module, up to the last of NVIDIA's headers, and how it is compiled.

    Attributes:
        text: The beginning.
        options: All that is sent, but what makes no difference to the front end.
        folder: The folder of the module, in which headers are looked for.
        folders: Where NVIDIA's own headers lie.
    """

    text: bytes
    options: tuple[str, ...]
    folder: str = "."
    folders: tuple[str, ...] = ()


def prefix_of(job: Job, options: Iterable[str], folders: tuple[str, ...]) -> Prefix | None:
    """What could be precompiled of a module; None where there is nothing.

    Args:
        job: The module's compile.
        options: All that is sent.
        folders: Where NVIDIA's own headers lie.
    """
    kept = tuple(_REAL.sub(r"\1compute_", o) for o in options if not _LATER.match(o))
    ((_, text),) = job.inputs
    end = max(_ends(text, folders), default=0)
    folder = str(PurePath(split_variant(job.name)[0]).parent)
    return Prefix(text[:end], kept, folder, folders) if end else None


def _ends(text: bytes, folders: tuple[str, ...]) -> Iterator[int]:
    """Where each of NVIDIA's headers ends that has only others of them before it."""
    at = 0
    while piece := _PIECE.match(text, at):
        at = piece.end()
        directive = piece["directive"] or b""
        if include := _INCLUDE.match(directive):
            name = include["name"].decode("utf-8", "surrogateescape")
            if not any(os.path.isfile(os.path.join(folder, name)) for folder in folders):
                return
            yield at
        elif _UNSURE.search(directive):
            return
