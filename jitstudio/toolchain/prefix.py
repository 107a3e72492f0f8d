"""The part of a CUDA C++ module that a precompiled header can stand for.

NVRTC does not look whether a header has changed since it was precompiled. So only NVIDIA's own
headers are, which change with the version only: the part ends before the first header of the
user's, and there is none where a folder of the user's could take the place of NVIDIA's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from jitstudio.core.job import Job

# What may stand before the first declaration; possessive, so that nothing is tried twice.
_PIECE = re.compile(
    rb"\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|(?P<directive>#(?:[^\\\n]|\\(?s:.))*+)", re.ASCII
)
_INCLUDE = re.compile(rb'#[ \t]*include[ \t]*[<"](?P<name>[^">\n]+)[">]')
# Their meaning may change with the user's files.
_UNSURE = re.compile(rb"#[ \t]*(?:include|include_next|import|embed)\b|__has_(?:include|embed)")
_FOLDER = re.compile(r"(?:-I=?|--include-path=)(.+)")
# What comes after the front end makes no difference to it.
_LATER = re.compile(r"(?:--ptxas-options|-Xptxas|--time|-time)\b")
_REAL = re.compile(r"^(-arch=|--gpu-architecture=)sm_")


@dataclass(frozen=True)
class Prefix:
    """The beginning of a module, up to the last of NVIDIA's headers, and how it is compiled."""

    text: bytes
    options: tuple[str, ...]


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
    return Prefix(text[:end], kept) if end and not _replaced(job, kept, folders) else None


def _ends(text: bytes, folders: tuple[str, ...]) -> Iterator[int]:
    """Where each of NVIDIA's headers ends that only others of them stand before."""
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


def _replaced(job: Job, options: tuple[str, ...], folders: tuple[str, ...]) -> bool:
    """Whether something of the user's has the name of something of NVIDIA's."""
    theirs = {name for folder in folders for name in _names(folder)}
    ours = {Path(header.name).parts[0] for header in job.headers}
    ours |= {name for folder in _user_folders(options, folders) for name in _names(folder)}
    return not ours.isdisjoint(theirs)


def _user_folders(options: tuple[str, ...], folders: tuple[str, ...]) -> Iterator[str]:
    given = (match[1] for option in options if (match := _FOLDER.fullmatch(option)))
    return (folder for folder in given if folder not in folders)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
