"""The kinds of code that enter and leave a build, and the modules that hold the code.

Knows file endings and nothing else about files, tools or windows.

To add a kind of input or output: its title and ending here, how it is made from which others in
`ROUTES` of `core/plan.py`, the tool that takes or makes it in `toolchain`, its lexer in
`gui/code/languages.py` if it is text, and what the exports call it in
`gui/features/build/export.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePath


class CodeKind(Enum):
    """A kind of code; the value is the word used on the command line and in JSON."""

    CUDA = "cuda"
    PYTHON = "python"
    LLVM_IR = "llvm-ir"
    PTX = "ptx"
    CUBIN = "cubin"
    LTOIR = "ltoir"
    FATBIN = "fatbin"
    OBJECT = "object"
    LIBRARY = "library"
    CAPTURED = "captured"
    OPTIXIR = "optixir"
    TILE_BYTECODE = "tile-bytecode"
    TILEIR = "tileir"
    SASS = "sass"
    HEADER = "header"

    @property
    def title(self) -> str:
        """The name to show a person."""
        return _TITLES[self]

    @property
    def ending(self) -> str:
        """The usual file ending, with the dot."""
        return next(ending for ending, kind in ENDINGS.items() if kind is self)


# The first ending of a kind is the one its files are saved under.
ENDINGS: dict[str, CodeKind] = {
    ".cu": CodeKind.CUDA,
    ".cuh": CodeKind.CUDA,
    ".py": CodeKind.PYTHON,
    ".ll": CodeKind.LLVM_IR,
    ".bc": CodeKind.LLVM_IR,
    ".ptx": CodeKind.PTX,
    ".cubin": CodeKind.CUBIN,
    ".ltoir": CodeKind.LTOIR,
    ".fatbin": CodeKind.FATBIN,
    ".o": CodeKind.OBJECT,
    ".a": CodeKind.LIBRARY,
    ".jitkernel": CodeKind.CAPTURED,
    ".optixir": CodeKind.OPTIXIR,
    ".tileirbc": CodeKind.TILE_BYTECODE,
    ".tileir": CodeKind.TILEIR,
    ".sass": CodeKind.SASS,
    ".h": CodeKind.HEADER,
    ".hpp": CodeKind.HEADER,
    ".inl": CodeKind.HEADER,
}

HEADER_ENDINGS = (".cuh", ".h", ".hpp", ".inl")
"""The endings of what others include, and builds compile as no module of its own."""
_TITLES = {
    CodeKind.CUDA: "CUDA C++",
    CodeKind.PYTHON: "Python",
    CodeKind.LLVM_IR: "LLVM IR",
    CodeKind.PTX: "PTX",
    CodeKind.CUBIN: "cubin",
    CodeKind.LTOIR: "LTO-IR",
    CodeKind.FATBIN: "fatbin",
    CodeKind.OBJECT: "object file",
    CodeKind.LIBRARY: "static library",
    CodeKind.CAPTURED: "captured kernel",
    CodeKind.OPTIXIR: "OptiX IR",
    CodeKind.TILE_BYTECODE: "Tile IR bytecode",
    CodeKind.TILEIR: "Tile IR",
    CodeKind.SASS: "SASS",
    CodeKind.HEADER: "header",
}

TEXT_KINDS = frozenset(
    {
        *(CodeKind.CUDA, CodeKind.PYTHON, CodeKind.LLVM_IR, CodeKind.PTX),
        *(CodeKind.TILEIR, CodeKind.SASS, CodeKind.HEADER),
    }
)
PREBUILT_KINDS = frozenset(
    {
        *(CodeKind.CUBIN, CodeKind.FATBIN, CodeKind.OBJECT, CodeKind.LIBRARY),
        CodeKind.CAPTURED,
    }
)
"""The kinds of files with machine code that was built before."""
EMITTED_KINDS = (
    CodeKind.PTX,
    CodeKind.SASS,
    CodeKind.CUBIN,
    CodeKind.LTOIR,
    CodeKind.OPTIXIR,
    CodeKind.TILEIR,
    CodeKind.TILE_BYTECODE,
    CodeKind.FATBIN,
    CodeKind.CAPTURED,
)


def kind_of(name: str) -> CodeKind | None:
    """Returns the kind of code in a file of this name, or None where the ending says nothing."""
    return ENDINGS.get(PurePath(name).suffix.lower())


PROJECT_ENDING = ".jitproj"
"""How the name of a project's file ends."""


