"""Functions that host code calls and whose body nobody sees: which arguments they may change.

Those of C take values, so that only what they get the address of may change. One of C++ may take
references: its prototype says, and where there is none the names of libraries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from tree_sitter import Node

from jitstudio.core.launch.types import Array, Pointer, Scalar, Struct, Type
from jitstudio.listing.cuda.host_launches.declared import HostDeclarations, parameters
from jitstudio.listing.cuda.host_launches.expressions import HostExpressions
from jitstudio.listing.cuda.host_launches.values import Names, root
from jitstudio.listing.cuda.syntax import (
    declared_name,
    is_const,
    stripped,
    text_of,
    within,
)

# Of the standard library and Thrust those that change what they get by reference.
_CHANGING = frozenset(
    {
        *("swap", "iter_swap", "exchange", "tie", "getline", "from_chars", "ref", "bind"),
        *("forward_as_tuple", "thread", "async", "atomic_ref", "advance", "get", "getfield"),
    }
)
# Those that make references which may stay.
_REFERRING = frozenset({"ref", "tie", "forward_as_tuple", "atomic_ref", "bind", "addressof"})
_BY_VALUE = ("std::", "thrust::", "cuda::std::", "cooperative_groups::", "cg::")
_NAMED = frozenset({"identifier", "qualified_identifier", "template_function"})
# Of an object, a table or by a pointer.
_CALLED = frozenset({"field_expression", "subscript_expression", "parenthesized_expression"})
_PLACES = frozenset({"identifier", "field_expression", "subscript_expression"})
# Libraries of C, and macros, which have no references.
_OF_C = re.compile(
    r"(?:cu(?:da|blas|fft|rand|sparse|solver|dnn|tensor|file|pti)?|nvtx|nvml|nccl|nvrtc|nvJitLink)"
    r"[A-Z]\w*+|(?:MPI|omp|pthread|nvtx|gl|glut|glfw|sdk|SDL)\w*+|[A-Z_][A-Z0-9_]*+"
    r"|(?:v?[fs]?n?|w)printf|v?[fs]?scanf|(?:mem|str)\w++|is(?:alpha|digit|space|nan|inf)|f?put[cs]"
    r"|put(?:char|env)|f(?:open|close|read|write|seek|tell|flush|gets|getc|eof|error)|[csm]?alloc"
    r"|(?:m|c|re|aligned_|posix_mem)al(?:loc|ign)|free|exit|_exit|abort|atexit|assert|perror|system"
    r"|s?rand(?:_r|48|om)?|drand48|srand48|time|clock|u?sleep|nanosleep|gettimeofday|clock_\w++"
    r"|atoi|atol|atoll|atof|qsort|bsearch|labs|llabs|div|ldiv|signal|raise|getenv|setenv|getopt\w*+"
    r"|open|close|read|write|lseek|mmap|munmap|stat|access|remove|unlink|rename"
    r"|f?(?:abs|min|max|mod|ma|dim)[fl]?|a?(?:sin|cos|tan)h?[fl]?|atan2[fl]?|exp\w?[fl]?|log\w*+"
    r"|pow[fl]?|sqrt[fl]?|r?cbrt[fl]?|hypot[fl]?|ceil[fl]?|floor[fl]?|l?l?r(?:ound|int)[fl]?"
    r"|trunc[fl]?|erfc?[fl]?|[tl]gamma[fl]?|sizeof|alignof|decltype|static_assert|defined"
    r"|(?:static|reinterpret|const|dynamic)_cast|dim3|make_\w++"
)
_MOST_NUMBERS = 100
_BUILT_IN = frozenset(
    {
        *("int", "unsigned", "long", "short", "char", "float", "double", "bool", "half", "__half"),
        *("size_t", "ptrdiff_t", "int8_t", "int16_t", "int32_t", "int64_t"),
        *("uint8_t", "uint16_t", "uint32_t", "uint64_t"),
    }
)


_OF_LIBRARY = re.compile(r"(?:const\s++)?(?:std|thrust|cuda|cooperative_groups|cg)\s*+::")
# Of containers, streams and the like, whose type is often `auto` or a name of the program's.
_METHODS = frozenset(
    {
        *("push_back", "emplace_back", "emplace", "insert", "erase", "resize", "reserve", "assign"),
        *("at", "find", "count", "contains", "substr", "append", "fill", "push", "write", "seed"),
        *("precision", "width", "reset", "set", "test", "launch", "wait", "store", "load", "get"),
    }
)


class BodilessFunctions:
    """Knows which arguments the functions without a body may change."""

    def __init__(self, code: HostDeclarations, expressions: HostExpressions) -> None:
        self._code = code
        self._expressions = expressions

    def follow(self, function: Node, arguments: Sequence[Node], names: Names) -> None:
        """Forgets what a call of a function without a body may change."""
        places = [self._expressions.place(argument, names) for argument in arguments]
        line = function.start_point[0] + 1
        if text_of(function).removeprefix("std::") == "swap" and len(arguments) == 2:
            swapped = [self._expressions.evaluate(argument, names) for argument in arguments]
            for place, result in zip(places, reversed(swapped), strict=True):
                names.put(place, result)
            return
        if _last_name(function) == "memset" and self._zeroed(places, arguments, names):
            return
        if _last_name(function) in _REFERRING:
            for place in places:
                names.untrack(place)
        of = self._expressions.place(function.child_by_field_name("argument") or function, names)
        kind = names.objects.get(of, ("", {}))[0] or names.kinds.get(root(of), ("", 0))[0]
        if self._changes_object(function, kind):
            names.lose_numbers(of)
        for at, is_number in self._changed(function, arguments, kind):
            if not is_number or isinstance(names.values.get(places[at]), int | float | tuple):
                names.lose(places[at])
                names.lines[places[at]] = line
        for place, argument in zip(places, arguments, strict=True):
            # What a call does with a variable whose address it gets is not followed.
            if stripped(argument).type == "pointer_expression":
                names.lose(place)
                names.lines[place] = line
            elif argument == arguments[0] or not text_of(function).startswith("cuda"):
                # Those of the runtime change what their first argument points at.
                names.lose_elements(place)

    def _zeroed(self, places: Sequence[str], arguments: Sequence[Node], names: Names) -> bool:
        """Makes all of a struct zero, if that is what `memset` does."""
        if len(arguments) != 3 or stripped(arguments[0]).type != "pointer_expression":
            return False
        kind = names.types.get(places[0])
        byte, count = (self._expressions.value(each, names) for each in arguments[1:])
        if byte != 0 or not isinstance(kind, Struct) or count != kind.size:
            return False
        names.lose_members(places[0])
        for path in islice(_numbers_in(kind), _MOST_NUMBERS):
            names.keep(f"{places[0]}{path}", 0)
        return True

    def _changed(
        self, function: Node, arguments: Sequence[Node], kind: str
    ) -> Iterator[tuple[int, bool]]:
        """Yields which arguments a call of a function without a body may change.

        Each with whether only numbers are, as nobody says that it takes references: memory is
        hardly ever given another way. Those whose address it gets are none of them.

        Args:
            function: What is called.
            arguments: What it is given.
            kind: The type of the object whose method it is, as it is written; empty for none known.
        """
        name = text_of(function).partition("<")[0].replace(" ", "")
        last = _last_name(function)
        known = [parameters(each) for each in self._prototypes.get(last, [])]
        fitting = [each for each in known if len(each) >= len(arguments)] or known
        for at, argument in enumerate(arguments):
            if stripped(argument).type not in _PLACES:
                continue
            if fitting:
                if any(at < len(each) and _is_reference(each[at]) for each in fitting):
                    yield at, False
            elif self._may_change(function, name, last, kind):
                yield at, True

    def _changes_object(self, function: Node, kind: str) -> bool:
        """Returns whether a call is of a method without a body that may change its object."""
        if function.type != "field_expression" or _OF_LIBRARY.match(kind):
            return False
        method = text_of(function.child_by_field_name("field"))
        known = self._prototypes.get(method)
        if known:
            return not all(_is_const_method(each) for each in known)
        return method not in _METHODS

    def _may_change(self, function: Node, name: str, last: str, kind: str) -> bool:
        if _OF_LIBRARY.match(kind) and "&" not in kind:
            # `std::function` says what it takes.
            return False
        if function.type not in _NAMED:
            # A method of a class that nobody sees, or a pointer to a function.
            return function.type in _CALLED and last not in _METHODS
        if last in _CHANGING:
            return True
        if name.startswith(_BY_VALUE) or last in self._code.classes or last in _BUILT_IN:
            return False
        if last in self._code.functions or last in self._code.macros or last in self._code.kernels:
            return False
        return "::" in name or _OF_C.fullmatch(last) is None

    @cached_property
    def _prototypes(self) -> dict[str, list[Node]]:
        """The functions that are declared, by their names."""
        prototypes: dict[str, list[Node]] = {}
        for tree in self._code.trees:
            for node in within(tree):
                if node.type not in ("declaration", "field_declaration"):
                    continue
                for declarator in node.children_by_field_name("declarator"):
                    listed = parameters(node)
                    is_function = any(n.type == "function_declarator" for n in within(declarator))
                    if is_function and all(
                        n.type.endswith("parameter_declaration") or n.type.startswith("variadic")
                        for n in listed
                    ):
                        prototypes.setdefault(declared_name(declarator), []).append(node)
        return prototypes


def _numbers_in(kind: Type, path: str = "") -> Iterator[str]:
    """Yields the paths of the numbers and addresses that a type is made of."""
    if isinstance(kind, Struct):
        for each in kind.fields:
            yield from _numbers_in(each.type, f"{path}.{each.name}")
    elif isinstance(kind, Array):
        for n in range(kind.count):
            yield from _numbers_in(kind.element, f"{path}[{n}]")
    elif isinstance(kind, Scalar | Pointer):
        yield path


def _is_reference(parameter: Node) -> bool:
    declarator = parameter.child_by_field_name("declarator")
    shapes = [n.type for n in within(declarator)] if declarator is not None else []
    return any("reference" in each for each in shapes) and not is_const(parameter)


def _is_const_method(declaration: Node) -> bool:
    declarator = declaration.child_by_field_name("declarator")
    shapes = within(declarator) if declarator is not None else ()
    of = next((each for each in shapes if each.type == "function_declarator"), None)
    return of is not None and any(c.type == "type_qualifier" for c in of.children)


def _last_name(function: Node) -> str:
    """Returns the name of what is called, without what it is of."""
    name = text_of(function).partition("<")[0].replace(" ", "")
    return text_of(function.child_by_field_name("field")) or name.rpartition("::")[2]
