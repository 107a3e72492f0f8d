"""What variables of host code begin with, and what statements make of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from jitstudio.core.launch.c_types import INT
from jitstudio.core.launch.types import Array, Pointer, Scalar, Type
from jitstudio.listing.cuda.host_launches.aliases import HostAliases
from jitstudio.listing.cuda.host_launches.assumed import depending, whole_number
from jitstudio.listing.cuda.host_launches.call_results import CallResults
from jitstudio.listing.cuda.host_launches.declared import HostClass, HostDeclarations
from jitstudio.listing.cuda.host_launches.expressions import HostExpressions
from jitstudio.listing.cuda.host_launches.integers import converted, integer
from jitstudio.listing.cuda.host_launches.values import (
    AXES,
    DIM3,
    HostObject,
    Names,
    Value,
    calculated,
    cast,
    dimensions,
    elements,
)
from jitstudio.listing.cuda.syntax import (
    children,
    declared_name,
    is_const,
    operator,
    parse,
    stripped,
    text_of,
    within,
)

_LONGEST_LIST = 64
_MAP = re.compile(r"(?:const\s++)?(?:std::)?(?:unordered_)?map\s*+<")
_PAIR = ("first", "second")
# Functions that make a number of a text.
_NUMBER = re.compile(r"(?:std::)?(?:ato(?:i|l|ll)|sto(?:i|l|ll|ul|ull)|strto(?:l|ll|ul|ull))\s*+\(")
# Of the structs of CUDA's headers that matter to a launch.
_MEMBERS = {"cudaLaunchConfig_t": ("gridDim", "blockDim", "dynamicSmemBytes")}
_SIZED = ("gridDim", "blockDim")
# Methods of vectors that leave as many elements as their first argument says, or as nobody knows.
_SIZING = frozenset({"resize", "assign"})
_CHANGING = frozenset(
    {"push_back", "emplace_back", "pop_back", "insert", "erase", "clear", "append", "swap"}
)


class HostVariables:
    """Follows variables, by their places.

    Attributes:
        aliases: What follows references and pointers to them.
    """

    def __init__(
        self, code: HostDeclarations, expressions: HostExpressions, calls: CallResults
    ) -> None:
        self._code = code
        self._expressions = expressions
        self._calls = calls
        self.aliases = HostAliases(code, expressions)

    def declare(self, node: Node, names: Names) -> None:
        """Remembers what a declaration makes of its variables."""
        kind = node.child_by_field_name("type")
        if kind is None:
            return
        for declarator in node.children_by_field_name("declarator"):
            is_initialised = declarator.type == "init_declarator"
            inner = declarator.child_by_field_name("declarator") if is_initialised else declarator
            name = declared_name(inner)
            value = declarator.child_by_field_name("value") if is_initialised else None
            if inner is not None and not name:
                self.aliases.bound(inner, value, names)
                self._unpack(inner, value, names)
            if not name or inner is None:
                continue
            found = self._code.types.declared(kind, inner, (), names.bindings, const=is_const(node))
            result = self.initial(kind, inner, value, names)
            names.declare(name)
            place = self._expressions.place(value, names) if value is not None else ""
            names.note_kind(name, kind, inner, names.kinds.get(place))
            element = self._code.element(kind, names.bindings)
            if element is not None:
                names.types[name] = Pointer(element)
            elif found is not None:
                names.types[name] = found
            elif text_of(kind) == "auto" and _NUMBER.match(text_of(value)):
                names.types[name] = INT
            if value is not None and value.type == "initializer_list":
                names.addresses[name] = [self._expressions.place(n, names) for n in children(value)]
                if isinstance(found, Array) and isinstance(found.element, Scalar):
                    # `float h[4] = {1}`: those that are not listed are zero.
                    for n in range(len(children(value)), min(found.count, _LONGEST_LIST)):
                        result.members[f"[{n}]"] = 0
            if result.value is not None and not isinstance(found, Pointer | Array):
                is_known = isinstance(found, Scalar)
                value_of = converted(found, result.value) if is_known else None
                result.value = cast(text_of(kind), result.value) if value_of is None else value_of
            names.put(name, result)
            names.lines[name] = declarator.start_point[0] + 1
            if value is not None and (of := self._expressions.map_of(value, names)):
                # An iterator.
                names.aliases[f"{name}[0]"] = f"{of}[]"
            self._lose_aliased(name, value, names)
            self.aliases.declared(inner, value, names, is_const=is_const(node))
            self.aliases.kept(kind, declarator, names)

    def _unpack(self, declarator: Node, value: Node | None, names: Names) -> None:
        """Gives the names of a structured binding the members of what they are bound to."""
        if declarator.type != "structured_binding_declarator":
            return
        result = self._expressions.evaluate(value, names)
        owner = self._code.classes.get(result.kind)
        parts = [member.name for member in owner.members] if owner is not None else []
        for at, each in enumerate(children(declarator)):
            places = [parts[at]] if at < len(parts) else [f"<{at}>", *_PAIR[at : at + 1]]
            for key, known in result.members.items():
                for place in places:
                    if key == f".{place}" or key.startswith((f".{place}.", f".{place}[")):
                        names.keep(f"{text_of(each)}{key.removeprefix(f'.{place}')}", known)

    def _lose_aliased(self, pointer: str, value: Node | None, names: Names) -> None:
        """Forgets the numbers of an array that may be changed by a pointer to it from now on."""
        place = self._expressions.place(value, names).partition("[")[0]
        kind = names.types.get(pointer)
        is_open = isinstance(kind, Pointer) and not kind.const
        if is_open and isinstance(names.types.get(place), Array):
            names.lose_elements(place)
            names.lose_elements(pointer)

    def initial(self, kind: Node, declarator: Node, value: Node | None, names: Names) -> HostObject:
        """Returns what a variable begins with."""
        given = None
        if declarator.type == "function_declarator" and value is None:
            # `dim3 grid(n, m);` may be a function as far as its syntax goes.
            given = _as_arguments(declarator.child_by_field_name("parameters"))
        elif value is not None and value.type.endswith("_list"):
            given = children(value)
        is_pointer = declarator.type == "pointer_declarator"
        if text_of(kind) == DIM3 and not is_pointer:
            if value is None and given is None:
                return HostObject((1,))
            if given is not None:
                return HostObject(self._expressions.dimensions(given, names))
            return HostObject(dimensions(self._expressions.value(value, names)))
        element = self._code.element(kind, names.bindings)
        if (element is not None or self._code.is_vector(kind)) and not is_pointer:
            is_list = value is not None and value.type == "initializer_list"
            return self.vector(element, given or [], names, value, is_list=is_list)
        is_array = declarator.type == "array_declarator"
        if text_of(kind).removeprefix("std::").startswith("array<") and given:
            # `std::array<int, 2> a{{1, 2}}`
            is_array = True
            given = children(given[0]) if given[0].type == "initializer_list" else given
        owner = None if is_pointer or is_array else self._code.class_of(kind)
        if owner is not None and (given is not None or value is None):
            bindings = self._code.bindings(owner, kind, names.bindings)
            return self._calls.constructed(owner, bindings, given or [], names)
        if given and _MAP.match(text_of(kind)):
            listed = [self._expressions.pair(each, names) for each in given[:_LONGEST_LIST]]
            return HostObject(
                members={f"[{n}]{k}": v for n, m in enumerate(listed) for k, v in m.items()}
            )
        if is_array and given is not None:
            return self.array(kind, given, names)
        if given and (members := self._plain(kind, given, names)):
            return HostObject(members=members)
        if given and not is_pointer and (vector := self._expressions.listed(kind, given, names)):
            return vector
        result = self._expressions.evaluate(given[0] if given else value, names)
        if result.value is None and value is not None and is_pointer:
            result.value = self._expressions.buffer(value, names)
        return result

    def array(self, kind: Node, given: Sequence[Node], names: Names) -> HostObject:
        """Returns an array of these elements."""
        members: dict[str, Value] = {}
        for n, node in enumerate(given[:_LONGEST_LIST]):
            result = self._element(kind, node, names)
            members |= {f"[{n}]{behind}": value for behind, value in result.members.items()}
            if result.value is not None:
                members[f"[{n}]"] = result.value
        return HostObject(members=members)

    def _element(self, kind: Node, node: Node, names: Names) -> HostObject:
        """Returns an element of an array that is listed."""
        owner = self._code.class_of(kind)
        if owner is None or node.type != "initializer_list":
            return self._expressions.evaluate(node, names)
        bindings = self._code.bindings(owner, kind, names.bindings)
        return self._calls.constructed(owner, bindings, children(node), names)

    def _plain(self, kind: Node, given: Sequence[Node], names: Names) -> dict[str, Value]:
        """Returns the members that are listed of a struct of a header, by their names or places."""
        members: dict[str, Value] = {}
        known = _MEMBERS.get(text_of(kind).rpartition("::")[2], ())
        for at, node in enumerate(given):
            name, value = known[at] if at < len(known) else "", node
            if node.type == "initializer_pair":
                name = text_of(node.child_by_field_name("designator")).lstrip(".")
                value = node.child_by_field_name("value") or node
            elif not known:
                continue
            result = self._expressions.value(value, names)
            if name in _SIZED and value.type == "initializer_list":
                result = self._expressions.dimensions(children(value), names)
            if name and result is not None:
                members[f".{name}"] = result
        return members

    def vector(
        self,
        element: Type | None,
        given: Sequence[Node],
        names: Names,
        value: Node | None,
        *,
        is_list: bool,
    ) -> HostObject:
        """Returns the vector that a variable begins as.

        Args:
            element: What it holds; None where that is not known.
            given: What is in the brackets behind its name.
            names: What is known there.
            value: What is behind ``=``; None for nothing.
            is_list: Whether ``given`` are its elements.
        """
        if is_list:
            return elements(len(given), element)
        if not given:
            # With a value it is that of an expression.
            return (
                elements(0, element) if value is None else self._expressions.evaluate(value, names)
            )
        count = self._expressions.value(given[0], names)
        if isinstance(count, int):
            return elements(count, element)
        return self._expressions.evaluate(given[0], names) if len(given) == 1 else HostObject()

    def begin(self, owner: HostClass, names: Names) -> None:
        """Gives the variables of a class what they begin with."""
        for member in owner.members:
            names.declare(member.name)
        self.note_types(owner, names)
        self.share(owner, names)
        for member in owner.members:
            kind, default = member.kind, member.default
            if member.variable or kind is None:
                continue
            if default is not None or self._code.class_of(kind):
                names.put(member.name, self.initial(kind, member.declarator, default, names))

    def share(self, owner: HostClass, names: Names) -> None:
        """Lets the static variables of a class that may change be those that all code knows."""
        for member in owner.members:
            if member.variable:
                names.aliases[member.name] = member.variable

    def begin_static(self, names: Names) -> None:
        """Gives the static variables of classes that may change what they begin with."""
        for place, (owner, member) in self._code.static_variables.items():
            local = names.copy()
            self.begin(owner, local)
            if (known := local.types.get(member.name)) is not None:
                names.types[place] = known
            if member.kind is not None:
                result = self.initial(member.kind, member.declarator, member.default, local)
                names.put(place, result)

    def note_types(self, owner: HostClass, names: Names) -> None:
        """Notes the types of the variables of a class."""
        for member in owner.members:
            found = self._code.types.declared(member.kind, member.declarator, (), names.bindings)
            if found is not None:
                names.types[member.name] = found

    def assign(self, node: Node, names: Names) -> None:
        """Remembers what an assignment makes of a variable."""
        left, right = (node.child_by_field_name(side) for side in ("left", "right"))
        sign, place = operator(node), self._expressions.place(left, names)
        if right is not None and stripped(right).type == "pointer_expression":
            self._note_address(place, right, names)
        elif (listed := names.addresses.get(self._expressions.place(right, names))) is not None:
            names.addresses[place] = listed
        result = self._expressions.evaluate(right, names)
        if sign != "=":
            result = HostObject(
                calculated(sign.removesuffix("="), names.values.get(place), result.value)
            )
        kind = self._expressions.kind_of(place, names)
        is_element = place.endswith("]") and integer(kind) is None
        if result.value is not None and not is_element:
            result.value = converted(kind, result.value)
        part, _, axis = place.rpartition(".")
        whole = names.values.get(part)
        if isinstance(whole, tuple) and axis in AXES and isinstance(result.value, int | float):
            sizes = list(whole) + [1] * (AXES.index(axis) + 1 - len(whole))
            sizes[AXES.index(axis)] = whole_number(result.value)
            names.keep(part, tuple(sizes))
        else:
            if "[]" in place:
                # It may be any element.
                names.lose_elements(place.partition("[]")[0])
            names.put(place, result)
            names.lines[place] = node.start_point[0] + 1
            self._lose_aliased(place, right, names)
            if sign == "=":
                self.aliases.assigned(place, right, names)

    def _note_address(self, place: str, address: Node, names: Names) -> None:
        """Remembers of which place an element of an array gets the address."""
        array, _, index = place.partition("[")
        at = index.removesuffix("]")
        if operator(stripped(address)) == "&" and at.isdecimal() and int(at) < _LONGEST_LIST:
            listed = [*names.addresses.get(array, [])]
            listed += [""] * (int(at) + 1 - len(listed))
            listed[int(at)] = self._expressions.place(address, names)
            names.addresses[array] = listed

    def update(self, node: Node, names: Names) -> None:
        """Remembers what ``++`` or ``--`` makes of a variable."""
        place = self._expressions.place(node.child_by_field_name("argument"), names)
        value = names.values.get(place)
        if isinstance(value, int):
            by = 1 if operator(node) == "++" else -1
            kind = self._expressions.kind_of(place, names)
            names.keep(place, converted(kind, depending(value + by, (value,))))
        else:
            names.lose(place)

    def enumerate_names(self, node: Node, names: Names) -> None:
        """Remembers what the names of an enumeration in a function come to."""
        body, value = node.child_by_field_name("body"), -1
        for each in children(body) if body is not None else ():
            given = self._expressions.value(each.child_by_field_name("value"), names)
            value = given if isinstance(given, int) else value + 1
            name = text_of(each.child_by_field_name("name"))
            names.declare(name)
            names.keep(name, value)

    def resize(self, function: Node, arguments: Sequence[Node], names: Names) -> bool:
        """Remembers how many elements a method of a vector leaves; returns whether it is one."""
        method = text_of(function.child_by_field_name("field"))
        if function.type != "field_expression" or method not in _SIZING | _CHANGING:
            return False
        place = self._expressions.place(function.child_by_field_name("argument"), names)
        if place in names.objects:
            return False
        found = names.types.get(place)
        is_said = bool(arguments) and method in _SIZING
        count = self._expressions.value(arguments[0], names) if is_said else None
        element = found.target if isinstance(found, Pointer) else None
        names.put(place, elements(count, element))
        return True


def resized(call: Node) -> Node | None:
    """Returns the vector of which a call may change how many elements it has; None for none."""
    function = call.child_by_field_name("function") if call.type == "call_expression" else None
    if function is None or function.type != "field_expression":
        return None
    is_change = text_of(function.child_by_field_name("field")) in _SIZING | _CHANGING
    return function.child_by_field_name("argument") if is_change else None


def _as_arguments(listed: Node | None) -> list[Node]:
    """Returns what the syntax takes for the parameters of a function as the arguments it is."""
    text = (listed.text or b"()") if listed is not None else b"()"
    call = parse(b"int x = f" + text + b";")
    found = next((n for n in within(call) if n.type == "argument_list"), None)
    return children(found) if found is not None else []
