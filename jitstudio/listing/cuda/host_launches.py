"""How the host code of a text launches its kernels, found by following that code with numbers.

Each function of the host is gone through once, from `main` on, in the order of the text: what a
variable comes to is remembered where it can be calculated, and a program has no arguments on its
command line. A loop is gone through once: behind it, and behind a branch that is not decided, what
they change is not known. What needs to be run to be known is left out.
"""

from __future__ import annotations

import math
import operator as arithmetic
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tree_sitter import Node

from jitstudio.core.code import Source
from jitstudio.core.launch.request import HostBuffer, HostLaunch
from jitstudio.core.launch.types import Array, Pointer, Type
from jitstudio.core.launch.values import Number
from jitstudio.listing.cuda.declarations import prepare
from jitstudio.listing.cuda.syntax import (
    declared_name,
    is_const,
    operator,
    parse,
    template_in,
    text_of,
)
from jitstudio.listing.cuda.types import Types, binary, literal, unary

_Dimensions = tuple[int, ...]
_Value = Number | _Dimensions | HostBuffer

_MOST_STEPS = 100_000
_DEEPEST_CALL = 16
_DEEPEST_VALUE = 100
_MOST_BLOCKS = 1 << 31
_AXES = "xyz"
_DIM3 = "dim3"
_ARGUMENTS = re.compile(r"\barg[cv]\b")

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
_CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast", "int", "unsigned", "size_t"})
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
_FUNCTIONS: dict[str, Callable[..., Number]] = {
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
    program.run(parse(prepare(text, defines, for_host=True).text))
    return program.launches


@dataclass
class _Names:
    """What is known where the code is: the values and types of variables.

    Attributes:
        values: By name; members have names such as ``block.x``.
        types: By name.
        addresses: The names of variables whose addresses an array holds, as for cudaLaunchKernel.
    """

    values: dict[str, _Value] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    addresses: dict[str, list[str]] = field(default_factory=dict)
    _declared: list[set[str]] = field(default_factory=list)

    def enter(self) -> Callable[[], None]:
        """Begins a block; returns what ends it: names mean again what they did before it."""
        before, declared = self.copy(), set[str]()
        self._declared.append(declared)

        def leave() -> None:
            # By identity: other blocks may have declared the same names, or none.
            self._declared = [one for one in self._declared if one is not declared]
            tables = (self.values, before.values), (self.types, before.types)
            for now, then in (*tables, (self.addresses, before.addresses)):
                for name in declared:
                    _restore(now, then, name)

        return leave

    def declare(self, name: str) -> None:
        """Notes that the block has a variable of its own of this name."""
        if self._declared:
            self._declared[-1].add(name)

    def copy(self) -> _Names:
        return _Names(dict(self.values), dict(self.types), dict(self.addresses))


class _Program:
    """Goes through the functions of a text."""

    def __init__(self, module: str, types: Types) -> None:
        self._module = module
        self.launches: list[HostLaunch] = []
        self._types = types
        self._functions: dict[str, Node] = {}
        self._entered: set[int] = set()
        self._open: list[int] = []
        self._steps = 0

    def run(self, root: Node) -> None:
        names = _Names()
        for node in _outside_functions(root):
            if node.type == "function_definition":
                self._functions.setdefault(
                    declared_name(node.child_by_field_name("declarator")), node
                )
            else:
                self._declare(node, names)
        first = self._functions.get("main")
        for function in filter(None, (first, *self._functions.values())):
            if function.id not in self._entered and not _is_for_device(function):
                local = names.copy()
                # The program's own name.
                local.values["argc"] = 1
                self._enter(function, local)

    def _enter(self, function: Node, names: _Names) -> None:
        body = function.child_by_field_name("body")
        if body is None or len(self._open) > _DEEPEST_CALL or function.id in self._open:
            return
        self._entered.add(function.id)
        self._open.append(function.id)
        self._follow(body, names)
        self._open.pop()

    def _follow(self, node: Node, names: _Names) -> None:
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
                case "compound_statement":
                    todo.append(names.enter())
                case "if_statement":
                    todo.extend(self._branches(step, names))
                    continue
                case "for_statement" | "for_range_loop" | "while_statement" | "do_statement":
                    # It has gone through once; how often in all is not known.
                    todo += (names.enter(), partial(self._forget_changes, step, names))
                    update = step.child_by_field_name("update")
                    todo.extend(c for c in reversed(step.named_children) if c != update)
                    continue
            todo.extend(reversed(step.named_children))

    def _branches(self, node: Node, names: _Names) -> list[Node | Callable[[], None]]:
        """Returns what to go through of an `if`, the last first."""
        condition = node.child_by_field_name("condition")
        value = self._value(condition, names)
        taken = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        steps: list[Node | Callable[[], None]] = []
        if not isinstance(value, int | float) and _ARGUMENTS.search(text_of(condition)):
            # There are none.
            value = 0
        if isinstance(value, int | float):
            taken = (taken[0], None) if value else (None, taken[1])
        else:
            steps = [partial(self._forget_changes, part, names) for part in taken if part]
        return [*steps, *(part for part in (*reversed(taken), condition) if part is not None)]

    def _forget_changes(self, node: Node, names: _Names) -> None:
        """Forgets the variables that a statement may have changed."""
        for inner in _within(node):
            changed = None
            if inner.type == "assignment_expression":
                changed = inner.child_by_field_name("left")
            elif inner.type == "update_expression":
                changed = inner.child_by_field_name("argument")
            if changed is not None:
                self._lose(text_of(changed), names)

    def _lose(self, name: str, names: _Names) -> None:
        """Forgets what a variable comes to, its members, too."""
        whole, _, axis = name.rpartition(".")
        names.values.pop(whole if axis in _AXES and whole else name, None)
        for member in [key for key in names.values if key.startswith(f"{name}.")]:
            del names.values[member]

    def _update(self, node: Node, names: _Names) -> None:
        name = text_of(node.child_by_field_name("argument"))
        value = names.values.get(name)
        if isinstance(value, int):
            names.values[name] = value + (1 if operator(node) == "++" else -1)
        else:
            self._lose(name, names)

    def _declare(self, node: Node, names: _Names) -> None:
        kind = node.child_by_field_name("type")
        if kind is None:
            return
        for declarator in node.children_by_field_name("declarator"):
            is_initialised = declarator.type == "init_declarator"
            inner = declarator.child_by_field_name("declarator") if is_initialised else declarator
            name = declared_name(inner)
            value = declarator.child_by_field_name("value") if is_initialised else None
            if not name:
                continue
            names.declare(name)
            self._forget(name, names)
            found = self._types.declared(kind, inner, (), const=is_const(node))
            if found is not None:
                names.types[name] = found
            if value is not None and value.type == "initializer_list":
                names.addresses[name] = [_address(n) for n in _children(value)]
            self._vector(kind, name, value, names)
            is_dim3 = text_of(kind) == _DIM3
            known = self._dim3(inner, value, names) if is_dim3 else self._value(value, names)
            if known is not None:
                is_address = isinstance(found, Pointer | Array)
                names.values[name] = known if is_address else _cast(text_of(kind), known)

    def _forget(self, name: str, names: _Names) -> None:
        for table in (names.values, names.types, names.addresses):
            table.pop(name, None)
            for axis in _AXES:
                table.pop(f"{name}.{axis}", None)

    def _dim3(self, inner: Node | None, value: Node | None, names: _Names) -> _Dimensions | None:
        """Returns what a variable of this type begins with."""
        if inner is not None and inner.type == "function_declarator":
            # `dim3 grid(n, m);` may be a function as far as its syntax goes.
            value = inner.child_by_field_name("parameters")
        if value is not None and value.type.endswith("_list"):
            return self._dimensions(_children(value), names)
        return _dimensions(self._value(value, names))

    def _vector(self, kind: Node, name: str, arguments: Node | None, names: _Names) -> None:
        """Remembers what `std::vector` and its like hold."""
        template = kind if kind.type == "template_type" else template_in(kind)
        nodes = _children(arguments) if arguments is not None else []
        if template is None or not nodes:
            return
        listed = template.child_by_field_name("arguments")
        inside = _children(listed) if listed is not None else []
        word = text_of(template.child_by_field_name("name"))
        count = self._value(_inside(nodes[0]), names)
        element = self._types.argument(inside[0], ()) if inside else None
        if word in _VECTORS and isinstance(count, int) and isinstance(element, Type):
            names.values[name] = HostBuffer(count * element.size)
            names.values[f"{name}.size()"] = count

    def _dimensions(self, nodes: Sequence[Node], names: _Names) -> _Dimensions | None:
        values = [self._value(_inside(node), names) for node in nodes]
        whole = [int(value) for value in values if isinstance(value, int | float)]
        return tuple(whole) if whole and len(whole) == len(values) <= len(_AXES) else None

    def _assign(self, node: Node, names: _Names) -> None:
        left, right = (node.child_by_field_name(side) for side in ("left", "right"))
        sign, name = operator(node), text_of(left)
        value = self._value(right, names)
        if sign != "=" and value is not None:
            before = names.values.get(name)
            value = _calculated(sign.removesuffix("="), before, value)
        if value is None:
            self._lose(name, names)
            return
        part, _, axis = name.rpartition(".")
        whole = names.values.get(part)
        if isinstance(whole, tuple) and axis in _AXES and isinstance(value, int | float):
            sizes = list(whole) + [1] * (_AXES.index(axis) + 1 - len(whole))
            sizes[_AXES.index(axis)] = int(value)
            names.values[part] = tuple(sizes)
        else:
            names.values[name] = value

    def _call(self, node: Node, names: _Names) -> None:
        function, listed = (node.child_by_field_name(f) for f in ("function", "arguments"))
        if function is None or listed is None:
            return
        arguments = _children(listed)
        name = text_of(function)
        config = next((c for c in node.children if c.type == "kernel_call_syntax"), None)
        if config is not None:
            sizes = _children(config)
            values = [self._argument(argument, names) for argument in arguments]
            self._launch(function, sizes, values, names)
        elif name in _ALLOCATIONS and len(arguments) > max(_ALLOCATIONS[name]):
            sizes = [arguments[place] for place in _ALLOCATIONS[name]]
            numbers = [self._value(size, names) for size in sizes]
            known = [n for n in numbers if isinstance(n, int | float)]
            size = _attempt(lambda: math.prod(known), ())
            if size is not None and len(known) == len(numbers):
                names.values[_address(arguments[0])] = HostBuffer(int(size))
        elif name in _BY_ADDRESS and len(arguments) > 3:
            held = names.addresses.get(text_of(arguments[3]), [])
            values = [_as_argument(names.values.get(variable)) for variable in held]
            sizes = [*arguments[1:3], *arguments[4:5]]
            self._launch(arguments[0], sizes, values, names, cooperative=_BY_ADDRESS[name])
        elif name == _BY_CONFIG and len(arguments) > 1:
            self._launch_by_config(arguments, names)
        else:
            local = self._functions.get(name.partition("<")[0].rpartition("::")[2])
            if local is not None:
                self._enter_with(local, arguments, names)
            by_reference = _references(local) if local is not None else ()
            for place, argument in enumerate(arguments):
                # What a call does with a variable whose address it gets is not followed.
                if _stripped(argument).type == "pointer_expression" or place in by_reference:
                    self._lose(_address(argument), names)

    def _launch_by_config(self, arguments: Sequence[Node], names: _Names) -> None:
        config, kernel, *rest = arguments
        given = [names.values.get(f"{_address(config)}.{part}") for part in ("gridDim", "blockDim")]
        shared = names.values.get(f"{_address(config)}.dynamicSmemBytes", 0)
        values = [self._argument(argument, names) for argument in rest]
        self._add(kernel, _dimensions(given[0]), _dimensions(given[1]), shared, values)

    def _enter_with(self, function: Node, arguments: Sequence[Node], names: _Names) -> None:
        """Goes through a function that is called, with what its parameters are there."""
        if _is_for_device(function):
            return
        local = names.copy()
        for parameter, argument in zip(_parameters(function), arguments, strict=False):
            name = declared_name(parameter.child_by_field_name("declarator"))
            value = self._value(argument, names)
            value = value if value is not None else self._buffer(argument, names)
            self._forget(name, local)
            if value is not None:
                local.values[name] = value
        self._enter(function, local)

    def _launch(
        self,
        function: Node,
        sizes: Sequence[Node],
        arguments: Sequence[Number | HostBuffer | None],
        names: _Names,
        *,
        cooperative: bool = False,
    ) -> None:
        values = [self._value(_inside(size), names) for size in sizes]
        grid, block, shared = (*values, None, None, None)[:3]
        shared = shared if len(sizes) > 2 else 0
        dimensions = _dimensions(grid), _dimensions(block)
        self._add(function, *dimensions, shared, arguments, cooperative=cooperative)

    def _add(
        self,
        function: Node,
        grid: _Dimensions | None,
        block: _Dimensions | None,
        shared: _Value | None,
        arguments: Iterable[Number | HostBuffer | None],
        *,
        cooperative: bool = False,
    ) -> None:
        named = text_of(_stripped(function)).lstrip("&").strip()
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

    def _argument(self, node: Node, names: _Names) -> Number | HostBuffer | None:
        """Returns what a kernel is given."""
        value = _as_argument(self._value(node, names))
        return value if value is not None else self._buffer(node, names)

    def _buffer(self, node: Node, names: _Names) -> HostBuffer | None:
        """Returns the buffer that an expression such as ``raw_pointer_cast(v.data())`` is about."""
        for inner in _within(node):
            if inner.type in ("identifier", "field_expression"):
                found = names.values.get(text_of(inner))
                if isinstance(found, HostBuffer):
                    return found
        return None

    def _value(self, node: Node | None, names: _Names, depth: int = 0) -> _Value | None:
        """Returns what an expression comes to; None where that is not known."""
        self._steps += 1
        if node is None or depth > _DEEPEST_VALUE or self._steps > _MOST_STEPS:
            return None
        again = depth + 1
        match node.type:
            case "number_literal":
                return _literal(text_of(node))
            case "identifier" | "qualified_identifier" | "type_identifier":
                known = names.values.get(text_of(node))
                return self._types.number(node, ()) if known is None else known
            case "field_expression":
                return self._member(node, names)
            case "parenthesized_expression" | "initializer_list" | "condition_clause":
                if node.named_child_count == 1:
                    return self._value(node.named_children[0], names, again)
            case "cast_expression":
                value = self._value(node.child_by_field_name("value"), names, again)
                kind = text_of(node.child_by_field_name("type"))
                return None if value is None else _cast(kind, value)
            case "sizeof_expression":
                return self._size(node, names)
            case "conditional_expression":
                test = self._value(node.child_by_field_name("condition"), names, again)
                if isinstance(test, int | float):
                    side = "consequence" if test else "alternative"
                    return self._value(node.child_by_field_name(side), names, again)
            case "unary_expression":
                value = self._value(node.child_by_field_name("argument"), names, again)
                if isinstance(value, int):
                    return unary(operator(node), value)
                return -value if isinstance(value, float) and operator(node) == "-" else None
            case "binary_expression":
                sides = (node.child_by_field_name(side) for side in ("left", "right"))
                left, right = (self._value(side, names, again) for side in sides)
                return _calculated(operator(node), left, right)
            case "call_expression" | "compound_literal_expression":
                known = names.values.get(text_of(node))
                return self._called(node, names, again) if known is None else known
        return None

    def _member(self, node: Node, names: _Names) -> _Value | None:
        known = names.values.get(text_of(node))
        if known is not None:
            return known
        whole = names.values.get(text_of(node.child_by_field_name("argument")))
        axis = text_of(node.child_by_field_name("field"))
        if isinstance(whole, tuple) and axis in _AXES:
            return (*whole, 1, 1)[_AXES.index(axis)]
        return None

    def _size(self, node: Node, names: _Names) -> int | None:
        if (size := self._types.number(node, ())) is not None:
            return size
        of = node.child_by_field_name("value")
        while of is not None and of.type == "parenthesized_expression":
            of = of.named_children[0] if of.named_children else None
        if of is None:
            return None
        name = next((text_of(n) for n in _within(of) if n.type == "identifier"), "")
        found = names.types.get(name)
        if of.type in ("pointer_expression", "subscript_expression"):
            element = found.element if isinstance(found, Array) else None
            found = found.target if isinstance(found, Pointer) else element
        return found.size if found is not None else None

    def _called(self, node: Node, names: _Names, depth: int) -> _Value | None:
        """Returns what a call gives: a conversion, mathematics, or a function of one `return`."""
        function = node.child_by_field_name("function") or node.child_by_field_name("type")
        listed = node.child_by_field_name("arguments") or node.child_by_field_name("value")
        if function is None or listed is None:
            return None
        full = text_of(function).removeprefix("std::")
        name = full.partition("<")[0].rpartition("::")[2]
        arguments = _children(listed)
        if name == _DIM3:
            return self._dimensions(arguments, names)
        values = [self._value(argument, names, depth) for argument in arguments]
        numbers = [value for value in values if isinstance(value, int | float)]
        if not numbers or len(numbers) != len(values):
            return None
        if name in _CASTS:
            kind = full.partition("<")[2].rpartition(">")[0] or name
            return _cast(kind, numbers[0]) if len(numbers) == 1 else None
        if name in _FUNCTIONS:
            return _attempt(_FUNCTIONS[name], numbers)
        local = self._functions.get(name)
        return self._returned(local, numbers, names, depth) if local else None

    def _returned(
        self, function: Node, arguments: Sequence[Number], names: _Names, depth: int
    ) -> _Value | None:
        body = function.child_by_field_name("body")
        statements = _children(body) if body else []
        if len(statements) != 1 or statements[0].type != "return_statement":
            return None
        parameters = [
            declared_name(p.child_by_field_name("declarator")) for p in _parameters(function)
        ]
        local = _Names(names.values | dict(zip(parameters, arguments, strict=False)))
        return self._value(statements[0].named_children[0], local, depth)


def _restore(now: dict[str, Any], then: dict[str, Any], name: str) -> None:
    now.pop(name, None)
    for key in [key for key in now if key.startswith((f"{name}.", f"{name}->"))]:
        del now[key]
    now |= {k: v for k, v in then.items() if k == name or k.startswith(f"{name}.")}


def _references(function: Node) -> frozenset[int]:
    """Returns the places of the parameters that are references to what may be changed."""
    return frozenset(
        place
        for place, parameter in enumerate(_parameters(function))
        if (declarator := parameter.child_by_field_name("declarator")) is not None
        and declarator.type == "reference_declarator"
        and not is_const(parameter)
    )


def _outside_functions(root: Node) -> Iterator[Node]:
    """Yields the functions and variables of a text, in namespaces and classes, too."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type in ("function_definition", "declaration"):
            yield node
        else:
            todo.extend(reversed(node.named_children))


def _is_for_device(function: Node) -> bool:
    words = {child.type for child in function.children}
    return "__global__" in words or ("__device__" in words and "__host__" not in words)


def _parameters(function: Node) -> list[Node]:
    listed = next((n for n in _within(function) if n.type == "parameter_list"), None)
    return _children(listed) if listed is not None else []


def _children(node: Node) -> list[Node]:
    return [child for child in node.named_children if child.type != "comment"]


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


def _stripped(node: Node) -> Node:
    """Returns an expression without casts and brackets."""
    while node.type in ("cast_expression", "parenthesized_expression"):
        inner = node.child_by_field_name("value") or next(iter(_children(node)), None)
        if inner is None:
            break
        node = inner
    return node


def _address(node: Node) -> str:
    """Returns the variable whose address an expression such as ``(void**)&x`` is."""
    return text_of(_stripped(node)).lstrip("&").strip()


def _dimensions(value: _Value | None) -> _Dimensions | None:
    sizes = (int(value),) if isinstance(value, int | float) else value
    possible = isinstance(sizes, tuple) and all(0 < size < _MOST_BLOCKS for size in sizes)
    return sizes if isinstance(sizes, tuple) and possible else None


def _as_argument(value: _Value | None) -> Number | HostBuffer | None:
    return None if isinstance(value, tuple) else value


def _literal(text: str) -> Number | None:
    whole = literal(text)
    if whole is not None:
        return whole
    return _attempt(lambda: float(text.replace("'", "").rstrip("fFlL")), ())


def _cast(kind: str, value: _Value) -> _Value:
    """Returns a number as one of this type; what is no number as it is."""
    if not isinstance(value, int | float):
        return value
    words = set(kind.replace("const", "").split())
    if words & _FLOATING:
        return float(value)
    is_whole = words <= _WHOLE and words
    return int(value) if is_whole and math.isfinite(value) else value


def _calculated(sign: str, left: _Value | None, right: _Value | None) -> Number | None:
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return None
    if isinstance(left, int) and isinstance(right, int):
        return binary(sign, left, right)
    apply = _FLOAT_OPERATORS.get(sign)
    return _attempt(apply, (left, right)) if apply else None


def _attempt(apply: Callable[..., Number], numbers: Sequence[Number]) -> Number | None:
    """Returns what a function gives; None where that is no finite number."""
    with suppress(ArithmeticError, ValueError, TypeError):
        value = apply(*numbers)
        return value if math.isfinite(value) else None
    return None
