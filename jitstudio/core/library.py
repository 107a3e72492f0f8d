"""What is found of device code in files that hold more than that: programs, libraries, wheels.

The values that cross between the process that reads such a file and whoever asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from jitstudio.core.arch import Arch, machine_code_for, ptx_for
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.choice import base_name
from jitstudio.core.result import Outcome, Resources

ENDINGS = (".so", ".whl", ".zip", ".exe", ".dll", ".pyd", ".lib")
"""The usual endings of such files; programs of Linux have none."""

_MAGICS = (b"\x7fELF", b"MZ", b"PK\x03\x04", b"!<arch>\n", b"!<thin>\n", b"\x50\xed\x55\xba")
HEAD = 8
"""The bytes at the beginning of a file that say what it is."""


def may_hold_code(head: bytes) -> bool:
    """Returns whether a file that begins so may hold device code: by what it is, not its name."""
    return head.startswith(_MAGICS)


MOST_KERNELS = 200_000
"""How many kernels of one file are listed."""


@dataclass(frozen=True)
class CodePiece:
    """One piece of device code in a file.

    Attributes:
        kind: Machine code or PTX.
        arch: What it was made for.
        member: The file inside of a wheel, zip or static library that it is in, with a colon
            between what is inside of what; empty for the file itself.
        section: The section of the ELF file; empty where it is in none.
        offset: Where its fatbin begins in the member, or it itself if it is in none.
        number: Which entry of that fatbin it is, counted from 0; -1 where it is in none.
        relocatable: Whether it has to be linked before it can run.
    """

    kind: CodeKind
    arch: Arch
    member: str
    section: str
    offset: int
    number: int
    relocatable: bool = False

    @property
    def target(self) -> str:
        """Such as ``sm_90a`` for machine code and ``compute_90`` for PTX."""
        return self.arch.compute if self.kind is CodeKind.PTX else self.arch.sm


@dataclass(frozen=True)
class LibraryKernel:
    """A kernel of one piece.

    Attributes:
        name: Its lowered name.
        demangled: The same as in C++.
        piece: Which piece it is in, as an index.
        code_bytes: Bytes of its machine code; None where there is none yet.
        resources: What it needs, as far as its cubin says: how much was spilled it does not.
    """

    name: str
    demangled: str
    piece: int
    code_bytes: int | None
    resources: Resources


@dataclass(frozen=True)
class LibraryListing:
    """All device code of a file.

    Attributes:
        pieces: What it is in; one without kernels is in no kernel's row.
        kernels: In the order of the pieces.
        notes: What is not in the list, and why: each a sentence.
    """

    pieces: tuple[CodePiece, ...]
    kernels: tuple[LibraryKernel, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ListRequest:
    """A request to list the kernels in a file.

    Attributes:
        path: The file, absolute, links followed.
        name: How messages call it.
    """

    path: str
    name: str


@dataclass(frozen=True)
class TakeRequest:
    """A request for the code of one piece.

    Attributes:
        path: The file, absolute, links followed.
        name: How messages call it.
        piece: A piece that its list names.
    """

    path: str
    name: str
    piece: CodePiece


@dataclass(frozen=True)
class ListingProgress:
    """How far a listing is: so many kernels were found, and this member is being read."""

    kernels: int
    member: str


@dataclass(frozen=True)
class TakenCode:
    """The code of one piece, as a module for a build.

    Attributes:
        kind: A fatbin has the other targets of the same module, and its PTX, too.
        content: The code.
    """

    kind: CodeKind
    content: bytes


@dataclass(frozen=True)
class LibraryFailure:
    """There is no answer.

    Attributes:
        message: What happened, why, and what to do.
        outcome: How it ended.
    """

    message: str
    outcome: Outcome = Outcome.FAILED


def kernels_named(library: LibraryListing, name: str) -> tuple[LibraryKernel, ...]:
    """Returns the kernels that have this name, lowered or demangled, in all their targets.

    Where none has, those whose demangled name is this one without what it returns and takes; else
    without its template arguments, too.
    """
    for called in (
        lambda one: name in (one.name, one.demangled),
        lambda one: f" {name}(" in f" {one.demangled}",
        lambda one: name in ((base := base_name(one.demangled)), base.rpartition(" ")[2]),
    ):
        if found := tuple(filter(called, library.kernels)):
            return found
    return ()


def best_kernel(
    library: LibraryListing, kernels: Iterable[LibraryKernel], wanted: Arch | None
) -> LibraryKernel | None:
    """Returns the kernel to read for a target, or None if none of these is for it.

    Args:
        library: What they are in.
        kernels: Those to choose from.
        wanted: The target; None for the newest there is.
    """
    code: dict[Arch, LibraryKernel] = {}
    texts: dict[Arch, LibraryKernel] = {}
    # Of several for one target, the first; what is linked before what is not.
    for one in sorted(kernels, key=lambda one: library.pieces[one.piece].relocatable):
        piece = library.pieces[one.piece]
        (code if piece.kind is CodeKind.CUBIN else texts).setdefault(piece.arch, one)
    if wanted is None:
        there = code or texts
        return there[max(there)] if there else None
    if arch := machine_code_for(wanted, code):
        return code[arch]
    arch = ptx_for(wanted, texts)
    return texts[arch] if arch else None
