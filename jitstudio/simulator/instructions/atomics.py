"""Atomic operations: `atom` and `red`.

Threads that meet at an address take their turns by their numbers, an order that a GPU may have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.arithmetic import floating
from jitstudio.simulator.instructions.table import AddsRows, Binding, Step, Values, form, is_sink
from jitstudio.simulator.ptx.types import PtxType
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.loads_stores import checked_offsets, notify, tell_unwritten, writable
from jitstudio.simulator.state.memory import WINDOWS, Offsets, windows_of
from jitstudio.simulator.state.model import AccessKind, StateSpace
from jitstudio.simulator.state.wave import Wave

Combine = Callable[[Values, Values, Values | None], Values]
"""From the value in memory, the operand, and the second operand of `cas`, to the new value."""

_OPERATIONS = frozenset(["and", "or", "xor", "exch", "add", "inc", "dec", "min", "max", "cas"])
_SCOPES = "cta/cluster/gpu/sys"
_SPACES = "global/shared/shared::cta/shared::cluster"
_SMALL = "f16 bf16 f16x2 bf16x2"
# PTX ISA, `atom`: operations with what they need beside, and their types.
_OPERATED = (
    ("and/or/xor", "b32 b64"),
    ("add", "u32 s32 u64 f32 f64"),
    ("add noftz", _SMALL),
    ("min/max", "u32 s32 u64 s64"),
    ("inc/dec", "u32"),
)
_VECTORS = (("add v2/v4", "f32"), ("add/min/max noftz v2/v4/v8", _SMALL))
_ACCUMULATING: dict[str, Any] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
}


def _increment(old: Values, limit: Values, _: Values | None) -> Values:
    # PTX ISA, `atom`: inc(r, s) = (r >= s) ? 0 : r+1; dec(r, s) = (r==0 || r > s) ? s : r-1.
    result: Values = np.where(old >= limit, old.dtype.type(0), old + old.dtype.type(1))
    return result


def _decrement(old: Values, limit: Values, _: Values | None) -> Values:
    return np.where((old == 0) | (old > limit), limit, old - old.dtype.type(1))


def _exchange(_old: Values, new: Values, _: Values | None) -> Values:
    return new


def _compare_and_swap(old: Values, expected: Values, new: Values | None) -> Values:
    assert new is not None
    return np.where(old == expected, new, old)


_BY_FUNCTION: dict[str, Combine] = {
    "inc": _increment,
    "dec": _decrement,
    "exch": _exchange,
    "cas": _compare_and_swap,
}


def combining(operation: str, kind: PtxType, space: StateSpace | None) -> Combine:
    """Returns the function from an old value in memory to the new value."""
    if operation in _BY_FUNCTION:
        return _BY_FUNCTION[operation]
    if kind.is_integer:
        function = _ACCUMULATING[operation]
        return lambda old, value, _: function(old, value)
    if operation != "add":
        choose = floating.minimum if operation == "min" else floating.maximum
        if kind.name.endswith("x2"):
            return lambda old, value, _: floating.packed(choose, kind.name, old, value)
        return lambda old, value, _: choose(kind.name, old, value)
    if kind.name.endswith("x2"):
        return lambda old, value, _: floating.packed(floating.add, kind.name, old, value)
    # PTX ISA, `atom`: "atom.add.f32 on global memory flushes subnormal inputs and results to
    # sign-preserving zero".
    flushes = kind.name == "f32" and space is not StateSpace.SHARED
    return lambda old, value, _: floating.add(kind.name, old, value, ftz=flushes)


def _updates(
    opcode: str, count: int, orders: str, forms: tuple[tuple[str, str], ...], spaces: str
) -> AddsRows:
    """Adds rows for operations by types, of `count` operands without a cache policy."""

    def add(bind: Callable[[Binding], Step]) -> Callable[[Binding], Step]:
        for needs, types in forms:
            form(opcode, types, needs=needs, words=f"{orders} {_SCOPES} {spaces}", count=count)(
                bind
            )
            if needs == "cas":
                continue
            hinted = f"{needs} L2::cache_hint"
            words = f"{orders} {_SCOPES} global"
            form(opcode, types, needs=hinted, words=words, count=count + 1)(bind)
        return bind

    return add


_OF_ATOM, _OF_RED = "relaxed/acquire/release/acq_rel", "relaxed/release"


@_updates("atom", 3, _OF_ATOM, (*_OPERATED, ("exch", "b32 b64")), _SPACES)
def atom(b: Binding) -> Step:
    target, address, value = b.instruction.operands[:3]
    return _atomic(b, None if is_sink(target) else b.target(target, b.type), address, value)


@_updates("atom", 4, _OF_ATOM, (("cas", "b16 b32 b64"),), _SPACES)
def atom_cas(b: Binding) -> Step:
    target, address, expected, new = b.instruction.operands[:4]
    place = None if is_sink(target) else b.target(target, b.type)
    return _atomic(b, place, address, expected, new)


@_updates("red", 2, _OF_RED, _OPERATED, _SPACES)
def red(b: Binding) -> Step:
    address, value = b.instruction.operands[:2]
    return _atomic(b, None, address, value)


@_updates("atom", 3, _OF_ATOM, _VECTORS, "global")
@_updates("red", 2, _OF_RED, _VECTORS, "global")
def atomic_vector(b: Binding) -> Step:
    """Binds a vector operation, which is atomic for each element alone (PTX ISA, `atom`)."""
    *target, address, value = b.instruction.operands[: 3 if b.instruction.opcode == "atom" else 2]
    sources = [b.source(part, b.type) for part in b.elements(value)]
    places: list[int | None] = [None] * len(sources)
    if target:
        parts = b.elements(target[0])
        places = [None if is_sink(part) else b.target(part, b.type) for part in parts]
    find, space = b.address(address), b.space
    combine = combining(operation_of(b), b.type, space)
    name, size = b.instruction.full_opcode, b.type.size

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        addresses = find(f, s)
        for index, (source, place) in enumerate(zip(sources, places, strict=True)):
            at = addresses + index * size
            old = update(wave, space, at, f[source][s], None, combine, s, name)
            if place is not None:
                f[place][s] = old

    return step


def operation_of(b: Binding) -> str:
    """Returns the word of an instruction for its operation."""
    return next(word for word in b.instruction.modifiers if word in _OPERATIONS)


def _atomic(
    b: Binding, place: int | None, address: Any, value: Any, second: Any | None = None
) -> Step:
    operation, kind, space = operation_of(b), b.type, b.space
    find, source = b.address(address), b.source(value, kind)
    other = None if second is None else b.source(second, kind)
    combine = combining(operation, kind, space)
    exact = kind.is_integer or operation != "add"
    name = f"{b.instruction.opcode}.{operation}.{kind.name}"
    # Registers hold packed floats and bf16 as bits, which must not be added up as integers.
    word = operation if kind.is_integer or operation == "exch" else "float"

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        swap = None if other is None else f[other][s]
        unordered = "" if exact else name
        old = update(wave, space, find(f, s), f[source][s], swap, combine, s, unordered, word)
        if place is not None:
            f[place][s] = old

    return step


def update(
    wave: Wave,
    space: StateSpace | None,
    addresses: NDArray[np.int64],
    values: Values,
    swap: Values | None,
    combine: Combine,
    threads: Selection,
    unordered: str = "",
    operation: str = "",
) -> Values:
    """Updates memory atomically and returns the old value for each thread.

    Args:
        wave: The resident blocks with their memory.
        space: None for generic addresses.
        addresses: An address for each thread.
        values: The operand of each thread.
        swap: The second operand of `cas`.
        combine: The function to the new value.
        threads: The threads that take part.
        unordered: The name of an operation whose result depends on the order; empty for none.
        operation: The word in the instruction; empty where threads have to take turns one by one.

    Raises:
        ThreadFault: If an address is out of bounds, misaligned, or not to be written.
    """
    if space is None:
        windows = windows_of(addresses)
        if len(windows) > 1:
            result = np.empty(len(addresses), values.dtype)
            numbers = wave.numbers[threads]
            for part, chosen in windows.items():
                assert chosen is not None
                result[chosen] = update(
                    wave,
                    part,
                    addresses[chosen] - WINDOWS.get(part, 0),
                    values[chosen],
                    None if swap is None else swap[chosen],
                    combine,
                    numbers[chosen],
                    unordered,
                    operation,
                )
            return result
        space = next(iter(windows))
        addresses = addresses - WINDOWS.get(space, 0)
    size = values.dtype.itemsize
    arena = writable(wave, space, addresses, threads, size)
    offsets, region = checked_offsets(wave, space, addresses, threads, size)
    unwritten = arena.check_written(offsets, size, region)
    # `atomicExch` initialises memory: nothing but its result depends on the value before.
    if unwritten is not None and operation not in ("exch", ""):
        tell_unwritten(wave, space, unwritten, offsets, addresses, threads, size)
    before = arena.bytes_at(offsets, size) if wave.wants_values else None
    view = arena.view(values.dtype)
    index = offsets // size
    if (order := wave.in_order(threads)) is None:
        old, changed, met = _in_turn(view, index, values, swap, combine, operation)
    else:
        swaps = None if swap is None else swap[order]
        old, changed, met = _in_turn(view, index[order], values[order], swaps, combine, operation)
        # Back from the order of turns to the order of threads.
        old[order] = old.copy()
    arena.mark_written(offsets, size, region)
    if changed:
        wave.changes += 1
    if met and unordered:
        wave.inexact[unordered] = f"{unordered} (the order of the additions is open)"
    if wave.on_accessed:
        notify(wave, space, AccessKind.ATOMIC, offsets, addresses, size, threads, True, before)
    return old


def _in_turn(
    view: Values,
    index: Offsets,
    values: Values,
    swap: Values | None,
    combine: Combine,
    operation: str,
) -> tuple[Values, bool, bool]:
    """Updates elements; returns old values, whether any has changed, whether threads met."""
    count = len(index)
    order = np.argsort(index, kind="stable")
    places = index[order]
    begins = np.ones(count, np.bool_)
    np.not_equal(places[1:], places[:-1], out=begins[1:])
    starts = np.flatnonzero(begins)
    if len(starts) == count:
        old = view[index]
        new = combine(old, values, swap)
        view[index] = new
        return old, not _equal(old, new), False
    operands = values[order]
    swaps = None if swap is None else swap[order]
    ends = np.append(starts[1:], count)
    longest = int((ends - starts).max())
    result = np.empty(count, view.dtype)
    before = view[places[starts]]
    # A histogram of few bins: thousands of turns at one address are done by one NumPy call.
    runs = _RUNS.get(operation)
    if runs is None and operation in _ACCUMULATING and view.dtype.kind in "iu":
        runs = _accumulated(_ACCUMULATING[operation])
    if runs is not None and len(starts) < longest:
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            part = slice(start, end)
            first = view[places[start]]
            second = None if swaps is None else swaps[part]
            result[part], view[places[start]] = runs(first, operands[part], second)
    else:
        # Round n updates the n-th thread of each address, all addresses at once.
        rank = np.arange(count) - np.repeat(starts, ends - starts)
        for turn in range(longest):
            now = np.flatnonzero(rank == turn) if turn else starts
            at = places[now]
            current = view[at]
            result[now] = current
            view[at] = combine(current, operands[now], None if swaps is None else swaps[now])
    old = np.empty_like(result)
    old[order] = result
    return old, not _equal(before, view[places[starts]]), True


def _equal(first: Values, second: Values) -> bool:
    bits = f"u{first.itemsize}"
    return bool((first.view(bits) == second.view(bits)).all())


def _accumulated(function: Any) -> Callable[[Any, Values, Values | None], tuple[Values, Any]]:
    """Returns a function for many turns at one address, of an operation with `accumulate`."""

    def run(first: Any, operands: Values, _: Values | None) -> tuple[Values, Any]:
        chain = np.empty(len(operands) + 1, operands.dtype)
        chain[0], chain[1:] = first, operands
        # The old value of each thread is the total of all threads before it.
        totals = function.accumulate(chain)
        return totals[:-1], totals[-1]

    return run


def _exchanges(first: Any, operands: Values, _: Values | None) -> tuple[Values, Any]:
    chain = np.empty(len(operands) + 1, operands.dtype)
    chain[0], chain[1:] = first, operands
    return chain[:-1], chain[-1]


def _swaps(first: Any, expected: Values, new: Values | None) -> tuple[Values, Any]:
    """Does many compare-and-swaps at one address, jumping from success to success."""
    assert new is not None
    old = np.empty_like(expected)
    at, current = 0, first
    while True:
        # A swap that puts the same value changes nothing for those behind it.
        succeeds = (expected[at:] == current) & (new[at:] != current)
        hit = int(np.argmax(succeeds)) if succeeds.any() else -1
        if hit < 0:
            old[at:] = current
            return old, current
        old[at : at + hit + 1] = current
        current = new[at + hit]
        at += hit + 1


def _counts(down: bool) -> Callable[[Any, Values, Values | None], tuple[Values, Any]]:
    """Returns a function for many increments or decrements, with wrapping, at one address."""

    def run(first: Any, limits: Values, _: Values | None) -> tuple[Values, Any]:
        # The usual case has one limit for all, and is arithmetic modulo limit + 1.
        if (limits != limits[0]).any() or int(first) > int(limits[0]):
            step = _decrement if down else _increment
            old = np.empty_like(limits)
            current = np.array([first], limits.dtype)
            for turn in range(len(limits)):
                old[turn] = current[0]
                current = step(current, limits[turn : turn + 1], None)
            return old, current[0]
        span = int(limits[0]) + 1
        turns = np.arange(len(limits) + 1, dtype=np.int64)
        chain = (int(first) + (-turns if down else turns)) % span
        return chain[:-1].astype(limits.dtype), limits.dtype.type(int(chain[-1]))

    return run


_RUNS: dict[str, Callable[[Any, Values, Values | None], tuple[Values, Any]]] = {
    "exch": _exchanges,
    "cas": _swaps,
    "inc": _counts(down=False),
    "dec": _counts(down=True),
}
