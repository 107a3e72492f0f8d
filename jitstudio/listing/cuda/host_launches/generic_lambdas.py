"""Types that parameters of generic lambdas have: `choose(n, [&](auto tag) { … })`.

A function that chooses at run time calls the lambda with an object for each case, `Int<4>{}`. The
body of the lambda is compiled for each of these types.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice, product

from jitstudio.listing.cuda.host_launches.brackets import split
from jitstudio.listing.cuda.outline import Kind, Outline, close_of
from jitstudio.listing.cuda.words import words_in

_LAMBDA = re.compile(rb"\[[^][;{}]*+\]\s*+\((?P<parameters>[^(){};]*+)\)")
# `choose(n, `, `choose<Policy>(`
_CALLEE = re.compile(rb"(?<!\w)(\w++)\s*+(?:<[^<>(){};]*+>\s*+)?\Z")
_LAST_WORD = re.compile(rb"(?<!\w)(\w++)\s*+\Z")
# `Tag<float>{}`, `std::integral_constant<int, 4>()`, `double(0)`
_OBJECT = re.compile(
    rb"((?:::)?[A-Za-z_][\w:]*+\s*+(?:<.*>)?)\s*+(?:\{[^{}]*+\}|\([^()]*+\))", re.DOTALL
)
# Nobody has more lambdas in a function, or cases for the lambdas within each other.
_MOST_LAMBDAS, _MOST_CASES, _LONGEST = 64, 256, 2000


class GenericLambdas:
    """The generic lambdas that functions of some texts are called with.

    Args:
        outlines: The declarations of the texts.
    """

    def __init__(self, outlines: Iterable[Outline]) -> None:
        self._outlines = tuple(outlines)
        self._known: dict[bytes, dict[bytes, tuple[bytes, ...]]] = {}

    @cached_property
    def _functions(self) -> dict[bytes, list[tuple[list[bytes], bytes]]]:
        """The names of the parameters and the body of each function, by its name."""
        functions: defaultdict[bytes, list[tuple[list[bytes], bytes]]] = defaultdict(list)
        for outline in self._outlines:
            for item in outline.items:
                before, bracket, behind = item.head.partition(b"(")
                if item.kind is Kind.FUNCTION and bracket and (name := _CALLEE.search(before)):
                    listed = split(behind[: close_of(bracket + behind, 0, b"(", b")") - 2])
                    body = outline.code[item.body : item.end]
                    functions[name[1]].append(([_name_of(each) for each in listed], body))
        return dict(functions)

    def cases(self, text: bytes, arguments: Sequence[bytes]) -> Iterator[list[bytes]]:
        """Yields template arguments, written in `text`, for each case of the lambdas around."""
        if b"auto" not in text:
            yield list(arguments)
            return
        if text not in self._known:
            self._known[text] = dict(self._parameters(text))
        known = self._known[text]
        names = sorted(known.keys() & words_in(b" ".join(arguments)))
        if not names:
            yield list(arguments)
            return
        use = re.compile(rb"(?<![\w.:])(?:%s)\b" % b"|".join(names))
        for chosen in islice(product(*(known[name] for name in names)), _MOST_CASES):
            objects = dict(zip(names, chosen, strict=True))
            yield [_with_objects(each, use, objects) for each in arguments]

    def _parameters(self, text: bytes) -> Iterator[tuple[bytes, tuple[bytes, ...]]]:
        """Yields the parameters of generic lambdas in a text with the types that they have."""
        generic = (m for m in _LAMBDA.finditer(text) if b"auto" in m["parameters"])
        for match in islice(generic, _MOST_LAMBDAS):
            callee, place = _call_around(text, match.start())
            for at, parameter in enumerate(split(match["parameters"])):
                name = _name_of(parameter) if b"auto" in parameter else b""
                types = dict.fromkeys(self._given(callee, place, at)) if name else {}
                if types:
                    yield name, tuple(types)

    def _given(self, callee: bytes, place: int, at: int) -> Iterator[bytes]:
        """Yields the types of objects that a function calls one of its parameters with."""
        for names, body in self._functions.get(callee, ()):
            if place >= len(names) or not names[place]:
                continue
            for call in re.finditer(rb"(?<![\w.:])%s\b\)?\s*+\(" % re.escape(names[place]), body):
                end = close_of(body, call.end() - 1, b"(", b")")
                given = split(body[call.end() : end - 1])
                made = _OBJECT.fullmatch(given[at]) if at < len(given) else None
                if made:
                    yield made[1].strip()


def _name_of(parameter: bytes) -> bytes:
    """Returns the name of a parameter, which may have a default; empty without any."""
    name = _LAST_WORD.search(parameter.partition(b"=")[0])
    return name[1] if name else b""


def _with_objects(text: bytes, use: re.Pattern[bytes], types: dict[bytes, bytes]) -> bytes:
    """Returns a text with an object of the type in the place of each parameter."""
    return use.sub(lambda match: types[match[0]] + b"{}", text)


def _call_around(text: bytes, at: int) -> tuple[bytes, int]:
    """Returns what is called with an argument that begins at a place, and the argument's number."""
    first, depth = max(0, at - _LONGEST), 0
    for place in range(at - 1, first - 1, -1):
        sign = text[place : place + 1]
        depth += (sign == b")") - (sign == b"(")
        if depth < 0:
            name = _CALLEE.search(text, max(first, place - _LONGEST), place)
            before = text[place + 1 : at]
            return name[1] if name else b"", max(0, len(split(before)) - 1)
        if sign in b";{}" and depth == 0:
            break
    return b"", 0