def is_project(path: PurePath) -> bool:
    """Returns whether the name of this file is that of a project."""
    return path.suffix.lower() == PROJECT_ENDING


_BITCODE = b"BC\xc0\xde"


def is_bitcode(content: bytes) -> bool:
    """Returns whether the content is LLVM IR in binary form."""
    return content.startswith(_BITCODE)


_MAGICS = (b"\x7fELF", b"MZ", b"PK\x03\x04", b"!<arch>\n", b"!<thin>\n", b"\x50\xed\x55\xba")
HEAD = 8
"""The bytes at the beginning of a file that say what it is."""


def may_hold_code(head: bytes) -> bool:
    """Returns whether a file with this head may hold device code: by content, not by name."""
    return head.startswith(_MAGICS)


@dataclass(frozen=True)
class Source:
    """A module of a build.

    Attributes:
        name: Unique within a build; the name that every log and line table uses for it.
        kind: The kind of `content`.
        content: The text in UTF-8, or the bytes of a binary kind.
        folder: Where its file lies, searched for `#include "..."`; empty for unsaved text.
        name_expressions: Expressions whose lowered names NVRTC shall give, such as
            ``saxpy<float>``; they also instantiate the templates they name.
        options: Options of its own, in place of those of the build; None for those of the build.
    """

    name: str
    kind: CodeKind
    content: bytes
    folder: str = ""
    name_expressions: tuple[str, ...] = ()
    options: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Takes a cubin out of a file of CuPy's cache, which no tool reads directly."""
        if self.kind is CodeKind.CUBIN:
            # It takes a while to load, and few modules are machine code.
            from jitstudio.core.cubin import bare_cubin  # noqa: PLC0415

            object.__setattr__(self, "content", bare_cubin(self.content))


@dataclass(frozen=True)
class Header:
    """A header that exists in memory only, included under this name."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Artifact:
    """Something that a build made.

    Attributes:
        kind: One of `EMITTED_KINDS`.
        name: The module it was made from, or `LINKED`; with its target behind an ``@`` where it
            is one of several, as in ``k.cu@sm_80``, and `TILE_PART` where a module that has other
            code as well has its tile functions apart, as in ``k.cu@tile``.
        content: UTF-8 text for Tile IR, PTX and SASS, bytes otherwise.
    """

    kind: CodeKind
    name: str
    content: bytes

    @property
    def text(self) -> str:
        """The content as text; bytes that are no UTF-8 show as replacement characters."""
        return self.content.decode("utf-8", "replace")

    @property
    def file_name(self) -> str:
        """The module's name with the ending of this kind, as in ``k.ptx`` or ``k@sm_80.cubin``."""
        module, at, target = split_variant(self.name)
        return f"{PurePath(module).stem}{at}{target}{self.kind.ending}"

    @property
    def full_file_name(self) -> str:
        """The same where modules differ in ending or folder only, as in ``sub_k.cu.ptx``."""
        return f"{self.name.strip('./').replace('/', '_')}{self.kind.ending}"


TILE_PART = "@tile"
"""Ends the name of the code of tile functions in a module that has other code as well."""
_TARGET = r"(?:sm|compute)_\d+[af]?"
_VARIANT = re.compile(rf"(.+?)(@)(tile@{_TARGET}|tile|{_TARGET})")


def split_variant(name: str) -> tuple[str, str, str]:
    """Returns module, ``@`` and part in the name of a part of a module's code.

    The part is a target of several, ``tile``, or both as in ``tile@sm_80``. The last two are empty
    for any other name.
    """
    match = _VARIANT.fullmatch(name)
    return (match[1], match[2], match[3]) if match else (name, "", "")


def target_in(name: str) -> str:
    """Returns the target in the name of code for a target of several; empty for other names."""
    target = split_variant(name)[2].rpartition("@")[2]
    return "" if target == TILE_PART[1:] else target


LINKED = "linked"
"""The name of what a link makes of all modules together."""
