"""What expressions of host code come to, and which places they are about.

The functions that they call are gone through by what is handed in as `CallResults`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tree_sitter import Node

from jitstudio.core.launch.request import HostAssumption, HostBuffer
from jitstudio.core.launch.types import Array, NumberKind, Pointer, Scalar, Type
from jitstudio.core.launch.values import Number
from jitstudio.listing.cuda.host_launches.assumed import (
    AssumedInt,
    depending,
    is_property,
    usual_number,
    whole_number,
)
from jitstudio.listing.cuda.host_launches.brackets import between_angles
from jitstudio.listing.cuda.host_launches.call_results import CallResults
from jitstudio.listing.cuda.host_launches.declared import HostDeclarations
from jitstudio.listing.cuda.host_launches.integers import IntegerTypes, converted
from jitstudio.listing.cuda.host_launches.library_names import (
    CASTS,
    CONSTANTS,
    COUNTING,
    HALVES,
    LIBRARY_SIZES,
    VECTOR,
    tuple_name,
)
from jitstudio.listing.cuda.host_launches.named import NamedFunctions
from jitstudio.listing.cuda.host_launches.nodes import (
    as_expression,
    is_moved,
    is_template_parameter,
    scope_of,
)
from jitstudio.listing.cuda.host_launches.values import (
    AXES,
    DIM3,
    FUNCTIONS,
    SIZE,
    THIS,
    Dimensions,
    HostLambda,
    HostObject,
    Names,
    Value,
    as_argument,
    attempt,
    calculated,
    cast,
    number,
)
from jitstudio.listing.cuda.syntax import children, operator, stripped, text_of, within
from jitstudio.listing.cuda.types import unary

_NAMED = frozenset(
    {
        *("identifier", "qualified_identifier", "type_identifier", "template_function"),
        "lambda_expression",
    }
)
_FINDING = frozenset({"at", "find", "begin", "cbegin", "lower_bound"})
_OF_MAP = "[0].second"
_TYPE = re.compile(r"[\w:<> ]+")
# What no 32 bits hold.
_BEYOND = 1 << 32
_MOST_STEPS = 100_000
_DEEPEST_VALUE = 100
_MADE_ANEW = ("make_unique", "make_shared")


class HostExpressions:
    """Evaluates expressions with what is known of the names in them.

    Attributes:
        functions: What knows the functions that expressions name.
    """

    def __init__(self, code: HostDeclarations, calls: CallResults, *, assumes: bool) -> None:
        """Begins with nothing known.

        Args:
            code: What the text declares.
            calls: What goes through the functions that expressions call.
            assumes: Whether a number is taken for each variable that nobody knows.
        """
        self._assumes = assumes
        self._code = code
        self._calls = calls
        self._steps = 0
        self.functions = NamedFunctions(code)
        self._integers = IntegerTypes(self._variable, self._written)

    def step(self) -> bool:
        """Counts a step; returns False once there were too many."""
        self._steps += 1
        return self._steps <= _MOST_STEPS

    def argument(self, node: Node, names: Names) -> Number | HostBuffer | None:
        """Returns what a kernel is given."""
        if node.type == "null" or text_of(node) == "NULL":
            return 0
        value = as_argument(self.value(node, names))
        return value if value is not None else self.buffer(node, names)

    def buffer(self, node: Node, names: Names) -> HostBuffer | None:
        """Returns the buffer that an expression such as ``raw_pointer_cast(v.data())`` is about."""
        function = node.child_by_field_name("function")
        if function is not None and text_of(function.child_by_field_name("field")) in COUNTING:
            return None
        for inner in within(node):
            if inner.type in ("identifier", "field_expression", "subscript_expression"):
                place = self.place(inner, names)
                found = names.known(place)
                managed = names.types.get(place) if place in self._code.managed else None
                is_address = inner != node and stripped(node).type == "pointer_expression"
                if isinstance(managed, Array) or (managed is not None and is_address):
                    found = HostBuffer(managed.size)
                if isinstance(found, HostBuffer):
                    steps = self._steps_ahead(node, inner, names)
                    kind = names.types.get(place)
                    size = kind.target.size if isinstance(kind, Pointer) and kind.target else None
                    if steps is None and is_moved(inner, node):
                        return None
                    ahead = calculated("+", found.start, calculated("*", steps, size))
                    if steps and ahead is None:
                        return None
                    return replace(found, start=ahead) if isinstance(ahead, int) else found
        return None

    def _steps_ahead(self, node: Node, pointer: Node, names: Names, depth: int = 0) -> int | None:
        """Returns how many elements behind a pointer an expression leads to; None if unknown.

        That is so of ``p + 3``, ``3 + p``, ``p - 1`` and ``&p[3]``, and of these in each other.
        """
        node = stripped(node)
        if node == pointer:
            return 0
        if depth > _DEEPEST_VALUE:
            return None
        if node.type == "binary_expression" and operator(node) in ("+", "-"):
            left, right = (node.child_by_field_name(side) for side in ("left", "right"))
            if left is None or right is None:
                return None
            is_left = left.start_byte <= pointer.start_byte < left.end_byte
            of, by = (left, right) if is_left else (right, left)
            steps = self._steps_ahead(of, pointer, names, depth + 1)
            return _whole(calculated(operator(node), steps, self.size(by, names)))
        if node.type == "pointer_expression" and operator(node) == "&":
            inside = node.child_by_field_name("argument")
            element = stripped(inside) if inside is not None else None
            if element is not None and element.type == "subscript_expression":
                array = element.child_by_field_name("argument")
                listed = element.child_by_field_name("indices")
                index = next(iter(children(listed)), None) if listed is not None else None
                if array is not None and index is not None:
                    steps = self._steps_ahead(array, pointer, names, depth + 1)
                    return _whole(calculated("+", steps, self.size(index, names)))
        return None

    def place(self, node: Node | None, names: Names, depth: int = 0) -> str:
        """Returns the place of what an expression is about, for ``(void**)&x`` that of ``x``."""
        return names.resolved(self._place(node, names, depth))

    def _place(self, node: Node | None, names: Names, depth: int) -> str:
        node = stripped(node) if node is not None else None
        if not self.step() or node is None or depth > _DEEPEST_VALUE:
            return ""
        match node.type:
            case "field_expression":
                whole = self.place(node.child_by_field_name("argument"), names, depth + 1)
                name = text_of(node.child_by_field_name("field"))
                if whole.endswith("[0]") and not names.has_elements(whole[:-3]):
                    # `p[0].n` is `p->n`.
                    whole = whole.removesuffix("[0]")
                return name if whole == "this" else f"{whole}.{name}"
            case "subscript_expression":
                listed = node.child_by_field_name("indices")
                first = next(iter(children(listed)), None) if listed is not None else None
                index = self.value(first, names, depth + 1)
                whole = self.place(node.child_by_field_name("argument"), names, depth + 1)
                if f"{whole}{_OF_MAP}" in names.values:
                    return f"{whole}[].second"
                return f"{whole}[{index if isinstance(index, int) else ''}]"
            case "call_expression" if of := self.map_of(node, names, depth + 1):
                return f"{of}[].second"
            case "pointer_expression":
                argument = node.child_by_field_name("argument")
                if operator(node) == "*":
                    return self._content(argument, names, depth + 1)
                return self.place(argument, names, depth + 1)
            case "qualified_identifier":
                return self._code.place_of("".join(text_of(node).split()))
        return "".join(text_of(node).split())

    def map_of(self, call: Node, names: Names, depth: int = 0) -> str:
        """Returns the map of which a call gives an element, as `at` does; empty for none."""
        function = call.child_by_field_name("function")
        if function is None or function.type != "field_expression":
            return ""
        method = text_of(function.child_by_field_name("field"))
        whole = self.place(function.child_by_field_name("argument"), names, depth)
        return whole if method in _FINDING and f"{whole}{_OF_MAP}" in names.values else ""

    def _content(self, pointer: Node | None, names: Names, depth: int) -> str:
        """Returns the place of what a pointer points at, for ``*(h + 1)`` that of ``h[1]``."""
        pointer = stripped(pointer) if pointer is not None else None
        index: Value | None = 0
        if pointer is not None and pointer.type == "update_expression":
            pointer, index = pointer.child_by_field_name("argument"), None
        elif (
            pointer is not None and pointer.type == "binary_expression" and operator(pointer) == "+"
        ):
            index = self.value(pointer.child_by_field_name("right"), names, depth)
            pointer = pointer.child_by_field_name("left")
        whole = self.place(pointer, names, depth)
        return f"{whole}[{index if isinstance(index, int) else ''}]"

    def evaluate(self, node: Node | None, names: Names) -> HostObject:
        """Returns what an expression makes."""
        node = stripped(node, casts=False) if node is not None else None
        if node is None:
            return HostObject()
        match node.type:
            case (
                "identifier"
                | "field_expression"
                | "subscript_expression"
                | "this"
                | "pointer_expression"
            ):
                place = self.place(node, names)
                kind, bindings = names.objects.get(place, ("", {}))
                members = self._own_members(kind, names) if place == THIS else names.members(place)
                return HostObject(self.value(node, names), members, kind, bindings)
            case "compound_literal_expression":
                kind_node = node.child_by_field_name("type")
                listed = node.child_by_field_name("value")
                given = children(listed) if listed is not None else []
                return self.listed(kind_node, given, names) or HostObject(self.value(node, names))
            case "string_literal":
                length = len(text_of(node)) - 2
                return HostObject(members={SIZE: length, ".length()": length})
            case "conditional_expression":
                condition = node.child_by_field_name("condition")
                test = self.value(condition, names)
                if isinstance(test, int | float):
                    side = "consequence" if test else "alternative"
                    return self.evaluate(node.child_by_field_name(side), names)
            case "new_expression":
                kind_node = node.child_by_field_name("type")
                listed = node.child_by_field_name("arguments")
                if (owner := self._code.class_of(kind_node)) is not None and kind_node is not None:
                    given = children(listed) if listed is not None else []
                    bindings = self._code.bindings(owner, kind_node, names.bindings)
                    return self._calls.constructed(owner, bindings, given, names)
            case "call_expression":
                return self._made_by_call(node, names)
        return HostObject(self.value(node, names))

    def _own_members(self, kind: str, names: Names) -> dict[str, Value]:
        """Returns what the members of the object come to whose method is gone through."""
        owner = self._code.classes.get(kind)
        members: dict[str, Value] = {}
        for name in owner.names if owner is not None else ():
            if (value := names.values.get(name)) is not None:
                members[f".{name}"] = value
            members |= {f".{name}{key}": each for key, each in names.members(name).items()}
        return members

    def listed(self, kind: Node | None, given: Sequence[Node], names: Names) -> HostObject | None:
        """Returns an object of a class of the text, or a vector such as `float4`, by its members.

        None for any other type.
        """
        if kind is None:
            return None
        if kind.type == "type_descriptor":
            kind = kind.child_by_field_name("type") or kind
        if (owner := self._code.class_of(kind)) is not None:
            bindings = self._code.bindings(owner, kind, names.bindings)
            return self._calls.constructed(owner, bindings, given, names)
        if VECTOR.fullmatch(text_of(kind)):
            return self._vector(given, names)
        if (name := tuple_name(text_of(kind))) is not None:
            return self._tuple(name, given, names)
        return self._span(text_of(kind), given, names)

    def _span(self, kind: str, given: Sequence[Node], names: Names) -> HostObject | None:
        """Returns a `std::span` of a pointer and a number; None for anything else."""
        if kind.partition("<")[0].rpartition("::")[2] != "span" or len(given) != 2:
            return None
        count = self.value(given[1], names)
        return HostObject(self.buffer(given[0], names), {SIZE: count} if count is not None else {})

    def pair(self, node: Node, names: Names) -> dict[str, Value]:
        """Returns what the two parts of a pair come to that is listed."""
        return self._tuple("pair", children(node), names).members

    def _tuple(self, name: str, given: Sequence[Node], names: Names) -> HostObject:
        """Returns a `std::pair` or `std::tuple` of these."""
        members: dict[str, Value] = {}
        for at, node in enumerate(given):
            behind = f".{('first', 'second')[at]}" if name == "pair" and at < 2 else f".<{at}>"
            result = self.evaluate(node, names)
            value = result.value if result.value is not None else self.buffer(node, names)
            members |= {f"{behind}{key}": each for key, each in result.members.items()}
            if value is not None:
                members[behind] = value
        return HostObject(members=members)

    def _vector(self, given: Sequence[Node], names: Names) -> HostObject:
        values = zip("xyzw", (self.value(each, names) for each in given), strict=False)
        return HostObject(
            members={f".{axis}": value for axis, value in values if value is not None}
        )

    def _made_by_call(self, node: Node, names: Names) -> HostObject:
        function, listed = (node.child_by_field_name(f) for f in ("function", "arguments"))
        if function is None or listed is None or self._steps > _MOST_STEPS:
            return HostObject()
        arguments = children(listed)
        template = function
        while template.type == "qualified_identifier" and (
            inner := template.child_by_field_name("name")
        ):
            template = inner
        word = text_of(template).partition("<")[0].strip()
        given = template.child_by_field_name("arguments")
        if word in _MADE_ANEW and given is not None and children(given):
            kind = children(given)[0].child_by_field_name("type")
            if kind is not None and (owner := self._code.class_of(kind)) is not None:
                bindings = self._code.bindings(owner, kind, names.bindings)
                return self._calls.constructed(owner, bindings, arguments, names)
        if VECTOR.fullmatch(word):
            return self._vector(arguments, names)
        if word in HALVES:
            return self._vector((arguments * 2)[:2], names)
        plain = text_of(function).partition("<")[0].strip().rpartition("::")[2]
        if (name := tuple_name(plain.removeprefix("make_"))) is not None:
            return self._tuple(name, arguments, names)
        if (span := self._span(text_of(function), arguments, names)) is not None:
            return span
        if (owner := self._code.classes.get(word)) is not None:
            return self._calls.constructed(
                owner, self._code.bindings(owner, template, names.bindings), arguments, names
            )
        result = self._calls.result(node, names)
        return result if result is not None else HostObject(self.value(node, names))

    def value(self, node: Node | None, names: Names, depth: int = 0) -> Value | None:
        """Returns what an expression comes to; None where that is not known."""
        if not self.step() or node is None or depth > _DEEPEST_VALUE:
            return None
        again = depth + 1
        match node.type:
            case "number_literal" | "char_literal" | "true" | "false":
                return number(text_of(node))
            case kind if kind in _NAMED:
                return self._named(node, names)
            case "field_expression" | "subscript_expression":
                return self._member(node, names, again)
            case "unary_expression" | "pointer_expression":
                return self._unary(node, names, again)
            case "assignment_expression":
                return self.value(node.child_by_field_name("right"), names, again)
            case "parenthesized_expression" | "initializer_list" | "condition_clause":
                if node.named_child_count == 1:
                    return self.value(node.named_children[0], names, again)
            case "cast_expression":
                value = self.value(node.child_by_field_name("value"), names, again)
                return self.cast(text_of(node.child_by_field_name("type")), value, names)
            case "sizeof_expression":
                return self._size(node, names)
            case "conditional_expression":
                test = self.value(node.child_by_field_name("condition"), names, again)
                if isinstance(test, int | float):
                    side = "consequence" if test else "alternative"
                    return self.value(node.child_by_field_name(side), names, again)
            case "binary_expression":
                sides = (node.child_by_field_name(side) for side in ("left", "right"))
                left, right = (self.size(side, names, again) for side in sides)
                return self._calculated(node, left, right, names)
            case "call_expression" | "compound_literal_expression":
                return self._called(node, names, again)
        return None

    def _named(self, node: Node, names: Names) -> Value | None:
        if node.type == "lambda_expression":
            return HostLambda(node)
        known = names.known(self.place(node, names))
        if known is None:
            known = CONSTANTS.get(text_of(node))
        if known is None and node.type != "template_function":
            known = self._code.types.number(node, scope_of(node), names.bindings)
        if known is None and node.type == "qualified_identifier":
            known = self._calls.constant(text_of(node), names)
        if known is None:
            known = self.functions.function(node, names)
        return self.assumed(node, names) if known is None else known

    def _unary(self, node: Node, names: Names, depth: int) -> Value | None:
        if node.type == "pointer_expression":
            if operator(node) == "*":
                return names.values.get(self.place(node, names, depth))
            return self.functions.function(node, names)
        value = self.value(node.child_by_field_name("argument"), names, depth)
        if isinstance(value, int):
            result = depending(unary(operator(node), value), (value,))
            kind = self._integers.of(node, names) if result is not None and result < 0 else None
            return result if kind is None or result is None else kind.wrapped(result)
        return -value if isinstance(value, float) and operator(node) == "-" else None

    def _calculated(
        self, node: Node, left: Value | None, right: Value | None, names: Names
    ) -> Number | None:
        """Returns what an operator makes of two numbers, in the type that C++ calculates in."""
        result = calculated(operator(node), left, right)
        if not isinstance(left, int) or not isinstance(right, int) or result is None:
            return result
        if min(left, right, result) >= 0 and result < _BEYOND:
            return result
        kind = self._integers.calculated_in(node, names)
        if kind is None or not kind.is_unsigned:
            return result
        result = calculated(operator(node), kind.wrapped(left), kind.wrapped(right))
        return kind.wrapped(result) if isinstance(result, int) else result

    def cast(self, kind: str, value: Value | None, names: Names) -> Value | None:
        """Returns a number as one of the type that is written."""
        if value is None:
            return None
        known = self._written(kind, names)
        return converted(known, value) if known is not None else cast(kind, value)

    def _written(self, kind: str, names: Names) -> Type | None:
        if not _TYPE.fullmatch(kind):
            return None
        known = self._code.types.argument_in(kind, (), names.bindings)
        return None if isinstance(known, int) else known

    def _variable(self, node: Node, names: Names) -> Type | None:
        return self.kind_of(self.place(node, names), names)

    def _member(self, node: Node, names: Names, depth: int) -> Value | None:
        place = self.place(node, names, depth)
        known = names.known(place)
        if known is not None:
            return known
        part, _, axis = place.rpartition(".")
        whole = names.values.get(part)
        if isinstance(whole, tuple) and axis in AXES:
            return (*whole, 1, 1)[AXES.index(axis)]
        of = node.child_by_field_name("argument")
        if node.type == "field_expression" and of is not None and of.type == "call_expression":
            member = text_of(node.child_by_field_name("field"))
            if (value := self.evaluate(of, names).members.get(f".{member}")) is not None:
                return value
        return self.assumed(node, names)

    def assumed(self, node: Node, names: Names, *, is_number: bool = False) -> Value | None:
        """Returns the number that is taken for a variable which nobody knows; None for none.

        Args:
            node: The variable.
            names: What is known there; then, that number.
            is_number: Whether it can be nothing else, be its type known or not.
        """
        place = self.place(node, names) if self._assumes else ""
        if not place or is_template_parameter(node):
            # An instance has one for it, which no other number is.
            return None
        kind = self._kind_of(place, names)
        is_whole = isinstance(kind, Scalar) and kind.kind is not NumberKind.FLOATING
        written, stars = names.kinds.get(place, ("", 0))
        may_be = kind is None and not stars and written != DIM3
        if not is_whole and not ((is_number or is_property(place)) and may_be):
            return None
        return self.assume(place, names, names.lines.get(place, node.start_point[0] + 1))

    def assume(self, place: str, names: Names, line: int, value: int | None = None) -> Value:
        """Takes a number for a variable, by its name or that which it was before, and keeps it."""
        before = names.earlier.get(place)
        if value is None:
            # With less than two it is only a beginning.
            is_told = isinstance(before, int) and before > 1
            value = int(before) if is_told and isinstance(before, int) else usual_number(place)
        on = AssumedInt(value)
        on.by = frozenset({HostAssumption(line, place, value)})
        names.keep(place, on)
        return on

    def kind_of(self, place: str, names: Names) -> Type | None:
        """Returns the type of a variable, also of a member or an element."""
        of = names.types.get(place.rpartition("[")[0]) if place.endswith("]") else None
        if isinstance(of, Pointer | Array):
            return of.target if isinstance(of, Pointer) else of.element
        return self._kind_of(place, names)

    def _kind_of(self, place: str, names: Names) -> Type | None:
        """Returns the type of a variable, also of a member of an object of a class of the text."""
        found = names.types.get(place)
        whole, _, member = place.rpartition(".")
        if found is not None or not whole:
            return found
        kind = names.objects.get(whole, ("", {}))[0] or names.kinds.get(whole, ("", 0))[0]
        kind = kind or names.kinds.get(whole.partition("[")[0], ("", 0))[0]
        owner = self._code.classes.get(kind.partition("<")[0].rpartition("::")[2])
        own = next((m for m in owner.members if m.name == member), None) if owner else None
        if own is None or own.kind is None:
            return None
        return self._code.types.declared(own.kind, own.declarator, (), names.bindings)

    def size(self, node: Node | None, names: Names, depth: int = 0) -> Value | None:
        """Returns what an expression comes to that can be nothing but a number or ``dim3``."""
        value = self.value(node, names, depth)
        if value is None and node is not None and node.type in ("identifier", "field_expression"):
            return self.assumed(node, names, is_number=True)
        return value

    def _size(self, node: Node, names: Names) -> int | None:
        if (size := self._code.types.number(node, scope_of(node), names.bindings)) is not None:
            return size
        word = text_of(node).removeprefix("sizeof").strip(" ()")
        if word in LIBRARY_SIZES:
            return LIBRARY_SIZES[word]
        if "<" in word:
            # As far as the syntax goes it is a comparison.
            kind = self._code.types.argument_in(word, (), names.bindings)
            return kind.size if isinstance(kind, Type) else None
        of = node.child_by_field_name("value")
        while of is not None and of.type == "parenthesized_expression":
            of = of.named_children[0] if of.named_children else None
        if of is None:
            return None
        if of.type == "field_expression" and (member := self._variable(of, names)) is not None:
            return member.size
        name = next((text_of(n) for n in within(of) if n.type == "identifier"), "")
        found = names.types.get(name)
        bound = names.bindings.get(name)
        if found is None and of.type == "identifier" and isinstance(bound, Type):
            found = bound
        if of.type in ("pointer_expression", "subscript_expression"):
            element = found.element if isinstance(found, Array) else None
            found = found.target if isinstance(found, Pointer) else element
        return found.size if found is not None else None

    def _called(self, node: Node, names: Names, depth: int) -> Value | None:
        """Returns what a call gives: a conversion, mathematics, or a function of one `return`."""
        function = node.child_by_field_name("function") or node.child_by_field_name("type")
        listed = node.child_by_field_name("arguments") or node.child_by_field_name("value")
        if function is None or listed is None:
            return None
        full = text_of(function).removeprefix("std::")
        name = full.partition("<")[0].rpartition("::")[2]
        arguments = children(listed)
        if name == DIM3:
            return self.dimensions(arguments, names)
        if not arguments and (known := names.known(f"{self.place(function, names)}()")) is not None:
            return known
        if name in CASTS and len(arguments) == 1:
            value = self.value(arguments[0], names, depth)
            kind = between_angles(full) or name
            return self.cast(kind, value, names)
        if name in FUNCTIONS and arguments:
            values = [self.value(argument, names, depth) for argument in arguments]
            numbers = [value for value in values if isinstance(value, int | float)]
            return attempt(FUNCTIONS[name], numbers) if len(numbers) == len(values) else None
        if len(arguments) == 1 and isinstance(named := names.bindings.get(full), Scalar):
            # `T(0)`
            value = self.value(arguments[0], names, depth)
            return None if value is None else converted(named, value)
        if name in self._code.macros:
            given, expression = self._code.macros[name]
            inside = names.copy()
            for word, argument in zip(given, arguments, strict=False):
                value = self.value(argument, names, depth)
                inside.declare(word)
                inside.put(word, HostObject(value))
            with self._calls.apart():
                return self.value(expression, inside, depth)
        result = self._calls.result(node, names) if depth <= _DEEPEST_VALUE else None
        return result.value if result is not None else None

    def sizes(self, nodes: Iterable[Node], names: Names) -> list[Value | None]:
        """Returns what the sizes of grids, blocks and shared memory come to."""
        return [self.size(as_expression(node), names) for node in nodes]

    def dimensions(self, nodes: Sequence[Node], names: Names) -> Dimensions | None:
        """Returns what ``dim3`` makes of these; None where that is not known."""
        values = self.sizes(nodes, names)
        sizes = [whole_number(value) for value in values if isinstance(value, int | float)]
        return tuple(sizes) if sizes and len(sizes) == len(values) <= len(AXES) else None


def _whole(value: Value | None) -> int | None:
    return value if isinstance(value, int) else None
