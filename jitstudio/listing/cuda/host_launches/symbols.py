"""What host code copies to module variables and reads back, and the members of what it passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tree_sitter import Node

from jitstudio.core.launch.request import HostBuffer, HostLaunch
from jitstudio.core.launch.values import Number
from jitstudio.listing.cuda.host_launches.expressions import HostExpressions
from jitstudio.listing.cuda.host_launches.values import Names, Value
from jitstudio.listing.cuda.syntax import stripped, text_of

Known = Number | HostBuffer | str

_TO = frozenset({"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"})
_FROM = frozenset({"cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync"})
_COPIES = frozenset({"cudaMemcpy", "cudaMemcpyAsync"})
_SETS = frozenset({"cudaMemset", "cudaMemsetAsync"})
_READ_BACK = ":out"
_UNKNOWN = "random"
_MOST_VALUES = 64


class Symbols:
    """Follows the calls of a text that are about its module variables.

    These belong to no function: what one has copied is there for all that come behind it.
    """

    def __init__(self, expressions: HostExpressions, launches: list[HostLaunch]) -> None:
        self._expressions = expressions
        self._launches = launches
        self._known: dict[str, Known] = {}
        self._addresses: dict[str, str] = {}

    @property
    def known(self) -> tuple[tuple[str, Known], ...]:
        """What is known of module variables, by their names: see `HostLaunch.inside`."""
        return tuple(self._known.items())

    def members(self, given: Sequence[Node], names: Names) -> Iterator[tuple[str, Known]]:
        """Yields what is known of the members of what a kernel is given."""
        for at, argument in enumerate(given):
            place = self._expressions.place(argument, names)
            for path, value in names.members(place).items():
                if path.startswith(".") and "(" not in path and not isinstance(value, tuple):
                    yield f"{at}{path}", value

    def follow(self, call: str, arguments: Sequence[Node], names: Names) -> bool:
        """Follows a call if it is about a module variable; returns whether it is.

        Args:
            call: The function.
            arguments: What it is given.
            names: What is known before it; then, what is known behind it.
        """
        if len(arguments) < 2:
            return False
        first, second = arguments[:2]
        at_first, at_second = (
            self._addresses.get(self._expressions.place(node, names)) for node in (first, second)
        )
        if call in _TO:
            # Behind an offset only a part of it is written.
            is_part = len(arguments) > 3 and self._expressions.value(arguments[3], names) != 0
            self._copy_to(_name(first), None if is_part else second, names)
        elif call in _FROM:
            self._read_back(_name(second))
            names.lose(self._expressions.place(first, names))
        elif call == "cudaGetSymbolAddress":
            self._addresses[self._expressions.place(first, names)] = _name(second)
        elif call in _COPIES and at_first is not None:
            self._copy_to(at_first, second, names)
        elif call in _COPIES and at_second is not None:
            self._read_back(at_second)
            names.lose(self._expressions.place(first, names))
        elif call in _SETS and at_first is not None:
            value = self._expressions.value(second, names)
            self._known[at_first] = "zeros" if value == 0 else _UNKNOWN
        else:
            return False
        return True

    def _copy_to(self, symbol: str, source: Node | None, names: Names) -> None:
        """Remembers what is copied to a module variable; a part of one makes it unknown."""
        for key in [key for key in self._known if _is_of(symbol, key)]:
            del self._known[key]
        place = self._expressions.place(source, names) if source is not None else ""
        members = names.members(place) if place else {}
        if place and stripped(source).type == "pointer_expression":  # type: ignore[arg-type]
            value = names.known(place)
            if value is not None and not isinstance(value, tuple):
                self._known[symbol] = _as_text(value)
                return
        listed = _listed(members)
        if listed:
            self._known[symbol] = listed
            return
        parts = {
            path: value
            for path, value in members.items()
            if path.startswith(".") and "(" not in path and not isinstance(value, tuple)
        }
        self._known |= {symbol + path: value for path, value in parts.items()}
        if not parts:
            self._known[symbol] = _UNKNOWN

    def _read_back(self, symbol: str) -> None:
        """Marks a module variable to be read back after the launches so far."""
        for at, launch in enumerate(self._launches):
            if (symbol + _READ_BACK) not in dict(launch.inside):
                mark = (symbol + _READ_BACK, _READ_BACK)
                self._launches[at] = replace(launch, inside=(*launch.inside, mark))


def _is_of(symbol: str, key: str) -> bool:
    return key == symbol or key.startswith((f"{symbol}.", f"{symbol}["))


def _name(node: Node) -> str:
    """Returns the module variable that an argument names; a string names it in old programs."""
    return text_of(stripped(node)).strip('"& ').removeprefix("::")


def _as_text(value: Number | HostBuffer) -> Known:
    return value if isinstance(value, HostBuffer) else str(value)


def _listed(members: dict[str, Value]) -> str:
    """Returns the elements of an array as a text; empty where not all are known numbers."""
    count = sum(path.startswith("[") for path in members)
    values = [members.get(f"[{index}]") for index in range(min(count, _MOST_VALUES))]
    numbers = [str(value) for value in values if isinstance(value, int | float)]
    if not numbers or len(numbers) != count:
        return ""
    return f"{{{', '.join(numbers)}}}"
