"""Steps through a simulated run: moves to goals, forward and back, and the state at a step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.device import linear_index
from jitstudio.core.launch.simulation import AccessKind, AccessSample, StateSpace
from jitstudio.simulator.observers.accesses import (
    atomic_traffic,
    block_traffic,
    global_traffic,
    local_traffic,
)
from jitstudio.simulator.observers.serving import serving_of
from jitstudio.simulator.ptx.program import (
    AddressOperand,
    ImmediateOperand,
    PtxInstruction,
    PtxProgram,
    RegisterOperand,
    SymbolOperand,
)
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.simulator.state.groups import numbers_of, size_of
from jitstudio.simulator.state.memory import WINDOWS, Arena, window_of
from jitstudio.simulator.state.model import WARP, SimulatedLaunch
from jitstudio.simulator.stepping.conditions import StopConditionError
from jitstudio.simulator.stepping.moves import Mover
from jitstudio.simulator.stepping.operands import read_rows, result_rows, shared_types
from jitstudio.simulator.stepping.playback import RecordedHistory
from jitstudio.simulator.stepping.recorder import StretchRecorder
from jitstudio.simulator.stepping.recording import Recording, RecordingError, pack, unpack
from jitstudio.simulator.stepping.requests import (
    LARGEST_PAGE,
    MOST_ROWS,
    CallRow,
    GroupRow,
    MemoryArea,
    MemoryPage,
    RecordingAbout,
    RegisterRow,
    SimulatedThread,
    StepGoal,
    StepMove,
    StepState,
    StopReason,
    ThreadState,
)
from jitstudio.simulator.stepping.run import (
    SessionError,
    SteppedRun,
    ThreadWhereabouts,
    has,
    in_warp,
    places,
)

_ACCESSES = {
    "ld": AccessKind.READ,
    "ldu": AccessKind.READ,
    "st": AccessKind.WRITE,
    "atom": AccessKind.ATOMIC,
    "red": AccessKind.ATOMIC,
}
_SPACES = {
    "global": StateSpace.GLOBAL,
    "shared": StateSpace.SHARED,
    "local": StateSpace.LOCAL,
    "const": StateSpace.CONSTANT,
}
_WIDTHS = {"v2": 2, "v4": 4, "v8": 8}
_MOST_PRINTED = 4096
# Steps and seconds that a look at all accesses of a line may take.
_MOST_LOOKED_AT, _LONGEST_LOOK = 2000, 0.5


@contextmanager
def told_as_damage() -> Iterator[None]:
    """Turns errors that only a damaged recording leads to into `RecordingError`.

    Raises:
        RecordingError: The recording is damaged.
        SessionError, StopConditionError: The request names a thread, memory or name that is not
            there.
    """
    try:
        yield
    except (SessionError, StopConditionError, RecordingError):
        raise
    except (MemoryError, RecursionError):
        raise RecordingError("The recording is damaged: it takes too much memory.") from None
    except (LookupError, TypeError, ValueError, OverflowError, AssertionError) as error:
        raise RecordingError(f"The recording is damaged: {error}.") from None


class StepSession:
    """The requests to a run that is stepped through; for arguments see `SteppedRun`."""

    @classmethod
    def replaying(cls, data: bytes) -> tuple[StepSession, Recording]:
        """Returns a session in which nothing runs, at the step at which a recording was made.

        Args:
            data: A recording, as `pack` returns it.

        Raises:
            RecordingError: The data are no recording, or a damaged one.
        """
        recording = unpack(data)
        with told_as_damage():
            program = read_program(recording.ptx)
            history = RecordedHistory(recording, program)
            launch = SimulatedLaunch(recording.kernel, recording.grid, recording.block)
            thread = SimulatedThread(recording.index, recording.thread)
            return cls(program, launch, thread, history=history), recording

    def __init__(
        self,
        program: PtxProgram,
        launch: SimulatedLaunch,
        thread: SimulatedThread,
        history: RecordedHistory | None = None,
    ) -> None:
        self._run = SteppedRun(program, launch, thread, history)
        self._mover: Mover | None = None
        self._recorder: StretchRecorder | None = None
        self._reason, self._note = StopReason.NONE, ""
        # Registers and variables at this stop and at the one before, by frame and warp, then name.
        self._shown: tuple[object, dict[str, RegisterRow]] = ((), {})
        self._before: tuple[object, dict[str, RegisterRow]] = self._shown
        self._shown_step = -1
        # A look at the rest of a line runs further than the user has been.
        self._furthest = 0
        self._shared_types = shared_types(program)

    def begin(self, move: StepMove) -> None:
        """Sets out for a goal; `go_on` goes.

        Raises:
            SessionError: If there is no such thread.
            ConditionError: If the condition of a breakpoint cannot be read.
        """
        self._run.check(move.thread)
        self._run.thread = move.thread
        self._reason, self._note = StopReason.NONE, ""
        self._mover = Mover(self._run, move)

    def go_on(self, seconds: float) -> StepState:
        """Goes on to the goal and returns the state there, or where the time was up.

        Raises:
            ConditionError: If the condition of a breakpoint cannot be evaluated there.
        """
        mover, self._mover = self._mover, None
        if mover is not None:
            reason = mover.go(time.monotonic() + seconds)
            if reason is None:
                self._mover = mover
            else:
                self._reason, self._note = reason, mover.note
        return self._state()

    def look_at(self, thread: SimulatedThread, *, whole_line: bool = False) -> StepState:
        """Returns the state with another thread to look at.

        Args:
            thread: The thread.
            whole_line: Whether to find all accesses of its source line.

        Raises:
            SessionError: If there is no such thread.
        """
        self._run.check(thread)
        self._run.thread = thread
        state = self._state()
        return replace(state, line_accesses=self._line_accesses()) if whole_line else state

    def record(self, about: RecordingAbout) -> None:
        """Sets out to record the block of the thread around this step.

        Raises:
            SessionError: If the block is not resident at this step.
        """
        self._recorder = StretchRecorder(self._run, about)

    def go_on_recording(self, seconds: float) -> bytes | StepState:
        """Goes on and returns the recording, or the state where the time was up.

        Raises:
            SessionError: If the recording would be too large.
            RecordingError: The same.
        """
        recorder = self._recorder
        if recorder is None:
            raise SessionError("Nothing is being recorded.")
        try:
            if not recorder.go(time.monotonic() + seconds):
                return replace(self._state(), moving=True)
        except SessionError:
            self.leave_recording()
            raise
        self._recorder = None
        assert recorder.recording is not None
        return pack(recorder.recording)

    def leave_recording(self) -> StepState:
        """Goes back to the step before the recording, and gives the recording up."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            recorder.leave()
        return self._state()

    # The state that users see.

    def _state(self) -> StepState:
        history, moving = self._run.history, self._mover is not None
        self._furthest = max(self._furthest, history.step)
        number = self._run.number()
        place = self._run.where(number)
        in_block = linear_index(self._run.thread.thread, self._run.launch.block)
        state = StepState(
            history.step,
            history.last_step if isinstance(history, RecordedHistory) else self._furthest,
            moving,
            history.ended,
            self._reason,
            self._run.thread,
            in_block % WARP,
            in_block // WARP,
            place.state,
            self._note,
            printed=self._printed(),
            has_names=self._run.variables.has_names,
            is_thinned=history.is_thinned,
        )
        if moving or history.machine.wave is None:
            return replace(state, areas=self._areas())
        state = replace(state, groups=self._groups(number), areas=self._areas())
        if number is None:
            return state
        return self._of_thread(state, number, place)

    def _of_thread(self, state: StepState, number: int, place: ThreadWhereabouts) -> StepState:
        first = number // WARP * WARP
        lanes = [0] * WARP
        for _state, _depth, at, threads in places(self._run.wave()):
            for member in in_warp(threads, first):
                lanes[member - first] = self._run.instruction(at).line
        state = replace(state, lanes=tuple(lanes))
        if place.at < 0:
            return state
        instruction = self._run.instruction(place.at)
        active = sum(1 << member - first for member in in_warp(place.threads, first))
        registers, variables = self._values(place, first)
        by_name = {row.name: row for row in registers}
        access = self._access(place, instruction, first)
        return replace(
            state,
            ptx_line=instruction.line,
            source=instruction.source,
            inlined_at=instruction.inlined_at,
            instruction=instruction.text,
            active=active,
            registers=registers,
            variables=variables,
            calls=self._calls(place, number),
            reads=read_rows(self._run, instruction, first, by_name),
            results=result_rows(self._run, place, first, self._let(place, instruction, first)),
            touched=self._touched(access, number - first),
            access=access,
        )

    def _values(
        self, place: ThreadWhereabouts, first: int
    ) -> tuple[tuple[RegisterRow, ...], tuple[RegisterRow, ...]]:
        """Returns the registers and the variables of a warp, with the lanes that have changed."""
        wave = self._run.wave()
        function = self._run.program.functions[self._run.instruction(place.at).function]
        bases = wave.bases.get((place.depth, function.name), {})
        warp = np.arange(first, first + WARP)
        registers = [
            RegisterRow(
                name,
                kind.name,
                bases[name][first : first + WARP].tobytes(),
                absent=_lanes_without(wave.has_written(place.depth, function, name, warp)),
            )
            for name, kind in function.registers.items()
            if name in bases
        ]
        variables = self._run.variables.rows(wave, place.depth, place.at, first)
        key = (int(wave.layout.blocks[0]), place.depth, function.name, first)
        now = {row.name: row for row in (*registers, *variables)}
        if self._run.history.step != self._shown_step or key != self._shown[0]:
            self._before = self._shown
            self._shown, self._shown_step = (key, now), self._run.history.step
        # In another function or warp nothing counts as changed.
        before = self._before[1] if self._before[0] == key else now
        marked = [
            replace(row, changed=_changed(before.get(row.name), row))
            for row in (*registers, *variables)
        ]
        return tuple(marked[: len(registers)]), tuple(marked[len(registers) :])

    def _calls(self, place: ThreadWhereabouts, number: int) -> tuple[CallRow, ...]:
        wave, rows = self._run.wave(), []
        at = place.at
        for depth in range(place.depth, -1, -1):
            instruction = self._run.instruction(at)
            rows.append(CallRow(instruction.function, instruction.line, instruction.source))
            if depth:
                # The call is the instruction before the return address.
                at = max(0, int(wave.returns[depth][number]) - 1)
            if len(rows) >= MOST_ROWS:
                break
        return tuple(rows)

    def _groups(self, number: int | None) -> tuple[GroupRow, ...]:
        wave, rows = self._run.wave(), []
        for state, depth, at, threads in places(wave)[:MOST_ROWS]:
            instruction = self._run.instruction(at)
            first = int(numbers_of(threads)[0])
            rows.append(
                GroupRow(
                    instruction.line,
                    instruction.source,
                    instruction.text,
                    state,
                    size_of(threads),
                    SimulatedThread(wave.layout.block_of(first), wave.layout.thread_of(first)),
                    number is not None and has(threads, number),
                    depth,
                )
            )
        return tuple(rows)

    def _access(
        self, place: ThreadWhereabouts, instruction: PtxInstruction, first: int
    ) -> AccessSample | None:
        kind = _ACCESSES.get(instruction.opcode)
        where = next((o for o in instruction.operands if isinstance(o, AddressOperand)), None)
        words = set(instruction.modifiers)
        if kind is None or where is None or "param" in words or not instruction.types:
            return None
        members = self._let(place, instruction, first)
        if not len(members):
            return None
        values = self._run.values(place.depth, place.at, members)
        space = next((_SPACES[word] for word in words if word in _SPACES), None)
        addresses = self._addresses(where, values, len(members), generic=space is None)
        if addresses is None:
            return None
        if space is None:
            space = window_of(int(addresses[0]))
            # A generic access: traffic is counted by addresses in the space.
            addresses = addresses - WINDOWS.get(space, 0)
        size = instruction.types[-1].size
        size *= next((_WIDTHS[word] for word in words if word in _WIDTHS), 1)
        cost = 0
        if space is StateSpace.SHARED:
            serving, layout = serving_of(instruction, kind), self._run.wave().layout
            cost = block_traffic(layout, members, addresses, size, serving).wavefronts
        elif space is StateSpace.LOCAL:
            cost = local_traffic(members, addresses, size).sectors
        elif space is StateSpace.GLOBAL and kind is AccessKind.ATOMIC:
            is_swap = "cas" in words
            cost = atomic_traffic(members, addresses, size, is_swap=is_swap).sectors
        elif space is StateSpace.GLOBAL:
            cost = global_traffic(members, addresses, size).sectors
        lanes = zip((members - first).tolist(), addresses.tolist(), strict=True)
        first_place = self._run.wave().layout.place(instruction, int(members[0]))
        return AccessSample(
            instruction.line, space, kind, size, first_place, tuple(lanes), cost, float(cost)
        )

    def _let(
        self, place: ThreadWhereabouts, instruction: PtxInstruction, first: int
    ) -> NDArray[np.int64]:
        """Returns the threads of a warp at a place whose guard is true."""
        members = in_warp(place.threads, first)
        if instruction.guard is None:
            return members
        values = self._run.values(place.depth, place.at, members)
        truth = np.asarray(values(instruction.guard.name.removeprefix("%"))).astype(bool)
        let: NDArray[np.int64] = members[truth != instruction.guard.negated]
        return let

    def _line_accesses(self) -> tuple[AccessSample, ...]:
        """Returns the accesses of the warp at the source line, from where the thread entered."""
        run, history, start = self._run, self._run.history, self._run.history.step
        number = run.number()
        place = run.where(number)
        if number is None or place.state is not ThreadState.RUNS:
            return ()
        deadline, here = time.monotonic() + _LONGEST_LOOK, run.instruction(place.at)
        self._go_to_start_of_line(here, number, deadline)
        samples: list[AccessSample] = []
        least, end = history.step, None if isinstance(history, RecordedHistory) else history.end
        while history.step - least < _MOST_LOOKED_AT and time.monotonic() < deadline:
            following = history.machine.wave.groups.peek() if history.machine.wave else None
            if following is None or run.number() != number:
                break
            depth, at, threads = following
            if has(threads, number):
                instruction = run.instruction(at)
                is_elsewhere = depth == place.depth and not _is_of_line(instruction, here)
                is_left = depth < place.depth or is_elsewhere
                # Without lines of the source, an instruction is a line.
                if (is_left and instruction.source.line) or (not here.source.line and samples):
                    break
                there = ThreadWhereabouts(ThreadState.RUNS, depth, at, threads)
                sample = self._access(there, instruction, number // WARP * WARP)
                if sample is not None:
                    samples.append(sample)
            if not history.forward():
                break
        if not isinstance(history, RecordedHistory):
            # A fault that this look met is yet to come.
            history.end = end
        history.go_to(start)
        return tuple(samples)

    def _go_to_start_of_line(self, here: PtxInstruction, number: int, deadline: float) -> None:
        """Goes back to where a thread came to the source line of an instruction."""
        run, history = self._run, self._run.history
        while here.source.line and (at := run.where(number).at) > 0:
            before, step = run.instruction(at - 1), history.step
            if before.function != here.function or not _is_of_line(before, here):
                break
            mover = Mover(run, StepMove(StepGoal.LINE, run.thread, back=True))
            reason = mover.go(deadline)
            begun = run.where(number)
            is_there = begun.at >= 0 and _is_of_line(run.instruction(begun.at), here)
            if reason is None or not is_there or history.step == step:
                history.go_to(step)
                break

    def _touched(self, access: AccessSample | None, lane: int) -> str:
        """Returns the buffer or array that a lane accesses, and bytes from the start."""
        address = dict(access.lanes).get(lane) if access is not None else None
        if access is None or address is None:
            return ""
        if access.space is StateSpace.GLOBAL:
            address = self._run.history.machine.image.global_arena.offset_of(address)
        for area in self._areas():
            is_there = area.offset <= address < area.offset + area.size
            if is_there and area.space is access.space and area.name:
                count = address - area.offset
                return f"{area.name} + {count:,} byte{'' if count == 1 else 's'}"
        return ""

    def _addresses(
        self, where: AddressOperand, values: Callable[[str], Any], count: int, *, generic: bool
    ) -> NDArray[np.int64] | None:
        image = self._run.history.machine.image
        match where.base:
            case RegisterOperand(name):
                register_values = np.asarray(values(name.removeprefix("%")))
                bits = (
                    register_values.view(f"u{register_values.dtype.itemsize}")
                    if register_values.dtype.itemsize < 8
                    else register_values
                )
                base = bits.astype(np.int64)
            case SymbolOperand(name, offset) if name in image.addresses:
                start = image.generic(name) if generic else image.addresses[name]
                base = np.full(count, start + offset, np.int64)
            case ImmediateOperand(value):
                base = np.full(count, int(value), np.int64)
            case _:
                return None
        addresses: NDArray[np.int64] = base + where.offset
        return addresses

    def _printed(self) -> str:
        machine = self._run.history.machine
        pieces = [*machine.printed, *(machine.wave.printed if machine.wave else ())]
        return "".join(pieces[-_MOST_PRINTED:])[-_MOST_PRINTED:]

    # Memory.

    def _areas(self) -> tuple[MemoryArea, ...]:
        machine = self._run.history.machine
        image, variables = machine.image, self._run.program.variables
        areas = [
            MemoryArea(region.name, StateSpace.GLOBAL, region.start, region.end - region.start)
            for region in image.global_arena.regions
        ]
        for name, space in image.spaces.items():
            if space != "shared":
                continue
            offset = image.addresses[name]
            # An array without a size is all of the dynamic shared memory.
            size = variables[name].size or image.shared_size - image.reserved - offset
            kind = self._shared_types.get(name, "")
            areas.append(MemoryArea(name, StateSpace.SHARED, offset, size, kind))
        if any(image.frame_bytes.values()) and machine.wave is not None:
            areas.append(MemoryArea("", StateSpace.LOCAL, 0, machine.wave.local_stride))
        return tuple(area for area in areas if area.size > 0)[:MOST_ROWS]

    def read(self, area: MemoryArea, thread: SimulatedThread, start: int, count: int) -> MemoryPage:
        """Returns bytes of memory; fewer where the area ends before.

        Args:
            area: The memory.
            thread: The thread that it belongs to, of shared and local memory.
            start: The first byte in the area.
            count: How many bytes.

        Raises:
            SessionError: If the area or the thread is not there at this step.
        """
        self._run.check(thread)
        if area not in self._areas():
            raise SessionError("There is no such memory at this step.")
        arena, base = self._arena_of(area, thread)
        start = min(max(start, 0), area.size)
        end = min(start + max(0, min(count, LARGEST_PAGE)), area.size)
        part = slice(base + area.offset + start, base + area.offset + end)
        written = (arena.state[part] > 1).astype(np.uint8)
        return MemoryPage(arena.data[part].tobytes(), written.tobytes())

    def _arena_of(self, area: MemoryArea, thread: SimulatedThread) -> tuple[Arena, int]:
        """Returns the arena of an area, and the offset in it of a thread's part."""
        if area.space is StateSpace.GLOBAL:
            return self._run.history.machine.image.global_arena, 0
        number = self._run.number_of(thread)
        if number is None:
            raise SessionError("The block of this thread is not resident at this step.")
        wave = self._run.wave()
        if area.space is StateSpace.SHARED:
            return wave.arenas[area.space], wave.layout.slot(number) * wave.layout.shared_stride
        return wave.arenas[area.space], number * wave.local_stride


def _is_of_line(instruction: PtxInstruction, here: PtxInstruction) -> bool:
    """Returns whether an instruction is of the line of another instruction, or inlined there."""
    return here.source in (instruction.source, *instruction.inlined_at)


def _lanes_without(known: NDArray[np.bool_]) -> int:
    """Returns the lanes, as bits, without a known value."""
    return int.from_bytes(np.packbits(~known, bitorder="little").tobytes(), "little")


def _changed(before: RegisterRow | None, now: RegisterRow) -> int:
    if before is None or len(before.values) != len(now.values):
        return 0
    lanes = before.absent ^ now.absent
    if before.values != now.values:
        rows = (np.frombuffer(row.values, np.uint8).reshape(WARP, -1) for row in (before, now))
        old, new = rows
        lanes |= sum(1 << lane for lane in np.flatnonzero((old != new).any(axis=1)).tolist())
    return lanes & ~now.absent
