"""What kernels do that a host has to prepare for, read off their PTX.

A barrier of the whole grid asks for the workspace of a cooperative launch in ``%envreg1`` and
``%envreg2`` (`load_env_reg64` of cooperative_groups/details/driver_abi.h). A loop that waits has a
branch that depends on what a load by ``volatile``, ``acquire`` or ``relaxed`` has read in it, or an
atomic that changes nothing. A lock is no such loop: who holds it is running already.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

from jitstudio.core.launch.request import HostNeeds
from jitstudio.core.line_table_paths import OF_NVIDIA
from jitstudio.listing.ptx import OPERAND_NAME
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


def host_needs(ptx: str) -> dict[str, HostNeeds]:
    """Returns what the hosts of kernels have to prepare for, by the kernels' lowered names.

    Kernels that need nothing are left out.
    """
    if not _HINTS.search(ptx):
        return {}
    functions = {function.name: function for function in _functions(ptx)}
    made = {name: _needs(name, functions) for name, each in functions.items() if each.is_kernel}
    return {name: needs for name, needs in made.items() if needs != HostNeeds()}


@dataclass(frozen=True)
class _Statement:
    """An instruction: its words and operands, its guard, and its line of the source or 0."""

    words: tuple[str, ...]
    operands: str
    guard: str
    line: int


@dataclass(frozen=True)
class _Function:
    """A function: its instructions, and which of them labels stand before."""

    name: str
    is_kernel: bool
    statements: tuple[_Statement, ...]
    labels: dict[str, int]

    def calls(self) -> Iterator[str]:
        """Yields the operands of all calls."""
        return (each.operands for each in self.statements if each.words[0] == "call")


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
    """Returns the line of a place, or of the call that it was inlined through if it is not theirs.

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
    waits = next((line for each in reached for line in _waits(each)), None)
    return HostNeeds(
        grid_barrier=any(map(_asks_for_grid, reached)),
        waits=waits is not None,
        waits_at=waits or 0,
        unknown_stack=any(_unknown_stack(each, functions) for each in reached),
    )


def _reached(name: str, functions: dict[str, _Function]) -> list[str]:
    """Returns a function and all that it calls by name, each once."""
    reached, waiting = [name], [name]
    while waiting:
        operands = functions[waiting.pop()].calls()
        names = {found for each in operands for found in OPERAND_NAME.findall(each)}
        new = sorted(names & functions.keys() - set(reached))
        reached += new
        waiting += new
    return reached


def _unknown_stack(function: _Function, functions: dict[str, _Function]) -> bool:
    """Returns whether it calls itself, by way of others or not, or a register."""
    for operands in function.calls():
        callee = re.sub(r"^\s*+\([^()]*+\)\s*+,", "", operands).partition(",")[0].strip()
        if callee.startswith("%"):
            return True
        if callee in functions and function.name in _reached(callee, functions):
            return True
    return False


def _asks_for_grid(function: _Function) -> bool:
    """Returns whether it ends the kernel where there is no workspace of a cooperative launch."""
    asks = any("%envreg" in each.operands for each in function.statements)
    return asks and any(each.words[0] == "trap" for each in function.statements)


def _waits(function: _Function) -> Iterator[int]:
    """Yields the lines of branches back that depend on a poll of global memory in their loop."""
    for at, branch in enumerate(function.statements):
        if branch.words[0] != "bra":
            continue
        start = function.labels.get(branch.operands.strip(), at + 1)
        loop = function.statements[start : at + 1]
        if any(map(_polls, loop)) and _depends(loop):
            yield next(each.line for each in loop if _polls(each))


def _polls(statement: _Statement) -> bool:
    """Returns whether it reads global memory and changes none."""
    words = set(statement.words)
    if words & _OTHER_SPACES:
        return False
    if statement.words[0] == "ld":
        return bool(words & _POLLS)
    # `atomicAdd(p, 0)`, `atomicOr(p, 0)`, `atomicCAS(p, 0, 0)`
    numbers = re.split(r"\]", statement.operands)[-1].strip(" ,\n").split(",")
    return statement.words[0] == "atom" and {number.strip() for number in numbers} == {"0"}


def _depends(loop: tuple[_Statement, ...]) -> bool:
    """Returns whether a branch in a loop depends on what is polled there."""
    known: set[str] = set()
    for _ in range(2):  # a value may come round
        for each in loop:
            names = OPERAND_NAME.findall(each.operands)
            if _polls(each) or (each.words[0] not in ("ld", "atom") and known & set(names[1:])):
                known.update(names[:1])
    return any(each.words[0] == "bra" and each.guard in known for each in loop)
