"""Counts and findings of a simulated launch, beyond the results of any launch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from enum import Enum

from jitstudio.core.launch.device import Dim3

SECTOR_BYTES = 32
"""The least that global and local memory move."""

LANES = 32
LINE_BYTES = 128
WORD_BYTES = 4
_COLUMNS = LINE_BYTES // WORD_BYTES

ASSUMED = "This assumes that SASS, which was not read, does here what the PTX does."
"""A clause for a remedy that was not compared with the machine code."""

_MERGED = (
    "ptxas may make wider accesses of these to neighbouring words (LDS.64, LDS.128), which take "
    "other passes than are counted here. Look at the SASS before you change the layout."
)


class StateSpace(Enum):
    """A state space of PTX that holds bytes, or the texels of a launch."""

    GLOBAL = "global"
    SHARED = "shared"
    LOCAL = "local"
    CONSTANT = "const"
    PARAM = "param"
    TEXTURE = "texture"
    SURFACE = "surface"


class AccessKind(Enum):
    """The use of the bytes by an access."""

    READ = "read"
    WRITE = "write"
    ATOMIC = "atomic"


class FaultKind(Enum):
    """The kind of fault in a thread."""

    OUT_OF_BOUNDS = "out of bounds"
    MISALIGNED = "misaligned"
    NEVER_WRITTEN = "never written"
    READ_ONLY = "read only"
    STACK_OVERFLOW = "stack overflow"
    TRAP = "trap"
    ASSERT = "assert"
    DEADLOCK = "deadlock"
    BARRIER = "barrier"
    INACTIVE_LANE = "inactive lane"
    NOT_WAITED_FOR = "copy not waited for"
    PRODUCT = "product not waited for"
    NOT_FENCED = "not fenced"
    FREE = "free"
    DIVISION = "division by zero"
    CARRY = "stale carry"
    EXITED = "block exited"


@dataclass(frozen=True)
class ThreadPlace:
    """The place of a thread.

    Attributes:
        file: The source file; empty where no line table says it.
        line: The line in it, from 1; 0 where none is known.
        ptx_line: The line of the PTX, from 1; 0 for none.
        block: Index of the block.
        thread: Index of the thread in it.
        step: Steps of the simulation before it.
    """

    file: str
    line: int
    ptx_line: int
    block: Dim3
    thread: Dim3
    step: int = 0


@dataclass(frozen=True)
class Fault:
    """Something that a thread did and must not do.

    Attributes:
        kind: The kind of fault.
        message: A sentence with line, block and thread.
        first: Where the first thread did it, or the earlier one of two was; None where it is about
            no thread.
        second: Where the later one was, of what two of them did.
        count: How many threads did it at this instruction.
        fatal: Whether the launch, or those by the seeds, ended there.
        seeds: Those of the further orders that have it where the launch itself does not; empty for
            what it has itself.
        is_of_first: Whether the sentence begins with the earlier of two.
    """

    kind: FaultKind
    message: str
    first: ThreadPlace | None = None
    second: ThreadPlace | None = None
    count: int = 1
    fatal: bool = True
    seeds: tuple[int, ...] = ()
    is_of_first: bool = False

    @property
    def place(self) -> ThreadPlace | None:
        """Where the thread was that the sentence begins with."""
        return self.first if self.is_of_first else self.second or self.first


@dataclass(frozen=True)
class Race:
    """Two accesses to the same bytes that nothing orders; at least one is a write.

    Attributes:
        kind: Such as ``write after read``.
        message: A sentence with both lines and both threads.
        first: The earlier access.
        second: The later one.
        space: Where the bytes are.
        address: Of the first byte that both touched, as the kernel sees it.
        lost: The value that was lost, as a hexadecimal number; empty where none was.
        count: How often a thread did it at the later one of these two instructions.
        same_value: Whether two writes put the same value there, so that nothing was lost.
        seeds: See `Fault`.
    """

    kind: str
    message: str
    first: ThreadPlace
    second: ThreadPlace
    space: StateSpace
    address: int
    lost: str = ""
    count: int = 1
    same_value: bool = False
    seeds: tuple[int, ...] = ()

    @property
    def place(self) -> ThreadPlace:
        """Where the thread was that the sentence begins with."""
        return self.second


@dataclass(frozen=True)
class LineCounts:
    """The work of the threads at a line of the PTX.

    Attributes:
        file: The source file; empty where no line table says it.
        line: The line in it, from 1; 0 where none is known.
        ptx_line: The line of the PTX, from 1.
        executions: How often a warp came here.
        thread_executions: How often a thread did.
        divergent: How often a branch here sent the lanes of a warp to different places.
        requests: Accesses to memory, textures and surfaces, each of one warp.
        sectors: 32-byte sectors of global or local memory that they touched; atomics touch one as
            often as most lanes meet at an address in it. How texels lie in memory is not
            documented, so of those none are counted.
        lines_touched: 128-byte lines likewise.
        bytes_used: Bytes that the lanes asked for, each once; of atomics each time.
        wavefronts: Passes through the banks of shared memory by loads, stores, atomics and copies
            of threads in that of their own block.
        bank_conflicts: The wavefronts that different words in a bank have caused.
        lanes_per_address: Most lanes that met at one address in an atomic operation.
        sector_requests: The requests that go to global or local memory.
        beside_copies: Loads from shared memory, each of one warp, while copies of its block to that
            were under way.
    """

    file: str
    line: int
    ptx_line: int
    executions: int = 0
    thread_executions: int = 0
    divergent: int = 0
    requests: int = 0
    sectors: int = 0
    lines_touched: int = 0
    bytes_used: int = 0
    wavefronts: int = 0
    bank_conflicts: int = 0
    lanes_per_address: int = 0
    sector_requests: int = 0
    beside_copies: int = 0

    @property
    def mean_active_lanes(self) -> float:
        """Threads for each time that a warp came here."""
        return self.thread_executions / self.executions if self.executions else 0.0

    @property
    def sectors_per_request(self) -> float:
        """Sectors of global and local memory for each access of a warp."""
        return self.sectors / self.sector_requests if self.sector_requests else 0.0

    @property
    def lines_per_request(self) -> float:
        """128-byte lines likewise."""
        return self.lines_touched / self.sector_requests if self.sector_requests else 0.0

    @property
    def used_share(self) -> float | None:
        """Bytes asked for over bytes moved; None where none were moved."""
        return self.bytes_used / (SECTOR_BYTES * self.sectors) if self.sectors else None

    @property
    def wasted_share(self) -> float:
        """The largest share that was wasted, from 0 to 1: of lanes, bytes moved, or passes."""
        used, wavefronts = self.used_share, self.wavefronts
        return max(
            1 - self.mean_active_lanes / LANES if self.executions else 0.0,
            1 - used if used is not None else 0.0,
            self.bank_conflicts / wavefronts if wavefronts else 0.0,
        )

    def __add__(self, other: LineCounts) -> LineCounts:
        """Returns the counts of two lines of the PTX as those of the source line of both.

        The source line was reached as often as the line of the PTX that was reached most.
        """
        often = max(self, other, key=lambda line: (line.executions, line.thread_executions))
        return replace(
            self,
            executions=often.executions,
            thread_executions=often.thread_executions,
            divergent=self.divergent + other.divergent,
            requests=self.requests + other.requests,
            sectors=self.sectors + other.sectors,
            lines_touched=self.lines_touched + other.lines_touched,
            bytes_used=self.bytes_used + other.bytes_used,
            wavefronts=self.wavefronts + other.wavefronts,
            bank_conflicts=self.bank_conflicts + other.bank_conflicts,
            lanes_per_address=max(self.lanes_per_address, other.lanes_per_address),
            sector_requests=self.sector_requests + other.sector_requests,
            beside_copies=self.beside_copies + other.beside_copies,
        )


def of_source(lines: Iterable[LineCounts]) -> tuple[LineCounts, ...]:
    """Returns the counts of each source line, by file and line; `ptx_line` is the first there."""
    counts: dict[tuple[str, int], LineCounts] = {}
    for line in lines:
        if line.line:
            key = (line.file, line.line)
            counts[key] = counts[key] + line if key in counts else line
    return tuple(counts[key] for key in sorted(counts))


@dataclass(frozen=True)
class LibraryBranch:
    """A line of the PTX at which lanes part inside a library: by the user's call.

    Attributes:
        ptx_line: The line of the PTX, from 1.
        file: The user's file that calls it.
        line: The line in it, from 1.
        functions: The functions that the user calls there, or the header that these are of.
        is_alone: Whether the line has no condition of its own that may be meant.
    """

    ptx_line: int
    file: str
    line: int
    functions: tuple[str, ...]
    is_alone: bool = True


@dataclass(frozen=True)
class PictureRow:
    """Words next to each other.

    Attributes:
        address: Of the first of 32 columns; of shared memory 128 for each wavefront before it.
        lanes: Which lanes touch the word in each column where any does.
    """

    address: int
    lanes: dict[int, tuple[int, ...]]


@dataclass(frozen=True)
class AccessSample:
    """A warp's request to memory: the costliest of all at an instruction.

    Attributes:
        ptx_line: The line of the PTX, from 1.
        space: Where the bytes are.
        kind: The use of the bytes.
        size: Bytes of each lane.
        place: The instruction and the first lane.
        lanes: Each active lane with the address that it accesses.
        cost: Sectors of global and local memory, wavefronts of shared memory.
        mean: The same on average over all requests of the instruction.
        suggestion: What would take fewer, as calculated for all accesses of the run; a sentence,
            or empty.
        may_merge: Whether ptxas may make one wide access of it and of those next to it.
        is_read: Whether the machine code was read, to see what it makes of the access.
        otherwise: How the machine code accesses this memory at this line if not as the PTX does; a
            sentence, or empty.
    """

    ptx_line: int
    space: StateSpace
    kind: AccessKind
    size: int
    place: ThreadPlace
    lanes: tuple[tuple[int, int], ...]
    cost: int
    mean: float = 0.0
    suggestion: str = ""
    may_merge: bool = False
    is_read: bool = False
    otherwise: str = ""

    @property
    def advice(self) -> str:
        """Advice for the access, or the reason for none; empty where nothing was found."""
        if self.is_read:
            return self.otherwise or self.suggestion
        if self.may_merge:
            return _MERGED
        return self.suggestion and f"{self.suggestion} {ASSUMED}"

    def words(self) -> tuple[PictureRow, ...]:
        """Returns the 4-byte words that the lanes touch, as rows of 32 columns.

        Of shared memory a column is a bank and a row the words that one wavefront serves; of other
        memory a row is a line of 128 bytes.
        """
        lanes_by_word: dict[int, list[int]] = {}
        for lane, address in self.lanes:
            for word in range(address // WORD_BYTES, (address + self.size - 1) // WORD_BYTES + 1):
                lanes_by_word.setdefault(word, []).append(lane)
        rows: dict[int, dict[int, tuple[int, ...]]] = {}
        depth = [0] * _COLUMNS
        for word in sorted(lanes_by_word):
            column = word % _COLUMNS
            row = depth[column] if self.space is StateSpace.SHARED else word // _COLUMNS
            depth[column] += 1
            rows.setdefault(row, {})[column] = tuple(sorted(lanes_by_word[word]))
        return tuple(PictureRow(row * LINE_BYTES, rows[row]) for row in sorted(rows))


@dataclass(frozen=True)
class OrderDifference:
    """The differences that another order of blocks and warps has made.

    Attributes:
        message: The difference, a sentence.
        seeds: The seeds of the orders that differ from the first.
        buffer: The buffer; empty where the run itself ended otherwise.
        element: Its first element that differs; None likewise.
        count: How many of its elements differ in one of the orders.
    """

    message: str
    seeds: tuple[int, ...]
    buffer: str = ""
    element: int | None = None
    count: int = 0


@dataclass(frozen=True)
class Simulation:
    """The figures and findings of a launch that only the simulator has.

    Attributes:
        instructions: Instructions executed, each once for each thread.
        seconds: How long the simulation took, which says nothing of a GPU.
        blocks: Blocks that have run.
        of_blocks: Blocks of the grid.
        exact: Whether every operation gives the bits that a GPU gives.
        inexact_functions: The functions that may not, with what is known of them.
        lines: Counts for each line of the PTX, in its order.
        samples: The costliest request of each access to memory.
        races: Pairs of accesses that nothing orders, in this order or a further one.
        faults: Acts of threads that are forbidden, likewise.
        seed: Of the order of blocks and warps; 0 for the natural one.
        compared: The seeds of further orders whose buffers were compared with those of this one.
        differences: The differences that these orders have made.
        heap_left: The memory that device code has not given back to the heap, in sentences.
        is_read: Whether the machine code was read, to see what it makes of what was counted.
        unbranched: The lines, by file and number, at which lanes part by branches of the PTX, and
            where the machine code has no branch.
        library: The lines of the PTX at which lanes part, or may part, inside a library.
        is_of_tiles: Whether tileiras has made the PTX, whose author knows of no threads.
    """

    instructions: int
    seconds: float
    blocks: int
    of_blocks: int
    exact: bool = True
    inexact_functions: tuple[str, ...] = ()
    lines: tuple[LineCounts, ...] = ()
    samples: tuple[AccessSample, ...] = ()
    races: tuple[Race, ...] = ()
    faults: tuple[Fault, ...] = ()
    seed: int = 0
    compared: tuple[int, ...] = ()
    differences: tuple[OrderDifference, ...] = ()
    heap_left: tuple[str, ...] = ()
    is_read: bool = False
    unbranched: tuple[tuple[str, int], ...] = ()
    library: tuple[LibraryBranch, ...] = ()
    is_of_tiles: bool = False

    @property
    def is_partial(self) -> bool:
        """Whether some blocks have not run, so that their output is missing."""
        return self.blocks < self.of_blocks

    @property
    def total(self) -> LineCounts:
        """The counts of all lines together."""
        counted = [field.name for field in fields(LineCounts) if field.type == "int"]
        sums = {name: sum(getattr(line, name) for line in self.lines) for name in counted}
        most = max((line.lanes_per_address for line in self.lines), default=0)
        return LineCounts("", **sums | {"line": 0, "ptx_line": 0, "lanes_per_address": most})
