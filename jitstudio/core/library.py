"""Device code inside of larger things: programs, libraries, wheels, caches.

The values that cross between the process that reads such a file and whoever asks for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.result import Outcome, Resources

ENDINGS = (".so", ".whl", ".zip", ".exe", ".dll", ".pyd", ".lib")
"""The usual endings of such files; programs of Linux have none."""

MOST_KERNELS = 200_000
"""How many kernels of one file or folder are listed."""

LATEST = 1e11
"""The end of the dates of code, in seconds since 1970: they have a year of four digits."""

LARGEST_SOURCE = 16 << 20
"""Bytes of the largest file that is read as the source of a kernel in a cache."""

_MOST_NOTES = 20


@dataclass(frozen=True)
class CodePiece:
    """A piece of device code in a file or in a folder.

    Attributes:
        kind: Machine code or PTX.
        arch: What it was made for.
        member: The file inside of a folder, wheel, zip or static library that it is in, with a
            colon between what is inside of what; empty for the file itself.
        section: The section of the ELF file; empty where it is in none.
        offset: Where its fatbin begins in the member, or it itself if it is in none.
        number: Which entry of that fatbin it is, counted from 0; -1 where it is in none.
        relocatable: Whether it has to be linked before it can run.
        origin: Who has made it, such as ``Triton 3.6.0``; empty where that is not known.
        source: The file that people wrote, with a line where that is known: ``/tmp/k.py:12``; empty
            where that is not known.
        date: When it was made, in seconds since 1970 UTC; 0 where that is not known.
    """

    kind: CodeKind
    arch: Arch
    member: str
    section: str
    offset: int
    number: int
    relocatable: bool = False
    origin: str = ""
    source: str = ""
    date: float = 0.0

    @property
    def target(self) -> str:
        """The target: ``sm_90a`` for machine code, ``compute_90`` for PTX, and the like."""
        return self.arch.compute if self.kind is CodeKind.PTX else self.arch.sm


@dataclass(frozen=True)
class LibraryKernel:
    """A kernel of a piece of code.

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
    """All device code of a file, or of a folder.

    Attributes:
        pieces: What it is in; one without kernels is in no kernel's row.
        kernels: In the order of the pieces.
        notes: What is not in the list, and why: each a sentence.
        folders: The folders that were read, as seen from the one that was opened, which is the
            first: what is added to a cache is added in one of them. Empty for a file.
    """

    pieces: tuple[CodePiece, ...]
    kernels: tuple[LibraryKernel, ...]
    notes: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


@dataclass
class Notes:
    """Parts left out of a list, and why; in the order in which the parts were met."""

    texts: dict[str, None] = field(default_factory=dict)
    more: int = 0

    def add(self, text: str) -> None:
        """Adds a sentence, once; of many, the first are kept."""
        if len(self.texts) < _MOST_NOTES:
            self.texts[text] = None
        else:
            self.more += text not in self.texts

    def join(self, others: Notes) -> None:
        """Adds the notes of a part."""
        for text in others.texts:
            self.add(text)
        self.more += others.more

    def all(self) -> tuple[str, ...]:
        """Returns the sentences, and how many more there are."""
        more = (f"There are {self.more:,} more notes like these.",) if self.more else ()
        return (*self.texts, *more)


@dataclass(frozen=True)
class ListRequest:
    """A request to list the kernels in a file or folder.

    Attributes:
        path: The file or folder, absolute, links followed.
        name: How messages call it.
    """

    path: str
    name: str


@dataclass(frozen=True)
class TakeRequest:
    """A request for the code of a piece.

    Attributes:
        path: The file or folder, absolute, links followed.
        name: How messages call it.
        piece: A piece that its list names.
        written: What the Python file that the piece names as its source holds; empty for none.
    """

    path: str
    name: str
    piece: CodePiece
    written: bytes = b""


@dataclass(frozen=True)
class ListingProgress:
    """How far a listing is: so many kernels were found, and this member is being read."""

    kernels: int
    member: str


@dataclass(frozen=True)
class TakenCode:
    """The code of a piece, as a module for a build.

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
