"""What is found of device code in files that hold more than that: programs, libraries, wheels.

The values that cross between the process that reads such a file and whoever asks for them.
"""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.result import Outcome, Resources

ENDINGS = (".so", ".whl", ".zip", ".exe", ".dll", ".pyd", ".lib")
"""The usual endings of such files; programs of Linux have none."""

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
