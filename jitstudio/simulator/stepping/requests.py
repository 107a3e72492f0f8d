"""Requests to a simulated run that is stepped through, and the state at a step.

A *step* is one instruction for all threads that are at it together; the number of a step is how
many steps were executed before it. All values are small: they cross a pipe.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from jitstudio.core.launch.device import Dim3
from jitstudio.core.launch.simulation import AccessSample, StateSpace
from jitstudio.simulator.ptx.program import NO_PLACE, PtxSourceLine

MOST_ROWS = 200
"""Most rows of any table of a state; registers are all there."""

LARGEST_PAGE = 16 << 20
"""Most bytes of memory that can be asked for at a time."""


class StepGoal(Enum):
    """The goal of a move, forward or back.

    `INSTRUCTION`, `LINE`, `OUT`: until the thread has executed an instruction; is at another line
    of the source, calls being passed over; has left the function. `BREAKPOINT`: until a thread is
    at a breakpoint. `CURSOR`: the same for the line of a cursor. `ACCESS`, `BARRIER`: until the
    thread is about to access memory, parameters apart; is at a barrier. `DIVERGENCE`: until lanes
    of the warp part. `CHANGE`: until a register of the thread has another value. `STEP`: to the
    step with a number.
    """

    INSTRUCTION = "instruction"
    LINE = "line"
    OUT = "out"
    BREAKPOINT = "breakpoint"
    CURSOR = "cursor"
    ACCESS = "access"
    BARRIER = "barrier"
    DIVERGENCE = "divergence"
    CHANGE = "change"
    STEP = "step"


@dataclass(frozen=True)
class SimulatedThread:
    """A thread of the launch: the index of its block, and its own index in the block."""

    block: Dim3 = (0, 0, 0)
    thread: Dim3 = (0, 0, 0)


@dataclass(frozen=True)
class Breakpoint:
    """A line at which a run stops.

    Attributes:
        line: Of the PTX or of a source, from 1.
        files: How the line table may call the source; none for a line of the PTX.
        condition: The threads that stop, for `StopCondition.read`; empty for all.
    """

    line: int
    files: tuple[str, ...] = ()
    condition: str = ""


@dataclass(frozen=True)
class StepMove:
    """A move through the run.

    Attributes:
        goal: The goal.
        thread: The thread that is looked at.
        back: Whether to go back.
        breakpoints: Of `BREAKPOINT` and `CURSOR`; all moves but those back stop at a fault.
        register: Of `CHANGE`, without ``%``.
        step: Of `STEP`.
    """

    goal: StepGoal
    thread: SimulatedThread
    back: bool = False
    breakpoints: tuple[Breakpoint, ...] = ()
    register: str = ""
    step: int = 0


class ThreadState(Enum):
    """The state of a thread."""

    RUNS = "runs"
    WAITS = "waits"
    ENDED = "ended"
    ABSENT = "not resident"
    """Its block has not begun, or all that began with it have ended."""


class StopReason(Enum):
    """Why a run stopped where it is.

    `NONE`: the goal has been reached. `ENDED`: the thread has ended. `END`: the run has. `START`:
    there is nothing before. `FAULT`: a thread did something forbidden. `FIRST`, `LAST`: the
    recording has no more.
    """

    NONE = "goal"
    BREAKPOINT = "breakpoint"
    CURSOR = "cursor"
    ACCESS = "access"
    BARRIER = "barrier"
    DIVERGENCE = "divergence"
    CHANGE = "change"
    ENDED = "thread ended"
    END = "end"
    START = "start"
    FAULT = "fault"
    FIRST = "first of the recording"
    LAST = "last of the recording"


@dataclass(frozen=True)
class RegisterRow:
    """A register of a warp, or a variable of the source.

    Attributes:
        name: With ``%``; of a variable as in the source, a part of it such as ``p.x`` or ``a[2]``.
        type: As it is declared, such as ``b32``; of a variable the same, or ``ptr``.
        values: The bits of lanes 0 to 31, each as wide as the type; a byte for a predicate.
        changed: The lanes, as bits, in which it has another value than at the last stop.
        spelling: Of a variable the type in the source.
        absent: The lanes, as bits, for which there is no value: they have not written the register,
            or the variable is not set yet, or nowhere kept.
    """

    name: str
    type: str
    values: bytes
    changed: int = 0
    spelling: str = ""
    absent: int = 0


@dataclass(frozen=True)
class CallRow:
    """A function on the call stack of the thread, and the line where it goes on."""

    function: str
    ptx_line: int
    source: PtxSourceLine


@dataclass(frozen=True)
class GroupRow:
    """Threads that are at the same instruction.

    Attributes:
        ptx_line: The line of the PTX, from 1.
        source: The source of the instruction.
        instruction: As written.
        state: Whether the threads run or wait.
        threads: How many they are.
        first: The first of them.
        has_focus: Whether the thread that is looked at is among them.
        calls: The depth of their calls.
    """

    ptx_line: int
    source: PtxSourceLine
    instruction: str
    state: ThreadState
    threads: int
    first: SimulatedThread
    has_focus: bool
    calls: int = 0


@dataclass(frozen=True)
class MemoryArea:
    """Memory that can be looked at.

    Attributes:
        name: Of the buffer or variable.
        space: The state space.
        offset: Bytes from the start of the space, that of the block for shared memory.
        size: Bytes.
        type: Of shared arrays the type that PTX accesses them by, such as ``f32``, if any.
    """

    name: str
    space: StateSpace
    offset: int
    size: int
    type: str = ""


@dataclass(frozen=True)
class StepState:
    """The state at a step, for display.

    Attributes:
        step: The number of the step.
        last_step: The number of the furthest step that has been reached.
        moving: Whether the goal has not been reached: ask to go on, or leave it.
        ended: How the run ended, a sentence; empty while it can go on.
        reason: Why the run stopped here.
        thread: The thread that is looked at.
        lane: Its lane.
        warp: Its warp in the block, from 0.
        state: Whether the thread runs, waits, has ended or is not resident.
        note: The forbidden action of a thread that has stopped the run; a sentence.
        ptx_line: The line of the PTX that it executes next, from 1; 0 for none.
        source: The source of that instruction.
        inlined_at: The calls that it was inlined through, innermost first.
        instruction: As written.
        lanes: The lines of the PTX that the lanes of its warp are at; 0 for none.
        active: The lanes, as bits, that execute that instruction together with it.
        registers: Of the function that it is in.
        variables: Those of the source that are in scope.
        reads: The registers that the instruction reads, its guard among them.
        results: The registers that it gives values, with these; absent where they are not known
            before it is executed.
        touched: The memory that the thread accesses next, such as ``tile + 128 bytes``.
        has_names: Whether the code has debug information about variables.
        calls: The functions that it is in, innermost first.
        groups: The places of all threads, the next to run first.
        access: The access that the warp is about to make; `cost` is that of this request.
        line_accesses: All that the warp makes at the source line this time, in order; None where
            nobody has asked.
        areas: The memory that can be looked at.
        printed: The end of the kernel's output so far.
        is_thinned: Whether going back far takes longer, as memory is bounded.
    """

    step: int
    last_step: int
    moving: bool
    ended: str
    reason: StopReason
    thread: SimulatedThread
    lane: int
    warp: int
    state: ThreadState
    note: str = ""
    ptx_line: int = 0
    source: PtxSourceLine = NO_PLACE
    inlined_at: tuple[PtxSourceLine, ...] = ()
    instruction: str = ""
    lanes: tuple[int, ...] = ()
    active: int = 0
    registers: tuple[RegisterRow, ...] = ()
    variables: tuple[RegisterRow, ...] = ()
    reads: tuple[RegisterRow, ...] = ()
    results: tuple[RegisterRow, ...] = ()
    touched: str = ""
    has_names: bool = False
    calls: tuple[CallRow, ...] = ()
    groups: tuple[GroupRow, ...] = ()
    access: AccessSample | None = None
    line_accesses: tuple[AccessSample, ...] | None = None
    areas: tuple[MemoryArea, ...] = ()
    printed: str = ""
    is_thinned: bool = False


@dataclass(frozen=True)
class RecordingAbout:
    """Facts about a launch that only the window knows, for a recording.

    Attributes:
        title: The kernel, by the name of its launch.
        module: The module whose PTX is run.
        sources: The texts that it was built of, by their names.
        elements: The element types of buffers, such as ``float``, by their names.
    """

    title: str = ""
    module: str = ""
    sources: tuple[tuple[str, bytes], ...] = ()
    elements: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ReplayedRun:
    """A recording that is shown.

    Attributes:
        state: The state at the step at which the recording was made.
        about: The facts that the window knew of the launch.
        grid: Blocks.
        block: Threads of a block.
        index: The block that is recorded.
        first: The first step.
        last: The last one.
        ptx: The PTX that was executed.
        cut: The buffers of which only the beginning is kept, with the bytes that are.
    """

    state: StepState
    about: RecordingAbout
    grid: Dim3
    block: Dim3
    index: Dim3
    first: int
    last: int
    ptx: str
    cut: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class MemoryPage:
    """Bytes of memory at a step.

    Attributes:
        data: The bytes.
        written: A flag for each byte: 0 where nobody has written it.
    """

    data: bytes
    written: bytes
