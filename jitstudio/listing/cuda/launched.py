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

from jitstudio.listing.cuda.outline import Kind, OutlineItem, class_name, close_of, plain

_CHEVRONS = re.compile(rb"<<<")
_LONGEST = 300
_CALL = rb"\b%s\s*+(<(?!<)|\()"
_CONSTANT = rb"\b(?:const|constexpr)\b[^;(){}]*?\b%s\s*+(?:=|\{)\s*+([^;,{}]+?)\s*+[},;]"
_ENUM = rb"\benum\b[^;(){}]*+\{[^{}]*?\b%s\s*+=\s*+([^,{}]+?)\s*+[,}]"
_ALIAS = rb"\b(?:using\s+%s\s*+=\s*+([^;]+?)\s*+;|typedef\s+([^;]+?)\s+%s\s*+;)"
_DECLARED = (
    rb"(?:^|[;{}(,<])\s*+((?:(?:const|static|unsigned|signed|long|short|struct)\s+)*"
    rb"[A-Za-z_][\w:]*(?:\s*+<[^;{}()]*?>)?)\s*+((?:\*|\s|&|const\b|__restrict__)*)"
    rb"(?:\w+(?:\s*+=\s*+[^,;]+)?\s*+,\s*+\**\s*+){0,8}\b%s\s*+(?:[;,=)({]|\[(?P<array>))"
)
_QUALIFIERS = re.compile(rb"\b(?:const|__restrict__|restrict)\b|&")
_MADE = re.compile(rb"\A([A-Z_a-z][\w:]*+(?:<[\w:, ]++>)?)\s*+(?:\([^()]*+\)|\{[^{}]*+\})\Z")
_WORD = re.compile(rb"(?<![\w.:])[A-Za-z_]\w*")
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


def launched_instances(
    text: bytes, items: list[OutlineItem], host: list[OutlineItem]
) -> tuple[str, ...]:
    """Returns a name expression for each instance of a kernel template that host code launches.

    Args:
        text: The text.
        items: Its declarations.
        host: Those of them that are functions of the host.
    """
    kernels = {
        _name(item): _template(item)
        for item in items
        if item.template.strip(b"<> \t\r\n") and b"__global__" in item.head
    }
    if not kernels:
        return ()
    return _Reader(text, items, host, kernels).read()


class _Reader:
    def __init__(
        self,
        text: bytes,
        items: list[OutlineItem],
        host: list[OutlineItem],
        kernels: Mapping[bytes, _Template],
    ) -> None:
        self._kernels = kernels
        self._items = items
        self._bodies = {id(item): plain(text[item.start : item.end]) for item in host}
        self._host = host
        self._calls_left = iter(range(_MOST_CALLS))
        self._declarations: dict[tuple[bytes, bytes], re.Match[bytes] | None] = {}
        self._places_by_function: dict[int, list[Mapping[bytes, bytes]]] = {}
        variables = (i.head for i in items if i.kind is Kind.OTHER and i.parent is None)
        self._globals = b"\n".join(variables)

    def read(self) -> tuple[str, ...]:
        launches = (instance for function in self._host for instance in self._launches(function))
        few = filter(None, islice(launches, _MOST_LAUNCHES))
        found = dict.fromkeys(instance.decode("utf-8", "replace") for instance in few)
        return tuple(islice(found, _MOST))

    def _launches(self, function: OutlineItem) -> Iterator[bytes]:
        """Yields the instances of a function's launches; empty ones for what cannot be known."""
        body = self._bodies[id(function)]
        seen = set()
        for match in _CHEVRONS.finditer(body):
            at = len(body[: match.start()].rstrip())
            given: list[bytes] = []
            if body[at - 1 : at] == b">":
                opening = _open_of(body, at - 1)
                given = _split(body[opening + 1 : at - 1])
                at = opening
            name = _name_before(body, at)
            kernel = self._kernels.get(name.rpartition(b"::")[2])
            if kernel is None:
                continue
            arguments = _arguments(body, match.end())
            launch = (name, *given, b"<", *arguments)
            if launch in seen:
                continue
            seen.add(launch)
            yield b""
            for places in self._places_of(function):
                instance = self._instance(kernel, given, arguments, body, places) or ()
                found = self._scope(function, name) + b"<" + b", ".join(instance) + b">"
                yield found if instance else b""

    def _scope(self, function: OutlineItem, name: bytes) -> bytes:
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
            escaped = re.escape(word)
            constant = b"const" in body and re.search(_CONSTANT % escaped, body)
            constant = constant or (b"enum" in body and re.search(_ENUM % escaped, body))
            if constant:
                value = self._resolved(constant[1], body, places, depth + 1)
                return value if value.isalnum() else b"(" + value + b")"
            has_alias = b"using" in body or b"typedef" in body
            if has_alias and (alias := re.search(_ALIAS % (escaped, escaped), body)):
                return self._resolved(alias[1] or alias[2], body, places, depth + 1)
            return word

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
            inside = re.match(rb"\s*+[\w:]+\s*+<([^<>]*+)>", form)
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
        cast = re.match(rb"\(\s*+(?:const\s+)?([\w:]+)\s*+(\*+)\s*+\)", argument)
        if cast:
            return cast[1], len(cast[2])
        made = re.fullmatch(
            rb"([A-Z_a-z][\w:]*(?:<[\w:, ]+>)?)\s*+(?:\(\s*+\)|\{[^{}]*+\})", argument
        )
        if made:
            return made[1], 0
        if number := re.fullmatch(rb"[\d.]+(f?)", argument):
            is_real = b"." in argument
            return (b"float" if number[1] else b"double" if is_real else b"int"), 0
        match = re.match(rb"([A-Za-z_]\w*)(?:\s*+[+-]\s*+[\w* ]+)?\s*+\Z", argument)
        if match is None:
            return None
        for place in (body, self._globals):
            found = self._declaration(match[1], place)
            if found and found[1] not in (b"return", b"auto", b"delete", b"new", b"else"):
                words = re.sub(rb"\b(?:const|static|struct)\s+", b"", found[1]).strip()
                return words, found[2].count(b"*") + (found["array"] is not None)
        return None

    def _declaration(self, name: bytes, text: bytes) -> re.Match[bytes] | None:
        """Returns what looks like a declaration of a variable."""
        key = name, text
        if key not in self._declarations:
            declared = re.compile(_DECLARED % re.escape(name))
            mentions = islice(re.finditer(rb"\b" + re.escape(name) + rb"\b", text), _MOST_MENTIONS)
            places = ((max(0, m.start() - _LONGEST), m.end() + _LONGEST) for m in mentions)
            tried = (declared.search(text, *place) for place in places)
            self._declarations[key] = next(filter(None, tried), None)
        return self._declarations[key]

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
        called = re.compile(_CALL % re.escape(name))
        bodies = (self._bodies[id(caller)] for caller in self._host if caller is not function)
        calls = (
            (body, match) for body in bodies if name in body for match in called.finditer(body)
        )
        for _, (body, match) in zip(self._calls_left, calls, strict=False):
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
    start = at
    while start > 0 and (body[start - 1 : start].isalnum() or body[start - 1] in b"_:"):
        start -= 1
    return body[start:at]


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
