"""How the host code of a text launches its kernels, found by following that code with numbers.

Each function of the host is gone through once, from `main` on, in the order of the text: what a
variable comes to is remembered where it can be calculated, and a program has no arguments on its
command line. Functions and methods are gone through with what they are called with, and what they
return or change is known behind the call. A loop is gone through once: behind it, and behind a
branch that is not decided, what they change is not known. What needs to be run to be known is left
out.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice

from tree_sitter import Node

from jitstudio.core.code import Source
from jitstudio.core.launch.request import HostBuffer, HostLaunch
from jitstudio.core.launch.types import Array, Pointer, Type
from jitstudio.core.launch.values import Number
from jitstudio.listing.cuda.declarations import prepare
from jitstudio.listing.cuda.host_launches.declared import (
    HostClass,
    children,
    chosen,
    function_name,
    host_classes,
    parameters,
    template_of,
)
from jitstudio.listing.cuda.host_launches.values import (
    AXES,
    FUNCTIONS,
    Dimensions,
    Made,
    Names,
    Value,
    any_element,
    as_argument,
    attempt,
    calculated,
    cast,
    dimensions,
    number,
    root,
)
from jitstudio.listing.cuda.syntax import (
    declared_name,
    is_const,
    operator,
    parse,
    template_in,
    text_of,
)
from jitstudio.listing.cuda.types import Argument, Types, unary

_MOST_STEPS = 100_000
_DEEPEST_CALL = 16
_DEEPEST_VALUE = 100
_DEEPEST_ASIDE = 8
_LONGEST_LIST = 64
_DIM3 = "dim3"
_ARGUMENTS = re.compile(r"\b(?:arg[cv]|getopt\w*)\b")

# Where the bytes are among the arguments; the address is the first.
_ALLOCATIONS: dict[str, tuple[int, ...]] = {
    "cudaMalloc": (1,),
    "cudaMallocAsync": (1,),
    "cudaMallocManaged": (1,),
    "cudaMallocFromPoolAsync": (1,),
    "cudaMallocHost": (1,),
    "cudaHostAlloc": (1,),
    "cuMemAlloc": (1,),
    "cudaMallocPitch": (2, 3),
}
_BY_ADDRESS = {"cudaLaunchKernel": False, "cudaLaunchCooperativeKernel": True}
_BY_CONFIG = "cudaLaunchKernelEx"
_VECTORS = ("vector", "device_vector", "host_vector", "universal_vector")
_MADE_ANEW = ("make_unique", "make_shared")
_CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast", "int", "unsigned", "size_t"})
_POINTER_CASTS = ("static_cast<", "reinterpret_cast<", "const_cast<")
_MACRO = re.compile(
    rb"^[ \t]*+#[ \t]*+define[ \t]++(\w++)\(([\w \t,]*+)\)((?:[^\n\\]|\\\r?\n|\\.)++)", re.M
)
_MOST_MACROS = 200
# Of types whose headers come with no source: bytes, as curand_kernel.h of cuRAND 10 has them.
_LIBRARY_SIZES = {
    **dict.fromkeys(("curandState", "curandState_t", "curandStateXORWOW_t"), 48),
    "curandStatePhilox4_32_10_t": 64,
}
_SIZE = ".size()"
# Methods of vectors that leave as many elements as their first argument says, or as nobody knows.
_SIZING = frozenset({"resize", "assign"})
_CHANGING = frozenset(
    {"push_back", "emplace_back", "pop_back", "insert", "erase", "clear", "append", "swap"}
)


def host_launches(source: Source, types: Types, defines: Iterable[str] = ()) -> list[HostLaunch]:
    """Returns the launches of kernels that the host code of a text makes, in order.

    Args:
        source: CUDA C++ in UTF-8.
        types: What the text and its headers declare.
        defines: Macros defined from outside, as ``NAME`` or ``NAME=BODY``.
    """
    text = source.content
    if b"<<<" not in text and b"cudaLaunch" not in text:
        return []
    program = _Program(source.name, types)
    program.macros = dict(_macros(text))
    with suppress(RecursionError):
        program.run(parse(prepare(text, defines, for_host=True).text))
    return program.launches


@dataclass
class _Call:
    """A function that is gone through.

    Attributes:
        results: What it may return, in order, up to the first `return` that is surely reached.
        undecided: How many branches and loops it is in of which nobody knows if they are taken.
        is_over: Whether a `return` was surely reached.
        held: What calls in it have made that are looked at again when the code gets to them, by
            their nodes: a call is gone through once.
    """

    results: list[Made] = field(default_factory=list)
    undecided: int = 0
    is_over: bool = False
    held: dict[int, Made] = field(default_factory=dict)

    @property
    def made(self) -> Made:
        """What it returns; of several values, one only if it is memory: others are of failures."""
        last = self.results[-1] if self.results else Made()
        same = all(each.value == last.value for each in self.results)
        return last if same or isinstance(last.value, HostBuffer) else Made()


class _Program:
    """Goes through the functions of a text."""

    def __init__(self, module: str, types: Types) -> None:
        self._module = module
        self.launches: list[HostLaunch] = []
        # The parameters of macros that are expressions, and these.
        self.macros: dict[str, tuple[list[str], Node]] = {}
        self._types = types
        self._functions: dict[str, list[Node]] = {}
        self._classes: dict[str, HostClass] = {}
        self._owners: dict[int, HostClass] = {}
        self._kernels: frozenset[str] = frozenset()
        self._globals: frozenset[str] = frozenset()
        self._entered: set[int] = set()
        self._open: list[int] = []
        self._calls = [_Call()]
        self._tree: Node | None = None
        self._loops = self._asides = self._steps = 0

    def run(self, tree: Node) -> None:
        names = Names()
        self._tree = tree
        self._classes = host_classes(tree)
        for each in self._classes.values():
            for function in (*each.constructors, *(f for m in each.methods.values() for f in m)):
                self._owners[function.id] = each
        variables = []
        for node in _outside_functions(tree):
            if node.type == "function_definition":
                name = function_name(node).rpartition("::")[2]
                self._functions.setdefault(name, []).append(node)
            else:
                variables.append(node)
        self._kernels = frozenset(
            name
            for name, functions in self._functions.items()
            if any(child.type == "__global__" for f in functions for child in f.children)
        )
        for node in variables:
            self._declare(node, names)
        self._globals = frozenset(map(root, (*names.types, *names.values)))
        functions = [function for listed in self._functions.values() for function in listed]
        for function in (*self._functions.get("main", ()), *functions):
            if function.id not in self._entered and not _is_for_device(function):
                local = names.copy()
                if (owner := self._owners.get(function.id)) is not None:
                    self._begin(owner, local)
                # The program's own name.
                local.values["argc"] = 1
                self._enter(function, local)

    def _enter(self, function: Node, names: Names) -> Made:
        body = function.child_by_field_name("body")
        if body is None or len(self._open) > _DEEPEST_CALL or function.id in self._open:
            return Made()
        self._entered.add(function.id)
        self._open.append(function.id)
        self._calls.append(_Call())
        self._follow(body, names)
        self._open.pop()
        return self._calls.pop().made

    def _follow(self, node: Node, names: Names) -> None:
        """Goes through a statement or an expression."""
        todo: list[Node | Callable[[], None]] = [node]
        while todo and self._steps < _MOST_STEPS:
            self._steps += 1
            step = todo.pop()
            if not isinstance(step, Node):
                step()
                continue
            match step.type:
                case "declaration":
                    self._declare(step, names)
                case "assignment_expression":
                    self._assign(step, names)
                case "update_expression":
                    self._update(step, names)
                case "call_expression":
                    self._call(step, names)
                case "enum_specifier":
                    self._enumerate(step, names)
                case "return_statement":
                    self._return(step, names)
                case "compound_statement":
                    todo.append(names.enter())
                case "if_statement":
                    todo.extend(self._branches(step, names))
                    continue
                case "switch_statement":
                    todo.extend(self._cases(step, names))
                    continue
                case "for_statement" | "for_range_loop" | "while_statement" | "do_statement":
                    todo.extend(self._loop(step, names))
                    continue
            todo.extend(reversed(step.named_children))
        for left in reversed(todo):
            # Too long a text: what was begun is ended.
            if not isinstance(left, Node):
                left()

    def _loop(self, node: Node, names: Names) -> Iterator[Node | Callable[[], None]]:
        """Yields what to go through of a loop, the last first: once, as nobody knows how often."""
        condition = node.child_by_field_name("condition")
        if condition is not None and _ARGUMENTS.search(text_of(condition)):
            # There are none.
            return
        yield names.enter()
        yield partial(self._forget_changes, node, names)
        yield self._undecided(in_loop=True)
        if node.type == "for_range_loop":
            name = declared_name(node.child_by_field_name("declarator"))
            first = self._first(node.child_by_field_name("right"), names)
            names.declare(name)
            names.put(name, first)
        update = node.child_by_field_name("update")
        yield from (child for child in reversed(node.named_children) if child != update)

    def _first(self, node: Node | None, names: Names) -> Made:
        """Returns the first element of what is listed."""
        if node is not None and node.type == "compound_literal_expression":
            node = node.child_by_field_name("value")
        if node is None:
            return Made()
        if node.type == "initializer_list":
            return self._made(next(iter(children(node)), None), names)
        return Made(names.values.get(f"{self._place(node, names)}[0]"))

    def _undecided(self, *, in_loop: bool = False) -> Callable[[], None]:
        """Begins what may not be gone through in a run, or more than once; returns what ends it."""
        call = self._calls[-1]
        call.undecided += 1
        self._loops += in_loop

        def end() -> None:
            call.undecided -= 1
            self._loops -= in_loop

        return end

    def _branches(self, node: Node, names: Names) -> list[Node | Callable[[], None]]:
        """Returns what to go through of an `if`, the last first."""
        condition = node.child_by_field_name("condition")
        value = self._value(condition, names)
        parts = [node.child_by_field_name(part) for part in ("consequence", "alternative")]
        if not isinstance(value, int | float) and _ARGUMENTS.search(text_of(condition)):
            # There are none.
            value = 0
        steps: list[Node | Callable[[], None] | None] = []
        if isinstance(value, int | float):
            steps = [
                part if bool(value) is is_first else self._aside(part, names)
                for part, is_first in zip(parts, (True, False), strict=True)
            ]
            steps.reverse()
        else:
            steps = [partial(self._forget_changes, part, names) for part in parts if part]
            steps += [self._undecided(), *reversed(parts)]
        return [step for step in (*steps, condition) if step is not None]

    def _cases(self, node: Node, names: Names) -> list[Node | Callable[[], None]]:
        """Returns what to go through of a `switch`, the last first."""
        value = self._value(node.child_by_field_name("condition"), names)
        body = node.child_by_field_name("body")
        steps: list[Node | Callable[[], None] | None] = []
        taken = None
        for case in children(body) if body is not None else ():
            chosen_by = case.child_by_field_name("value")
            if value is not None and chosen_by is not None and taken is None:
                taken = case if self._value(chosen_by, names) == value else None
            steps.append(case if case is taken else self._aside(case, names))
        steps.reverse()
        if taken is None and body is not None:
            steps.insert(0, partial(self._forget_changes, body, names))
        return [step for step in steps if step is not None]

    def _aside(self, node: Node | None, names: Names) -> Callable[[], None] | None:
        """Returns what goes through a branch that is not taken, for its launches; None for none."""
        code = (node.text or b"") if node is not None else b""
        if node is None or (b"<<<" not in code and b"cudaLaunch" not in code):
            return None
        return partial(self._follow_aside, node, names.copy())

    def _follow_aside(self, node: Node, names: Names) -> None:
        if self._asides < _DEEPEST_ASIDE:
            self._asides += 1
            end = self._undecided()
            self._follow(node, names)
            end()
            self._asides -= 1

    def _return(self, node: Node, names: Names) -> None:
        call = self._calls[-1]
        if not call.is_over:
            made = self._made(next(iter(children(node)), None), names)
            if made.value is None and node.named_children:
                made.value = self._buffer(node, names)
            call.results.append(made)
            call.is_over = not call.undecided

    def _forget_changes(self, node: Node, names: Names) -> None:
        """Forgets the variables that a statement may have changed."""
        first, last = (bisect_left(self._changes, at, key=_start) for at in node.byte_range)
        for changed in self._changes[first:last]:
            names.lose(self._place(changed, names))

    @cached_property
    def _changes(self) -> list[Node]:
        """What is assigned to, in the order of the text."""
        found = []
        for node in _within(self._tree) if self._tree is not None else ():
            side = {"assignment_expression": "left", "update_expression": "argument"}.get(node.type)
            changed = node.child_by_field_name(side) if side is not None else None
            found += [changed] if changed is not None else []
        return sorted(found, key=_start)

    def _update(self, node: Node, names: Names) -> None:
        place = self._place(node.child_by_field_name("argument"), names)
        value = names.values.get(place)
        if isinstance(value, int):
            names.keep(place, value + (1 if operator(node) == "++" else -1))
        else:
            names.lose(place)

    def _enumerate(self, node: Node, names: Names) -> None:
        """Remembers what the names of an enumeration in a function come to."""
        body, value = node.child_by_field_name("body"), -1
        for each in children(body) if body is not None else ():
            given = self._value(each.child_by_field_name("value"), names)
            value = given if isinstance(given, int) else value + 1
            name = text_of(each.child_by_field_name("name"))
            names.declare(name)
            names.keep(name, value)

    def _declare(self, node: Node, names: Names) -> None:
        kind = node.child_by_field_name("type")
        if kind is None:
            return
        for declarator in node.children_by_field_name("declarator"):
            is_initialised = declarator.type == "init_declarator"
            inner = declarator.child_by_field_name("declarator") if is_initialised else declarator
            name = declared_name(inner)
            value = declarator.child_by_field_name("value") if is_initialised else None
            if not name or inner is None:
                continue
            found = self._types.declared(kind, inner, (), names.bindings, const=is_const(node))
            made = self._initial(kind, inner, value, names)
            names.declare(name)
            element = self._element(kind, names)
            if element is not None:
                names.types[name] = Pointer(element)
            elif found is not None:
                names.types[name] = found
            if value is not None and value.type == "initializer_list":
                names.addresses[name] = [self._place(n, names) for n in children(value)]
            if made.value is not None and not isinstance(found, Pointer | Array):
                made.value = cast(text_of(kind), made.value)
            names.put(name, made)

    def _initial(self, kind: Node, declarator: Node, value: Node | None, names: Names) -> Made:
        """Returns what a variable begins with."""
        given = None
        if declarator.type == "function_declarator" and value is None:
            # `dim3 grid(n, m);` may be a function as far as its syntax goes.
            given = _as_arguments(declarator.child_by_field_name("parameters"))
        elif value is not None and value.type.endswith("_list"):
            given = children(value)
        is_pointer = declarator.type == "pointer_declarator"
        if text_of(kind) == _DIM3 and not is_pointer:
            if value is None and given is None:
                return Made((1,))
            if given is not None:
                return Made(self._dimensions(given, names))
            return Made(dimensions(self._value(value, names)))
        element = self._element(kind, names)
        if element is not None and not is_pointer:
            is_list = value is not None and value.type == "initializer_list"
            return self._vector(element, given or [], names, value, is_list=is_list)
        owner = None if is_pointer or declarator.type == "array_declarator" else self._class(kind)
        if owner is not None and (given is not None or value is None):
            return self._constructed(owner, self._bindings(owner, kind, names), given or [], names)
        if declarator.type == "array_declarator" and given is not None:
            listed = [self._made(each, names) for each in given[:_LONGEST_LIST]]
            known = enumerate(each.value for each in listed)
            return Made(members={f"[{n}]": each for n, each in known if each is not None})
        made = self._made(given[0] if given else value, names)
        if made.value is None and value is not None and is_pointer:
            made.value = self._buffer(value, names)
        return made

    def _element(self, kind: Node, names: Names) -> Type | None:
        """Returns what `std::vector` and its like hold; None for what is none."""
        template = kind if kind.type == "template_type" else template_in(kind)
        listed = template.child_by_field_name("arguments") if template is not None else None
        if template is None or listed is None or not children(listed):
            return None
        if text_of(template.child_by_field_name("name")) not in _VECTORS:
            return None
        element = self._types.argument(children(listed)[0], (), names.bindings)
        return element if isinstance(element, Type) else None

    def _vector(
        self,
        element: Type,
        given: Sequence[Node],
        names: Names,
        value: Node | None,
        *,
        is_list: bool,
    ) -> Made:
        if is_list:
            return _elements(len(given), element)
        if not given:
            # With a value it is that of an expression.
            return self._made(value, names) if value is not None else _elements(0, element)
        count = self._value(given[0], names)
        if isinstance(count, int):
            return _elements(count, element)
        return self._made(given[0], names) if len(given) == 1 else Made()

    def _class(self, kind: Node | None) -> HostClass | None:
        """Returns the class that a type is; None for any other type."""
        name = text_of(kind).partition("<")[0].strip().rpartition("::")[2]
        return self._classes.get(name.removeprefix("struct ").removeprefix("class "))

    def _bindings(self, owner: HostClass, kind: Node, names: Names) -> dict[str, Argument]:
        """Returns what the parameters of a class template represent in a type."""
        template = kind if kind.type in ("template_type", "template_function") else None
        template = template or template_in(kind)
        listed = template.child_by_field_name("arguments") if template is not None else None
        if owner.template is None or listed is None:
            return {}
        given = [self._types.argument(each, (), names.bindings) for each in children(listed)]
        return self._types.bound(owner.template, given, ())

    def _begin(self, owner: HostClass, names: Names) -> None:
        """Gives the variables of a class what they begin with."""
        for member in owner.members:
            names.declare(member.name)
            found = self._types.declared(member.kind, member.declarator, (), names.bindings)
            if found is not None:
                names.types[member.name] = found
        for member in owner.members:
            if member.kind is not None and (member.default is not None or self._class(member.kind)):
                made = self._initial(member.kind, member.declarator, member.default, names)
                names.put(member.name, made)

    def _constructed(
        self,
        owner: HostClass,
        bindings: dict[str, Argument],
        given: Sequence[Node],
        names: Names,
    ) -> Made:
        """Returns an object of a class that is made of these arguments."""
        if len(self._open) > _DEEPEST_CALL or id(owner) in self._open:
            return Made()
        local = names.copy()
        local.bindings |= bindings
        # What is looked at below belongs to no call of the code around it.
        self._open.append(id(owner))
        self._calls.append(_Call())
        self._begin(owner, local)
        constructor = chosen(owner.constructors, len(given))
        if constructor is not None:
            self._give(constructor, given, names, local)
            for each in _within_heads(constructor):
                name, *listed = children(each)
                values = children(listed[0]) if listed else []
                kind = next((m for m in owner.members if m.name == text_of(name)), None)
                if kind is None or kind.kind is None or not values:
                    continue
                made = self._made(values[0], local)
                if (element := self._element(kind.kind, local)) is not None:
                    made = self._vector(element, values, local, None, is_list=False)
                local.put(kind.name, made)
            self._enter(constructor, local)
        else:
            for member, value in zip(owner.members, given, strict=False):
                made = self._made(value, names)
                if made.value is None:
                    made.value = self._buffer(value, names)
                local.put(member.name, made)
        self._calls.pop()
        self._open.pop()
        members = {
            f".{key}": value for key, value in local.values.items() if root(key) in owner.names
        }
        made = Made(None, members, owner.name, bindings)
        if conversion := owner.methods.get("operator"):
            made.value = self._enter(conversion[0], local).value
        return made

    def _dimensions(self, nodes: Sequence[Node], names: Names) -> Dimensions | None:
        values = [self._value(_inside(node), names) for node in nodes]
        whole = [int(value) for value in values if isinstance(value, int | float)]
        return tuple(whole) if whole and len(whole) == len(values) <= len(AXES) else None

    def _assign(self, node: Node, names: Names) -> None:
        left, right = (node.child_by_field_name(side) for side in ("left", "right"))
        sign, place = operator(node), self._place(left, names)
        made = self._made(right, names)
        if sign != "=":
            made = Made(calculated(sign.removesuffix("="), names.values.get(place), made.value))
        part, _, axis = place.rpartition(".")
        whole = names.values.get(part)
        if isinstance(whole, tuple) and axis in AXES and isinstance(made.value, int | float):
            sizes = list(whole) + [1] * (AXES.index(axis) + 1 - len(whole))
            sizes[AXES.index(axis)] = int(made.value)
            names.keep(part, tuple(sizes))
        else:
            names.put(place, made)

    def _call(self, node: Node, names: Names) -> None:
        function, listed = (node.child_by_field_name(f) for f in ("function", "arguments"))
        if function is None or listed is None:
            return
        arguments = children(listed)
        name = text_of(function)
        config = next((c for c in node.children if c.type == "kernel_call_syntax"), None)
        if config is not None:
            sizes = children(config)
            values = [self._argument(argument, names) for argument in arguments]
            self._launch(function, sizes, values, names)
        elif name in _ALLOCATIONS and len(arguments) > max(_ALLOCATIONS[name]):
            self._allocate(arguments[0], [arguments[at] for at in _ALLOCATIONS[name]], names)
        elif name in _BY_ADDRESS and len(arguments) > 3:
            held = names.addresses.get(text_of(arguments[3]), [])
            values = [as_argument(names.known(place)) for place in held]
            sizes = [*arguments[1:3], *arguments[4:5]]
            self._launch(arguments[0], sizes, values, names, cooperative=_BY_ADDRESS[name])
        elif name == _BY_CONFIG and len(arguments) > 1:
            self._launch_by_config(arguments, names)
        elif self._changes_vector(function, arguments, names):
            return
        else:
            if self._result(node, names) is not None:
                self._calls[-1].held.pop(node.id, None)
                return
            for argument in arguments:
                # What a call does with a variable whose address it gets is not followed.
                if _stripped(argument).type == "pointer_expression":
                    names.lose(self._place(argument, names))

    def _allocate(self, address: Node, sizes: Sequence[Node], names: Names) -> None:
        numbers = [self._value(size, names) for size in sizes]
        known = [n for n in numbers if isinstance(n, int | float)]
        size = attempt(lambda: math.prod(known), ())
        place = self._place(address, names)
        if size is None or len(known) != len(numbers):
            names.lose(place)
            return
        # Behind a pointer, too, as in a function that gets the address.
        for each in (place, f"{place}[0]"):
            names.keep(each, HostBuffer(int(size)))
        if self._loops and "[" in place:
            names.keep(any_element(place), HostBuffer(int(size)))

    def _changes_vector(self, function: Node, arguments: Sequence[Node], names: Names) -> bool:
        """Remembers how many elements a method of a vector leaves; returns whether it is one."""
        method = text_of(function.child_by_field_name("field"))
        if function.type != "field_expression" or method not in _SIZING | _CHANGING:
            return False
        place = self._place(function.child_by_field_name("argument"), names)
        if place in names.objects:
            return False
        found = names.types.get(place)
        count = self._value(arguments[0], names) if arguments and method in _SIZING else None
        element = found.target if isinstance(found, Pointer) else None
        names.put(place, _elements(count, element))
        return True

    def _launch_by_config(self, arguments: Sequence[Node], names: Names) -> None:
        config, kernel, *rest = arguments
        place = self._place(config, names)
        given = [names.values.get(f"{place}.{part}") for part in ("gridDim", "blockDim")]
        shared = names.values.get(f"{place}.dynamicSmemBytes", 0)
        values = [self._argument(argument, names) for argument in rest]
        self._add(kernel, names, dimensions(given[0]), dimensions(given[1]), shared, values)

    def _called_function(self, function: Node, count: int, names: Names) -> tuple[Node | None, str]:
        """Returns the function of the text that is called, and the object whose method it is."""
        if function.type == "field_expression":
            place = self._place(function.child_by_field_name("argument"), names)
            kind, _ = names.objects.get(place, ("", {}))
            method = text_of(function.child_by_field_name("field")).partition("<")[0]
            owner = self._classes.get(kind)
            return chosen(owner.methods.get(method, []), count) if owner else None, place
        name = text_of(function).partition("<")[0].strip().rpartition("::")[2]
        if name in names.objects and (owner := self._classes.get(names.objects[name][0])):
            return chosen(owner.methods.get("operator()", []), count), name
        return chosen(self._functions.get(name, []), count), ""

    def _run(
        self,
        function: Node,
        called: Node,
        arguments: Sequence[Node],
        names: Names,
        place: str,
    ) -> Made:
        """Goes through a function that is called, with what its parameters are there.

        Args:
            function: The function.
            called: How the call names it.
            arguments: What it is given.
            names: What is known at the call; then, what is known behind it.
            place: The object whose method it is; empty for none.
        """
        if _is_for_device(function):
            return Made()
        local = names.copy()
        owner = self._owners.get(function.id)
        if place and owner is not None:
            for member in owner.names:
                local.declare(member)
            for behind, value in names.members(place).items():
                if behind.startswith("."):
                    local.keep(behind[1:], value)
            local.bindings |= names.objects.get(place, ("", {}))[1]
        self._bind(function, called, arguments, names, local)
        self._give(function, arguments, names, local)
        made = self._enter(function, local)
        given = {declared_name(p.child_by_field_name("declarator")) for p in parameters(function)}
        if place and owner is not None:
            for member in owner.names:
                names.put(
                    f"{place}.{member}", Made(local.values.get(member), local.members(member))
                )
        shared = self._globals | (owner.names if owner is not None and not place else frozenset())
        for name in shared - given:
            names.put(name, Made(local.values.get(name), local.members(name)))
        self._take_back(function, arguments, names, local)
        return made

    def _take_back(
        self, function: Node, arguments: Sequence[Node], names: Names, local: Names
    ) -> None:
        """Gives variables what a function has made of them by its parameters."""
        for parameter, argument in zip(parameters(function), arguments, strict=False):
            declarator = parameter.child_by_field_name("declarator")
            name = declared_name(declarator)
            members = local.members(name)
            target = self._place(argument, names)
            if declarator is None or is_const(parameter):
                continue
            if declarator.type == "reference_declarator":
                names.put(self._place(argument, names), Made(local.values.get(name), members))
            elif _stripped(argument).type == "pointer_expression":
                value = members.pop("[0]", None)
                kept = {key: each for key, each in members.items() if key.startswith(".")}
                names.put(target, Made(value, kept))
            elif declarator.type == "pointer_declarator" and members:
                place = self._place(argument, names)
                for key, each in members.items():
                    names.keep(f"{place}{key}", each)

    def _bind(
        self,
        function: Node,
        called: Node,
        arguments: Sequence[Node],
        names: Names,
        local: Names,
    ) -> None:
        """Remembers what the parameters of a function template represent."""
        template = template_of(function)
        if template is None:
            return
        while called.type == "qualified_identifier":
            inner = called.child_by_field_name("name")
            if inner is None:
                break
            called = inner
        listed = called.child_by_field_name("arguments")
        given = children(listed) if called.type == "template_function" and listed else []
        values = [self._types.argument(each, (), names.bindings) for each in given]
        local.bindings |= self._types.bound(template, values, ())
        for parameter, argument in zip(parameters(function), arguments, strict=False):
            kind = parameter.child_by_field_name("type")
            declarator = parameter.child_by_field_name("declarator")
            found = names.types.get(self._place(argument, names))
            if kind is None or found is None:
                continue
            inner = kind if kind.type == "template_type" else template_in(kind)
            is_pointer = declarator is not None and declarator.type == "pointer_declarator"
            word = text_of(kind)
            if inner is not None and (inside := inner.child_by_field_name("arguments")):
                word = text_of(next(iter(children(inside)), None))
            behind: Type | None = found
            if inner is not None or is_pointer:
                behind = found.target if isinstance(found, Pointer) else None
            if behind is not None and word in {text_of(p).split()[-1] for p in children(template)}:
                local.bindings.setdefault(word, behind)

    def _give(self, function: Node, arguments: Sequence[Node], names: Names, local: Names) -> None:
        """Gives the parameters of a function what it is called with."""
        for at, parameter in enumerate(parameters(function)):
            kind = parameter.child_by_field_name("type")
            declarator = parameter.child_by_field_name("declarator")
            name = declared_name(declarator)
            default = parameter.child_by_field_name("default_value")
            argument = arguments[at] if at < len(arguments) else default
            made, found = Made(), None
            if argument is not None:
                made = self._made(argument, names)
                if made.value is None:
                    made.value = self._buffer(argument, names)
                found = names.types.get(self._place(argument, names))
            local.declare(name)
            declared = self._types.declared(kind, declarator, (), local.bindings)
            if kind is not None and self._element(kind, local) is not None:
                declared = None
            if (known := declared or found) is not None:
                local.types[name] = known
            local.put(name, made)

    def _launch(
        self,
        function: Node,
        sizes: Sequence[Node],
        arguments: Sequence[Number | HostBuffer | None],
        names: Names,
        *,
        cooperative: bool = False,
    ) -> None:
        values = [self._value(_inside(size), names) for size in sizes]
        grid, block, shared = (*values, None, None, None)[:3]
        shared = shared if len(sizes) > 2 else 0
        sized = dimensions(grid), dimensions(block)
        self._add(function, names, *sized, shared, arguments, cooperative=cooperative)

    def _add(
        self,
        function: Node,
        names: Names,
        grid: Dimensions | None,
        block: Dimensions | None,
        shared: Value | None,
        arguments: Iterable[Number | HostBuffer | None],
        *,
        cooperative: bool = False,
    ) -> None:
        named = text_of(_stripped(function)).lstrip("&*").strip()
        named = names.kernels.get(self._place(function, names), named)
        kernel, _, template = named.partition("<")
        self.launches.append(
            HostLaunch(
                kernel=kernel.strip(),
                template=template.rpartition(">")[0].strip(),
                module=self._module,
                line=function.start_point[0] + 1,
                grid=grid,
                block=block,
                shared=int(shared) if isinstance(shared, int | float) else None,
                arguments=tuple(arguments),
                cooperative=cooperative,
            )
        )

    def _argument(self, node: Node, names: Names) -> Number | HostBuffer | None:
        """Returns what a kernel is given."""
        value = as_argument(self._value(node, names))
        return value if value is not None else self._buffer(node, names)

    def _buffer(self, node: Node, names: Names) -> HostBuffer | None:
        """Returns the buffer that an expression such as ``raw_pointer_cast(v.data())`` is about."""
        for inner in _within(node):
            if inner.type in ("identifier", "field_expression", "subscript_expression"):
                found = names.known(self._place(inner, names))
                if isinstance(found, HostBuffer):
                    return found
        return None

    def _place(self, node: Node | None, names: Names, depth: int = 0) -> str:
        """Returns the place of what an expression is about, for ``(void**)&x`` that of ``x``."""
        self._steps += 1
        node = _stripped(node) if node is not None else None
        if node is None or depth > _DEEPEST_VALUE or self._steps > _MOST_STEPS:
            return ""
        match node.type:
            case "field_expression":
                whole = self._place(node.child_by_field_name("argument"), names, depth + 1)
                name = text_of(node.child_by_field_name("field"))
                return name if whole == "this" else f"{whole.removesuffix('[0]')}.{name}"
            case "subscript_expression":
                listed = node.child_by_field_name("indices")
                first = next(iter(children(listed)), None) if listed is not None else None
                index = self._value(first, names, depth + 1)
                whole = self._place(node.child_by_field_name("argument"), names, depth + 1)
                return f"{whole}[{index if isinstance(index, int) else ''}]"
            case "pointer_expression":
                inner = self._place(node.child_by_field_name("argument"), names, depth + 1)
                return f"{inner}[0]" if operator(node) == "*" else inner
        return "".join(text_of(node).split())

    def _made(self, node: Node | None, names: Names) -> Made:
        """Returns what an expression makes."""
        node = _stripped(node, casts=False) if node is not None else None
        if node is None:
            return Made()
        match node.type:
            case "identifier" | "field_expression" | "subscript_expression" | "this":
                place = self._place(node, names)
                kind, bindings = names.objects.get(place, ("", {}))
                kernel = names.kernels.get(place, "") or self._kernel(node)
                value = self._value(node, names)
                return Made(value, names.members(place), kind, bindings, kernel)
            case "pointer_expression" if (kernel := self._kernel(node)) == "":
                place = self._place(node, names)
                kind, bindings = names.objects.get(place, ("", {}))
                return Made(self._value(node, names), names.members(place), kind, bindings)
            case "pointer_expression" | "template_function" | "qualified_identifier":
                return Made(self._value(node, names), kernel=self._kernel(node))
            case "string_literal":
                length = len(text_of(node)) - 2
                return Made(members={_SIZE: length, ".length()": length})
            case "conditional_expression":
                condition = node.child_by_field_name("condition")
                test = self._value(condition, names)
                if isinstance(test, int | float):
                    side = "consequence" if test else "alternative"
                    return self._made(node.child_by_field_name(side), names)
            case "new_expression":
                kind_node = node.child_by_field_name("type")
                listed = node.child_by_field_name("arguments")
                if (owner := self._class(kind_node)) is not None and kind_node is not None:
                    given = children(listed) if listed is not None else []
                    bindings = self._bindings(owner, kind_node, names)
                    return self._constructed(owner, bindings, given, names)
            case "call_expression":
                return self._made_by_call(node, names)
        return Made(self._value(node, names))

    def _kernel(self, node: Node) -> str:
        """Returns the kernel that an expression names; empty for none."""
        named = text_of(node).lstrip("&").strip()
        is_one = named.partition("<")[0].strip().rpartition("::")[2] in self._kernels
        return named if is_one else ""

    def _made_by_call(self, node: Node, names: Names) -> Made:
        function, listed = (node.child_by_field_name(f) for f in ("function", "arguments"))
        if function is None or listed is None or self._steps > _MOST_STEPS:
            return Made()
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
            if kind is not None and (owner := self._class(kind)) is not None:
                bindings = self._bindings(owner, kind, names)
                return self._constructed(owner, bindings, arguments, names)
        if (owner := self._classes.get(word)) is not None:
            return self._constructed(
                owner, self._bindings(owner, template, names), arguments, names
            )
        made = self._result(node, names)
        return made if made is not None else Made(self._value(node, names))

    def _result(self, node: Node, names: Names) -> Made | None:
        """Goes through the function that a call is of; None where it is none of the text."""
        held = self._calls[-1].held
        if node.id not in held:
            function, listed = (node.child_by_field_name(f) for f in ("function", "arguments"))
            if function is None or listed is None:
                return None
            arguments = children(listed)
            called, place = self._called_function(function, len(arguments), names)
            if called is None:
                return None
            held[node.id] = self._run(called, function, arguments, names, place)
        return held[node.id]

    def _value(self, node: Node | None, names: Names, depth: int = 0) -> Value | None:
        """Returns what an expression comes to; None where that is not known."""
        self._steps += 1
        if node is None or depth > _DEEPEST_VALUE or self._steps > _MOST_STEPS:
            return None
        again = depth + 1
        match node.type:
            case "number_literal":
                return number(text_of(node))
            case "identifier" | "qualified_identifier" | "type_identifier":
                known = names.known(self._place(node, names))
                return self._types.number(node, (), names.bindings) if known is None else known
            case "field_expression" | "subscript_expression":
                return self._member(node, names, again)
            case "unary_expression" | "pointer_expression":
                return self._unary(node, names, again)
            case "parenthesized_expression" | "initializer_list" | "condition_clause":
                if node.named_child_count == 1:
                    return self._value(node.named_children[0], names, again)
            case "cast_expression":
                value = self._value(node.child_by_field_name("value"), names, again)
                kind = text_of(node.child_by_field_name("type"))
                return None if value is None else cast(kind, value)
            case "sizeof_expression":
                return self._size(node, names)
            case "conditional_expression":
                test = self._value(node.child_by_field_name("condition"), names, again)
                if isinstance(test, int | float):
                    side = "consequence" if test else "alternative"
                    return self._value(node.child_by_field_name(side), names, again)
            case "binary_expression":
                sides = (node.child_by_field_name(side) for side in ("left", "right"))
                left, right = (self._value(side, names, again) for side in sides)
                return calculated(operator(node), left, right)
            case "call_expression" | "compound_literal_expression":
                return self._called(node, names, again)
        return None

    def _unary(self, node: Node, names: Names, depth: int) -> Value | None:
        if node.type == "pointer_expression":
            is_content = operator(node) == "*"
            return names.values.get(self._place(node, names, depth)) if is_content else None
        value = self._value(node.child_by_field_name("argument"), names, depth)
        if isinstance(value, int):
            return unary(operator(node), value)
        return -value if isinstance(value, float) and operator(node) == "-" else None

    def _member(self, node: Node, names: Names, depth: int) -> Value | None:
        place = self._place(node, names, depth)
        known = names.known(place)
        if known is not None:
            return known
        part, _, axis = place.rpartition(".")
        whole = names.values.get(part)
        if isinstance(whole, tuple) and axis in AXES:
            return (*whole, 1, 1)[AXES.index(axis)]
        return None

    def _size(self, node: Node, names: Names) -> int | None:
        if (size := self._types.number(node, (), names.bindings)) is not None:
            return size
        word = text_of(node).removeprefix("sizeof").strip(" ()")
        if word in _LIBRARY_SIZES:
            return _LIBRARY_SIZES[word]
        of = node.child_by_field_name("value")
        while of is not None and of.type == "parenthesized_expression":
            of = of.named_children[0] if of.named_children else None
        if of is None:
            return None
        name = next((text_of(n) for n in _within(of) if n.type == "identifier"), "")
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
        if name == _DIM3:
            return self._dimensions(arguments, names)
        if (
            not arguments
            and (known := names.known(f"{self._place(function, names)}()")) is not None
        ):
            return known
        if name in _CASTS and len(arguments) == 1:
            value = self._value(arguments[0], names, depth)
            kind = full.partition("<")[2].rpartition(">")[0] or name
            return None if value is None else cast(kind, value)
        if name in FUNCTIONS and arguments:
            values = [self._value(argument, names, depth) for argument in arguments]
            numbers = [value for value in values if isinstance(value, int | float)]
            return attempt(FUNCTIONS[name], numbers) if len(numbers) == len(values) else None
        if name in self.macros:
            given, expression = self.macros[name]
            inside = names.copy()
            for word, argument in zip(given, arguments, strict=False):
                value = self._value(argument, names, depth)
                inside.declare(word)
                inside.put(word, Made(value))
            self._calls.append(_Call())
            value = self._value(expression, inside, depth)
            self._calls.pop()
            return value
        made = self._result(node, names) if depth <= _DEEPEST_VALUE else None
        return made.value if made is not None else None


def _elements(count: Value | None, element: Type | None) -> Made:
    """Returns a vector of so many elements."""
    if not isinstance(count, int) or element is None:
        return Made()
    return Made(HostBuffer(count * element.size), {_SIZE: count})


def _start(node: Node) -> int:
    return node.start_byte


def _as_arguments(listed: Node | None) -> list[Node]:
    """Returns what the syntax takes for the parameters of a function as the arguments it is."""
    text = (listed.text or b"()") if listed is not None else b"()"
    call = parse(b"int x = f" + text + b";")
    found = next((n for n in _within(call) if n.type == "argument_list"), None)
    return children(found) if found is not None else []


def _within_heads(constructor: Node) -> list[Node]:
    """Returns the initialisers of members of a constructor."""
    listed = next((c for c in constructor.children if c.type == "field_initializer_list"), None)
    return [c for c in children(listed) if c.type == "field_initializer"] if listed else []


def _macros(text: bytes) -> Iterator[tuple[str, tuple[list[str], Node]]]:
    """Yields the macros that have parameters and are an expression, by their names."""
    for match in islice(_MACRO.finditer(text), _MOST_MACROS):
        body = b" ".join(match[3].replace(b"\\", b" ").split())
        given = [word.strip().decode() for word in match[2].split(b",")]
        tree = parse(b"int x = (" + body + b");")
        found = next((n for n in _within(tree) if n.type == "parenthesized_expression"), None)
        if found is not None and not tree.has_error:
            yield match[1].decode(), (given, found)


def _outside_functions(tree: Node) -> Iterator[Node]:
    """Yields the functions and variables of a text, in namespaces and classes, too."""
    todo = [tree]
    while todo:
        node = todo.pop()
        if node.type in ("function_definition", "declaration"):
            yield node
        else:
            todo.extend(reversed(node.named_children))


def _is_for_device(function: Node) -> bool:
    words = {child.type for child in function.children}
    return "__global__" in words or ("__device__" in words and "__host__" not in words)


def _within(node: Node) -> Iterator[Node]:
    """Yields a node and all in it, in the order of the text."""
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(reversed(node.named_children))


def _inside(node: Node) -> Node:
    """Returns the expression that the syntax takes for the parameter of a function."""
    if node.type == "parameter_declaration":
        return node.child_by_field_name("type") or node
    return node


def _stripped(node: Node, *, casts: bool = True) -> Node:
    """Returns an expression without brackets and casts, or without casts of C++ alone."""
    while True:
        inner = None
        if node.type == "parenthesized_expression" or (casts and node.type == "cast_expression"):
            inner = node.child_by_field_name("value") or next(iter(children(node)), None)
        elif node.type == "call_expression" and casts:
            function = node.child_by_field_name("function")
            listed = node.child_by_field_name("arguments")
            if text_of(function).startswith(_POINTER_CASTS) and listed is not None:
                inner = next(iter(children(listed)), None)
        if inner is None:
            return node
        node = inner
