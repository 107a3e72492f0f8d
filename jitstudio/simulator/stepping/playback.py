"""A recording that is stepped through: states are put back, and nothing is executed.

The classes here have the attributes of their twins (`StepHistory`, `Machine`, `Wave`) that moves
and views read.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.device import Dim3, linear_index
from jitstudio.core.launch.simulation import Fault, StateSpace
from jitstudio.simulator.ptx.program import PtxFunction, PtxProgram
from jitstudio.simulator.running.binding import Bound
from jitstudio.simulator.running.ends import SimulationStop
from jitstudio.simulator.state.groups import GroupKey, Selection, selection
from jitstudio.simulator.state.image import Image
from jitstudio.simulator.state.memory import Arena, Region
from jitstudio.simulator.state.model import Layout, SimulatedLaunch, Threads
from jitstudio.simulator.state.wave import BarrierName, Waiting, Wave
from jitstudio.simulator.stepping.history import Stretch
from jitstudio.simulator.stepping.recording import (
    BLOCK_ENDED,
    GlobalRegion,
    RecordedChange,
    Recording,
    RecordingError,
)
from jitstudio.simulator.stepping.requests import StopReason

_RUNS, _WAITS = 1, 2
# Calls within calls, more than a simulated run ever has.
_DEEPEST = 4096
_Bytes = NDArray[np.uint8]


class _PartialArena(Arena):
    """Memory of which parts are kept, part behind part."""

    parts: tuple[GlobalRegion, ...] = ()

    def offset_of(self, address: int) -> int:
        """Returns the offset of the byte at an address; behind the end for bytes not kept."""
        at = address - self.base
        for region, part in zip(self.regions, self.parts, strict=True):
            if part.offset <= at < part.offset + part.size:
                return region.start + at - part.offset
        return len(self.data)


class RecordedGroups:
    """The groups of a block that can go on; see `Groups`."""

    def __init__(self, sets: dict[GroupKey, Selection], following: GroupKey) -> None:
        self._sets, self._following = sets, following

    def items(self) -> list[tuple[GroupKey, Selection]]:
        """Returns all groups."""
        return list(self._sets.items())

    def peek(self) -> tuple[int, int, Selection] | None:
        """Returns the group that is next, or None if no group of this block is."""
        threads = self._sets.get(self._following)
        return (*self._following, threads) if threads is not None else None


class RecordedWave:
    """The block of a recording at one of its frames; see `Wave`."""

    def __init__(self, recording: Recording, program: PtxProgram, arrays: list[_Bytes]) -> None:
        blocks = np.array([linear_index(recording.index, recording.grid)], np.int64)
        self.layout = Layout(recording.grid, recording.block, blocks, recording.shared_stride)
        named = {a.name: data for a, data in zip(recording.arrays, arrays, strict=True)}
        threads = self.layout.threads
        self._state = _as(named["place", "state"], "u1", threads)
        self._depth = _as(named["place", "depth"], "i4", threads)
        self._at = _as(named["place", "at"], "i4", threads)
        self._most = len(program.instructions)
        self.bases: dict[tuple[int, str], dict[str, NDArray[Any]]] = {}
        for name, data in named.items():
            if name[0] == "register":
                _, depth, function, register = name
                kind = program.functions[function].registers[register]
                frame = self.bases.setdefault((int(depth), function), {})
                frame[register] = _as(data, kind.bits_dtype.str, threads)
        # Older recordings do not say which registers have been written.
        self._written = {
            (int(name[1]), name[2]): data.reshape(-1, threads // 8)
            for name, data in named.items()
            if name[0] == "written"
        }
        for (_, function), bits in self._written.items():
            if len(bits) != len(program.functions[function].registers):
                raise RecordingError("The recording is damaged: its registers do not fit.")
        self.stacks = _by_depth(named, "stack", "i8", threads)
        self.returns = _by_depth(named, "return", "i4", threads)
        self.special = {
            name: np.frombuffer(data, {4: np.uint32, 8: np.uint64}[size])
            for name, (size, data) in recording.special.items()
        }
        if any(len(values) not in (1, threads) for values in self.special.values()):
            raise RecordingError("The recording is damaged: its special registers do not fit.")
        self._local = {
            int(name[2]): _arena(StateSpace.LOCAL, named, name[:3], int(name[2]) * threads)
            for name in named
            if name[:2] == ("memory", "local") and name[-1] == "data"
        }
        self._global = _global(recording, named)
        shared = ("memory", "shared")
        # Local memory moves to another arena when it grows: see `Wave.grow_stacks`. All other
        # memory stays in place.
        self._fixed = {
            StateSpace.GLOBAL: self._global,
            StateSpace.SHARED: _arena(StateSpace.SHARED, named, shared, recording.shared_stride),
            StateSpace.CONSTANT: _arena(StateSpace.CONSTANT, named, ("memory", "const"), 0),
        }
        self.printed: tuple[str, ...] = ()
        self.faults: tuple[Fault, ...] = ()
        self.barriers: dict[BarrierName, list[Waiting]] = {}
        self.local_stride = 0
        self.groups = RecordedGroups({}, (-1, -1))
        self.parked: dict[GroupKey, Selection] = {}

    @property
    def arenas(self) -> dict[StateSpace, Arena]:
        """The memory of each space."""
        local = self._local[self.local_stride]
        return {**self._fixed, StateSpace.LOCAL: local}

    def has_written(
        self, depth: int, function: PtxFunction, name: str, numbers: Threads
    ) -> NDArray[np.bool_]:
        """Returns which threads have given a register a value; see `Wave`."""
        bits = self._written.get((depth, function.name))
        if bits is None:
            return np.ones(len(numbers), np.bool_)
        row = bits[list(function.registers).index(name)]
        written: NDArray[np.bool_] = np.unpackbits(row, bitorder="little")[numbers] != 0
        return written

    def gather(self, following: GroupKey) -> None:
        """Reads the places of all threads at the current frame."""
        self.groups = RecordedGroups(self._sets(_RUNS), following)
        self.parked = self._sets(_WAITS)

    def _sets(self, state: int) -> dict[GroupKey, Selection]:
        numbers = np.flatnonzero(self._state == state)
        if not len(numbers):
            return {}
        depths, ats = self._depth[numbers].astype(np.int64), self._at[numbers]
        if depths.min() < 0 or depths.max() > _DEEPEST or ats.min() < 0 or ats.max() >= self._most:
            raise RecordingError("The recording is damaged: a thread is at no instruction.")
        # Depth and instruction in one int64, so that `np.unique` groups by both.
        keys = depths << 32 | ats
        return {
            (int(key) >> 32, int(key) & 0xFFFFFFFF): selection(numbers[keys == key])
            for key in np.unique(keys)
        }


class RecordedMachine:
    """The run that a recording was made of; see `Machine`."""

    def __init__(self, recording: Recording, program: PtxProgram, wave: RecordedWave) -> None:
        self.wave = wave
        self.launch = SimulatedLaunch(recording.kernel, recording.grid, recording.block)
        self.code: dict[int, Bound] = {}
        self.printed: tuple[str, ...] = ()
        self.faults: tuple[Fault, ...] = ()
        self.image = Image(
            program,
            program.functions[recording.kernel],
            {},
            {},
            wave.arenas[StateSpace.GLOBAL],
            wave.arenas[StateSpace.CONSTANT],
            recording.spaces,
            recording.addresses,
            recording.locals,
            recording.frame_bytes,
            shared_size=recording.shared_size,
        )


class RecordedHistory:
    """The steps of a recording, as `StepHistory` has those of a run.

    Attributes:
        machine: The machine, in the state of the current frame.
        only_block: The block that is recorded.
        end: None: the end of the run is a sentence of the recording.
    """

    is_thinned = False
    first_reason, last_reason = StopReason.FIRST, StopReason.LAST
    end: SimulationStop | None = None

    def __init__(self, recording: Recording, program: PtxProgram) -> None:
        if recording.kernel not in program.functions:
            raise RecordingError("The recording is damaged: its kernel is not in its PTX.")
        self._recording = recording
        self.only_block: Dim3 | None = recording.index
        self._frames = recording.frames
        self._steps = [frame.step for frame in self._frames]
        self._arrays = [np.frombuffer(bytearray(a.data), np.uint8) for a in recording.arrays]
        # Applied once from the first frame to the last, all changes can be undone.
        self._before = [self._changed_by(frame.changes) for frame in self._frames]
        self._at = len(self._frames) - 1
        wave = RecordedWave(recording, program, self._arrays)
        wave.local_stride = self._frames[-1].local_stride
        self.machine = RecordedMachine(recording, program, wave)
        if not self._steps[0]:
            self.first_reason = StopReason.START
        if recording.ended not in ("", BLOCK_ENDED):
            self.last_reason = StopReason.END
        self.go_to(recording.position)

    def _changed_by(self, changes: Sequence[RecordedChange]) -> tuple[RecordedChange, ...]:
        """Makes changes, and returns the bytes before them, the last change first."""
        before = []
        for array, offset, data in changes:
            part = self._arrays[array][offset : offset + len(data)]
            before.append(RecordedChange(array, offset, part.tobytes()))
            part[:] = np.frombuffer(data, np.uint8)
        return tuple(before[::-1])

    @property
    def step(self) -> int:
        """How many steps had been executed at the current frame."""
        return self._steps[self._at]

    @property
    def last_step(self) -> int:
        """The last step of the recording."""
        return self._steps[-1]

    @property
    def bytes(self) -> int:
        """Bytes that the recording takes."""
        return sum(array.nbytes for array in self._arrays)

    @property
    def is_at_end(self) -> bool:
        """Whether there is no further step."""
        return self._at == len(self._frames) - 1

    @property
    def ended(self) -> str:
        """Why the recording does not go on here, a sentence; empty where it does."""
        if self.is_at_end:
            return self._recording.ended or "The recording ends here; run the kernel to go on."
        if not self._at and self.step:
            return "The recording begins here; run the kernel to see what is before."
        return ""

    def forward(self, count: int = 1, stops: Container[int] = frozenset()) -> bool:
        """Goes to a later frame; returns whether there is any. For arguments see `StepHistory`."""
        if self.is_at_end:
            return False
        until = self.step + count
        while True:
            self._next()
            if self.is_at_end or self.step >= until or self._frames[self._at].at in stops:
                break
        self._show()
        return True

    def go_to(self, step: int, seconds: float = float("inf")) -> bool:
        """Goes to the nearest frame before a step, or to the first frame; returns True."""
        index = max(bisect_right(self._steps, step) - 1, 0)
        while self._at < index:
            self._next()
        while self._at > index:
            self._changed_by(self._before[self._at])
            self._at -= 1
        self._show()
        return True

    def stretches(self, end: int) -> list[Stretch]:
        """Returns all steps before a step, without the threads that executed them."""
        start = self._steps[0]
        return [Stretch(start, end, None, {})] if end > start else []

    def _next(self) -> None:
        self._at += 1
        self._changed_by(self._frames[self._at].changes)

    def _show(self) -> None:
        frame, wave = self._frames[self._at], self.machine.wave
        wave.local_stride = frame.local_stride
        wave.printed = self._recording.printed[: frame.printed]
        wave.faults = self._recording.faults[: frame.faults]
        wave.gather((frame.depth, frame.at))


def _as(data: _Bytes, kind: str, count: int) -> NDArray[Any]:
    elements: NDArray[Any] = data.view(kind)
    if len(elements) != count:
        raise RecordingError("The recording is damaged: an array has another size than its block.")
    return elements


def _by_depth(
    named: dict[tuple[str, ...], _Bytes], kind_of_array: str, kind: str, count: int
) -> list[NDArray[Any]]:
    depths = [int(name[1]) for name in named if name[0] == kind_of_array]
    if sorted(depths) != list(range(len(depths))):
        raise RecordingError("The recording is damaged: a call is missing.")
    return [_as(named[kind_of_array, str(depth)], kind, count) for depth in range(len(depths))]


def _arena(
    space: StateSpace, named: dict[tuple[str, ...], _Bytes], name: tuple[str, ...], least: int
) -> Arena:
    data, state = named[*name, "data"], named[*name, "state"]
    if len(data) != len(state) or len(data) < least:
        raise RecordingError("The recording is damaged: memory is missing.")
    return Arena(space, 0, data, state, (Region(0, len(data), space.value),))


def _global(recording: Recording, named: dict[tuple[str, ...], _Bytes]) -> Arena:
    whole = _arena(StateSpace.GLOBAL, named, ("memory", "global"), 0)
    regions, at = [], 0
    for part in recording.regions:
        regions.append(Region(at, at + part.size, part.name))
        at += part.size
    if at != len(whole.data):
        raise RecordingError("The recording is damaged: memory is missing.")
    arena = _PartialArena(
        StateSpace.GLOBAL, recording.base, whole.data, whole.state, tuple(regions)
    )
    arena.parts = recording.regions
    return arena


ShownWave = Wave | RecordedWave
"""Resident blocks as they are shown."""
