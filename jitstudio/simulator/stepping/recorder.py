"""Makes recordings: goes through the steps around a step, and keeps the states of a block."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.simulation import StateSpace
from jitstudio.ptx.opcodes import CALCULATIONS, EXCHANGES
from jitstudio.simulator.state.groups import numbers_of
from jitstudio.simulator.state.model import WARP
from jitstudio.simulator.state.wave import Wave
from jitstudio.simulator.stepping.recording import (
    BLOCK_ENDED,
    MOST_CHANGES,
    MOST_FRAMES,
    MOST_GLOBAL,
    GlobalRegion,
    RecordedArray,
    RecordedChange,
    RecordedFrame,
    Recording,
)
from jitstudio.simulator.stepping.requests import RecordingAbout, SimulatedThread, ThreadState
from jitstudio.simulator.stepping.run import SessionError, SteppedRun, places

# All of it is compared after each step of the block.
_MOST_STATE = 48 << 20
_MOST_PRINTED = 1 << 20
_BACK = 20_000
# A change costs about 24 bytes besides its data: changes with small gaps are joined.
_GAP = 32
# These change registers only, and are most of all steps: memory need not be compared behind them.
_QUIET = CALCULATIONS | EXCHANGES | {"bra", "ret"}
_STATES = {ThreadState.RUNS: 1, ThreadState.WAITS: 2}
_Named = tuple[tuple[str, ...], bytes]


@dataclass
class _Watched:
    """An array that is recorded: its number, its first content, and that of the last frame."""

    number: int
    first: bytearray
    last: bytes


class StretchRecorder:
    """Makes a recording around the current step of a run, and then goes back to that step.

    Args:
        run: The run; its thread says which block.
        about: Title, module and sources, as the window knows them.

    Raises:
        SessionError: The block is not resident at this step.
    """

    def __init__(self, run: SteppedRun, about: RecordingAbout) -> None:
        self._run, self._about = run, about
        self._position, self._thread = run.history.step, run.thread
        self._start = max(0, self._position - _BACK)
        self._has_begun = False
        self._index: dict[tuple[str, ...], _Watched] = {}
        self._frames: deque[RecordedFrame] = deque()
        self._sizes: deque[int] = deque()
        self._before = self._after = self._total = 0
        self._is_dirty = True
        self._regions: tuple[GlobalRegion, ...] = ()
        self._static: Recording | None = None
        self.recording: Recording | None = None
        if run.number() is None:
            raise SessionError(
                "The block of this thread is not resident at this step, so there is nothing of it "
                "to record."
            )

    def go(self, deadline: float) -> bool:
        """Goes on; returns whether the recording is made.

        Raises:
            SessionError: The recording would be too large.
        """
        history = self._run.history
        while not self._has_begun:
            seconds_left = deadline - time.monotonic()
            self._has_begun = history.go_to(self._start, max(seconds_left, 0))
            if time.monotonic() >= deadline:
                return False
        count = 0
        while self.recording is None:
            count += 1
            if not count % 32 and time.monotonic() >= deadline:
                return False
            self._step()
        history.go_to(self._position)
        self._run.thread = self._thread
        return True

    def leave(self) -> None:
        """Goes back to the step before the recording."""
        self._run.history.go_to(self._position)
        self._run.thread = self._thread

    def _step(self) -> None:
        """Executes a step, and first keeps the state if the block takes part in the step."""
        history = self._run.history
        wave, first = self._block()
        if wave is None or first is None:
            if self._frames:
                self._end(history.ended or BLOCK_ENDED)
            elif not history.forward():
                raise SessionError("The run has ended.")
            return
        following = wave.groups.peek()
        opcode = "" if following is None else self._run.instruction(following[1]).opcode
        padded = wave.layout.warps_per_block * WARP
        numbers = numbers_of(following[2]) if following is not None else np.zeros(0, np.int64)
        takes_part = bool(((numbers >= first) & (numbers < first + padded)).any())
        if takes_part and following is not None:
            if self._is_full():
                self._end("")
                return
            self._keep(wave, first, following[0], following[1])
        # Steps of other blocks count, too: they may write to global memory.
        self._is_dirty |= opcode not in _QUIET
        if not history.forward():
            self._end(history.ended)

    def _block(self) -> tuple[Wave | None, int | None]:
        wave = self._run.history.machine.wave
        first = self._run.number_of(SimulatedThread(self._thread.block, (0, 0, 0)))
        assert wave is None or isinstance(wave, Wave)
        return wave, first

    def _is_full(self) -> bool:
        # Half of the room is for the steps up to the position, and half for those behind it.
        is_behind = self._run.history.step > self._position
        return is_behind and (
            2 * len(self._frames) - 2 * self._before > MOST_FRAMES or 2 * self._after > MOST_CHANGES
        )

    def _end(self, ended: str) -> None:
        """Keeps the last state, in which nobody is next if the block has ended."""
        wave, first = self._block()
        if self._frames and self._frames[-1].step < self._run.history.step:
            if wave is not None and first is not None:
                following = wave.groups.peek()
                depth, at = following[:2] if following is not None else (-1, -1)
                self._keep(wave, first, *((depth, at) if not ended else (-1, -1)))
            else:
                self._keep(None, 0, -1, -1)
        if self._static is None:
            raise SessionError("The block does nothing in these steps.")
        machine = self._run.history.machine
        faults = [*machine.faults, *(machine.wave.faults if machine.wave else ())]
        printed = [*machine.printed, *(machine.wave.printed if machine.wave else ())]
        while sum(map(len, printed)) > _MOST_PRINTED:
            # Only the end of the output is shown.
            half = sum(map(bool, printed)) // 2 + printed.count("") + 1
            printed[:half] = [""] * min(half, len(printed))
        heap, regions = machine.image.heap, self._regions
        if heap is not None:
            regions = (*regions[:-1], regions[-1]._replace(whole=max(regions[-1].size, heap.used)))
        from_static = vars(self._static) | {
            "regions": regions,
            "arrays": tuple(RecordedArray(n, bytes(w.first)) for n, w in self._index.items()),
            "frames": tuple(self._frames),
            "printed": tuple(printed),
            "faults": tuple(faults),
            "ended": ended,
        }
        self.recording = Recording(**from_static)

    def _keep(self, wave: Wave | None, first: int, depth: int, at: int) -> None:
        if self._static is None:
            assert wave is not None
            self._static = self._described(wave, first)
        machine = self._run.history.machine
        printed, faults = len(machine.printed), len(machine.faults)
        changes: list[RecordedChange] = []
        is_first = not self._frames
        for name, data in self._named_memory(wave, first):
            watched = self._index.get(name)
            if watched is None:
                first_content = data if is_first else bytes(len(data))
                watched = _Watched(len(self._index), bytearray(first_content), first_content)
                self._index[name] = watched
            # Comparing bytes is faster than finding differences, and most arrays are as they were.
            if data != watched.last:
                changes += _changes(watched.number, watched.last, data)
                watched.last = data
        if is_first and sum(len(array.last) for array in self._index.values()) > _MOST_STATE:
            raise SessionError(
                "The registers and the memory of this block are too large to be recorded: "
                f"more than {_MOST_STATE >> 20} MiB. Launch fewer threads in a block."
            )
        if wave is not None:
            printed, faults = printed + len(wave.printed), faults + len(wave.faults)
            stride = wave.local_stride
        else:
            stride = self._frames[-1].local_stride
        step = self._run.history.step
        self._frames.append(RecordedFrame(step, depth, at, stride, printed, faults, tuple(changes)))
        size = sum(len(change.data) + 24 for change in changes)
        self._sizes.append(size)
        self._total += size
        if step > self._position:
            self._after += size
            return
        self._before = len(self._frames)
        while 2 * len(self._frames) > MOST_FRAMES or 2 * self._total > MOST_CHANGES:
            if len(self._frames) < 2:
                break
            self._fold()

    def _fold(self) -> None:
        """Lets the recording begin a frame later."""
        self._frames.popleft()
        self._total -= self._sizes.popleft() + self._sizes[0]
        self._before = len(self._frames)
        # The changes of the first frame become part of the initial state.
        arrays = list(self._index.values())
        for change in self._frames[0].changes:
            end = change.offset + len(change.data)
            arrays[change.array].first[change.offset : end] = change.data
        self._frames[0].changes = ()
        self._sizes[0] = 0

    def _described(self, wave: Wave, first: int) -> Recording:
        """Returns a recording without states: all that does not change."""
        run, image, layout = self._run, self._run.history.machine.image, wave.layout
        regions = image.global_arena.regions
        sizes = [region.end - region.start for region in regions]
        if image.heap is None:
            shares = _shares(sizes, MOST_GLOBAL)
        else:
            # The heap, the last region, may still grow: it gets all that other regions leave.
            shares = _shares([*sizes[:-1], image.heap.used], MOST_GLOBAL)
            shares[-1] = min(sizes[-1], MOST_GLOBAL - sum(shares[:-1]))
        self._regions = tuple(
            GlobalRegion(r.name, r.start, share, size)
            for r, share, size in zip(regions, shares, sizes, strict=True)
        )
        last = first + layout.warps_per_block * WARP
        special = {
            name: (values.itemsize, (values[first:last] if len(values) > 1 else values).tobytes())
            for name, values in wave.special.items()
        }
        return Recording(
            self._about,
            run.launch.kernel,
            run.program.text,
            run.launch.grid,
            run.launch.block,
            self._thread.block,
            self._thread.thread,
            self._position,
            layout.shared_stride,
            image.global_arena.base,
            self._regions,
            image.spaces,
            image.addresses,
            image.locals,
            image.frame_bytes,
            image.shared_size,
            special,
            (),
            (),
            (),
            (),
            "",
        )

    def _named_memory(self, wave: Wave | None, first: int) -> list[_Named]:
        """Returns the arrays of the block as they are now; arrays left out have not changed."""
        named: list[_Named] = []
        if wave is not None:
            last = first + wave.layout.warps_per_block * WARP
            named += _placed(wave, first, last)
            for (depth, function), bases in wave.bases.items():
                for name in self._run.program.functions[function].registers:
                    if name in bases:
                        data = bases[name][first:last].tobytes()
                        named.append((("register", str(depth), function, name), data))
            written = wave.written.flags if wave.written is not None else {}
            for (depth, function), flags in written.items():
                packed = np.packbits(flags[:, first:last], axis=1, bitorder="little")
                named.append((("written", str(depth), function), packed.tobytes()))
            for depth, (stack, back) in enumerate(zip(wave.stacks, wave.returns, strict=True)):
                named.append((("stack", str(depth)), stack[first:last].tobytes()))
                named.append((("return", str(depth)), back[first:last].tobytes()))
        else:
            padded = len(self._index["place", "state"].last)
            named.append((("place", "state"), bytes(padded)))
        if self._is_dirty:
            named += self._memory(wave, first)
            self._is_dirty = False
        return named

    def _memory(self, wave: Wave | None, first: int) -> list[_Named]:
        image = self._run.history.machine.image
        arena = image.global_arena
        parts = [(region.offset, region.offset + region.size) for region in self._regions]
        named: list[_Named] = []
        for name, values in (("data", arena.data), ("state", arena.state)):
            joined = b"".join(values[start:end].tobytes() for start, end in parts)
            named.append((("memory", "global", name), joined))
        if wave is None:
            return named
        stride, local = wave.layout.shared_stride, wave.local_stride
        slot = wave.layout.slot(first)
        padded = wave.layout.warps_per_block * WARP
        for space, part in (
            (StateSpace.SHARED, slice(slot * stride, (slot + 1) * stride)),
            (StateSpace.LOCAL, slice(first * local, (first + padded) * local)),
        ):
            arena = wave.arenas[space]
            key = ("memory", space.value, *([str(local)] if space is StateSpace.LOCAL else []))
            named.append(((*key, "data"), arena.data[part].tobytes()))
            named.append(((*key, "state"), arena.state[part].tobytes()))
        arena = wave.arenas[StateSpace.CONSTANT]
        named.append((("memory", "const", "data"), arena.data.tobytes()))
        named.append((("memory", "const", "state"), arena.state.tobytes()))
        return named


def _shares(sizes: Sequence[int], most: int) -> list[int]:
    """Returns how much of each region is kept: small ones whole, larger ones equally."""
    shares, rest = [0] * len(sizes), most
    for count, index in zip(
        range(len(sizes), 0, -1), sorted(range(len(sizes)), key=sizes.__getitem__), strict=True
    ):
        shares[index] = min(sizes[index], rest // count)
        rest -= shares[index]
    return shares


def _placed(wave: Wave, first: int, last: int) -> list[_Named]:
    """Returns state, depth and instruction of the threads of a block."""
    state = np.zeros(last - first, np.uint8)
    depths, ats = np.zeros(last - first, np.int32), np.full(last - first, -1, np.int32)
    for thread_state, depth, at, threads in places(wave):
        if isinstance(threads, slice):
            part: slice | NDArray[np.int64] = slice(
                max(threads.start, first) - first, max(min(threads.stop, last) - first, 0)
            )
        else:
            part = threads[(threads >= first) & (threads < last)] - first
        state[part], depths[part], ats[part] = _STATES[thread_state], depth, at
    return [
        (("place", "state"), state.tobytes()),
        (("place", "depth"), depths.tobytes()),
        (("place", "at"), ats.tobytes()),
    ]


def _changes(number: int, before: bytes, now: bytes) -> list[RecordedChange]:
    """Returns the stretches in which two arrays of equal length differ."""
    old, new = np.frombuffer(before, np.uint8), np.frombuffer(now, np.uint8)
    differs = np.flatnonzero(old != new)
    cuts = np.flatnonzero(np.diff(differs) > _GAP)
    starts = differs[np.concatenate(([0], cuts + 1))].tolist()
    ends = differs[np.concatenate((cuts, [len(differs) - 1]))].tolist()
    return [
        RecordedChange(number, start, now[start : end + 1])
        for start, end in zip(starts, ends, strict=True)
    ]
