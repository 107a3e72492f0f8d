"""The instances of kernel templates that host code launches.

nvcc compiles them as the host needs them; NVRTC has to be asked for each by a name expression.
Template arguments are taken as they are written. What is known in the host function only is put in
their place: its constants and types, its own template arguments as its callers give them, and the
types of the launch's arguments, as far as their declarations are plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from jitstudio.listing.cuda.outline import Kind, Outline, OutlineItem, class_name, close_of

_CHEVRONS = re.compile(rb"<<<")
_LONGEST = 300
# What is behind a name that is defined as a value, and as a type.
_VALUE = re.compile(rb"\s*+[={]([^;,{}]++)[},;]")
_TYPE = re.compile(rb"\s*+=([^;]++);")
_END = re.compile(rb"\s*+;")
_BEFORE_STATEMENT = re.compile(rb"[;(){}]")
_CONSTANT = re.compile(rb"\bconst(?:expr)?\b")
_ENUM = re.compile(rb"\benum\b")
_BEFORE_TYPE = re.compile(rb"[;{}(,<]")
_INSIDE = rb"[^;{}()<>]*+"
_DECLARED = re.compile(
    rb"\s*+(?:(?:const|static|struct)\s++)*+("
    rb"(?:(?:unsigned|signed|long|short)\b\s*+)++(?:(?:int|char|double)\b)?+"
    rb"|[A-Za-z_][\w:]*+(?:\s*+<%s(?:<%s(?:<%s>%s)*+>%s)*+>)?+)"
    rb"((?:\*|\s|&|const\b|__restrict__)*+)"
    rb"(?:\w++\s*+(?:=[^,;]++)?+,[\s*]*+){0,8}+" % ((_INSIDE,) * 5)
)
_BEHIND_DECLARED = re.compile(rb"\s*+(?:[;,=)({]|(\[))")
_CALLED = re.compile(rb"\s*+(<(?!<)|\()")
_QUALIFIERS = re.compile(rb"\b(?:const|__restrict__|restrict)\b|&")
_GIVEN = re.compile(rb"\s*+[\w:]+\s*+<([^<>]*+)>")
_CAST = re.compile(rb"\(\s*+(?:const\s+)?([\w:]+)\s*+(\*+)\s*+\)")
_MADE = re.compile(rb"([A-Z_a-z][\w:]*(?:<[\w:, ]+>)?)\s*+(?:\(\s*+\)|\{[^{}]*+\})")
_NUMBER = re.compile(rb"[\d.]+(f?)")
_VARIABLE = re.compile(rb"([A-Za-z_]\w*+)\s*+(?:[+-][\w*\s]++)?+")
_WORD = re.compile(rb"(?<![\w.:])[A-Za-z_]\w*")
_IS_WORD = tuple(byte < 128 and (chr(byte).isalnum() or byte in b"_") for byte in range(256))
_NO_NAME = bytes(byte if _IS_WORD[byte] or byte in b":" else 32 for byte in range(256))
_MOST = 64
# Launches of templates that are looked at, and calls of functions that launch them.
_MOST_LAUNCHES = 200
_MOST_CALLS = 200
# A declaration comes before what uses it.
_MOST_MENTIONS = 8
_DEEPEST = 8


@dataclass(frozen=True)
class _Template:
    """A template: its parameters' names, whether each is a type, and the function's parameters."""

    names: tuple[bytes, ...]
    are_types: tuple[bool, ...]
    parameters: tuple[bytes, ...]


class Launched(NamedTuple):
    """The instances of kernel templates that host code launches.

    Attributes:
        names: A name expression for each.
        rest: Where the first launch is that was not looked at, as there are too many; None if all
            were.
    """

    names: tuple[str, ...] = ()
    rest: int | None = None


def launched_instances(outline: Outline, host: list[OutlineItem]) -> Launched:
    """Returns the instances of kernel templates that host code launches.

    Args:
        outline: The declarations of the text.
        host: Those of them that are functions of the host.
    """
    kernels = {
        _name(item): item
        for item in outline.items
        if b"__global__" in item.head and item.template.strip(b"<> \t\r\n")
    }
    if not kernels:
        return Launched()
    return _Reader(outline, host, kernels).read()


class _Reader:
    def __init__(
        self, outline: Outline, host: list[OutlineItem], kernels: Mapping[bytes, OutlineItem]
    ) -> None:
        self._kernels = kernels
        self._items = items = outline.items
        self._bodies = {id(item): outline.code[item.start : item.end] for item in host}
        self._host = host
        self._calls = 0
        self._rest: int | None = None
        self._declarations: dict[tuple[bytes, bytes], tuple[bytes, int] | None] = {}
        self._places_by_function: dict[int, list[Mapping[bytes, bytes]]] = {}
        variables = (i.head for i in items if i.kind is Kind.OTHER and i.parent is None)
        self._globals = b"\n".join(variables)

    def read(self) -> Launched:
        found: dict[str, None] = {}
        launches = ((f.start + at, x) for f in self._host for at, x in self._launches(f))
        for count, (at, instance) in enumerate(launches):
            name = instance.decode("utf-8", "replace")
            if count == _MOST_LAUNCHES or (len(found) == _MOST and name and name not in found):
                self._rest = at
                break
            found |= {name: None} if name else {}
        return Launched(tuple(found), self._rest)

    def _launches(self, function: OutlineItem) -> Iterator[tuple[int, bytes]]:
        """Yields where a function launches, and the instance; empty where it cannot be known."""
        body = self._bodies[id(function)]
        seen = set()
        for match in _CHEVRONS.finditer(body):
            at = end = _without_blanks(body, match.start())
            if body[at - 1 : at] == b">":
                at = _open_of(body, at - 1)
            name = _name_before(body, at)
            kernel = self._kernels.get(name.rpartition(b"::")[2])
            if kernel is None:
                continue
            given = _split(body[at + 1 : end - 1])
            arguments = _arguments(body, match.end())
            launch = (name, *given, b"<", *arguments)
            if launch in seen:
                continue
            seen.add(launch)
            yield match.start(), b""
            template = _template(kernel)
            for places in self._places_of(function):
                instance = self._instance(template, given, arguments, body, places) or ()
                found = self._whole_name(name) + b"<" + b", ".join(instance) + b">"
                yield match.start(), found if instance else b""

    def _whole_name(self, name: bytes) -> bytes:
        """Returns a kernel's name with the namespace that it is in."""
        last = name.rpartition(b"::")[2]
        return b"::".join(part for part in (self._scopes.get(last, b""), last) if part)

    @cached_property
    def _scopes(self) -> dict[bytes, bytes]:
        """The namespace of each kernel, of the first with its name."""
        return {_name(i): i.scope for i in reversed(self._items) if b"__global__" in i.head}

    def _instance(
        self,
        kernel: _Template,
        given: list[bytes],
        arguments: list[bytes],
        body: bytes,
        places: Mapping[bytes, bytes],
    ) -> list[bytes] | None:
        """Returns the template arguments of a launch; None where one cannot be known."""
        found = [self._resolved(each, body, places) for each in given]
        for name, is_type in list(zip(kernel.names, kernel.are_types, strict=True))[len(found) :]:
            deduced = self._deduced(kernel, name, arguments, body, places) if is_type else None
            if deduced is None:
                # The rest may have defaults; NVRTC says if not.
                break
            found.append(deduced)
        return found if found and all(found) else None

    def _resolved(
        self, words: bytes, body: bytes, places: Mapping[bytes, bytes], depth: int = 0
    ) -> bytes:
        """Returns a template argument without names that only the host function knows."""

        def meaning(match: re.Match[bytes]) -> bytes:
            word = match[0]
            if word in places:
                return places[word]
            meant, is_value = _definition(word, body)
            if not meant:
                return word
            known = self._resolved(meant, body, places, depth + 1)
            return b"(" + known + b")" if is_value and not known.isalnum() else known

        # What is defined by itself has no end.
        is_short = len(words) < _LONGEST and depth < _DEEPEST
        return _WORD.sub(meaning, words) if is_short else words

    def _deduced(
        self,
        kernel: _Template,
        name: bytes,
        arguments: list[bytes],
        body: bytes,
        places: Mapping[bytes, bytes],
    ) -> bytes | None:
        for parameter, argument in zip(kernel.parameters, arguments, strict=False):
            form = _QUALIFIERS.sub(b" ", parameter.partition(b"=")[0])
            plain_form = re.match(rb"\s*+%s\s*+(\**)" % re.escape(name), form)
            inside = _GIVEN.match(form)
            if plain_form and not form[plain_form.end() - 1 : plain_form.end() + 1].isalnum():
                place = None
            elif inside and name in (parts := _split(inside[1])):
                place = parts.index(name)
            else:
                continue
            declared = self._declared(argument, body)
            if declared is None:
                continue
            kind, stars = declared
            if place is None and plain_form and stars >= len(plain_form[1]):
                stars -= len(plain_form[1])
                return self._resolved(kind, body, places) + b"*" * stars
            given = re.search(rb"<(.*)>", kind)
            if place is not None and given and len(_split(given[1])) > place:
                return self._resolved(_split(given[1])[place], body, places)
        return None

    def _declared(self, argument: bytes, body: bytes) -> tuple[bytes, int] | None:
        """Returns the type of a plain argument, and the number of pointers to it."""
        if cast := _CAST.match(argument):
            return cast[1], len(cast[2])
        if made := _MADE.fullmatch(argument):
            return made[1], 0
        if number := _NUMBER.fullmatch(argument):
            is_real = b"." in argument
            return (b"float" if number[1] else b"double" if is_real else b"int"), 0
        match = _VARIABLE.fullmatch(argument)
        if match is None:
            return None
        for place in (body, self._globals):
            key = match[1], place
            if key not in self._declarations:
                self._declarations[key] = _declaration(*key)
            if found := self._declarations[key]:
                return found
        return None

    def _places_of(self, function: OutlineItem) -> list[Mapping[bytes, bytes]]:
        key = id(function)
        if key not in self._places_by_function:
            self._places_by_function[key] = list(self._places(function))
        return self._places_by_function[key]

    def _places(self, function: OutlineItem) -> Iterator[Mapping[bytes, bytes]]:
        """Yields what the parameters of a host template stand for, once for each call of it."""
        own = _template(function)
        owner = function.parent
        if not own.names and (owner is None or not owner.template.strip(b"<> \t\r\n")):
            yield {}
            return
        names, name = own.names, _name(function)
        if not names and owner is not None:
            names, name = _template(owner).names, class_name(owner.head)
        seen = set()
        bodies = (self._bodies[id(caller)] for caller in self._host if caller is not function)
        mentions = ((body, end) for body in bodies for _, end in _mentions(name, body))
        calls = ((b, match) for b, end in mentions if (match := _CALLED.match(b, end)))
        for body, match in calls:
            self._calls += 1
            if self._calls > _MOST_CALLS:
                self._rest = self._rest or function.start
                return
            at = match.start(1)
            if match[1] == b"<":
                inside = body[match.end(1) : close_of(body, at, b"<", b">") - 1]
                given = [self._resolved(each, body, {}) for each in _split(inside)]
            else:
                call = _split(body[match.end(1) : close_of(body, at, b"(", b")") - 1])
                deduced = (self._deduced(own, each, call, body, {}) for each in names)
                given = [each for each in deduced if each is not None]
            if len(given) == len(names) and tuple(given) not in seen:
                seen.add(tuple(given))
                yield dict(zip(names, given, strict=True))


