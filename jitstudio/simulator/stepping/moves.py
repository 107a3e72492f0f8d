"""Moves through a simulated run, forward and back, until a goal is reached."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Generator, Iterator
from typing import TypeVar

import numpy as np

from jitstudio.ptx.opcodes import BARRIERS, PARTING
from jitstudio.simulator.ptx.program import NO_PLACE, PtxSourceLine
from jitstudio.simulator.state.groups import Selection, numbers_of
from jitstudio.simulator.state.model import WARP
from jitstudio.simulator.stepping.conditions import StopCondition
from jitstudio.simulator.stepping.history import Stretch
from jitstudio.simulator.stepping.playback import ShownWave
from jitstudio.simulator.stepping.requests import (
    Breakpoint,
    StepGoal,
    StepMove,
    StopReason,
    ThreadState,
)
from jitstudio.simulator.stepping.run import SteppedRun, ThreadWhereabouts, has, in_warp, number_in

# Steps between two looks at faults and the clock where only halts can be the goal.
_STRIDE = 512
# Steps that a search back replays at a time: the goal is often near, so the first are few.
_FIRST_WINDOW, _LARGEST_WINDOW = 256, 8192

# Goals that are reached where the thread is at any of some instructions.
_AT_INSTRUCTIONS = {
    StepGoal.ACCESS: StopReason.ACCESS,
    StepGoal.BARRIER: StopReason.BARRIER,
}

_Next = tuple[int, int, Selection]
"""Depth of the call, number of the instruction, threads."""

_Goal = TypeVar("_Goal")
_Fits = Callable[[_Next], StopReason | None]
_Search = Generator[None, None, _Goal | None]
"""A search that yields now and then, so that it can be interrupted, and returns its result."""


class Mover:
    """A move under way.

    Args:
        run: The run; its thread is that of the move.
        move: The goal and the direction.

    Attributes:
        note: The forbidden action of a thread that has stopped the move; a sentence.

    Raises:
        StopConditionError: If the condition of a breakpoint cannot be read.
    """

    def __init__(self, run: SteppedRun, move: StepMove) -> None:
        self._run, self._history, self._move = run, run.history, move
        self.note = ""
        self._numbers: tuple[ShownWave | None, int | None] = (None, None)
        place = run.where(self._number)
        self._depth, self._at = place.depth, place.at
        self._line = run.instruction(place.at).source if place.at >= 0 else NO_PLACE
        self._faults = self._fault_count()
        self._has_moved = self._has_run = False
        self._stops = _stops(run, move)
        # Where to look whether the goal is reached, if nowhere else can be.
        self._halts: Container[int] = self._stops
        self._looks_at_halts = move.goal in (StepGoal.BREAKPOINT, StepGoal.CURSOR)
        if move.goal in _AT_INSTRUCTIONS:
            self._halts, self._looks_at_halts = self._goal_places(), True
        number = self._number
        if move.goal is StepGoal.LINE and self._line.line and not move.back and number is not None:
            self._halts = _others(run, place, number)
            self._looks_at_halts = True
        self._value = self._register()
        self._search = self._search_back()

    @property
    def _number(self) -> int | None:
        """The number of the thread among the resident ones; None where it is not resident."""
        wave = self._history.machine.wave
        if wave is not self._numbers[0]:
            self._numbers = wave, self._run.number()
        return self._numbers[1]

    def go(self, deadline: float) -> StopReason | None:
        """Goes on; returns why the run stopped, or None where the time was up.

        Args:
            deadline: When, by `time.monotonic`.

        Raises:
            StopConditionError: If a condition cannot be evaluated at its breakpoint.
        """
        move, history = self._move, self._history
        if move.goal is StepGoal.STEP:
            while history.step != move.step:
                seconds_left = deadline - time.monotonic()
                if history.go_to(move.step, max(seconds_left, 0.0)):
                    break
                if time.monotonic() >= deadline:
                    return None
            return StopReason.NONE
        if move.back:
            return self._go_back(deadline)
        count = 0
        while True:
            count += 1
            if not count % 16 and time.monotonic() >= deadline:
                return None
            before = self._next()
            if before is None:
                return history.last_reason
            # A move away from a breakpoint must not stop there at once.
            if self._has_moved and (reason := self._reason_before(before)):
                return reason
            if not history.forward(self._stride(), self._halts):
                return StopReason.FAULT if history.end is not None else history.last_reason
            self._has_moved = True
            if reason := self._reason_behind(before):
                return reason

    def _stride(self) -> int:
        """Returns the most steps until the next look, apart from halts."""
        return _STRIDE if self._looks_at_halts else 1

    def _next(self) -> _Next | None:
        wave = self._history.machine.wave
        return wave.groups.peek() if wave is not None else None

    # Goals.

    def _reason_before(self, following: _Next) -> StopReason | None:
        """Returns why to stop before a step; None for going on."""
        goal, number = self._move.goal, self._number
        _depth, at, threads = following
        if at in self._stops and self._look_at_first_that_holds(following):
            is_breakpoint = goal is StepGoal.BREAKPOINT
            return StopReason.BREAKPOINT if is_breakpoint else StopReason.CURSOR
        reason = _AT_INSTRUCTIONS.get(goal)
        if reason is None or at not in self._halts or number is None or not has(threads, number):
            return None
        return reason if goal is StepGoal.BARRIER or self._is_let(following, number) else None

    def _is_let(self, following: _Next, number: int) -> bool:
        """Returns whether the guard of an instruction is true in a thread."""
        depth, at, _threads = following
        guard = self._run.instruction(at).guard
        if guard is None:
            return True
        values = self._run.values(depth, at, np.array([number]))
        return bool(np.asarray(values(guard.name.removeprefix("%")))[0]) != guard.negated

    def _look_at_first_that_holds(self, following: _Next) -> bool:
        """Looks at the first thread for which a condition is true; returns whether there is any."""
        depth, at, threads = following
        numbers = numbers_of(threads)
        true = np.zeros(len(numbers), np.bool_)
        for condition in self._stops[at]:
            if condition is None:
                true[:] = True
            else:
                values = self._run.values(depth, at, numbers)
                true |= condition.holds(values, len(numbers))
        if not true.any():
            return False
        hit = numbers[true]
        if self._number is None or not has(hit, self._number):
            self._run.look_at_number(int(hit[0]))
        return True

    def _reason_behind(self, before: _Next) -> StopReason | None:
        """Returns why to stop behind a step; None for going on."""
        goal, number = self._move.goal, self._number
        threads = before[2]
        if not self._move.back and self._fault_count() > self._faults:
            machine = self._history.machine
            faults = [*machine.faults, *(machine.wave.faults if machine.wave else ())]
            fault = faults[self._faults]
            self.note = fault.message
            if fault.first is not None:
                # Behind the step in which it happened, as after a single one.
                self._history.go_to(fault.first.step + 1)
            return StopReason.FAULT
        if number is None:
            return None
        if goal in (StepGoal.INSTRUCTION, StepGoal.LINE, StepGoal.OUT):
            # At another line it has run, whether at the first of several steps or later.
            self._has_run |= has(threads, number) or self._stride() > 1
            return self._settled() if self._has_run else None
        if goal is StepGoal.DIVERGENCE:
            return self._parted(before)
        if goal is StepGoal.CHANGE and has(threads, number):
            value = self._register()
            if value != self._value:
                self._value = value
                return StopReason.CHANGE
        return None

    def _settled(self) -> StopReason | None:
        """Returns why to stop at the thread's place; None while the thread waits or goes on."""
        goal = self._move.goal
        place = self._run.where(self._number)
        if place.state in (ThreadState.ENDED, ThreadState.ABSENT):
            return StopReason.ENDED
        if place.state is not ThreadState.RUNS:
            return None
        if goal is StepGoal.INSTRUCTION or place.depth < self._depth:
            return StopReason.NONE
        if goal is StepGoal.LINE and place.depth == self._depth:
            line = self._run.instruction(place.at).source
            if not self._line.line or (line.line and line != self._line):
                return StopReason.NONE
        return None

    def _parted(self, before: _Next) -> StopReason | None:
        _depth, at, threads = before
        wave, number = self._history.machine.wave, self._number
        assert number is not None
        if self._run.instruction(at).opcode not in PARTING or wave is None:
            return None
        first = number // WARP * WARP
        members = set(in_warp(threads, first).tolist())
        if not members:
            return None
        places = sum(
            not members.isdisjoint(in_warp(there, first).tolist())
            for _key, there in wave.groups.items()
        )
        return StopReason.DIVERGENCE if places > 1 else None

    def _register(self) -> bytes:
        """Returns the bits of the register of `CHANGE`; empty where it has none yet."""
        wave = self._history.machine.wave
        if self._move.goal is not StepGoal.CHANGE or wave is None or self._number is None:
            return b""
        kernel = self._history.machine.launch.kernel
        name = self._run.instruction(self._at).function if self._at >= 0 else kernel
        function = self._run.program.functions[name]
        bases = wave.bases.get((self._depth, name), {})
        register = self._move.register
        register = f"%{register}" if f"%{register}" in bases else register
        number = np.array([self._number])
        if register not in bases or not wave.has_written(self._depth, function, register, number):
            return b""
        value: bytes = bases[register][self._number].tobytes()
        return value

    def _fault_count(self) -> int:
        """Returns the number of faults so far that do not end the launch."""
        machine = self._history.machine
        return len(machine.faults) + (len(machine.wave.faults) if machine.wave else 0)

    # Back.

    def _go_back(self, deadline: float) -> StopReason | None:
        for goal in self._search:
            if goal is not None:
                step, reason = goal
                self._history.go_to(step)
                return reason
            if time.monotonic() >= deadline:
                return None
        self._history.go_to(0)
        return self._history.first_reason

    def _search_back(self) -> Iterator[tuple[int, StopReason] | None]:
        """Yields None now and then, and then the step of the goal and the reason, if any."""
        end, goal = self._history.step, self._move.goal
        if goal is StepGoal.LINE:
            begin = yield from self._begin_of_line(end)
            if begin is not None:
                yield begin, StopReason.NONE
            return
        goal_step = yield from self._last(end, self._goal_places(), self._reason_at)
        if goal_step is None:
            return
        step, there, reason = goal_step
        self._history.go_to(step)
        if goal in (StepGoal.BREAKPOINT, StepGoal.CURSOR):
            self._look_at_first_that_holds(there)
        yield step, reason

    def _goal_places(self) -> Container[int]:
        """Returns the instructions at which a goal can be."""
        instructions = self._run.program.instructions
        match self._move.goal:
            case StepGoal.BREAKPOINT | StepGoal.CURSOR:
                return self._stops
            case StepGoal.ACCESS:
                return frozenset(i.number for i in instructions if i.accesses_memory)
            case StepGoal.BARRIER:
                return frozenset(i.number for i in instructions if i.opcode in BARRIERS)
            case StepGoal.DIVERGENCE:
                return frozenset(i.number for i in instructions if i.opcode in PARTING)
            case StepGoal.CHANGE:
                # A return may write what a call has named.
                name = self._move.register
                return frozenset(
                    i.number for i in instructions if name in i.text or i.opcode == "ret"
                )
        return range(len(instructions))

    def _reason_at(self, there: _Next) -> StopReason | None:
        """Returns why a step is the goal; None for other steps. May execute the step."""
        goal, number = self._move.goal, self._number
        if goal in (StepGoal.INSTRUCTION, StepGoal.OUT):
            is_here = number is not None and has(there[2], number)
            is_goal = is_here and (goal is StepGoal.INSTRUCTION or there[0] < self._depth)
            return StopReason.NONE if is_goal else None
        if goal not in (StepGoal.DIVERGENCE, StepGoal.CHANGE):
            return self._reason_before(there)
        self._value = self._register()
        self._history.forward()
        return self._reason_behind(there)

    def _begin_of_line(self, end: int) -> _Search[int]:
        """Searches the step at which the thread came to its line before some step."""
        own_places = self._own_instructions()

        def fits(there: _Next) -> StopReason | None:
            number = self._number
            is_here = number is not None and has(there[2], number) and there[0] <= self._depth
            return StopReason.NONE if is_here else None

        last = yield from self._last(end, own_places, fits)
        if last is None:
            return None
        line = self._line_of(last[1][1])
        other_lines = frozenset(at for at in own_places if self._line_of(at) != line)
        before = yield from self._last(last[0], other_lines, fits)
        after = before[0] + 1 if before is not None else 0
        for stretch in self._history.stretches(last[0]):
            if stretch.end <= after or not self._may_have(stretch, own_places):
                continue
            start = max(after, stretch.start)
            while start < stretch.end:
                window = min(start + _LARGEST_WINDOW, stretch.end)
                if goals := self._among(start, window, own_places, fits):
                    return goals[0][0]
                yield None
                start = window
        return last[0]

    def _own_instructions(self) -> frozenset[int]:
        """Returns the instructions of the functions on the call stack of the thread."""
        number, program = self._number, self._run.program
        ats = [self._at]
        if self._at >= 0 and number is not None:
            returns = self._run.wave().returns
            ats += [int(returns[depth][number]) - 1 for depth in range(1, self._depth + 1)]
        kernel = self._history.machine.launch.kernel
        names = {self._run.instruction(at).function if at >= 0 else kernel for at in ats}
        functions = (program.functions[name] for name in names)
        return frozenset(at for function in functions for at in range(function.start, function.end))

    def _line_of(self, at: int) -> PtxSourceLine:
        source = self._run.instruction(at).source
        return source if source.line else PtxSourceLine("", at)

    def _last(
        self, end: int, wanted: Container[int], fits: _Fits
    ) -> _Search[tuple[int, _Next, StopReason]]:
        """Searches the last of some instructions before a step that fits."""
        for stretch in reversed(self._history.stretches(end)):
            if self._may_have(stretch, wanted):
                until, size = stretch.end, _FIRST_WINDOW
                while until > stretch.start:
                    start = max(stretch.start, until - size)
                    if goals := self._among(start, until, wanted, fits):
                        return goals[-1]
                    yield None
                    # Doubling: a near goal costs few steps, a far one few restores.
                    until, size = start, min(2 * size, _LARGEST_WINDOW)
            yield None
        return None

    def _may_have(self, stretch: Stretch, wanted: Container[int]) -> bool:
        """Returns whether the threads of the goal may have executed any of some instructions."""
        layout, goal = stretch.layout, self._move.goal
        if layout is None:
            return True
        first, count = 0, layout.threads
        if goal not in (StepGoal.BREAKPOINT, StepGoal.CURSOR):
            number = number_in(layout, self._move.thread)
            if number is None:
                return False
            first, count = number, 1
            if goal is StepGoal.DIVERGENCE:
                first, count = number // WARP * WARP, WARP
        code = self._history.machine.code
        for at in stretch.begun(first, count):
            # A visit is noted by its first instruction: all up to the next jump came with it.
            while at not in wanted and at in code and code[at].flow is None:
                at += 1
            if at in wanted:
                return True
        return False

    def _among(
        self, start: int, end: int, wanted: Container[int], fits: _Fits
    ) -> list[tuple[int, _Next, StopReason]]:
        """Returns the steps of a few that fit, in order."""
        history, goals = self._history, []
        history.go_to(start)
        self._faults = self._fault_count()
        while (step := history.step) < end:
            following = self._next()
            if following is None:
                break
            if following[1] in wanted and (reason := fits(following)):
                goals.append((step, following, reason))
            if history.step == step and not history.forward(min(_STRIDE, end - step), wanted):
                break
        return goals


