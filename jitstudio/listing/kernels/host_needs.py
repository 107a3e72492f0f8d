"""Needs of kernels that a host has to prepare for, read off their PTX.

A barrier of the whole grid asks for the workspace of a cooperative launch in ``%envreg1`` and
``%envreg2`` (`load_env_reg64` of cooperative_groups/details/driver_abi.h). A loop that waits asks
one place again and again, by a load that is ``volatile``, ``acquire`` or ``relaxed`` or an atomic
that changes nothing, and the answer decides whether it is left. A lock is no such loop: who holds
it is running already. Nor is one that ends by itself, too, such as a search that can be stopped.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate
from operator import or_

from jitstudio.core.launch.request import HostNeeds
from jitstudio.core.line_table_paths import OF_NVIDIA
from jitstudio.listing.ptx import OPERAND_NAME
from jitstudio.ptx.opcodes import LEAVING, WITHOUT_RESULT
from jitstudio.ptx.scanner import bare_ptx
from jitstudio.ptx.skimming import (
    FunctionText,
    Place,
    file_names,
    function_texts,
    instruction_at,
    items,
    opcode_of,
    place_of,
)

_HINTS = re.compile(r"%envreg|\bcall\b|\b(?:volatile|acquire|relaxed|atom)\b")
_POLLS = frozenset(("volatile", "acquire", "relaxed"))
_OTHER_SPACES = frozenset(("shared", "local", "param", "const"))
# `atomicAdd(p, 0)`, `atomicOr(p, 0)`, `atomicAnd(p, ~0)`: what operations take that change nothing.
_NEUTRAL = {"add": "0", "or": "0", "xor": "0", "and": "-1"}
_CLOCKS = ("%clock", "%globaltimer")
_ROUND, _OUT = 1, 2
# What makes no end of loops around loops a matter of seconds.
_MOST_ASKED, _MOST_READ = 4, 100_000


def host_needs(ptx: str) -> dict[str, HostNeeds]:
    """Returns the needs that hosts have to prepare for, by the kernels' lowered names.

    Kernels that need nothing are left out.
    """
    if not _HINTS.search(ptx):
        return {}
    functions = {function.name: function for function in _functions(ptx)}
    needs_of = {
        name: _needs(name, functions) for name, function in functions.items() if function.is_kernel
    }
    return {name: needs for name, needs in needs_of.items() if needs != HostNeeds()}


@dataclass(frozen=True)
class _Statement:
    """An instruction: words, operands, guard, and the line of the source or 0."""

    words: tuple[str, ...]
    operands: str
    guard: str
    line: int

    @cached_property
    def results(self) -> tuple[str, ...]:
        """The registers that the instruction writes."""
        if self.words[0] in LEAVING | WITHOUT_RESULT:
            return ()
        first, bracket, _ = self.operands.partition("[")
        names = OPERAND_NAME.findall(first)
        return tuple(names if bracket else names[:1])

    @cached_property
    def sources(self) -> frozenset[str]:
        """The registers that the instruction reads, also the guard."""
        names = OPERAND_NAME.findall(self.operands)[len(self.results) :]
        return frozenset((*names, self.guard) if self.guard else names)

    @cached_property
    def polls(self) -> bool:
        """Whether the instruction reads global memory and changes none."""
        words = set(self.words)
        if words & _OTHER_SPACES:
            return False
        if self.words[0] == "ld":
            return bool(words & _POLLS)
        if self.words[0] != "atom":
            return False
        numbers = {
            number.strip() for number in self.operands.rpartition("]")[2].strip(", ").split(",")
        }
        if "cas" in words:
            return len(numbers) == 1
        return any(numbers == {_NEUTRAL[word]} for word in words & _NEUTRAL.keys())


@dataclass(frozen=True)
class _Function:
    """A function: the instructions, and which of these labels stand before."""

    name: str
    is_kernel: bool
    statements: tuple[_Statement, ...]
    labels: dict[str, int]

    def calls(self) -> Iterator[str]:
        """Yields the operands of all calls."""
        return (statement.operands for statement in self.statements if statement.words[0] == "call")


def _functions(text: str) -> Iterator[_Function]:
    bare = bare_ptx(text)
    files = file_names(text, bare).items()
    others = {number for number, name in files if OF_NVIDIA.search(name)}
    for function in function_texts(bare):
        if function.body >= 0:
            yield _function(bare, function, others)


def _function(bare: str, function: FunctionText, others: Container[int]) -> _Function:
    statements: list[_Statement] = []
    labels: dict[str, int] = {}
    line = 0
    callers: dict[Place, Place] = {}
    for item in items(bare, function.body, function.end):
        if item["label"]:
            labels[item["label"]] = len(statements)
        elif item["loc"] and (place := place_of(item["place"])):
            if caller := place_of(item["call"]):
                callers[place] = caller
            line = _users(place, callers, others)
        elif item["statement"] and (match := instruction_at(bare, *item.span("statement"))):
            guard = (match["guard"] or "").lstrip("@! \t\r\n")
            words = tuple(opcode_of(match).split("."))
            statements.append(_Statement(words, match["operands"], guard, line))
    return _Function(function.name, function.is_kernel, tuple(statements), labels)


def _users(place: Place, callers: Mapping[Place, Place], others: Container[int]) -> int:
    """Returns the line of a place, or of the call around inlined code that is NVIDIA's.

    Args:
        place: Number of the file, line and column.
        callers: Places by those that are inlined there.
        others: Numbers of the files that are NVIDIA's.
    """
    first, seen = place, {place}
    while place[0] in others:
        place = callers.get(place, first)
        if place in seen:
            return 0
        seen.add(place)
    return place[1]


def _needs(kernel: str, functions: dict[str, _Function]) -> HostNeeds:
    reached = [functions[name] for name in _reached(kernel, functions)]
    waits = next((line for function in reached for line in _waits(function)), None)
    return HostNeeds(
        grid_barrier=any(map(_asks_for_grid, reached)),
        waits=waits is not None,
        waits_at=waits or 0,
        unknown_stack=any(_unknown_stack(function, functions) for function in reached),
    )


def _reached(name: str, functions: dict[str, _Function]) -> list[str]:
    """Returns a function and all functions called from there by name, each once."""
    reached, waiting = [name], [name]
    while waiting:
        operands = functions[waiting.pop()].calls()
        names = {name for text in operands for name in OPERAND_NAME.findall(text)}
        new = sorted(names & functions.keys() - set(reached))
        reached += new
        waiting += new
    return reached


def _unknown_stack(function: _Function, functions: dict[str, _Function]) -> bool:
    """Returns whether a function calls a register, or itself, be it by others."""
    for operands in function.calls():
        callee = re.sub(r"^\s*+\([^()]*+\)\s*+,", "", operands).partition(",")[0].strip()
        if callee.startswith("%"):
            return True
        if callee in functions and function.name in _reached(callee, functions):
            return True
    return False


def _asks_for_grid(function: _Function) -> bool:
    """Returns whether a function ends the kernel without the workspace of a cooperative launch."""
    asks = any("%envreg" in statement.operands for statement in function.statements)
    return asks and any(statement.words[0] == "trap" for statement in function.statements)


def _waits(function: _Function) -> Iterator[int]:
    """Yields the lines of polls that a loop repeats until the answer changes."""
    for loop in _loops(function):
        body = function.statements[loop.start : loop.stop]
        known = _known([statement for statement in body if statement.polls], body)
        asking = [at for at in loop if function.statements[at].guard in known]
        rounds = (
            _Round(function, loop, at, taken)
            for at in asking[:_MOST_ASKED]
            for taken in (True, False)
        )
        yield from (line for turn in rounds if (line := turn.waits_at()) is not None)


def _loops(function: _Function) -> list[range]:
    """Returns the statements of loops that poll, up to so many in all, inner loops first.

    Of branches back to one label the first and the last stand for all, `continue` and the whole
    loop: each of thousands would be read from the label on.
    """
    ends: dict[int, tuple[int, int]] = {}
    for at, branch in enumerate(function.statements):
        start = function.labels.get(branch.operands.strip(), at + 1)
        if branch.words[0] == "bra" and start <= at:
            ends[start] = ends.get(start, (at, at))[0], at
    polls = [at for at, statement in enumerate(function.statements) if statement.polls]
    loops = {range(start, end + 1) for start, pair in ends.items() for end in pair}
    polling = (
        loop for loop in loops if bisect_left(polls, loop.start) < bisect_left(polls, loop.stop)
    )
    inner_first = sorted(polling, key=lambda loop: (len(loop), loop.start))
    read = accumulate(map(len, inner_first))
    return [loop for loop, total in zip(inner_first, read, strict=True) if total <= _MOST_READ]


def _known(polls: Sequence[_Statement], body: Sequence[_Statement]) -> set[str]:
    """Returns the registers that depend on polls."""
    known = {name for statement in polls for name in statement.results}
    for _ in range(2):  # a value may come round
        for statement in body:
            if statement.words[0] not in ("ld", "atom") and not known.isdisjoint(statement.sources):
                known.update(statement.results)
    return known


def _moving(body: Sequence[_Statement]) -> set[str]:
    """Returns the registers that a round of a loop may leave with other values."""
    writes = Counter(name for statement in body for name in statement.results)
    moving = set(writes)
    for statement in body:
        once = all(writes[name] == 1 for name in statement.results)
        clock = any(name.startswith(_CLOCKS) for name in statement.sources)
        changes = statement.polls or clock or statement.words[0] in ("atom", "shfl")
        if once and not changes and moving.isdisjoint(statement.sources):
            moving.difference_update(statement.results)
    return moving


class _Round:
    """A round of a loop in which a branch goes a fixed way."""

    def __init__(self, function: _Function, loop: range, branch: int, taken: bool) -> None:
        self._function, self._loop = function, loop
        self._branch, self._taken = branch, taken
        self._reached = self._reach()

    def waits_at(self) -> int | None:
        """Returns the line of the poll that decides on a further round of this kind.

        None where there is none, where it polls elsewhere then, or ends by what else changes, as
        a search does that can be stopped.
        """
        statements = self._function.statements
        body = [statements[at] for at in self._reached]
        moving = _moving(body)
        polls = [
            statement
            for statement in body
            if statement.polls and moving.isdisjoint(statement.sources)
        ]
        known = _known(polls, body)
        if statements[self._branch].guard not in known:
            return None
        goes_round, guards = self._deciding()
        return polls[0].line if goes_round and guards.isdisjoint(moving - known) else None

    def _next(self, at: int) -> set[int]:
        """Returns where a statement leads to, -1 for an end of the thread."""
        statement = self._function.statements[at]
        if statement.words[0] not in LEAVING:
            return {at + 1}
        labels = self._function.labels
        target = labels.get(statement.operands.strip(), -1) if statement.words[0] == "bra" else -1
        if at == self._branch:
            return {target if self._taken else at + 1}
        return {target, at + 1} if statement.guard else {target}

    def _reach(self) -> list[int]:
        reached: set[int] = set()
        waiting = [self._loop.start]
        while waiting:
            at = waiting.pop()
            if at in self._loop and at not in reached:
                reached.add(at)
                waiting += self._next(at)
        return sorted(reached)

    def _deciding(self) -> tuple[bool, set[str]]:
        """Returns whether a further round may come, and the guards that decide on that."""
        ways: dict[int, int] = {self._loop.start: _ROUND}
        ways |= dict.fromkeys(self._reached[1:], 0)
        start = 0
        for _ in range(3):  # loops within lead back
            for at in reversed(self._reached):
                leads = reduce(or_, (ways.get(to, _OUT) for to in self._next(at)))
                if at == self._loop.start:
                    start = leads
                else:
                    ways[at] = leads
        guards = {
            self._function.statements[at].guard
            for at in self._reached
            if len({ways.get(to, _OUT) for to in self._next(at)}) > 1
        }
        return bool(start & _ROUND), guards