def _mentions(name: bytes, text: bytes) -> Iterator[tuple[int, int]]:
    """Yields where a word is in a text."""
    at = text.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        if (
            not _IS_WORD[text[at - 1] if at else 0]
            and not _IS_WORD[text[end] if end < len(text) else 0]
        ):
            yield at, end
        at = text.find(name, end)


def _definition(name: bytes, body: bytes) -> tuple[bytes, bool]:
    """Returns what a name is defined as, and whether that is a value; empty if it is not."""
    for start, end in islice(_mentions(name, body), _MOST_MENTIONS):
        before = _BEFORE_STATEMENT.split(body[max(0, start - _LONGEST) : start])
        statement, around = before[-1].strip(), b"".join(before[-2:-1])
        value, kind = _VALUE.match(body, end), _TYPE.match(body, end)
        if value and (_CONSTANT.search(statement) or _ENUM.search(around)):
            return value[1].strip(), True
        if kind and statement == b"using":
            return kind[1].strip(), False
        if statement.startswith(b"typedef ") and _END.match(body, end):
            return statement.removeprefix(b"typedef ").strip(), False
    return b"", False


def _declaration(name: bytes, text: bytes) -> tuple[bytes, int] | None:
    """Returns the type in what looks like a declaration of a variable, and its pointers."""
    for start, end in islice(_mentions(name, text), _MOST_MENTIONS):
        first = max(0, start - _LONGEST)
        behind = _BEHIND_DECLARED.match(text, end)
        begins = (m.end() for m in _BEFORE_TYPE.finditer(text, first, start) if behind)
        matches = (
            _DECLARED.fullmatch(text, at, start) for at in (*([] if first else [0]), *begins)
        )
        if behind and (found := next(filter(None, matches), None)):
            if found[1] in (b"return", b"auto", b"delete", b"new", b"else"):
                return None
            return found[1].strip(), found[2].count(b"*") + (behind[1] is not None)
    return None


