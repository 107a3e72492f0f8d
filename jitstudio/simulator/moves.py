"""Moves through a simulated run, forward and back, until a goal is reached."""

from __future__ import annotations

import time
from collections.abc import Container, Iterator

import numpy as np

from jitstudio.simulator.conditions import StopCondition
from jitstudio.simulator.groups import Selection, numbers_of
from jitstudio.simulator.model import WARP
from jitstudio.simulator.program import NO_PLACE, PtxSourceLine
from jitstudio.simulator.run import SteppedRun, ThreadWhereabouts, has, within
from jitstudio.simulator.stepping import Breakpoint, StepGoal, StepMove, StopReason, ThreadState
from jitstudio.simulator.wave import Wave

_PARTING = frozenset(["bra", "brx", "call", "ret", "exit"])
_BARRIERS = frozenset(["bar", "barrier"])
_STRIDE = 512
_FIRST_WINDOW, _LARGEST_WINDOW = 256, 8192

_Next = tuple[int, int, Selection]
"""Depth of the call, number of the instruction, threads."""


class Mover:
    """A move under way.

    Args:
        run: What is moved through; its thread is that of the move.
        move: Where to.

    Attributes:
        note: What a thread did that it must not, where that has stopped it; a sentence.

    Raises:
        StopConditionError: If the condition of a breakpoint cannot be read.
    """

    def __init__(self, run: SteppedRun, move: StepMove) -> None:
        self._run, self._history, self._move = run, run.history, move
        self.note = ""
        self._numbers: tuple[Wave | None, int | None] = (None, None)
        place = run.where(self._number)
        self._depth, self._at = place.depth, place.at
        self._line = run.instruction(place.at).source if place.at >= 0 else NO_PLACE
        self._faults = self._told()
        self._has_moved = self._has_run = False
        self._stops = _stops(run, move)
        # Where to look whether the goal is reached, if nowhere else can be.
        self._halts: Container[int] = self._stops
        self._looks_at_halts = move.goal in (StepGoal.BREAKPOINT, StepGoal.CURSOR)
        number = self._number
        if move.goal is StepGoal.LINE and self._line.line and not move.back and number is not None:
            self._halts = _others(run, place, number)
            self._looks_at_halts = True
        self._value = self._register()
        self._windows = self._searched()

    @property
    def _number(self) -> int | None:
        """The number of the thread among those that are resident; None where it is not."""
        wave = self._history.machine.wave
        if wave is not self._numbers[0]:
            self._numbers = wave, self._run.number()
        return self._numbers[1]

    def go(self, deadline: float) -> StopReason | None:
        """Goes on; returns why it stopped, or None where the time was up.

        Args:
            deadline: When, by `time.monotonic`.

        Raises:
            StopConditionError: If a condition cannot be evaluated where it is.
        """
        move, history = self._move, self._history
        if move.goal is StepGoal.STEP:
            while history.step != move.step:
                left = deadline - time.monotonic()
                if history.go_to(move.step, max(left, 0.0)):
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
                return StopReason.END
            if self._has_moved and (reason := self._arrives(before)):
                return reason
            if not history.forward(self._stride(), self._halts):
                if history.end is not None:
                    return StopReason.FAULT
                return StopReason.END
            self._has_moved = True
            if reason := self._happened(before):
                return reason

    def _stride(self) -> int:
        """Returns after how many steps to look at the latest, besides at the halts."""
        return _STRIDE if self._looks_at_halts else 1

    def _next(self) -> _Next | None:
        wave = self._history.machine.wave
        return wave.groups.peek() if wave is not None else None

    # Goals.

    def _arrives(self, there: _Next) -> StopReason | None:
        """Returns why to stop before a step; None for going on."""
        goal, number = self._move.goal, self._number
        _depth, at, threads = there
        if at in self._stops and self._holds(there):
            is_breakpoint = goal is StepGoal.BREAKPOINT
            return StopReason.BREAKPOINT if is_breakpoint else StopReason.CURSOR
        is_barrier = goal is StepGoal.BARRIER and self._run.instruction(at).opcode in _BARRIERS
        if is_barrier and number is not None and has(threads, number):
            return StopReason.BARRIER
        return None

    def _holds(self, there: _Next) -> bool:
        """Looks at the first thread of which a condition is true; returns whether there is one."""
        depth, at, threads = there
        numbers = numbers_of(threads)
        found = np.zeros(len(numbers), np.bool_)
        for condition in self._stops[at]:
            if condition is None:
                found[:] = True
            else:
                values = self._run.values(depth, at, numbers)
                found |= condition.holds(values, len(numbers))
        if not found.any():
            return False
        hit = numbers[found]
        if self._number is None or not has(hit, self._number):
            self._run.look_at_number(int(hit[0]))
        return True

    def _happened(self, before: _Next) -> StopReason | None:
        """Returns why to stop behind a step; None for going on."""
        goal, number = self._move.goal, self._number
        threads = before[2]
        if not self._move.back and self._told() > self._faults:
            machine = self._history.machine
            told = [*machine.faults, *(machine.wave.faults if machine.wave else ())]
            fault = told[self._faults]
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
        """Returns why to stop where the thread has come to; None while it waits or goes on."""
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
        if self._run.instruction(at).opcode not in _PARTING or wave is None:
            return None
        first = number // WARP * WARP
        members = set(within(threads, first).tolist())
        if not members:
            return None
        places = sum(
            not members.isdisjoint(within(there, first).tolist())
            for _key, there in wave.groups.items()
        )
        return StopReason.DIVERGENCE if places > 1 else None

    def _register(self) -> bytes:
        """Returns the bits of the register of `CHANGE`; empty where there is none."""
        wave = self._history.machine.wave
        if self._move.goal is not StepGoal.CHANGE or wave is None or self._number is None:
            return b""
        kernel = self._history.machine.launch.kernel
        function = self._run.instruction(self._at).function if self._at >= 0 else kernel
        bases = wave.bases.get((self._depth, function), {})
        name = self._move.register
        held = bases.get(f"%{name}", bases.get(name))
        return held[self._number].tobytes() if held is not None else b""

    def _told(self) -> int:
        """Returns how many faults have been found that do not end the launch."""
        machine = self._history.machine
        return len(machine.faults) + (len(machine.wave.faults) if machine.wave else 0)

    # Back.

    def _go_back(self, deadline: float) -> StopReason | None:
        for found in self._windows:
            if found is not None:
                self._history.go_to(found[0])
                return found[1]
            if time.monotonic() >= deadline:
                return None
        self._history.go_to(0)
        return StopReason.START

    def _searched(self) -> Iterator[tuple[int, StopReason] | None]:
        """Yields None for each stretch without the goal, then the step of the goal and why."""
        end, size = self._history.step, _FIRST_WINDOW
        line: PtxSourceLine | None = None
        target = -1
        while end > 0:
            start = max(0, end - size)
            found = self._stretch(start, end)
            if self._move.goal is not StepGoal.LINE:
                if found:
                    step, there, reason = found[-1]
                    self._history.go_to(step)
                    if self._move.goal in (StepGoal.BREAKPOINT, StepGoal.CURSOR):
                        self._holds(there)
                    yield step, reason
                    return
            else:
                for step, (depth, at, _threads), _reason in reversed(found):
                    if depth > self._depth:
                        continue
                    here = self._run.instruction(at).source
                    here = here if here.line else PtxSourceLine("", at)
                    if line is not None and here != line:
                        yield target, StopReason.NONE
                        return
                    line, target = here, step
            yield None
            end, size = start, min(2 * size, _LARGEST_WINDOW)
        if target >= 0:
            yield target, StopReason.NONE

    def _stretch(self, start: int, end: int) -> list[tuple[int, _Next, StopReason]]:
        """Returns the steps of a stretch that are goals, in order."""
        history, goal = self._history, self._move.goal
        history.go_to(start)
        self._value = self._register()
        self._faults = self._told()
        found = []
        while history.step < end:
            step, there, number = history.step, self._next(), self._number
            if there is None:
                break
            reason: StopReason | None = None
            if goal in (StepGoal.INSTRUCTION, StepGoal.LINE, StepGoal.OUT):
                is_here = number is not None and has(there[2], number)
                if is_here and (goal is not StepGoal.OUT or there[0] < self._depth):
                    reason = StopReason.NONE
            else:
                reason = self._arrives(there)
            if not history.forward(min(self._stride(), end - step), self._halts):
                break
            if goal in (StepGoal.DIVERGENCE, StepGoal.CHANGE):
                reason = self._happened(there)
            if reason is not None:
                found.append((step, there, reason))
        return found


