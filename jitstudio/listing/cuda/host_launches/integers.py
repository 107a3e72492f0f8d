"""The types of whole numbers in host code, and what a conversion to one makes of a number."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from tree_sitter import Node

from jitstudio.core.launch.types import NumberKind, Scalar, Type
from jitstudio.listing.cuda.host_launches.assumed import depending, whole_number
from jitstudio.listing.cuda.host_launches.brackets import between_angles
from jitstudio.listing.cuda.host_launches.values import Names, Value, number
from jitstudio.listing.cuda.syntax import children, operator, stripped, text_of

_COMPARING = frozenset({"<", ">", "<=", ">=", "==", "!=", "&&", "||"})
_SHIFTS = frozenset({"<<", ">>"})
_PLACES = frozenset({"identifier", "field_expression", "subscript_expression"})
_DEEPEST = 32


class Integer(NamedTuple):
    """A type of whole numbers.

    Attributes:
        size: Bytes.
        is_unsigned: Whether it has none below zero.
    """

    size: int
    is_unsigned: bool

    def wrapped(self, value: int) -> int:
        """Returns the number of this type with the same last bits."""
        bits = 8 * self.size
        whole = int(value) & ((1 << bits) - 1)
        if not self.is_unsigned and whole >> (bits - 1):
            whole -= 1 << bits
        return depending(whole, (value,))

    @property
    def promoted(self) -> Integer:
        """The type in which it is calculated with."""
        return self if self.size >= _INT.size else _INT


_INT = Integer(4, is_unsigned=False)
_SIZE = Integer(8, is_unsigned=True)


def integer(kind: Type | None) -> Integer | None:
    """Returns a type of whole numbers; None for any other."""
    if not isinstance(kind, Scalar) or kind.kind not in (NumberKind.SIGNED, NumberKind.UNSIGNED):
        return None
    return Integer(kind.size, kind.kind is NumberKind.UNSIGNED)


def converted(kind: Type | None, value: Value) -> Value:
    """Returns a number as one of a type; what is no number, and other types, as it is."""
    if not isinstance(kind, Scalar) or not isinstance(value, int | float):
        return value
    if kind.kind is NumberKind.FLOATING:
        return depending(float(value), (value,))
    if kind.kind is NumberKind.BOOLEAN:
        return depending(int(bool(value)), (value,))
    whole = integer(kind)
    return whole.wrapped(whole_number(value)) if whole and math.isfinite(value) else value


class IntegerTypes:
    """Knows of which type the whole number is that an expression comes to."""

    def __init__(
        self,
        variable: Callable[[Node, Names], Type | None],
        written: Callable[[str, Names], Type | None],
    ) -> None:
        """Knows nothing by itself.

        Args:
            variable: Returns the type of a variable.
            written: Returns the type that a text is.
        """
        self._variable = variable
        self._written = written

    def of(self, node: Node | None, names: Names, depth: int = 0) -> Integer | None:
        """Returns the type of an expression; None where it is not known or none of these."""
        node = stripped(node, casts=False) if node is not None else None
        if node is None or depth > _DEEPEST:
            return None
        again = depth + 1
        match node.type:
            case "number_literal":
                return _of_literal(text_of(node))
            case "char_literal" | "true" | "false":
                return _INT
            case "sizeof_expression":
                return _SIZE
            case kind if kind in _PLACES:
                return integer(self._variable(node, names))
            case "cast_expression":
                return integer(self._written(text_of(node.child_by_field_name("type")), names))
            case "call_expression":
                return self._of_call(node, names)
            case "unary_expression":
                inner = self.of(node.child_by_field_name("argument"), names, again)
                return _INT if operator(node) == "!" else inner and inner.promoted
            case "conditional_expression":
                return self.common(node, "consequence", "alternative", names, again)
            case "binary_expression":
                if operator(node) in _COMPARING:
                    return _INT
                return self.calculated_in(node, names, again)
        return None

    def calculated_in(self, node: Node, names: Names, depth: int = 0) -> Integer | None:
        """Returns the type to which an operator converts what it is given."""
        if operator(node) in _SHIFTS:
            left = self.of(node.child_by_field_name("left"), names, depth)
            return left and left.promoted
        return self.common(node, "left", "right", names, depth)

    def common(
        self, node: Node, first: str, second: str, names: Names, depth: int
    ) -> Integer | None:
        """Returns the type to which two parts of an expression are converted."""
        sides = [self.of(node.child_by_field_name(side), names, depth) for side in (first, second)]
        known = [side.promoted for side in sides if side is not None]
        # Of the same size it is the one without a sign.
        return max(known) if len(known) == len(sides) else None

    def _of_call(self, node: Node, names: Names) -> Integer | None:
        function, listed = (node.child_by_field_name(f) for f in ("function", "arguments"))
        name = text_of(function)
        if name.startswith("static_cast<"):
            return integer(self._written(between_angles(name), names))
        if name.endswith((".size", "->size")):
            return _SIZE
        is_cast = listed is not None and len(children(listed)) == 1
        return integer(self._written(name, names)) if is_cast else None


def _of_literal(text: str) -> Integer | None:
    value = number(text)
    if not isinstance(value, int):
        return None
    letters = text[len(text.rstrip("uUlLzZ")) :].lower()
    is_unsigned = "u" in letters
    is_decimal = text[:1] != "0"
    if not is_unsigned and not is_decimal and 1 << 31 <= value < 1 << 32 and "l" not in letters:
        return Integer(4, is_unsigned=True)
    is_wide = "l" in letters or "z" in letters or value >= 1 << (32 if is_unsigned else 31)
    return Integer(8 if is_wide else 4, is_unsigned or value >= 1 << 63)
