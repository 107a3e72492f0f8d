"""What variables of host code come to: numbers, sizes of grids and blocks, memory, kernels.

Places are the names that values are kept by: ``n``, ``plan[0].size`` also for ``plan->size``, and
``v.size()`` for what a vector holds. ``p[]`` is any element of an array.
"""

from __future__ import annotations

import math
import operator as arithmetic
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from tree_sitter import Node

from jitstudio.core.launch.request import HostBuffer
from jitstudio.core.launch.types import Array, Type
from jitstudio.core.launch.values import Number
from jitstudio.listing.cuda.host_launches.assumed import assumptions, depending, whole_number
from jitstudio.listing.cuda.syntax import declarator_chain, text_of
from jitstudio.listing.cuda.types import Argument, binary, literal

Dimensions = tuple[int, ...]


class FunctionName(str):
    """A function that a variable represents, as a name expression: a kernel, or one of the host."""

    __slots__ = ()


@dataclass(frozen=True)
class HostLambda:
    """A function without a name."""

    node: Node


Value = Number | Dimensions | HostBuffer | FunctionName | HostLambda

AXES = "xyz"
DIM3 = "dim3"
SIZE = ".size()"
"""What is behind the place of a vector, for how many elements it holds."""

THIS = "this[0]"
"""The place of the object whose method is gone through; its variables have their own names."""

_POINTING = ("pointer_declarator", "array_declarator")
_MOST_BLOCKS = 1 << 31
_MOST_VALUES = 500
_MOST_ALIASES = 8
_INDEX = re.compile(r"\[\d+\]")
_FLOATING = frozenset({"float", "double"})
_WHOLE = frozenset(
    {
        *("int", "unsigned", "long", "short", "char", "uint", "size_t", "std::size_t", "ssize_t"),
        *("int32_t", "int64_t", "uint32_t", "uint64_t", "ptrdiff_t"),
    }
)
_FLOAT_OPERATORS: dict[str, Callable[[float, float], Number]] = {
    "+": arithmetic.add,
    "-": arithmetic.sub,
    "*": arithmetic.mul,
    "/": arithmetic.truediv,
    "<": arithmetic.lt,
    ">": arithmetic.gt,
    "<=": arithmetic.le,
    ">=": arithmetic.ge,
    "==": arithmetic.eq,
    "!=": arithmetic.ne,
}
FUNCTIONS: dict[str, Callable[..., Number]] = {
    "ceil": math.ceil,
    "ceilf": math.ceil,
    "floor": math.floor,
    "floorf": math.floor,
    "round": round,
    "sqrt": math.sqrt,
    "sqrtf": math.sqrt,
    "log2": math.log2,
    "log2f": math.log2,
    "pow": math.pow,
    "powf": math.pow,
    "abs": abs,
    "fabs": abs,
    "min": min,
    "max": max,
}


@dataclass
class HostObject:
    """A value of host code, with the values of its members.

    Attributes:
        value: What its expression comes to; None where that is not known.
        members: What its members come to, by what is behind the name of the variable that it is
            given to, such as ``.size()``.
        kind: The class of the object, empty for none.
        bindings: What the parameters of the template of this class represent.
    """

    value: Value | None = None
    members: dict[str, Value] = field(default_factory=dict)
    kind: str = ""
    bindings: dict[str, Argument] = field(default_factory=dict)


