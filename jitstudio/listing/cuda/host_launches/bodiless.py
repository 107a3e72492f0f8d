"""Functions that host code calls and whose body nobody sees: which arguments they may change.

Those of C take values, so that only what they get the address of may change. One of C++ may take
references: its prototype says, and where there is none the names of libraries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from tree_sitter import Node

from jitstudio.listing.cuda.host_launches.declared import HostDeclarations, parameters
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
_BY_VALUE = ("std::", "thrust::", "cuda::std::", "cooperative_groups::", "cg::")
_NAMED = frozenset({"identifier", "qualified_identifier", "template_function"})
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
_BUILT_IN = frozenset(
    {
        *("int", "unsigned", "long", "short", "char", "float", "double", "bool", "half", "__half"),
        *("size_t", "ptrdiff_t", "int8_t", "int16_t", "int32_t", "int64_t"),
        *("uint8_t", "uint16_t", "uint32_t", "uint64_t"),
    }
)


class BodilessFunctions:
    """Knows which arguments the functions without a body may change."""

    def __init__(self, code: HostDeclarations) -> None:
        self._code = code

    def changed(self, function: Node, arguments: Sequence[Node]) -> Iterator[tuple[Node, bool]]:
        """Yields the arguments that a call of a function without a body may change.

        Each with whether only numbers are, as nobody says that it takes references: memory is
        hardly ever given another way. Those whose address it gets are none of them.
        """
        name = text_of(function).partition("<")[0].replace(" ", "")
        last = name.rpartition("::")[2]
        known = self._prototypes.get(last, [])
        fitting = [each for each in known if len(each) >= len(arguments)] or known
        for at, argument in enumerate(arguments):
            if stripped(argument).type not in _PLACES:
                continue
            if fitting:
                if any(at < len(each) and _is_reference(each[at]) for each in fitting):
                    yield argument, False
            elif self._may_change(function, name, last):
                yield argument, True

    def _may_change(self, function: Node, name: str, last: str) -> bool:
        if function.type not in _NAMED:
            # Methods, and pointers to functions, take by value nearly always.
            return False
        if last in _CHANGING:
            return True
        if name.startswith(_BY_VALUE) or last in self._code.classes or last in _BUILT_IN:
            return False
        if last in self._code.functions or last in self._code.macros or last in self._code.kernels:
            return False
        return "::" in name or _OF_C.fullmatch(last) is None

    @cached_property
    def _prototypes(self) -> dict[str, list[list[Node]]]:
        """The parameters of functions that are declared, by their names."""
        prototypes: dict[str, list[list[Node]]] = {}
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
                        prototypes.setdefault(declared_name(declarator), []).append(listed)
        return prototypes


def _is_reference(parameter: Node) -> bool:
    declarator = parameter.child_by_field_name("declarator")
    shapes = [n.type for n in within(declarator)] if declarator is not None else []
    return any("reference" in each for each in shapes) and not is_const(parameter)


def is_swap(function: Node, arguments: Sequence[Node]) -> bool:
    """Returns whether a call is of `std::swap`."""
    return text_of(function).removeprefix("std::") == "swap" and len(arguments) == 2
