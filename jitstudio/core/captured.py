"""Kernels that other compilers and Python packages have made, with all that they made on the way.

A captured kernel is what Triton, Numba, CuPy and their like keep of one: its source, the
intermediate representations, PTX and machine code, each as it is. In a file it is a zip: a member
`kernel.json` that says what it is, and a member for each representation. Nothing of it is ever run.

To add a representation: a row of `KernelLanguage`, its lexer in `gui/code/languages.py`, and what
reads where its lines come from in `analysis/correlation/ir_lines.py`.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from jitstudio.core.arch import Arch
from jitstudio.core.bounds.unpacking import DAMAGED_ZIP, Oversized, check_members, read_member
from jitstudio.core.cubin import cubin_target
from jitstudio.core.plain_files import LARGEST
from jitstudio.ptx.skimming import ptx_target

CONSEQUENCES = frozenset({"hash", "shared", "tmem_size", "kernel", "override key"})
"""Facts of a kernel that follow from the others."""
PARAMETER = "parameter "
"""Before the name of a parameter that is called as a fact of its compiler is."""

LAUNCH = "launch "
"""Before what a script says of its first launch of a kernel: ``grid``, ``block``, ``shared``,
``line``, ``array NAME`` with the extents and then the strides in bytes, ``bytes NAME``,
``number NAME``. NAME may be a place from 0 on; of a module, ``KERNEL:`` is before them."""

_FORMAT = 1
_MEMBER = "kernel.json"
_MOST_MEMBERS = 64
_LARGEST_HEAD = 1 << 20
_LONGEST_WORD = 4096


class KernelLanguage(Enum):
    """The language of a representation, in the order in which compilers make representations."""

    PYTHON = "python"
    CUDA = "cuda"
    MLIR = "mlir"
    TTIR = "ttir"
    TTGIR = "ttgir"
    TILE_IR = "tile-ir"
    LLVM_IR = "llvm-ir"
    PTX = "ptx"
    CUBIN = "cubin"

    @property
    def title(self) -> str:
        """The name to show a person."""
        return _TITLES[self]

    @property
    def ending(self) -> str:
        """The usual file ending, with the dot."""
        return _ENDINGS[self]

    @property
    def is_source(self) -> bool:
        """Whether people write this language."""
        return self in (KernelLanguage.PYTHON, KernelLanguage.CUDA)

    @property
    def is_text(self) -> bool:
        """Whether the content is text, readable as the file has it."""
        return self not in (KernelLanguage.TILE_IR, KernelLanguage.CUBIN)


_TITLES = {
    KernelLanguage.PYTHON: "Python",
    KernelLanguage.CUDA: "CUDA C++",
    KernelLanguage.MLIR: "MLIR",
    KernelLanguage.TTIR: "Triton IR",
    KernelLanguage.TTGIR: "TritonGPU IR",
    KernelLanguage.TILE_IR: "Tile IR",
    KernelLanguage.LLVM_IR: "LLVM IR",
    KernelLanguage.PTX: "PTX",
    KernelLanguage.CUBIN: "cubin",
}
_ENDINGS = {
    KernelLanguage.PYTHON: ".py",
    KernelLanguage.CUDA: ".cu",
    KernelLanguage.MLIR: ".mlir",
    KernelLanguage.TTIR: ".ttir",
    KernelLanguage.TTGIR: ".ttgir",
    KernelLanguage.TILE_IR: ".tileirbc",
    KernelLanguage.LLVM_IR: ".ll",
    KernelLanguage.PTX: ".ptx",
    KernelLanguage.CUBIN: ".cubin",
}


class CapturedError(ValueError):
    """These bytes are no captured kernel; the message says why, as the end of a sentence."""


@dataclass(frozen=True)
class Representation:
    """A kernel in a single language.

    Attributes:
        language: The language of the content.
        content: UTF-8 text, or the bytes of a binary form.
        file: The file in line tables, most often a path; empty where none names a file.
        first_line: The line of that file that `content` begins with, counted from 1.
    """

    language: KernelLanguage
    content: bytes
    file: str = ""
    first_line: int = 1

    @property
    def text(self) -> str:
        """The content as text; bytes that are no UTF-8 show as replacement characters."""
        return self.content.decode("utf-8", "replace")


@dataclass(frozen=True)
class CapturedKernel:
    """A kernel that another compiler has made.

    Attributes:
        name: How its maker calls it, such as ``add_kernel``.
        origin: Who has made it, with the version where that is known: ``Triton 3.9.0``.
        representations: In the order in which they were made; at most one in each language.
        facts: What its maker says of it, such as ``{"num_warps": "4"}``, for people.
    """

    name: str
    origin: str
    representations: tuple[Representation, ...]
    facts: Mapping[str, str] = field(default_factory=dict)

    def representation(self, language: KernelLanguage) -> Representation | None:
        """Returns the representation in this language, or None."""
        return next((form for form in self.representations if form.language is language), None)

    @property
    def source(self) -> Representation | None:
        """The representation that a person wrote, or None where that is not known."""
        return next((form for form in self.representations if form.language.is_source), None)

    @property
    def target(self) -> Arch | None:
        """The target of the machine code, or without a cubin of the PTX; None for neither."""
        if (cubin := self.representation(KernelLanguage.CUBIN)) is not None:
            return cubin_target(cubin.content)
        ptx = self.representation(KernelLanguage.PTX)
        target = ptx_target(ptx.text) if ptx is not None else None
        return Arch.parse(target) if target else None


def pack(kernel: CapturedKernel) -> bytes:
    """Returns a captured kernel as the bytes of a file."""
    listed = [
        {
            "language": representation.language.value,
            "member": f"{number}{representation.language.ending}",
            "file": representation.file,
            "first_line": representation.first_line,
        }
        for number, representation in enumerate(kernel.representations)
    ]
    head = {
        "format": _FORMAT,
        "name": kernel.name,
        "origin": kernel.origin,
        "facts": dict(kernel.facts),
        "representations": listed,
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        # With a fixed time: the same kernel gives the same bytes.
        archive.writestr(zipfile.ZipInfo(_MEMBER), json.dumps(head, indent=1))
        for entry, representation in zip(listed, kernel.representations, strict=True):
            info = zipfile.ZipInfo(str(entry["member"]))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, representation.content)
    return packed.getvalue()


def unpack(content: bytes) -> CapturedKernel:
    """Returns the captured kernel in a file.

    Raises:
        CapturedError: It is none, is damaged, or unpacks to more than is read of any file.
    """
    try:
        check_members(content)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _read(archive)
    except CapturedError:
        raise
    except Oversized as error:
        raise CapturedError(str(error)) from None
    except DAMAGED_ZIP as error:
        raise CapturedError(f"it is damaged, or no captured kernel ({error})") from None


def _read(archive: zipfile.ZipFile) -> CapturedKernel:
    left = LARGEST

    def take(member: str, limit: int) -> bytes:
        nonlocal left
        taken = read_member(archive, archive.getinfo(member), min(limit, left))
        left -= len(taken)
        return taken

    head = json.loads(take(_MEMBER, _LARGEST_HEAD))
    read = _reader(head, "it")
    if (version := read("format", int)) != _FORMAT:
        raise CapturedError(f"its format is {version}, of a later jitstudio: bring this one up")
    listed = read("representations", list)
    if len(listed) > _MOST_MEMBERS:
        raise CapturedError(f"it has more than {_MOST_MEMBERS} representations")
    facts = read("facts", dict)
    if not all(isinstance(value, str) for value in facts.values()):
        raise CapturedError("its facts are not texts")
    return CapturedKernel(
        name=read("name", str),
        origin=read("origin", str),
        representations=tuple(_representations(listed, take)),
        facts=facts,
    )


def _representations(
    listed: list[Any], take: Callable[[str, int], bytes]
) -> Iterable[Representation]:
    there = set()
    for entry in listed:
        read = _reader(entry, "a representation")
        word = read("language", str)
        language = next((known for known in KernelLanguage if known.value == word), None)
        if language is None:
            raise CapturedError(f"it has a representation in '{word[:80]}', which is not known")
        if language in there:
            raise CapturedError(f"it has two representations in {language.title}")
        there.add(language)
        content = take(read("member", str), LARGEST)
        yield Representation(language, content, read("file", str), max(read("first_line", int), 1))


def _reader(entry: Any, whose: str) -> Callable[[str, type], Any]:
    """Returns a reader of the keys of a JSON object, each value of the required type."""
    if not isinstance(entry, dict):
        raise CapturedError(f"{whose} is not a JSON object")

    def read(key: str, kind: type) -> Any:
        value = entry.get(key)
        if type(value) is not kind or (isinstance(value, str) and len(value) > _LONGEST_WORD):
            raise CapturedError(f"{whose} says nothing that could be its '{key}'")
        return value

    return read