@dataclass
class Names:
    """What is known where the code is: the values and types of variables, by their places.

    Attributes:
        values: What they come to.
        types: What they are; a vector as a pointer to its elements.
        addresses: The places of which an array holds the addresses, as for cudaLaunchKernel.
        objects: The class of each object, and what the parameters of its template represent.
        symbols: The module variables whose addresses variables hold.
        bindings: What the parameters of templates represent.
        written: The same as they are written, and what aliases are.
        kinds: The types of variables as they are written, and the number of pointers to them.
        earlier: What variables came to before they were forgotten; all parts of a run share it.
        lines: Where variables get what they are, from 1; shared, too.
        packs: What to write for each argument of a pack, by its name.
        whole: The variables of whose members or elements something was known.
        aliases: The places that references are, and that pointers point at: of ``p`` by ``p[0]``.
        untracked: The variables that may be changed by a pointer or reference which is not
            followed: no number of them is known.
    """

    values: dict[str, Value] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    addresses: dict[str, list[str]] = field(default_factory=dict)
    objects: dict[str, tuple[str, dict[str, Argument]]] = field(default_factory=dict)
    symbols: dict[str, str] = field(default_factory=dict)
    bindings: dict[str, Argument] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, tuple[str, int]] = field(default_factory=dict)
    packs: dict[str, list[str]] = field(default_factory=dict)
    earlier: dict[str, Value] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    aliases: dict[str, str] = field(default_factory=dict)
    untracked: set[str] = field(default_factory=set)
    _declared: list[set[str]] = field(default_factory=list)

    def tables(self) -> tuple[dict[str, Any], ...]:
        """Returns all that is kept by places."""
        tables = self.values, self.types, self.addresses, self.objects, self.symbols, self.kinds
        return *tables, self.aliases

    def copy(self) -> Names:
        """Returns the same, to be changed apart."""
        return Names(
            dict(self.values),
            dict(self.types),
            dict(self.addresses),
            dict(self.objects),
            dict(self.symbols),
            dict(self.bindings),
            dict(self.written),
            dict(self.kinds),
            dict(self.packs),
            self.earlier,
            self.lines,
            set(self.whole),
            dict(self.aliases),
            set(self.untracked),
        )

    def enter(self) -> Callable[[], None]:
        """Begins a block; returns what ends it: names mean again what they did before it."""
        before, declared = self.copy(), set[str]()
        tables = tuple(zip(self.tables(), before.tables(), strict=True))
        self._declared.append(declared)

        def leave() -> None:
            # By identity: other blocks may have declared the same names, or none.
            self._declared = [one for one in self._declared if one is not declared]
            for now, then in tables:
                for key in [key for key in now if root(key) in declared]:
                    del now[key]
                now |= {key: value for key, value in then.items() if root(key) in declared}
            self.untracked |= before.untracked
            for name in declared & self.untracked:
                # Another of its name may have been changed meanwhile.
                self.untrack(name)

        return leave

    def declare(self, name: str) -> None:
        """Notes that the block has a variable of its own of this name, not yet known."""
        if self._declared:
            self._declared[-1].add(name)
        self.lose(name)
        self.earlier.pop(name, None)
        for table in (self.types, self.addresses, self.objects, self.kinds, self.written):
            table.pop(name, None)
        self.untracked.discard(name)
        for key in (name, f"{name}[0]"):
            self.aliases.pop(key, None)
        for key in [key for key, target in self.aliases.items() if root(target) == name]:
            # It means another variable of this name.
            del self.aliases[key]
            self.untracked.add(name)

    def resolved(self, place: str) -> str:
        """Returns the place that a place is by references and pointers."""
        for _ in range(_MOST_ALIASES if self.aliases else 0):
            variable = root(place)
            behind = place[len(variable) :]
            content = self.aliases.get(f"{variable}[0]")
            if variable in self.aliases:
                place = self.aliases[variable] + behind
            elif content is not None and behind.startswith((".", "[0]", "[]")):
                place = content + (behind if behind[0] == "." else behind.partition("]")[2])
            else:
                break
        return place

    def untrack(self, place: str) -> None:
        """Forgets the numbers of a variable for good: what changes them is not followed."""
        for each in {root(place), root(self.resolved(f"{place}[0]"))} - {""}:
            self.untracked.add(each)
            for key in (each, *self._parts(each)):
                value = self.values.get(key)
                if value is not None and _is_number(key, value):
                    del self.values[key]
                    self.earlier[key] = value

    def note_kind(
        self,
        name: str,
        kind: Node | None,
        declarator: Node | None,
        otherwise: tuple[str, int] | None = None,
    ) -> None:
        """Notes the type of a variable as it is written, or otherwise that of what it gets."""
        text = text_of(kind)
        if text and text not in ("auto", "const auto"):
            stars = sum(n.type in _POINTING for n in declarator_chain(declarator))
            self.kinds[name] = self.written.get(text, text), stars
        elif otherwise is not None:
            self.kinds[name] = otherwise

    def known(self, place: str) -> Value | None:
        """Returns what a variable comes to."""
        found = self.values.get(place)
        return self.values.get(any_element(place)) if found is None else found

    def has_elements(self, place: str) -> bool:
        """Returns whether a variable is an array, and no pointer to what its first element is."""
        return isinstance(self.types.get(place), Array) or bool(self.members(f"{place}[0]"))

    def members(self, place: str) -> dict[str, Value]:
        """Returns what the members of an object come to, by what is behind its place."""
        return {key[len(place) :]: self.values[key] for key in self._parts(place)}

    def keep(self, place: str, value: Value) -> None:
        """Remembers what a variable comes to."""
        if root(place) in self.untracked and _is_number(place, value) and not assumptions((value,)):
            return
        if len(self.values) < _MOST_VALUES or place in self.values:
            self.values[place] = value
            if place != (variable := root(place)):
                self.whole.add(variable)

    def put(self, place: str, made: HostObject) -> None:
        """Gives a variable what an expression makes."""
        self.lose(place)
        if made.value is not None:
            self.keep(place, made.value)
        for behind, value in made.members.items():
            self.keep(f"{place}{behind}", value)
        if made.kind:
            self.objects[place] = made.kind, made.bindings

    def lose(self, place: str) -> None:
        """Forgets what a variable comes to, its members, too."""
        whole, _, axis = place.rpartition(".")
        if axis in AXES and isinstance(self.values.get(whole), tuple):
            del self.values[whole]
        self.symbols.pop(place, None)
        if (value := self.values.pop(place, None)) is not None:
            self.earlier[place] = value
        self.lose_members(place)

    def lose_members(self, place: str) -> None:
        """Forgets what the members and elements of an object or array come to."""
        for key in self._parts(place):
            del self.values[key]

    def lose_numbers(self, place: str) -> None:
        """Forgets the numbers in an object; its memory is still known."""
        for key in self._parts(place):
            if _is_number(key, self.values[key]):
                del self.values[key]

    def lose_elements(self, place: str) -> None:
        """Forgets the numbers in an array; how many there are and its memory are still known."""
        for key in self._parts(place):
            is_number = "(" not in key and isinstance(self.values[key], int | float)
            if key[len(place)] == "[" and is_number:
                del self.values[key]

    def lose_since(self, before: Names) -> None:
        """Forgets what may be as before or as now; memory that only now is there is still known."""
        for place, value in tuple(self.values.items()):
            then = before.values.get(place)
            if value != then and not (then is None and isinstance(value, HostBuffer)):
                self.lose(place)
                if then is not None:
                    self.earlier[place] = then
            elif _are_apart(value, then):
                self.values[place] = HostBuffer(value.bytes, value.start)
        for place in [p for p, name in self.symbols.items() if before.symbols.get(p) != name]:
            self.lose(place)

    def lose_unlike(self, other: Names) -> None:
        """Forgets what is not the same where the code may have gone another way."""
        for place, value in tuple(self.values.items()):
            if other.values.get(place) != value:
                self.lose(place)
            elif _are_apart(value, other.values[place]):
                self.values[place] = HostBuffer(value.bytes, value.start)

    def _parts(self, place: str) -> list[str]:
        """Returns the places of members and elements of an object or array."""
        if not place or root(place) not in self.whole:
            return []
        ends = (f"{place}.", f"{place}[")
        return [key for key in self.values if key.startswith(ends)]


