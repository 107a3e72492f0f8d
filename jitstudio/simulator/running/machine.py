"""Runs a kernel: forms waves of blocks, and steps their groups of threads.

A step executes one instruction for all threads that are at it, at the deepest call and there at the
lowest instruction. So each thread has its own program counter, and the lanes of a warp meet again
where their ways join.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.instructions.table import Moves
from jitstudio.simulator.ptx.flow import registers_without_value
from jitstudio.simulator.ptx.program import PtxProgram
from jitstudio.simulator.running.binding import NOT_AS_EXPECTED, Bound, bound_code
from jitstudio.simulator.running.blocks import (
    LaunchRefused,
    checked_kernel,
    cluster_extent,
    waves_of,
)
from jitstudio.simulator.running.ends import SimulationStop, deadlocked, faulted, refused
from jitstudio.simulator.state.barriers import tell_passed
from jitstudio.simulator.state.extents import Extents
from jitstudio.simulator.state.faults import ThreadFault, UnsupportedInstruction, line_of
from jitstudio.simulator.state.frames import Frame, FrameLayout, ReturnLink
from jitstudio.simulator.state.groups import Selection, size_of, subset
from jitstudio.simulator.state.heap import HeapState
from jitstudio.simulator.state.image import GRID_WORKSPACE, ImageError, make_image
from jitstudio.simulator.state.left_out import PassedBarriers, places_behind
from jitstudio.simulator.state.memory import Arena, Region
from jitstudio.simulator.state.model import (
    Fault,
    FaultKind,
    Layout,
    Observer,
    SimulatedLaunch,
    StateSpace,
)
from jitstudio.simulator.state.product_checks import check_touch
from jitstudio.simulator.state.products import touches
from jitstudio.simulator.state.special import special_registers
from jitstudio.simulator.state.undefined import UndefinedValues
from jitstudio.simulator.state.wave import Meeting, Wave

# Rounds after which a spinning loop yields to other groups: once it has spun for long, sooner.
_SPIN_ROUNDS, _SPIN_ROUNDS_LATER = 100, 4
# Steps between two looks at the clock; a sixteenth of that for many threads.
_LOOK_EVERY, _MANY = 256, 4096
# Rounds in which all groups have yielded and memory has not changed: a deadlock.
_HOPELESS_ROUNDS = 1000
# A loop that reads a clock may wait for time to pass, which then leaps on: from 1 µs to 67 ms at a
# time, half a minute in all. `cuda::barrier` of CUDA 13.0 polls %globaltimer for ever.
_FIRST_LEAP, _LONGEST_LEAP, _LONGEST_WAIT, _ROUNDS_OF_A_LEAP = 1 << 10, 1 << 26, 1 << 35, 2


class Stall(NamedTuple):
    """When something has changed last, for spinning threads.

    Attributes:
        rounds: Rounds of the groups then.
        changes: Changes of memory till then.
        clock_reads: Reads of clocks till then.
        waited: Nanoseconds that clocks had leapt till then.
    """

    rounds: int = 0
    changes: int = 0
    clock_reads: int = 0
    waited: int = 0


class MachineCounters(NamedTuple):
    """All counts of a machine besides its steps; see `Machine`."""

    instructions: int
    blocks_done: int
    faults: tuple[Fault, ...]
    printed: tuple[str, ...]
    inexact: Mapping[str, str]
    stall: Stall
    waited: int
    heap: HeapState | None


class Machine:
    """A kernel with its memory, whose blocks run in waves.

    Args:
        launch: The launch.
        program: The PTX.
        observers: Are shown each step.
        notes_written: Whether to note which registers threads have given values.

    Attributes:
        launch: The launch.
        program: The PTX.
        image: The addresses of variables.
        code: The bound instructions by their numbers, of the functions that the kernel may call.
        wave: The resident blocks; None before the first of them.
        steps: Steps that have been executed.
        instructions: Instructions of single threads that have been executed.
        faults: The faults of the waves that have ended.
        visits: By the first instruction of each row without a jump: the threads that have executed
            it; None to note none.
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
        kernel = checked_kernel(launch, program)
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
        self.code, is_certain = bound_code(
            program, self.image, self.layouts, self.links, self.meetings
        )
        if not is_certain:
            self.inexact["contraction"] = "mul and add that ptxas may contract in other ways"
        self._extents = Extents(self.image, launch)
        self._behind = places_behind(program, self.image.functions)
        self._touching = touches(program, self.image.kernel)
        self._without_value = {
            name: registers_without_value(program, function)
            for name, function in self.image.functions.items()
        }
        self._stall = Stall()
        self.waited = 0
        self.visits: dict[int, NDArray[np.bool_]] | None = None
        self._stops: Container[int] = frozenset()
        self._begun = 0
        self._shown: tuple[Selection | None, NDArray[np.int64]] = None, np.zeros(0, np.int64)
        self.waves = waves_of(launch, self.image)

    # Waves.

    def begin(self, blocks: NDArray[np.int64]) -> Wave:
        """Makes blocks resident, all threads at the first instruction, and returns the wave."""
        launch, image = self.launch, self.image
        cluster = math.prod(cluster_extent(launch, image.kernel))
        stride = -(-max(image.shared_size, 1) // 128) * 128
        layout = Layout(launch.grid, launch.block, blocks, stride, cluster)
        local = min(image.local_bytes, launch.limits.stack_bytes)
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
            touching=self._touching,
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
            # Reserved barriers are zero when a block begins: `thread_block` of cooperative groups
            # leaves out `init_barriers`.
            arenas[StateSpace.SHARED].fill(end - image.reserved, bytes(image.reserved))
        wave.links, wave.meetings, wave.heap = self.links, self.meetings, image.heap
        wave.texels = image.texels
        wave.extents = self._extents
        wave.undefined = UndefinedValues(layout.threads, self._without_value)
        wave.undefined.begin((0, image.kernel.name), slice(0, layout.threads))
        if self._behind:
            wave.passed_barriers = PassedBarriers(self._behind, layout.threads)
        wave.clock, wave.waited = self.steps, self.waited
        wave.frame(0, self.layouts[image.kernel.name])
        live = np.flatnonzero(wave.live)
        # Without padding all threads are a range, whose registers are views.
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
        """Takes over faults and output of the blocks, which have all ended."""
        wave = self.wave
        assert wave is not None
        self.blocks_done += len(wave.layout.blocks)
        self.faults += wave.faults
        self.printed += wave.printed
        self.inexact |= wave.inexact
        self.waited = wave.waited
        self.wave = None

    def counters(self) -> MachineCounters:
        """Returns all counts besides steps, for `set_counters`."""
        heap = self.image.heap
        return MachineCounters(
            self.instructions,
            self.blocks_done,
            tuple(self.faults),
            tuple(self.printed),
            dict(self.inexact),
            self._stall,
            self.waited,
            heap.state() if heap else None,
        )

    def set_counters(self, counters: MachineCounters) -> None:
        """Restores counts."""
        self.instructions, self.blocks_done = counters.instructions, counters.blocks_done
        self.faults, self.printed = list(counters.faults), list(counters.printed)
        self.inexact = dict(counters.inexact)
        self._stall, self.waited = counters.stall, counters.waited
        if self.image.heap is not None and counters.heap is not None:
            self.image.heap.restore(counters.heap)

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
            stops: Instructions before which to stop, too, except before the first step.

        Raises:
            SimulationStop: If a thread ends the launch by a fault, or nobody can go on.
        """
        wave = self.wave
        assert wave is not None
        self._stops, self._begun = stops, self.steps
        with np.errstate(all="ignore"):
            while wave.groups or self._wakened(wave):
                if self.steps >= until:
                    return True
                depth, at, threads = wave.groups.take()
                # A move that begins at a breakpoint must get away from it.
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
        """Executes instructions for a group until another group is next."""
        # The inner loop of all simulations: attributes that it needs at each step are locals.
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
            bound = code[at]
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
                raise faulted(wave, bound.instruction, fault) from None
            except UnsupportedInstruction as problem:
                raise refused(bound.instruction, str(problem)) from None
            except NOT_AS_EXPECTED as error:
                why = f"the simulator cannot carry it out ({type(error).__name__}: {error})"
                raise refused(bound.instruction, why) from None
            if moves is None:
                at += 1
                # Behind a jump that nobody takes another row of instructions begins.
                is_first = is_noted and bound.flow is not None
                continue
            stays = len(moves) == 1 and moves[0].depth == depth and moves[0].at < others
            # Stopping between two steps must make no difference, so the choice does not depend on
            # `until` and `stops`: see `history`.
            if stays and groups.puts == puts and not (bound.spins and moves[0].at <= at):
                _, at, threads = moves[0]
                is_first = is_noted
                continue
            for move in moves:
                yields = bound.spins and move.at <= at and self._spun(wave, move.at)
                groups.put(move.depth, move.at, move.threads, yields=yields)
                if yields:
                    self._end_if_hopeless(wave)
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
        """Executes an instruction; returns where threads go on, or None for behind it."""
        wave.clock = self.steps
        wave.current, wave.depth = bound.instruction, depth
        active: Selection | None = threads
        rest: Selection | None = None
        if bound.guard is not None:
            truth = frame[bound.guard][threads]
            active, rest = _parted(threads, ~truth if bound.negated else truth)
        if wave.on_executed:
            self._show_executed(wave, bound, threads, active)
        if wave.passed_barriers is not None and bound.instruction.number in wave.passed_barriers:
            tell_passed(wave, bound.instruction, depth, threads)
        if bound.problem:
            raise UnsupportedInstruction(bound.problem)
        if wave.undefined:
            self._follow_undefined(wave, bound, depth, threads, active)
        if bound.guard is not None and wave.on_branched:
            self._show_branched(wave, bound, threads, active)
        if active is None:
            return None
        if (touch := self._touching.get(bound.instruction.number)) is not None:
            check_touch(wave, touch, active)
        if bound.step is not None:
            bound.step(wave, frame, active)
            if wave.undefined.last_load is not None:
                wave.undefined.look_at((depth, bound.instruction.function))
                wave.undefined.follow_load(bound.instruction, active)
            if wave.written is not None:
                wave.note_results(depth, bound.layout, bound.instruction, active)
            return None
        assert bound.flow is not None
        return bound.flow(wave, frame, depth, active, rest)

    def _follow_undefined(
        self, wave: Wave, bound: Bound, depth: int, threads: Selection, active: Selection | None
    ) -> None:
        """Notes threads that depend on an undefined value."""
        shown = threads if bound.flow is not None else active
        if shown is None:
            return
        key, step = (depth, bound.instruction.function), wave.clock - 1
        bases = wave.bases[key]
        wave.undefined.look_at(key)
        # The step takes these codes along to memory, in `put`.
        if bound.instruction.opcode == "st":
            wave.undefined.carried = wave.undefined.stored(bound.instruction, step, shown)
        if (dependence := wave.undefined.spread(bound.instruction, step, shown, bases)) is not None:
            numbers = wave.numbers[shown][dependence.chosen]
            thread = int(numbers[0]) if dependence.thread is None else dependence.thread
            source = wave.layout.place(dependence.source, thread, dependence.step)
            at = line_of(source)
            wave.tell(
                FaultKind.INACTIVE_LANE if dependence.reason else FaultKind.NEVER_WRITTEN,
                numbers,
                "depends on an undefined value",
                other=source,
                more=f"It was taken at {at} from {dependence.reason}. Take values only of "
                "lanes that take part, or choose another value for the others."
                if dependence.reason
                else f"It was read at {at}, and nobody has written it. Give the variable a value "
                "on all ways that lead there.",
            )

    def _spun(self, wave: Wave, at: int) -> bool:
        """Returns whether a spinning loop has gone round often enough to yield."""
        rounds = wave.spins[at] = wave.spins.get(at, 0) + 1
        return not rounds % (_SPIN_ROUNDS if rounds <= _SPIN_ROUNDS else _SPIN_ROUNDS_LATER)

    def _end_if_hopeless(self, wave: Wave) -> None:
        """Ends a launch in which all threads spin and nothing changes.

        Raises:
            SimulationStop: If nothing has changed for many rounds, however late it is.
        """
        last, now = self._stall, wave.groups.rounds
        if wave.changes != last.changes:
            self._stall = Stall(now, wave.changes, wave.clock_reads, wave.waited)
        elif now - last.rounds > _HOPELESS_ROUNDS:
            is_polling = wave.clock_reads != last.clock_reads
            waited = wave.waited - last.waited if is_polling else 0
            if not is_polling or waited >= _LONGEST_WAIT:
                blocks = self.launch.blocks
                raise deadlocked(wave, self.program, blocks, spinning=True, waited=waited)
            wave.waited += min(max(waited, _FIRST_LEAP), _LONGEST_LEAP)
            rounds = now - _HOPELESS_ROUNDS + _ROUNDS_OF_A_LEAP
            self._stall = last._replace(rounds=rounds, clock_reads=wave.clock_reads)

    def _wakened(self, wave: Wave) -> bool:
        """Lets threads go on though no group is ready; returns whether there are any."""
        if wave.live_count == 0:
            return False
        if wave.rejoin():
            return True
        raise deadlocked(wave, self.program, self.launch.blocks, spinning=False)

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


def _parted(
    threads: Selection, truth: NDArray[np.bool_]
) -> tuple[Selection | None, Selection | None]:
    """Returns the threads for which something is true and the rest; None for no thread."""
    if truth.all():
        return threads, None
    if not truth.any():
        return None, threads
    return subset(threads, truth), subset(threads, ~truth)