def _others(run: SteppedRun, place: ThreadWhereabouts, number: int) -> frozenset[int]:
    """Returns the instructions where a thread comes to another source line, calls passed over.

    These are the instructions of other lines in the function, and the ones its calls return to.
    """
    here, wave = run.instruction(place.at), run.wave()
    function = run.program.functions[here.function]
    instructions = run.program.instructions[function.start : function.end]
    elsewhere = {i.number for i in instructions if i.source != here.source and i.source.line}
    returns = (int(wave.returns[depth][number]) for depth in range(1, place.depth + 1))
    return frozenset(elsewhere.union(returns))


def _stops(run: SteppedRun, move: StepMove) -> dict[int, list[StopCondition | None]]:
    """Returns the conditions at each instruction that has a breakpoint."""
    stops: dict[int, list[StopCondition | None]] = {}
    for breakpoint_ in move.breakpoints:
        text = breakpoint_.condition.strip()
        condition = StopCondition.read(text) if text else None
        for at in _numbers_at(run, breakpoint_):
            stops.setdefault(at, []).append(condition)
    return stops


def _numbers_at(run: SteppedRun, wanted: Breakpoint) -> list[int]:
    """Returns the instructions where a thread comes to a line: of a source the first of a run."""
    instructions = run.program.instructions
    if not wanted.files:
        return [i.number for i in instructions if i.line == wanted.line]
    files = frozenset(wanted.files)
    numbers: list[int] = []
    last = -2
    for instruction in instructions:
        if instruction.source.line == wanted.line and instruction.source.file in files:
            here = instruction.number
            before = instructions[here - 1].function if here else ""
            if last != here - 1 or before != instruction.function:
                numbers.append(here)
            last = here
    return numbers