def _are_apart(value: Value, other: Value | None) -> TypeGuard[HostBuffer]:
    """Returns whether a value is memory, and another memory of the same size may be it, too."""
    return (
        isinstance(value, HostBuffer)
        and isinstance(other, HostBuffer)
        and value.origin != other.origin
    )


def _is_number(place: str, value: Value) -> bool:
    """Returns whether a variable, or a part of one, has a number: not that of its elements."""
    return "(" not in place and isinstance(value, int | float | tuple)


def elements(count: Value | None, element: Type | None) -> HostObject:
    """Returns a vector of so many elements."""
    if not isinstance(count, int):
        return HostObject()
    if element is None:
        return HostObject(members={SIZE: count})
    return HostObject(HostBuffer(depending(count * element.size, (count,))), {SIZE: count})


def any_element(place: str) -> str:
    """Returns a place with any element in the place of one."""
    return _INDEX.sub("[]", place)


def root(place: str) -> str:
    """Returns the variable that a place is in."""
    return place.partition(".")[0].partition("[")[0]


def dimensions(value: Value | None) -> Dimensions | None:
    """Returns a number or up to three as the size of a grid or a block; None for what is none."""
    sizes = (whole_number(value),) if isinstance(value, int | float) else value
    possible = isinstance(sizes, tuple) and all(0 < size < _MOST_BLOCKS for size in sizes)
    return sizes if isinstance(sizes, tuple) and possible else None


def as_argument(value: Value | None) -> Number | HostBuffer | None:
    """Returns what a kernel may be given; None for anything else."""
    return value if isinstance(value, int | float | HostBuffer) else None


def number(text: str) -> Number | None:
    """Returns the number of a literal; None for none."""
    if text in ("true", "false"):
        return int(text == "true")
    whole = literal(text)
    if whole is not None:
        return whole
    return attempt(lambda: float(text.replace("'", "").rstrip("fFlL")), ())


def cast(kind: str, value: Value) -> Value:
    """Returns a number as one of this type; what is no number as it is."""
    if not isinstance(value, int | float):
        return value
    words = set(kind.replace("const", "").split())
    if words & _FLOATING:
        return depending(float(value), (value,))
    is_whole = words <= _WHOLE and words
    return whole_number(value) if is_whole and math.isfinite(value) else value


def calculated(sign: str, left: Value | None, right: Value | None) -> Number | None:
    """Returns what an operator makes of two numbers; None where that is not known."""
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return None
    if isinstance(left, int) and isinstance(right, int):
        return depending(binary(sign, left, right), (left, right))
    apply = _FLOAT_OPERATORS.get(sign)
    return attempt(apply, (left, right)) if apply else None


def attempt(apply: Callable[..., Number], numbers: Sequence[Number]) -> Number | None:
    """Returns what a function gives; None where that is no finite number."""
    with suppress(ArithmeticError, ValueError, TypeError):
        value = apply(*numbers)
        return depending(value, numbers) if math.isfinite(value) else None
    return None