def _name(item: OutlineItem) -> bytes:
    before = item.head.partition(b"(")[0] if item.kind is not Kind.TYPE else b""
    words = re.findall(rb"[A-Za-z_]\w*", re.sub(rb"<[^<>]*>", b"", before))
    return words[-1] if words else b""


def _template(item: OutlineItem) -> _Template:
    inside = item.template.strip()
    names, are_types = [], []
    for part in _split(inside[1:-1]) if inside.startswith(b"<") else ():
        words = re.findall(rb"\w+", part.partition(b"=")[0])
        names.append(words[-1] if len(words) > 1 else b"")
        are_types.append(words[:1] in ([b"typename"], [b"class"]))
    start = item.head.find(b"(")
    parameters = _split(item.head[start + 1 : close_of(item.head, start, b"(", b")") - 1])
    return _Template(tuple(names), tuple(are_types), tuple(parameters) if start >= 0 else ())


def _name_before(body: bytes, at: int) -> bytes:
    """Returns the name, with its qualifiers, that ends here."""
    return body[max(0, at - _LONGEST) : at].translate(_NO_NAME).rpartition(b" ")[2]


def _without_blanks(body: bytes, at: int) -> int:
    """Returns the place behind the last byte before this one that is no blank."""
    while body[at - 1 : at].isspace():
        at -= 1
    return at


def _open_of(body: bytes, at: int) -> int:
    """Returns where the bracket is that the one at `at` closes."""
    depth = 0
    for place in range(at, max(-1, at - _LONGEST), -1):
        depth += {b">": 1, b"<": -1}.get(body[place : place + 1], 0)
        if depth == 0:
            return place
    return at


def _arguments(body: bytes, at: int) -> list[bytes]:
    """Returns the arguments of a launch whose configuration begins here."""
    end = body.find(b">>>", at)
    opening = body.find(b"(", end)
    if end < 0 or opening < 0 or body[end + 3 : opening].strip():
        return []
    return _split(body[opening + 1 : close_of(body, opening, b"(", b")") - 1])


def _split(text: bytes) -> list[bytes]:
    """Returns what is between commas, those in brackets aside."""
    parts, depth, start = [], 0, 0
    for match in re.finditer(rb"[(\[{<>}\]),]", text):
        if match[0] == b",":
            if depth == 0:
                parts.append(text[start : match.start()].strip())
                start = match.end()
        else:
            depth += 1 if match[0] in b"([{<" else -1
    last = text[start:].strip()
    return [*parts, last] if last or parts else []
