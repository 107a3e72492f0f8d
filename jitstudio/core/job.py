"""One run of one tool, with everything the tool reads: what the worker process is asked to do."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.code import CodeKind, Header
from jitstudio.core.plan import Ref
from jitstudio.core.tools import Tool, ToolFile


@dataclass(frozen=True)
class Job:
    """One run of one tool.

    Attributes:
        tool: The tool.
        name: The artifact's name: the module's, or `core.code.LINKED`.
        inputs: What to read, in order.
        makes: The kinds to make.
        options: What to send.
        headers: In-memory headers, for NVRTC.
        name_expressions: Expressions to lower, for NVRTC.
        libraries: LLVM IR of which libNVVM takes only the functions that are called.
        libdevice: Whether libNVVM may take functions from libdevice.
        precompile: Whether NVRTC may use a precompiled header, and keep one for the next build.
        final: Whether the result is for the user. What a link is made of has no kernels to list,
            and need not have any; those of a cubin that was built are listed already.
        confined_to: See `BuildRequest`.
    """

    tool: Tool
    name: str
    inputs: tuple[tuple[Ref, bytes], ...]
    makes: tuple[CodeKind, ...]
    options: tuple[str, ...]
    headers: tuple[Header, ...] = ()
    name_expressions: tuple[str, ...] = ()
    libraries: tuple[tuple[Ref, bytes], ...] = ()
    libdevice: bool = False
    precompile: bool = False
    final: bool = True
    confined_to: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Search:
    """Names that a compiler may have looked for in each of some folders.

    Attributes:
        folders: Absolute paths, as the compiler joins them with a name: links not followed, ``..``
            not taken out.
        names: Paths below a folder; an absolute one counts by itself.
    """

    folders: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Basis:
    """What the result of a job rests on besides the job, as the worker that has done it knows.

    Attributes:
        tool: The tool; None if it cannot be told which file was loaded.
        searches: All places where a file was looked for, found or not; None if they cannot be told.
        folder: The working directory.
        began_ns: When the job began, by the clock of files.
    """

    tool: ToolFile | None
    searches: tuple[Search, ...] | None
    folder: str
    began_ns: int
