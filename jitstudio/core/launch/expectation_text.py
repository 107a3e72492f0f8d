"""The syntax of expectations, read before anything runs: ``out.reshape(8, 32)[1:, 0] = a * 2``.

Which functions of NumPy there are, and what arrays come to, is not known here.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Collection, Mapping, Sequence

from jitstudio.core.launch.problems import TextError, shortened, unknown
from jitstudio.core.launch.request import Buffer
from jitstudio.core.launch.types import Scalar, Struct, Type
from jitstudio.core.launch.values import Number, integer

SHAPING = frozenset(["reshape", "ravel", "flatten", "transpose", "swapaxes", "squeeze"])
"""What may be called in a target: it moves elements and changes none."""

_STAND_IN = "_"
_STRING = r"'[^']*+(?:'|\Z)|\"[^\"]*+(?:\"|\Z)"


def target_steps(body: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
    """Returns the root of a target, then indices and calls that move elements, in order.

    Any other expression inside is the root.
    """
    chain: list[ast.expr] = []
    node = body
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr=word)) if word in SHAPING:
                pass
            case ast.Subscript(value=inner) | ast.Attribute(value=inner, attr="T"):
                pass
            case _:
                return node, chain[::-1]
        chain.append(node)
        node = inner


def check_expression(text: str, names: Collection[str]) -> None:
    """Refuses a text that Python cannot parse.

    Args:
        text: The expected content.
        names: The names in expressions, as some of these are no names of Python.

    Raises:
        TextError: It is no expression.
    """
    _parsed(text, text, names, "Write something like out = a + b.")


def check_part(buffer: Buffer, part: str, names: Mapping[str, Number | None]) -> None:
    """Refuses a part that a buffer has not.

    Args:
        buffer: The buffer that is to be checked.
        part: See `Expectation.part`.
        names: What is known in expressions; None for what is no number.

    Raises:
        TextError: There is no such part.
    """
    target = buffer.name + part
    example = f"Write which elements are meant, as in {buffer.name}[1:-1] = 2, or all of them, "
    example += f"as in {buffer.name} = 2."
    body = _parsed(_STAND_IN + part, target, names, example)
    if body is None:
        return
    root, chain = target_steps(body)
    if not isinstance(root, ast.Name):
        raise TextError(
            f"'{shortened(target)}' is not part of {buffer.name}, of which elements are compared.",
            example,
        )
    _check_fields(buffer, chain, example)
    _check_range(buffer, chain, {name: n for name, n in names.items() if n is not None})


def _parsed(text: str, written: str, names: Collection[str], remedy: str) -> ast.expr | None:
    """Returns the expression that Python parses; None where the nesting is too deep to tell."""
    odd = [name for name in names if keyword.iskeyword(name) or not name.isidentifier()]
    patterns = (
        rf"(?<![\w.]){re.escape(name)}" + (r"(?!\w)" if re.search(r"\w\Z", name) else "")
        for name in sorted(odd, key=len, reverse=True)
    )
    pattern = "|".join((_STRING, *patterns))
    line = re.sub(r"[\s\0]", " ", text).strip()
    line = re.sub(pattern, lambda m: m[0] if m[0][0] in "'\"" else _STAND_IN, line)
    try:
        return ast.parse(line, mode="eval").body
    except SyntaxError as error:
        raise TextError(
            f"'{shortened(written)}' is not a NumPy expression: {error.msg}.", remedy
        ) from None
    except (RecursionError, MemoryError, ValueError):
        return None


def _check_fields(buffer: Buffer, chain: Sequence[ast.expr], example: str) -> None:
    """Refuses a field that the elements have not."""
    kind: Type = buffer.element
    for step in chain:
        match step:
            case ast.Subscript(slice=ast.Constant(value=str() as name)):
                pass
            case _:
                continue
        match kind:
            case Scalar():
                message = f"{buffer.name} has no field '{name}': it holds {kind.name} there."
                raise TextError(message, example)
            case Struct(fields=fields):
                types = {field.name: field.type for field in fields}
                if name not in types:
                    advice = unknown(name, types)
                    raise TextError(f"{buffer.name} has no field '{name}'.", advice)
                kind = types[name]
            case _:
                return


def _check_range(buffer: Buffer, chain: Sequence[ast.expr], names: Mapping[str, Number]) -> None:
    """Refuses an index behind the end, as far as indices are plain numbers."""
    if buffer.texels is not None:
        return
    places = range(buffer.length)
    for step in chain:
        if not isinstance(step, ast.Subscript):
            return
        try:
            match step.slice:
                case ast.Slice(lower, upper, stride):
                    first, end, step_by = (
                        None if x is None else integer(ast.unparse(x), names)
                        for x in (lower, upper, stride)
                    )
                    places = places[first:end:step_by]
                    continue
                case ast.Tuple() | ast.Constant(value=str() | bool() | None):
                    return
            index = integer(ast.unparse(step.slice), names)
        except (TextError, ValueError):
            return
        if not -len(places) <= index < len(places):
            raise TextError(
                f"There is no element {index:,} of {buffer.name}, which has "
                f"{len(places):,}{'' if len(places) == buffer.length else ' in that part'}.",
                f"The last is {buffer.name}[-1].",
            )
        return
