"""Lines of CUDA C++ that call functions of the math library, with a condition or without.

The code of libdevice has no lines: in PTX a loop of ``fmodf`` has the line of its call, as a
condition of the author's there would have it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from tree_sitter import Node

from jitstudio.listing.cuda.syntax import operator, parse, text_of, within

_CONDITIONS = frozenset(
    {
        "if_statement",
        "for_statement",
        "for_range_loop",
        "while_statement",
        "do_statement",
        "switch_statement",
        "conditional_expression",
    }
)
_WHOLE = frozenset({"expression_statement", "declaration", "return_statement"})
_MACROS = frozenset({"preproc_def", "preproc_function_def"})
_FUNCTIONS = frozenset(
    re.findall(
        r"\w+",
        """
        acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0
        cyl_bessel_i1 erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim fdivide floor
        fma fmax fmin fmod frexp hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p
        log2 logb lrint lround modf nearbyint nextafter norm norm3d norm4d normcdf normcdfinv pow
        rcbrt remainder remquo rhypot rint rnorm rnorm3d rnorm4d round rsqrt scalbln scalbn sin
        sincos sincospi sinh sinpi sqrt tan tanh tgamma trunc y0 y1 yn
        """,
    )
)
_HARMLESS = re.compile(r"(?:__\w+|float|int|unsigned|double|min|max|abs|make_\w+|atomic\w+)")
"""Calls that are no branch: intrinsics, conversions, and what is one instruction."""


class MathCalls(NamedTuple):
    """A line that calls functions of the math library.

    Attributes:
        functions: Their names, as written.
        has_condition: Whether the statement has a condition of its own, too.
    """

    functions: tuple[str, ...]
    has_condition: bool


def math_calls(text: bytes, lines: Collection[int]) -> dict[int, MathCalls]:
    """Returns which of some lines, from 1, call the math library.

    Left out are lines with a call of anything else, which may be a macro.
    """
    root = parse(text)
    at: dict[int, list[Node]] = {line: [] for line in lines}
    macros = set()
    for node in within(root):
        if node.type in _MACROS:
            macros.add(text_of(node.child_by_field_name("name")))
        line = node.start_point[0] + 1
        if line in at and (node.type in _WHOLE or node.type in _CONDITIONS or _is_call(node)):
            at[line].append(node)
    calls = {line: _in_line(nodes, macros) for line, nodes in at.items()}
    return {line: of_line for line, of_line in calls.items() if of_line is not None}


def _in_line(nodes: list[Node], macros: Collection[str]) -> MathCalls | None:
    functions: dict[str, None] = {}
    has_condition = False
    for inner in (inner for node in nodes for inner in _own(node)):
        if inner.type in _CONDITIONS or operator(inner) in ("&&", "||"):
            has_condition = True
        elif _is_call(inner):
            name = text_of(inner.child_by_field_name("function")).split("::")[-1]
            if name in macros or not (_is_math(name) or _HARMLESS.fullmatch(name)):
                return None
            if _is_math(name):
                functions[name] = None
        elif inner.type == "identifier" and text_of(inner) in macros:
            return None
    return MathCalls(tuple(functions), has_condition) if functions else None


def _own(node: Node) -> Iterator[Node]:
    """Yields the nodes of a statement: of an `if` those of the condition, not of the branches."""
    if node.type not in _CONDITIONS or node.type == "conditional_expression":
        yield from within(node)
        return
    yield node
    for field in ("condition", "initializer", "update"):
        part = node.child_by_field_name(field)
        if part is not None:
            yield from within(part)


def _is_call(node: Node) -> bool:
    return node.type == "call_expression"


def _is_math(name: str) -> bool:
    return name in _FUNCTIONS or (name.endswith("f") and name[:-1] in _FUNCTIONS)