def _others(run: SteppedRun, place: ThreadWhereabouts, number: int) -> frozenset[int]:
    """Returns where a thread can come to another line of the source, calls being passed over.

    That are the instructions of other lines in the function, and those where its calls return to.
    """
    here, wave = run.instruction(place.at), run.wave()
    function = run.program.functions[here.function]
    instructions = run.program.instructions[function.start : function.end]
    others = {i.number for i in instructions if i.source != here.source and i.source.line}
    returns = (int(wave.returns[depth][number]) for depth in range(1, place.depth + 1))
    return frozenset(others.union(returns))


def _stops(run: SteppedRun, move: StepMove) -> dict[int, list[StopCondition | None]]:
    """Returns the conditions at each instruction that has a breakpoint."""
    stops: dict[int, list[StopCondition | None]] = {}
    for wanted in move.breakpoints:
        text = wanted.condition.strip()
        condition = StopCondition.read(text) if text else None
        for at in _numbers_at(run, wanted):
            stops.setdefault(at, []).append(condition)
    return stops


def _numbers_at(run: SteppedRun, wanted: Breakpoint) -> list[int]:
    """Returns the instructions where a thread comes to a line: of a source the first of a run."""
    instructions = run.program.instructions
    if not wanted.files:
        return [i.number for i in instructions if i.line == wanted.line]
    files = frozenset(wanted.files)
    found: list[int] = []
    last = -2
    for instruction in instructions:
        if instruction.source.line == wanted.line and instruction.source.file in files:
            here = instruction.number
            before = instructions[here - 1].function if here else ""
            if last != here - 1 or before != instruction.function:
                found.append(here)
            last = here
    return found
