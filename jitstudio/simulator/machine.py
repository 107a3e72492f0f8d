"""Runs a kernel: binds its instructions, makes waves of blocks, and steps their groups of threads.

A step executes one instruction for all threads that are at it, at the deepest call and there at the
lowest place. So each thread has a program counter of its own, and the lanes of a warp meet again
where their ways join.
"""

from __future__ import annotations

import math
import struct
import time
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.device import Dim3
from jitstudio.simulator.barriers import tell_passed
from jitstudio.simulator.contraction import contractions
from jitstudio.simulator.faults import (
    ThreadFault,
    UnsupportedInstruction,
    fault_of,
    file_name,
    line_of,
)
from jitstudio.simulator.flow import registers_without_value
from jitstudio.simulator.frames import Frame, FrameLayout, ReturnLink
from jitstudio.simulator.groups import GroupKey, Selection, numbers_of, size_of, subset
from jitstudio.simulator.image import GRID_WORKSPACE, ImageError, make_image, parameter_bytes
from jitstudio.simulator.instructions.rows import ROW_MODULES
from jitstudio.simulator.instructions.table import Binding, Flow, Moves, Step, row_of
from jitstudio.simulator.left_out import PassedBarriers, places_behind
from jitstudio.simulator.memory import WRITTEN, Arena, Region
from jitstudio.simulator.model import (
    WARP,
    Fault,
    FaultKind,
    Layout,
    Observer,
    SimulatedLaunch,
    SimulationOutcome,
    SimulationResult,
    StateSpace,
)
from jitstudio.simulator.program import PtxFunction, PtxInstruction, PtxProgram
from jitstudio.simulator.special import special_registers
from jitstudio.simulator.wave import Meeting, Wave

assert ROW_MODULES

Progress = Callable[[float, int], None]
"""Takes the share of the expected work that has been done, from 0 to 1, and how many steps."""

# A loop that has spun for long once, is given up sooner.
_SPIN_ROUNDS, _SPIN_ROUNDS_LATER = 100, 4
# Steps between two looks at the clock; of many threads they take longer.
_LOOK_EVERY, _MANY = 256, 4096
# So many threads have room for so many calls within calls where there is recursion.
_RECURSION, _RECURSIVE_THREADS = 64, 1 << 14
_HOPELESS_ROUNDS = 1000
_SPINNING = frozenset(["atom", "nanosleep", "mbarrier", "call"])
_SPINNING_WORDS = frozenset(["volatile", "relaxed", "acquire", "mmio"])


@dataclass(frozen=True)
class Bound:
    """An instruction, ready to be executed.

    Attributes:
        instruction: Which.
        layout: The frames of its function.
        step: What it does; None for one that decides where threads go on.
        flow: Where threads go on; None for one that goes on.
        guard: The slot of its predicate, or None.
        negated: Whether it is executed where the predicate is false.
        spins: Whether it goes back over an instruction that may wait for other threads.
        problem: Why it cannot be executed; empty if it can.
    """

    instruction: PtxInstruction
    layout: FrameLayout
    step: Step | None = None
    flow: Flow | None = None
    guard: int | None = None
    negated: bool = False
    spins: bool = False
    problem: str = ""


# What a row meets whose instruction lacks an operand, or has one of another kind.
_NOT_AS_EXPECTED = (
    IndexError, KeyError, ValueError, TypeError, AttributeError, AssertionError, StopIteration,
    ArithmeticError, struct.error,
)  # fmt: skip


class LaunchRefused(ValueError):
    """A launch that cannot be simulated; the message is a sentence."""


@dataclass(frozen=True)
class SimulationStop(Exception):
    """The end of a simulation before all blocks have run."""

    outcome: SimulationOutcome
    message: str
    fault: Fault | None = None


