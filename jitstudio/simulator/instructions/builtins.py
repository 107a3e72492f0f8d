"""Functions of the driver that kernels may call: `vprintf`, `__assertfail`, `malloc`, `free`."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.state.faults import ThreadFault, line_of
from jitstudio.simulator.state.groups import Selection, size_of
from jitstudio.simulator.state.memory import WINDOWS, AccessFault, window_of
from jitstudio.simulator.state.model import FaultKind, StateSpace
from jitstudio.simulator.state.wave import Wave

# Bytes of a text that is printed, and characters of all output of a wave.
_LONGEST = 1 << 16
_MOST_PRINTED = 1 << 20


@dataclass(frozen=True)
class Builtin:
    """A function of the driver.

    Attributes:
        name: Its name in PTX.
        arguments: The types of its arguments.
        result: The type of its result; empty for none.
        function: Takes the wave, the threads, and an array for each argument.
    """

    name: str
    arguments: tuple[str, ...]
    result: str
    function: Callable[..., Any]


def _bytes_at(wave: Wave, address: int, thread: int, size: int) -> bytes:
    """Returns up to `size` bytes from a generic address of a thread."""
    space = window_of(address)
    offset = address - WINDOWS.get(space, 0)
    arena = wave.arenas[space]
    if space is StateSpace.LOCAL:
        end = min(offset + size, wave.local_stride)
        base = int(wave.local_base[thread])
    elif space is StateSpace.SHARED:
        end, base = min(offset + size, wave.shared_size), int(wave.shared_base[thread])
    else:
        offset -= arena.base
        region = arena.region_of(offset, offset, 1)
        end, base = (min(offset + size, arena.regions[region].end), 0) if region >= 0 else (0, 0)
    if offset < 0 or end <= offset:
        raise AccessFault(FaultKind.OUT_OF_BOUNDS, 0, 1, "where nothing is allocated", address)
    return arena.data[base + offset : base + end].tobytes()


def _text_at(wave: Wave, thread: int, address: int) -> str:
    try:
        data = _bytes_at(wave, address, thread, _LONGEST)
    except AccessFault as fault:
        raise ThreadFault(
            fault.kind, thread, f"prints a text at 0x{address:x}, {fault.detail}"
        ) from None
    return data.partition(b"\0")[0].decode("utf-8", "replace")


# Such as %5d, %-8.3f, %*.*f, %llu, %hhx, %s and %%; see "Format Specifiers" of the guide.
_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*+)(?P<width>\*|\d*+)(?>\.(?P<precision>\*|\d*+))?+"
    r"(?P<length>hh|h|ll|l|j|z|t|L)?(?P<kind>[diouxXfFeEgGaAcsp%n])"
)
_WIDE = frozenset(["l", "ll", "j", "z", "t"])


class _Arguments:
    """The arguments of a `printf`, in a buffer in which all have their natural alignment."""

    def __init__(self, wave: Wave, address: int, thread: int) -> None:
        self._data = b""
        if address:
            self._data = _bytes_at(wave, address, thread, 4096)
        self._at = 0

    def take(self, code: str) -> Any:
        """Returns the next argument, by its letter in `struct`."""
        size = struct.calcsize(code)
        self._at = -(-self._at // size) * size
        piece = self._data[self._at : self._at + size].ljust(size, b"\0")
        self._at += size
        return struct.unpack("<" + code, piece)[0]


def formatted(pattern: str, take: Callable[[str], Any], text_at: Callable[[int], str]) -> str:
    """Returns the output of `printf`.

    Args:
        pattern: The format.
        take: Returns the next argument by its letter in `struct`.
        text_at: Returns the text at an address.
    """

    def converted(match: re.Match[str]) -> str:
        kind, length = match["kind"], match["length"] or ""
        if kind == "%":
            return "%"
        width = str(take("i")) if match["width"] == "*" else match["width"]
        precision = match["precision"]
        if precision == "*":
            precision = str(take("i"))
        spec = f"%{match['flags']}{width}" + ("" if precision is None else f".{precision}")
        value: Any
        if kind in "di":
            kind, value = "d", _narrowed(take("q" if length in _WIDE else "i"), length, True)
        elif kind in "ouxX":
            value = _narrowed(take("Q" if length in _WIDE else "I"), length, False)
            # Python's % has no %u.
            kind = kind.replace("u", "d")
        elif kind in "fFeEgG":
            value = take("d")
        elif kind in "aA":
            # Python's % has no %a, but floats have `hex`.
            value = take("d").hex()
            kind, value = "s", value.upper() if kind == "A" else value
        elif kind == "c":
            value = chr(take("i") & 0xFF)
        elif kind == "s":
            value = text_at(take("Q"))
        elif kind == "p":
            kind, value = "s", f"0x{take('Q'):x}"
        else:
            return ""
        return str((spec + kind) % value)

    return _CONVERSION.sub(converted, pattern)


def _narrowed(value: int, length: str, signed: bool) -> int:
    bits = {"hh": 8, "h": 16}.get(length)
    if bits is None:
        return value
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def _vprintf(
    wave: Wave, threads: Selection, patterns: NDArray[np.uint64], arguments: NDArray[np.uint64]
) -> NDArray[np.int32]:
    """Prints thread by thread; returns the number of conversions in each pattern."""
    counts = np.zeros(size_of(threads), np.int32)
    texts: dict[int, str] = {}
    for index, thread in enumerate(wave.numbers[threads].tolist()):
        if wave.printed_size > _MOST_PRINTED:
            break
        where = int(patterns[index])
        if where not in texts:
            texts[where] = _text_at(wave, thread, where)
        pattern = texts[where]
        values = _Arguments(wave, int(arguments[index]), thread)
        try:
            text = formatted(pattern, values.take, partial(_text_at, wave, thread))
        except (ValueError, TypeError, OverflowError):
            text = pattern
        wave.print_text(text)
        # "Formatted Output" of the guide: printf returns the number of arguments parsed.
        counts[index] = len(_CONVERSION.findall(pattern.replace("%%", "")))
    return counts


def _assertfail(
    wave: Wave,
    threads: Selection,
    messages: NDArray[np.uint64],
    files: NDArray[np.uint64],
    lines: NDArray[np.uint32],
    functions: NDArray[np.uint64],
    _sizes: NDArray[np.uint64],
) -> None:
    thread = int(wave.numbers[threads][0])
    message, file, function = (
        _text_at(wave, thread, int(x[0])) for x in (messages, files, functions)
    )
    raise ThreadFault(
        FaultKind.ASSERT,
        thread,
        f"fails the assertion “{message}” of {function} in {file}:{int(lines[0])}",
        size_of(threads),
    )


def _malloc(wave: Wave, threads: Selection, sizes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Allocates blocks of the heap; returns null where there is no room, as on a GPU."""
    assert wave.heap is not None
    assert wave.current is not None
    first = wave.layout.place(wave.current, int(wave.numbers[threads][0]))
    addresses, again = wave.heap.allocate(sizes.tolist(), line_of(first))
    for observer in wave.on_renewed:
        for block in again:
            observer.renewed(block.start, block.end)
    # Threads that retry until there is room are no deadlock.
    wave.changes += 1
    return np.array(addresses, np.uint64)


def _free(wave: Wave, threads: Selection, addresses: NDArray[np.uint64]) -> None:
    """Frees blocks of the heap, and reports addresses that cannot be freed."""
    numbers = wave.numbers[threads]
    if wave.heap is None:
        problems = ["is none that malloc has given" if at else "" for at in addresses.tolist()]
    else:
        problems = wave.heap.free(addresses.tolist())
    wrong = np.array([bool(problem) for problem in problems])
    if wrong.any():
        first = int(np.argmax(wrong))
        action = f"frees 0x{int(addresses[first]):x}, which {problems[first]}"
        wave.tell(FaultKind.FREE, numbers[wrong], action)


BUILTINS = {
    row.name: row
    for row in (
        Builtin("vprintf", ("u64", "u64"), "s32", _vprintf),
        Builtin("__assertfail", ("u64", "u64", "u32", "u64", "u64"), "", _assertfail),
        Builtin("malloc", ("u64",), "u64", _malloc),
        Builtin("free", ("u64",), "", _free),
    )
}
