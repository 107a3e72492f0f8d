"""What host code copies to module variables and reads back, and the members of what it passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tree_sitter import Node

from jitstudio.core.launch.request import HostBuffer, HostLaunch
from jitstudio.core.launch.types import Array, NumberKind, Pointer, Scalar, Struct, Type
from jitstudio.core.launch.values import Number
from jitstudio.listing.cuda.host_launches.expressions import HostExpressions
from jitstudio.listing.cuda.host_launches.values import AXES, Names, Value, as_argument, root
from jitstudio.listing.cuda.syntax import stripped, text_of, within

Known = Number | HostBuffer | str

_TO = frozenset({"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"})
_FROM = frozenset({"cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync"})
_COPIES = frozenset({"cudaMemcpy", "cudaMemcpyAsync"})
_SETS = frozenset({"cudaMemset", "cudaMemsetAsync"})
_READ_BACK = ":out"
_UNKNOWN = "random"
_MOST_VALUES = 64
_MADE_THERE = ("call_expression", "compound_literal_expression")


class Symbols:
    """Follows the calls of a text that are about its module variables.

    These belong to no function: what one has copied is there for all that come behind it.
    """

    def __init__(self, expressions: HostExpressions, launches: list[HostLaunch]) -> None:
        self._expressions = expressions
        self._launches = launches
        self._known: dict[str, Known] = {}

    @property
    def known(self) -> tuple[tuple[str, Known], ...]:
        """What is known of module variables, by their names: see `HostLaunch.inside`."""
        return tuple(self._known.items())

    def members(self, given: Sequence[Node], names: Names) -> Iterator[tuple[str, Known]]:
        """Yields what is known of the members of what a kernel is given."""
        for at, argument in enumerate(given):
            place = self._expressions.place(argument, names)
            members, sizes = names.members(place), names.known(place)
            if not members and argument.type in _MADE_THERE:
                result = self._expressions.evaluate(argument, names)
                members, sizes = result.members, result.value
            if isinstance(sizes, tuple):
                # Of a `dim3` those that are not said are 1.
                members = {f".{a}": n for a, n in zip(AXES, (*sizes, 1, 1), strict=False)}
            for path, value in members.items():
                known = as_argument(value)
                if path.startswith(".") and "(" not in path and known is not None:
                    yield f"{at}{path}", known

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
        at_first, at_second = (self._pointed_at(node, names) for node in (first, second))
        count, offset = (*arguments[2:4], None, None)[:2]
        if call in _TO:
            symbol = _name(first)
            is_whole = self._is_whole(symbol, count, offset, names)
            self._copy_to(symbol, second if is_whole else None, names)
        elif call in _FROM:
            self._read_back(_name(second))
            names.lose(self._expressions.place(first, names))
        elif call == "cudaGetSymbolAddress":
            place = self._expressions.place(first, names)
            names.lose(place)
            names.symbols[place] = _name(second)
            if (kind := _type_of(_name(second), names)) is not None:
                names.keep(place, HostBuffer(kind.size))
        elif call in _COPIES and at_first is not None:
            symbol, is_start = at_first
            is_whole = is_start and self._is_whole(symbol, count, None, names)
            self._copy_to(symbol, second if is_whole else None, names)
        elif call in _COPIES and at_second is not None:
            self._read_back(at_second[0])
            names.lose(self._expressions.place(first, names))
        elif call in _SETS and at_first is not None:
            symbol, is_start = at_first
            is_zero = is_start and self._expressions.value(second, names) == 0
            is_whole = is_zero and self._is_whole(symbol, count, None, names)
            self._forget(symbol)
            self._known[symbol] = "zeros" if is_whole else _UNKNOWN
        else:
            return False
        return True

    def enter(self, *, is_taken: bool | None) -> Callable[[], None]:
        """Begins a branch or a loop; returns what ends it.

        Args:
            is_taken: False for a branch that is not taken; None where nobody knows, or how often.
                Then what is copied in it is there up to its end, and not known behind it.
        """
        before = dict(self._known)

        def leave() -> None:
            changed = {root(key) for key, _ in self._known.items() ^ before.items()}
            if is_taken is None:
                for symbol in changed:
                    self._forget(symbol)
                    self._known[symbol] = _UNKNOWN
            else:
                self._known = before

        return leave

    def _pointed_at(self, node: Node, names: Names) -> tuple[str, bool] | None:
        """Returns the module variable that a pointer is into, and whether it is at its start."""
        place = self._expressions.place(node, names).removesuffix("[0]")
        if place in names.symbols:
            return names.symbols[place], True
        for inner in within(node):
            if (place := self._expressions.place(inner, names)) in names.symbols:
                return names.symbols[place], False
        return None

    def _is_whole(self, symbol: str, count: Node | None, offset: Node | None, names: Names) -> bool:
        """Returns whether so many bytes, so far behind its start, are all of a module variable."""
        if offset is not None and self._expressions.value(offset, names) != 0:
            return False
        kind = _type_of(symbol, names)
        # Of what a header declares the size may not be known.
        return kind is None or self._expressions.value(count, names) == kind.size

    def _forget(self, symbol: str) -> None:
        for key in [key for key in self._known if root(key) == symbol]:
            del self._known[key]

    def _copy_to(self, symbol: str, source: Node | None, names: Names) -> None:
        """Remembers what is copied to a module variable; a part of one makes it unknown."""
        self._forget(symbol)
        kind = _type_of(symbol, names)
        place = self._expressions.place(source, names).removesuffix("[0]") if source else ""
        if source is None or not _have_same_bits(kind, _type_behind(source, place, names)):
            place = ""
        members = names.members(place) if "[" not in place else {}
        is_address = source is not None and stripped(source).type == "pointer_expression"
        value = names.values.get(place) if is_address else None
        if isinstance(kind, Scalar | Pointer):
            value = members.get("[0]", value)
        number = as_argument(value)
        if not (number is None or isinstance(kind, Array | Struct)):
            self._known[symbol] = _as_text(number)
            return
        leaf, count = _leaf(kind) if kind is not None else (None, 0)
        listed = _listed(members, count) if leaf is None or isinstance(leaf, Scalar) else ""
        if listed:
            self._known[symbol] = listed
            return
        parts = {
            path: known
            for path, value in members.items()
            if path.startswith(".")
            and "(" not in path
            and (known := as_argument(value)) is not None
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


def _name(node: Node) -> str:
    """Returns the module variable that an argument names; a string names it in old programs."""
    return text_of(stripped(node)).strip('"& ').removeprefix("::")


def _as_text(value: Number | HostBuffer) -> Known:
    return value if isinstance(value, HostBuffer) else str(value)


def _type_of(symbol: str, names: Names) -> Type | None:
    return names.types.get(symbol.rpartition("::")[2])


def _type_behind(source: Node, place: str, names: Names) -> Type | None:
    """Returns the type of what is copied from an address; None where that is not known."""
    kind = names.types.get(place.partition("[")[0])
    if "[" not in place and stripped(source).type == "pointer_expression":
        return kind
    return kind.target if isinstance(kind, Pointer) else kind


def _leaf(kind: Type) -> tuple[Type, int]:
    """Returns the type of the elements of arrays of arrays, and how many there are."""
    if not isinstance(kind, Array):
        return kind, 1
    leaf, count = _leaf(kind.element)
    return leaf, kind.count * count


def _have_same_bits(*kinds: Type | None) -> bool:
    """Returns whether bytes mean the same numbers as both; an `int` is another `float`."""
    leaves = [_leaf(kind)[0] for kind in kinds if kind is not None]
    forms = {
        (leaf.size, leaf.kind is NumberKind.FLOATING) for leaf in leaves if isinstance(leaf, Scalar)
    }
    return len(forms) < 2


def _listed(members: dict[str, Value], count: int) -> str:
    """Returns so many elements of an array as a text; empty where not all are known numbers."""
    count = count or sum(path.startswith("[") for path in members)
    values = [members.get(f"[{index}]") for index in range(min(count, _MOST_VALUES))]
    numbers = [str(value) for value in values if isinstance(value, int | float)]
    if not numbers or len(numbers) != count:
        return ""
    return f"{{{', '.join(numbers)}}}"