class Machine:
    """A kernel with its memory, whose blocks run in waves.

    Args:
        launch: What is simulated.
        program: The PTX.
        observers: Are shown each step.
        notes_written: Whether to note which registers threads have given values.

    Attributes:
        launch: What is simulated.
        program: The PTX.
        image: Where variables are.
        code: The bound instructions by their numbers, of the functions that the kernel may call.
        wave: The resident blocks; None before the first of them.
        steps: Steps that have been executed.
        instructions: Instructions of single threads that have been executed.
        faults: Those of the waves that have ended.
        visits: Which threads have executed the instructions from one on, without a jump, by that
            one; None to leave it unnoted.
    """

    def __init__(
        self,
        launch: SimulatedLaunch,
        program: PtxProgram,
        observers: Sequence[Observer] = (),
        *,
        notes_written: bool = False,
    ) -> None:
        self.launch, self.program, self.observers = launch, program, tuple(observers)
        self._notes_written = notes_written
        kernel = _checked_kernel(launch, program)
        try:
            self.image = make_image(program, kernel, launch)
        except ImageError as error:
            raise LaunchRefused(str(error)) from None
        self.links: dict[tuple[int, str], ReturnLink] = {}
        self.meetings: dict[int, Meeting] = {}
        self.layouts = {n: FrameLayout(f) for n, f in self.image.functions.items()}
        self.wave: Wave | None = None
        self.steps = self.instructions = self.blocks_done = 0
        self.faults: list[Fault] = []
        self.printed: list[str] = []
        self.inexact: dict[str, str] = {}
        self.code = self._bind()
        self._behind = places_behind(program, self.image.functions)
        self._without_value: frozenset[str] = frozenset()
        if program.has_debug_info:
            self._without_value = registers_without_value(program, self.image.kernel)
        self.stall: tuple[int, int] = (0, 0)
        self.visits: dict[int, NDArray[np.bool_]] | None = None
        self._stops: Container[int] = frozenset()
        self._begun = 0
        self._shown: tuple[Selection | None, NDArray[np.int64]] = None, np.zeros(0, np.int64)
        self.waves = self._waves()

    # Binding.

    def _bind(self) -> dict[int, Bound]:
        code: dict[int, Bound] = {}
        instructions = self.program.instructions
        for name, function in self.image.functions.items():
            made = contractions(self.program, function)
            if not made.is_certain:
                self.inexact["contraction"] = "mul and add that ptxas may contract in other ways"
            for instruction in instructions[function.start : function.end]:
                done = made.fused.get(instruction.number, instruction)
                code[instruction.number] = self._bound(instruction, done, self.layouts[name])
        return code

    def _bound(
        self, instruction: PtxInstruction, done: PtxInstruction, layout: FrameLayout
    ) -> Bound:
        """Binds an instruction to what is done for it."""
        binding = Binding(done, self.layouts, self.image, self.links, self.meetings)
        try:
            row = row_of(done)
            made = row.bind(binding)
            guard = instruction.guard
            slot, negated = (None, False) if guard is None else binding.predicate(guard)
        except UnsupportedInstruction as problem:
            return Bound(instruction, layout, problem=str(problem))
        except _NOT_AS_EXPECTED:
            return Bound(
                instruction, layout, problem="its operands are not those of such an instruction"
            )
        spins = row.is_flow and self._spins(instruction, layout.function)
        if row.is_flow:
            return Bound(instruction, layout, None, made, slot, negated, spins)
        return Bound(instruction, layout, made, None, slot, negated)

    def _spins(self, instruction: PtxInstruction, function: PtxFunction) -> bool:
        if instruction.opcode != "bra" or not instruction.operands:
            return False
        target = function.labels.get(getattr(instruction.operands[0], "name", ""), 1 << 60)
        loop = self.program.instructions[target : instruction.number]
        return any(
            i.opcode in _SPINNING
            or (i.opcode == "ld" and not _SPINNING_WORDS.isdisjoint(i.modifiers))
            for i in loop
        )

    # Waves.

    def _waves(self) -> list[NDArray[np.int64]]:
        """Returns the blocks that are resident together, wave by wave."""
        launch = self.launch
        extent = cluster_extent(launch, self.image.kernel)
        cluster = math.prod(extent)
        order = _block_order(launch, extent)
        per_block = -(-launch.threads_per_block // WARP) * WARP
        registers = sum(
            sum(kind.size for kind in f.registers.values()) for f in self.image.functions.values()
        )
        recursive = self.image.is_recursive
        bytes_per_thread = 64 + registers * (_RECURSION if recursive else 1)
        stride = -(-self.image.shared_size // 128) * 128
        per_block_bytes = per_block * (bytes_per_thread + 2 * self._local_stride()) + 2 * stride
        limits = launch.limits
        most = min(limits.threads, _RECURSIVE_THREADS) if recursive else limits.threads
        blocks = min(most // per_block, limits.memory_bytes // per_block_bytes)
        blocks = max(blocks // cluster, 1) * cluster
        if launch.cooperative:
            if per_block_bytes * len(order) > limits.memory_bytes:
                raise LaunchRefused(
                    f"A cooperative launch has all of its {len(order):,} blocks resident, which "
                    f"takes {per_block_bytes * len(order):,} bytes here, and the limit is "
                    f"{limits.memory_bytes:,}. Launch fewer blocks."
                )
            blocks = max(len(order), 1)
        return [order[i : i + blocks] for i in range(0, len(order), blocks)]

    def _local_stride(self) -> int:
        own = self.image.frame_bytes
        return max(sum(own.values()), 16)

    def begin(self, blocks: NDArray[np.int64]) -> Wave:
        """Makes blocks resident, all threads at the first instruction, and returns them."""
        launch, image = self.launch, self.image
        cluster = math.prod(cluster_extent(launch, image.kernel))
        stride = -(-max(image.shared_size, 1) // 128) * 128
        layout = Layout(launch.grid, launch.block, blocks, stride, cluster)
        local = min(self._local_stride(), launch.limits.stack_bytes)
        arenas = {
            StateSpace.GLOBAL: image.global_arena,
            StateSpace.CONSTANT: image.constant_arena,
            StateSpace.SHARED: Arena.in_parts(
                StateSpace.SHARED, len(blocks), stride, image.shared_size, "shared memory"
            ),
            StateSpace.LOCAL: Arena.in_parts(
                StateSpace.LOCAL, layout.threads, local, local, "local memory"
            ),
            StateSpace.PARAM: self._parameters(),
            StateSpace.TEXTURE: image.global_arena,
            StateSpace.SURFACE: image.global_arena,
        }
        wave = Wave(
            layout,
            arenas,
            shared_size=image.shared_size,
            local_stride=local,
            stack_limit=launch.limits.stack_bytes,
            copies_unwritten=image.program.has_debug_info,
            notes_written=self._notes_written,
            parameters=launch.parameters,
            special=special_registers(
                layout,
                launch,
                launch.cluster or image.kernel.required_cluster,
                image.shared_size,
                image.reserved,
                image.addresses.get(GRID_WORKSPACE, 0),
            ),
            most_bytes=launch.limits.memory_bytes,
            seed=launch.seed,
            observers=self.observers,
        )
        for end in range(image.shared_size, len(blocks) * stride, stride) if image.reserved else ():
            # Its barriers are zero when a block begins: `thread_block` leaves out `init_barriers`.
            arenas[StateSpace.SHARED].fill(end - image.reserved, bytes(image.reserved))
        wave.links, wave.meetings, wave.heap = self.links, self.meetings, image.heap
        wave.texels = image.texels
        wave.undefined.begin(self._without_value)
        if self._behind:
            wave.passed = PassedBarriers(self._behind, layout.threads)
        wave.clock = self.steps
        wave.frame(0, self.layouts[image.kernel.name])
        live = np.flatnonzero(wave.live)
        first = slice(0, layout.threads) if len(live) == layout.threads else live
        if len(live):
            wave.let_go_on(0, image.kernel.start, first)
        for observer in self.observers:
            observer.started(layout)
        self.wave = wave
        return wave

    def _parameters(self) -> Arena:
        data = self.launch.parameters
        region = Region(0, len(data), "the parameters")
        arena = Arena.of(StateSpace.PARAM, 0, len(data), (region,))
        if data:
            arena.fill(0, data)
        arena.read_only = True
        return arena

    def end_wave(self) -> None:
        """Keeps what the blocks leave behind, which have all ended."""
        wave = self.wave
        assert wave is not None
        self.blocks_done += len(wave.layout.blocks)
        self.faults += wave.faults
        self.printed += wave.printed
        self.inexact |= wave.inexact
        self.wave = None

    def counters(self) -> tuple[Any, ...]:
        """Returns what it has counted besides steps, for `set_counters`."""
        found = tuple(self.faults), tuple(self.printed), dict(self.inexact), self.stall
        heap = self.image.heap
        return self.instructions, self.blocks_done, *found, heap.state() if heap else None

    def set_counters(self, counters: tuple[Any, ...]) -> None:
        """Takes counts back to what they were."""
        self.instructions, self.blocks_done, faults, printed, inexact, self.stall, heap = counters
        self.faults, self.printed, self.inexact = list(faults), list(printed), dict(inexact)
        if self.image.heap is not None:
            self.image.heap.restore(heap)

    # Steps.

    def advance(
        self,
        until: int,
        look: Callable[[], None] | None = None,
        stops: Container[int] = frozenset(),
    ) -> bool:
        """Executes steps of the wave; returns whether it has threads left.

        Args:
            until: The number of steps at which to stop.
            look: Called now and then, to stop by an exception.
            stops: Instructions before which to stop, too, but for the first one.

        Raises:
            SimulationStop: If a thread does what ends the launch, or nobody can go on.
        """
        wave = self.wave
        assert wave is not None
        self._stops, self._begun = stops, self.steps
        with np.errstate(all="ignore"):
            while wave.groups or self._wakened(wave):
                if self.steps >= until:
                    return True
                depth, at, threads = wave.groups.take()
                if at in stops and self.steps > self._begun:
                    wave.groups.put(depth, at, threads)
                    return True
                self._run_group(wave, depth, at, threads, until, look)
        return False

    def _run_group(
        self,
        wave: Wave,
        depth: int,
        at: int,
        threads: Selection,
        until: int,
        look: Callable[[], None] | None,
    ) -> None:
        """Executes instructions for one group until another one is next."""
        code, groups = self.code, wave.groups
        others = groups.next_at(depth)
        frame: Frame | None = None
        count = size_of(threads)
        stops, begun = self._stops, self._begun
        is_first = is_noted = self.visits is not None
        every = _LOOK_EVERY if count < _MANY else _LOOK_EVERY // 16
        while True:
            if self.steps >= until or at == others or (at in stops and self.steps > begun):
                groups.put(depth, at, threads)
                return
            bound = code.get(at)
            if bound is None:
                raise self._ran_out(wave, at, threads)
            if frame is None:
                frame = wave.frame(depth, bound.layout)
            if is_first:
                self._note_visit(wave, at, threads)
                is_first = False
            if look is not None and not self.steps % every:
                try:
                    look()
                except SimulationStop:
                    groups.put(depth, at, threads)
                    raise
            self.steps += 1
            self.instructions += count
            puts = groups.puts
            try:
                moves = self._execute(wave, bound, frame, depth, threads)
            except ThreadFault as fault:
                raise self._faulted(wave, bound.instruction, fault) from None
            except UnsupportedInstruction as problem:
                raise _refused(bound.instruction, str(problem)) from None
            except _NOT_AS_EXPECTED as error:
                why = f"the simulator cannot carry it out ({type(error).__name__}: {error})"
                raise _refused(bound.instruction, why) from None
            if moves is None:
                at += 1
                # A jump that nobody takes.
                is_first = is_noted and bound.flow is not None
                continue
            stays = len(moves) == 1 and moves[0].depth == depth and moves[0].at < others
            # Where it stops between two steps must make no difference: see `history`.
            if stays and groups.puts == puts and not (bound.spins and moves[0].at <= at):
                _, at, threads = moves[0]
                is_first = is_noted
                continue
            for move in moves:
                yields = bound.spins and move.at <= at and self._spun(wave, move.at)
                groups.put(move.depth, move.at, move.threads, yields=yields)
                if yields:
                    self._check_hope(wave)
            return

    def _note_visit(self, wave: Wave, at: int, threads: Selection) -> None:
        visits = self.visits
        assert visits is not None
        if (visited := visits.get(at)) is None:
            visited = visits[at] = np.zeros(wave.layout.threads, np.bool_)
        visited[threads] = True

    def _execute(
        self, wave: Wave, bound: Bound, frame: Frame, depth: int, threads: Selection
    ) -> Moves | None:
        """Executes one instruction; returns where threads go on, or None for behind it."""
        wave.clock = self.steps
        wave.current = bound.instruction
        active: Selection | None = threads
        rest: Selection | None = None
        if bound.guard is not None:
            truth = frame[bound.guard][threads]
            active, rest = _parted(threads, ~truth if bound.negated else truth)
        if wave.on_executed:
            self._show_executed(wave, bound, threads, active)
        if wave.passed is not None and bound.instruction.number in wave.passed:
            tell_passed(wave, bound.instruction, depth, threads)
        if wave.undefined and depth == 0:
            self._follow_undefined(wave, bound, threads, active)
        if bound.problem:
            raise UnsupportedInstruction(bound.problem)
        if bound.guard is not None and wave.on_branched:
            self._show_branched(wave, bound, threads, active)
        if active is None:
            return None
        if bound.step is not None:
            bound.step(wave, frame, active)
            if wave.undefined.found is not None:
                self._follow_loaded(wave, bound.instruction, depth, active)
            if wave.written is not None:
                wave.note_results(depth, bound.layout, bound.instruction, active)
            return None
        assert bound.flow is not None
        return bound.flow(wave, frame, depth, active, rest)

    def _follow_undefined(
        self, wave: Wave, bound: Bound, threads: Selection, active: Selection | None
    ) -> None:
        """Takes note of threads that depend on an undefined value."""
        shown = threads if bound.flow is not None else active
        if shown is None:
            return
        bases, step = wave.bases[0, self.image.kernel.name], wave.clock - 1
        if bound.instruction.opcode == "st" and "param" not in bound.instruction.modifiers:
            wave.undefined.carried = wave.undefined.stored(bound.instruction, step, shown)
        if (found := wave.undefined.spread(bound.instruction, step, shown, bases)) is not None:
            numbers = wave.numbers[shown][found.chosen]
            thread = int(numbers[0]) if found.thread is None else found.thread
            source = wave.layout.place(found.source, thread, found.step)
            at = line_of(source)
            wave.tell(
                FaultKind.INACTIVE_LANE if found.reason else FaultKind.NEVER_WRITTEN,
                numbers,
                "depends on an undefined value",
                other=source,
                more=f"It was taken at {at} from {found.reason}. Take values only of "
                "lanes that take part, or choose another value for the others."
                if found.reason
                else f"It was read at {at}, and nobody has written it. Give the variable a value "
                "on all ways that lead there.",
            )

    def _follow_loaded(
        self, wave: Wave, instruction: PtxInstruction, depth: int, threads: Selection
    ) -> None:
        """Takes note of undefined values that the kernel has loaded."""
        found, wave.undefined.found = wave.undefined.found, None
        is_load = instruction.opcode == "ld" and not depth
        if is_load and found is not None and found[0] is instruction:
            wave.undefined.loaded(instruction, threads, found[1])

    def _spun(self, wave: Wave, at: int) -> bool:
        """Returns whether a loop that may spin has gone round often enough to yield."""
        rounds = wave.spins[at] = wave.spins.get(at, 0) + 1
        return not rounds % (_SPIN_ROUNDS if rounds <= _SPIN_ROUNDS else _SPIN_ROUNDS_LATER)

    def _check_hope(self, wave: Wave) -> None:
        """Ends a launch in which all threads spin and nothing changes.

        Raises:
            SimulationStop: If so.
        """
        rounds, changes = self.stall
        if wave.changes != changes:
            self.stall = wave.groups.rounds, wave.changes
        elif wave.groups.rounds - rounds > _HOPELESS_ROUNDS:
            raise self._deadlocked(wave, spinning=True)

    def _wakened(self, wave: Wave) -> bool:
        """Looks for threads that can go on though none is ready; returns whether there are."""
        if wave.live_count == 0:
            return False
        if wave.rejoin():
            return True
        raise self._deadlocked(wave, spinning=False)

    # What ends a launch.

    def _deadlocked(self, wave: Wave, *, spinning: bool) -> SimulationStop:
        places = _waiting_places(wave, spinning)
        lines = []
        for at, threads in places[:4]:
            instruction = self.program.instructions[at]
            count = len(threads)
            place = wave.layout.place(instruction, int(threads[0]))
            where = f"line {place.ptx_line} of the PTX"
            if place.line:
                where = f"line {place.line} of {file_name(place.file)}"
            others = f" and {count - 1:,} more" if count > 1 else ""
            lines.append(
                f"thread {place.thread} of block {place.block}{others} at {where} "
                f"({instruction.full_opcode})"
            )
        verb = "spins without an end" if spinning else "can go on"
        what = (
            "Deadlock: every thread that is left " + verb
            if spinning
            else ("Deadlock: no thread that is left " + verb)
        )
        resident = len(wave.layout.blocks)
        hint = ""
        if resident < self.launch.blocks and spinning:
            hint = (
                f" {resident:,} of {self.launch.blocks:,} blocks are resident. A block that waits "
                "for one that is not never ends: launch cooperatively, or fewer blocks."
            )
        message = f"{what}. There wait {'; '.join(lines)}.{hint}"
        fault = None
        if places:
            at, threads = places[0]
            place = wave.layout.place(self.program.instructions[at], int(threads[0]), self.steps)
            second = None
            if len(places) > 1:
                at, others_ = places[1]
                second = wave.layout.place(
                    self.program.instructions[at], int(others_[0]), self.steps
                )
            fault = Fault(FaultKind.DEADLOCK, message, place, second, len(threads))
        return SimulationStop(SimulationOutcome.DEADLOCKED, message, fault)

    def _faulted(
        self, wave: Wave, instruction: PtxInstruction, fault: ThreadFault
    ) -> SimulationStop:
        told = fault_of(
            wave.layout,
            instruction,
            fault.kind,
            fault.thread,
            fault.message,
            fault.count,
            True,
            self.steps - 1,
        )
        trapped = fault.kind in (FaultKind.TRAP, FaultKind.ASSERT)
        outcome = SimulationOutcome.TRAPPED if trapped else SimulationOutcome.FAULTED
        return SimulationStop(outcome, told.message, told)

    def _ran_out(self, wave: Wave, at: int, threads: Selection) -> SimulationStop:
        instruction = self.program.instructions[at - 1]
        fault = ThreadFault(
            FaultKind.TRAP,
            int(wave.numbers[threads][0]),
            f"runs over the end of {instruction.function}. End it with ret or exit",
        )
        return self._faulted(wave, instruction, fault)

    # Observers.

    def _show_executed(
        self, wave: Wave, bound: Bound, threads: Selection, active: Selection | None
    ) -> None:
        shown = threads if bound.flow is not None else active
        if shown is not None:
            # The same threads take many steps together, which observers see by their array.
            if shown is not self._shown[0]:
                self._shown = shown, wave.numbers[shown]
            for observer in wave.on_executed:
                observer.executed(bound.instruction, self._shown[1])

    def _show_branched(
        self, wave: Wave, bound: Bound, threads: Selection, active: Selection | None
    ) -> None:
        if bound.instruction.opcode == "bra":
            taken = wave.numbers[:0] if active is None else wave.numbers[active]
            for observer in wave.on_branched:
                observer.branched(bound.instruction, wave.numbers[threads], taken)


def simulate(
    launch: SimulatedLaunch,
    program: PtxProgram,
    observers: Sequence[Observer] = (),
    *,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    steps: int = 0,
    instructions: int = 0,
) -> SimulationResult:
    """Runs a launch and returns what came of it; nothing it does is an exception.

    Args:
        launch: What to run.
        program: The PTX.
        observers: Are shown each step.
        progress: Is given the share of the expected work that has been done, now and then, and how
            many steps; the share is 0 as long as nobody knows what to expect.
        cancelled: Returns whether to stop.
        steps: How many steps a wave of blocks is expected to take; 0 where nobody knows. From the
            second wave on they are those of the wave before.
        instructions: How many the whole is expected to take, each once for each thread, where that
            is known, as of a launch that has run in another order.
    """
    started = time.monotonic()
    try:
        machine = Machine(launch, program, observers)
    except LaunchRefused as refused:
        return SimulationResult(SimulationOutcome.REFUSED, str(refused))
    return run_waves(machine, _Look(machine, started, progress, cancelled, steps, instructions))


def run_waves(machine: Machine, look: _Look | None = None) -> SimulationResult:
    """Runs the waves of a machine to their end and returns what came of it; see `simulate`.

    Args:
        machine: None of whose waves has begun.
        look: Ends it and tells progress; by the limits of the launch where left out.
    """
    outcome, message, fatal = SimulationOutcome.FINISHED, "", None
    look = look or _Look(machine, time.monotonic())
    launch = machine.launch
    try:
        look()
        for blocks in machine.waves:
            machine.begin(blocks)
            if machine.advance(launch.limits.steps, look):
                raise look.too_many_steps()
            machine.end_wave()
            look.end_wave()
    except SimulationStop as stopped:
        outcome, message, fatal = stopped.outcome, stopped.message, stopped.fault
    except MemoryError:
        outcome = SimulationOutcome.REFUSED
        message = "There is not enough memory to simulate this launch. Launch fewer threads."
    if machine.wave is not None:
        machine.end_wave()
        machine.blocks_done -= len(machine.waves[0])
    heap = machine.image.heap
    faults = [*machine.faults, *([fatal] if fatal is not None else [])]
    result = SimulationResult(
        outcome,
        message,
        machine.instructions,
        machine.steps,
        time.monotonic() - look.started,
        max(machine.blocks_done, 0),
        memory_after(machine),
        "".join(machine.printed),
        not machine.inexact,
        tuple(machine.inexact.values()),
        faults=tuple(faults),
        written=_written_after(machine),
        heap_left=heap.left() if heap and outcome is SimulationOutcome.FINISHED else (),
    )
    for observer in machine.observers:
        result = observer.finished(result)
    return result


def memory_after(machine: Machine) -> tuple[bytes, ...]:
    """Returns the content of the allocations as it is now."""
    arena = machine.image.global_arena
    return tuple(arena.data[place].tobytes() for place in _places(machine))


def _written_after(machine: Machine) -> tuple[NDArray[np.bool_], ...]:
    """Returns which bytes of the allocations hold what somebody has written."""
    arena = machine.image.global_arena
    return tuple(arena.state[place] == WRITTEN for place in _places(machine))


def _places(machine: Machine) -> Iterator[slice]:
    """Yields where each allocation is in the arena."""
    for allocation in machine.launch.allocations:
        start = allocation.address - machine.image.global_arena.base
        yield slice(start, start + allocation.size)


_TELL_EVERY = 0.5
"""Seconds between two reports of progress."""

_ALMOST = 0.99
"""Of a wave that takes longer than was expected."""


class _Look:
    """Ends a simulation that takes too long or that the user cancels, and tells progress.

    Args:
        machine: What runs.
        started: When it was asked for, by `time.monotonic`.
        progress, cancelled, steps, instructions: See `simulate`.
    """

    def __init__(
        self,
        machine: Machine,
        started: float,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
        steps: int = 0,
        instructions: int = 0,
    ) -> None:
        self._machine, self.started = machine, started
        self._progress, self._cancelled = progress, cancelled
        self._wave_steps, self._wave_begun = steps, 0
        self._instructions = instructions
        self._blocks = sum(len(wave) for wave in machine.waves)
        self._told_at = started

    def __call__(self) -> None:
        """Raises `SimulationStop` if it is to end."""
        machine, limits = self._machine, self._machine.launch.limits
        if self._cancelled is not None and self._cancelled():
            raise SimulationStop(SimulationOutcome.CANCELLED, "The simulation was cancelled.")
        now = time.monotonic()
        if now - self.started > limits.seconds:
            raise SimulationStop(
                SimulationOutcome.TIMED_OUT,
                f"The simulation was stopped after {limits.seconds:g} s, with "
                f"{machine.blocks_done:,} of {machine.launch.blocks:,} blocks done"
                f"{self._where()}. Raise the time limit, or launch fewer threads.",
            )
        if now - self._told_at > _TELL_EVERY:
            self._told_at = now
            self._report()

    def too_many_steps(self) -> SimulationStop:
        """Returns the end of a simulation that has taken all of its steps."""
        return SimulationStop(
            SimulationOutcome.OUT_OF_STEPS,
            f"The simulation has taken its limit of {self._machine.launch.limits.steps:,} steps"
            f"{self._where()}. A loop may have no end; if it has one, raise the limit.",
        )

    def end_wave(self) -> None:
        """Takes note that a wave has ended: the next ones take about as many steps."""
        self._wave_steps = self._machine.steps - self._wave_begun
        self._wave_begun = self._machine.steps
        self._report()

    def _report(self) -> None:
        """Tells what share of the work has been done."""
        if self._progress is None:
            return
        machine, running = self._machine, 0.0
        if self._instructions:
            share = min(machine.instructions / self._instructions, _ALMOST)
            self._progress(share, machine.steps)
            return
        if machine.wave is not None and self._wave_steps:
            share = (machine.steps - self._wave_begun) / self._wave_steps
            running = min(share, _ALMOST) * len(machine.wave.layout.blocks)
        self._progress((machine.blocks_done + running) / max(self._blocks, 1), machine.steps)

    def _where(self) -> str:
        wave = self._machine.wave
        if wave is None or wave.current is None:
            return ""
        source = wave.current.source
        if source.line:
            return f", last at line {source.line} of {file_name(source.file)}"
        return f", last at line {wave.current.line} of the PTX"


def _parted(
    threads: Selection, truth: NDArray[np.bool_]
) -> tuple[Selection | None, Selection | None]:
    """Returns the threads for which something is true and the others; None for no thread."""
    if truth.all():
        return threads, None
    if not truth.any():
        return None, threads
    return subset(threads, truth), subset(threads, ~truth)


def _refused(instruction: PtxInstruction, why: str) -> SimulationStop:
    message = f"Line {instruction.line} of the PTX, {instruction.full_opcode}: {why}."
    source = instruction.source
    if source.line:
        way = f", by way of line {source.line} of {file_name(source.file)}"
        outer = instruction.inlined_at[-1] if instruction.inlined_at else source
        message += f" It comes from line {outer.line} of {file_name(outer.file)}"
        message += (way if outer != source else "") + "."
    return SimulationStop(SimulationOutcome.REFUSED, message)


def _waiting_places(wave: Wave, spinning: bool) -> list[tuple[int, NDArray[np.int64]]]:
    """Returns who waits at which instruction."""
    found: list[tuple[GroupKey, Selection]] = []
    if spinning:
        found += wave.groups.items()
    for there in wave.barriers.values():
        found += [((w.depth, w.at), w.threads) for w in there if not w.arrived]
    found += wave.parked.items()
    return [(at, numbers_of(threads)) for (_, at), threads in found]


def cluster_extent(launch: SimulatedLaunch, kernel: PtxFunction) -> Dim3:
    """Returns the blocks of a cluster, which the launch or the kernel itself says."""
    return launch.cluster or kernel.required_cluster or (1, 1, 1)


def _block_order(launch: SimulatedLaunch, cluster: Dim3) -> NDArray[np.int64]:
    """Returns the linear indices of the blocks to run; those of a cluster follow one another."""
    size = math.prod(cluster)
    count = launch.blocks
    if launch.only_blocks is not None:
        count = min(count, -(-launch.only_blocks // size) * size)
    order = np.arange(count, dtype=np.int64)
    if size > 1:
        (cx, cy, cz), (gx, gy, _) = cluster, launch.grid
        of, rank = order // size, order % size
        across, down = gx // cx, gy // cy
        x = of % across * cx + rank % cx
        y = of // across % down * cy + rank // cx % cy
        z = of // (across * down) * cz + rank // (cx * cy)
        order = (z * gy + y) * gx + x
    if launch.seed is not None:
        groups = order.reshape(-1, size)
        order = np.random.default_rng(launch.seed).permutation(groups).reshape(-1)
    return order


_MOST_BLOCKS = 1 << 24


def _checked_kernel(launch: SimulatedLaunch, program: PtxProgram) -> PtxFunction:
    """Returns the kernel.

    Raises:
        LaunchRefused: If it is not there, or cannot be launched so.
    """
    kernel = program.functions.get(launch.kernel)
    if kernel is None or not kernel.is_kernel:
        names = ", ".join(f.name for f in program.functions.values() if f.is_kernel) or "none"
        raise LaunchRefused(f"The PTX has no kernel {launch.kernel}. It has: {names}.")
    for problem in _launch_problems(launch, kernel):
        raise LaunchRefused(problem)
    return kernel


def _launch_problems(launch: SimulatedLaunch, kernel: PtxFunction) -> Iterator[str]:
    """Yields why a launch cannot be."""
    if min(*launch.grid, *launch.block) < 1:
        yield f"A grid of {launch.grid} and blocks of {launch.block} have no thread."
    if launch.threads_per_block > 1024:
        yield f"Blocks of {launch.threads_per_block:,} threads: there may be 1,024 at most."
    if launch.blocks > _MOST_BLOCKS and launch.only_blocks is None:
        yield (
            f"{launch.blocks:,} blocks are too many to simulate. Launch at most "
            f"{_MOST_BLOCKS:,}, or simulate the first ones only."
        )
    if kernel.required_block is not None and kernel.required_block != launch.block:
        yield f"{kernel.name} requires blocks of {kernel.required_block} threads (.reqntid)."
    if kernel.most_threads and launch.threads_per_block > kernel.most_threads:
        yield (
            f"{kernel.name} takes blocks of {kernel.most_threads:,} threads at most (.maxntid), "
            f"and these have {launch.threads_per_block:,}."
        )
    if len(launch.parameters) < parameter_bytes(kernel):
        yield (
            f"{kernel.name} takes {parameter_bytes(kernel):,} bytes of parameters, and "
            f"{len(launch.parameters):,} are given."
        )
    cluster = cluster_extent(launch, kernel)
    if any(g % c for g, c in zip(launch.grid, cluster, strict=True)):
        yield f"A grid of {launch.grid} cannot be divided into clusters of {cluster} blocks."
