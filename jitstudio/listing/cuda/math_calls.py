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
_STARTS = _WHOLE | {"call_expression", "identifier"}
_PARTS = ("condition", "initializer", "update", "right")
"""The fields of a statement that are executed at its own lines, and not in its branches."""

_MACROS = frozenset({"preproc_def", "preproc_function_def"})

BRANCHING = frozenset(
    re.findall(
        r"\w+",
        """
        acosh asinh atan atan2 atanh cos cospi cyl_bessel_i0 cyl_bessel_i1 erf erfcinv erfcx erfinv
        fmod frexp ilogb j0 j1 jn lgamma log log10 log1p log2 logb nextafter norm normcdf normcdfinv
        pow remainder remquo rnorm sin sincos sincospi sinpi tan tgamma y0 y1 yn
        """,
    )
)
"""Functions whose code for float has a branch on some GPU, as NVRTC compiles them."""

BRANCHING_IN_DOUBLE = (
    BRANCHING
    | frozenset(
        re.findall(
            r"\w+", "acos asin cbrt cosh erfc exp exp10 exp2 expm1 modf rcbrt rhypot sinh tanh"
        )
    )
) - {"erf"}
"""Functions whose code for double has one."""

UNBRANCHED = frozenset(
    re.findall(
        r"\w+",
        """
        ceil copysign fabs fdim fdivide floor fma fmax fmin hypot ldexp llrint llround lrint lround
        nearbyint norm3d norm4d rint rnorm3d rnorm4d round rsqrt scalbln scalbn sqrt trunc
        """,
    )
)
"""Functions whose code has none for either."""

_HARMLESS = re.compile(r"(?:__\w+|float|int|unsigned|double|min|max|abs|make_\w+|atomic\w+)")
"""Calls that are no branch: intrinsics, conversions, and what is one instruction."""

_EITHER = BRANCHING | BRANCHING_IN_DOUBLE
_SINGLE = frozenset(f"{name}f" for name in _EITHER | UNBRANCHED)


class MathCalls(NamedTuple):
    """A line that calls functions of the math library.

    Attributes:
        functions: Their names, as written.
        has_condition: Whether the statement or the line has a condition of its own, too.
    """

    functions: tuple[str, ...]
    has_condition: bool


def math_calls(text: bytes, lines: Collection[int]) -> dict[int, MathCalls]:
    """Returns which of some lines, from 1, call functions of the math library that branch.

    Left out are lines with a call of anything else, which may be a macro.
    """
    root = parse(text)
    at: dict[int, list[Node]] = {line: [] for line in lines}
    macros, conditional = set(), set()
    for node in within(root):
        if node.type in _MACROS:
            macros.add(text_of(node.child_by_field_name("name")))
        if _is_condition(node):
            conditional |= {line for line in lines if _covers(node, line)}
        line = node.start_point[0] + 1
        if line in at and (node.type in _STARTS or node.type in _CONDITIONS):
            at[line].append(node)
    calls = {line: _in_line(nodes, macros) for line, nodes in at.items()}
    return {
        line: of_line._replace(has_condition=of_line.has_condition or line in conditional)
        for line, of_line in calls.items()
        if of_line is not None
    }


def _in_line(nodes: list[Node], macros: Collection[str]) -> MathCalls | None:
    functions: dict[str, None] = {}
    has_condition = False
    for inner in (inner for node in nodes for inner in _own(node)):
        if _is_condition(inner):
            has_condition = True
        elif inner.type == "call_expression":
            name = text_of(inner.child_by_field_name("function")).split("::")[-1]
            if name in macros or not (_is_math(name) or _HARMLESS.fullmatch(name)):
                return None
            if _branches(name):
                functions[name] = None
        elif inner.type == "identifier" and text_of(inner) in macros:
            return None
    return MathCalls(tuple(functions), has_condition) if functions else None


def _is_condition(node: Node) -> bool:
    return node.type in _CONDITIONS or operator(node) in ("&&", "||")


def _covers(node: Node, line: int) -> bool:
    """Returns whether a condition is on a line, begun there or earlier."""
    if node.type not in _CONDITIONS or node.type == "conditional_expression":
        parts = [node]
    else:
        fields = (node.child_by_field_name(field) for field in _PARTS)
        parts = [part for part in fields if part is not None]
    return any(part.start_point[0] < line <= part.end_point[0] + 1 for part in parts)


def _own(node: Node) -> Iterator[Node]:
    """Yields the nodes of a statement: of an `if` the condition's, not the branches'."""
    if node.type not in _CONDITIONS or node.type == "conditional_expression":
        yield from within(node)
        return
    yield node
    for field in _PARTS:
        part = node.child_by_field_name(field)
        if part is not None:
            yield from within(part)


def _is_math(name: str) -> bool:
    return name in _EITHER or name in UNBRANCHED or name in _SINGLE


def _branches(name: str) -> bool:
    """Returns whether a function branches; a name without ``f`` may be of float or double."""
    return name in _EITHER or (name in _SINGLE and name[:-1] in BRANCHING)
