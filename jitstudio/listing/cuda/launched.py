"""The instances of kernel templates that host code launches.

nvcc compiles them as the host needs them; NVRTC has to be asked for each by a name expression.
Every mention of a kernel with template arguments is an instance, be it launched there or handed on
(``cudaFuncSetAttribute(k<4>, …)``, ``Kernel *table[] = {k<1>, k<2>}``), also in macros, which are
expanded first. Template arguments are taken as they are written. What is known in the host function
only is put in their place: its constants and types, the types of the launch's arguments, as far as
their declarations are plain, and its own template arguments: host templates are followed from call
to call until nothing is new (``each<8>`` calls ``each<N / 2>``), past branches of ``if constexpr``
that are not taken.
"""

from __future__ import annotations

import operator
import re
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from jitstudio.core.launch.problems import TextError
from jitstudio.core.launch.values import integer
from jitstudio.listing.cuda.heads import BUILT_IN
from jitstudio.listing.cuda.outline import Kind, Outline, OutlineItem, class_name, close_of

_CHEVRONS = b"<<<"
_ANY_WORD = re.compile(rb"\w+")
_COLON = re.compile(rb"(?<!:):(?!:)")
_PASTED = re.compile(rb"(?<!\s)\s*+##\s*+")
_IF_CONSTEXPR = re.compile(rb"\bif\s++constexpr\s*+\(")
_IF = re.compile(rb"if\b(?:\s++constexpr\b)?\s*+\(")
_ELSE = re.compile(rb"\s*+else\b")
_STATEMENT_END = re.compile(rb"[;{}()]")
_SAME_TYPE = re.compile(
    rb"(?:std::)?is_same_v\s*+<([^<>]*+)>|(?:std::)?is_same\s*+<([^<>]*+)>::value"
)
_COMPARED = re.compile(rb"([^<>=!]++)(==|!=|<=|>=|<|>)([^<>=!]++)")
_COMPARE: Mapping[bytes, Callable[[int, int], bool]] = {
    b"==": operator.eq,
    b"!=": operator.ne,
    b"<=": operator.le,
    b">=": operator.ge,
    b"<": operator.lt,
    b">": operator.gt,
}
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
_MOST_EXPANDED = 64
_LONGEST_EXPANDED = 1 << 16


@dataclass(frozen=True)
class _Template:
    """A template: its parameters and the function's.

    Attributes:
        names: The names of its parameters.
        are_types: Whether each is a type.
        defaults: The default of each; empty for none.
        parameters: The function's parameters, as written.
    """

    names: tuple[bytes, ...]
    are_types: tuple[bool, ...]
    defaults: tuple[bytes, ...]
    parameters: tuple[bytes, ...]


class Launched(NamedTuple):
    """The instances of kernel templates that host code launches.

    Attributes:
        names: A name expression for each.
        rest: Where the first launch is that was not looked at, as there are too many; None if all
            were.
        without: Kernel templates of the text of which there is no instance, with where each begins.
    """

    names: tuple[str, ...] = ()
    rest: int | None = None
    without: tuple[tuple[bytes, int], ...] = ()


class Macro(NamedTuple):
    """A macro: the names of its parameters, None where it has no brackets, and its replacement."""

    parameters: tuple[bytes, ...] | None
    body: bytes


def launched_instances(
    outline: Outline,
    host: list[OutlineItem],
    macros: Mapping[bytes, Macro] = MappingProxyType({}),
    kernels: Iterable[OutlineItem] = (),
) -> Launched:
    """Returns the instances of kernel templates that host code launches.

    Args:
        outline: The declarations of the text.
        host: Those of them that are functions of the host, or make instances of some.
        macros: The macros that the text knows.
        kernels: Kernel templates of headers that it includes.
    """
    own = list(kernel_templates(outline))
    templates: defaultdict[bytes, list[OutlineItem]] = defaultdict(list)
    for item in (*own, *kernels):
        templates[_name(item)].append(item)
    if not templates:
        return Launched()
    launched = _Reader(outline, host, templates, macros).read()
    if launched.rest is not None:
        return launched
    named = {name.partition("<")[0].encode() for name in launched.names}
    mentions = _without_heads(outline, own)
    without = tuple(
        (_name(item), item.start)
        for item in own
        if _path(item) not in named
        and not re.search(rb"\b%s\s*+<" % re.escape(_name(item)), mentions)
    )
    return launched._replace(without=without)


def kernel_templates(outline: Outline) -> Iterator[OutlineItem]:
    """Yields the kernel templates among the declarations of a text."""
    for item in outline.items:
        if b"__global__" in item.head and item.template.strip(b"<> \t\r\n"):
            yield item


def _without_heads(outline: Outline, items: Iterable[OutlineItem]) -> bytes:
    """Returns the device code of a text that may name an instance: explicit instantiations."""
    chosen = {id(item) for item in items}
    return b"\n".join(
        item.head
        for item in outline.items
        if id(item) not in chosen and item.head.startswith((b"template", b"extern template"))
    )


class _Mention(NamedTuple):
    """A place of host code that names a template.

    Attributes:
        at: Where, in the function's text.
        name: The name as it is written, with its qualifiers.
        given: The template arguments.
        arguments: Those of the call or launch.
        is_launch: Whether it is a kernel.
    """

    at: int
    name: bytes
    given: tuple[bytes, ...]
    arguments: tuple[bytes, ...]
    is_launch: bool


class _Guard(NamedTuple):
    """A condition of `if constexpr`, with where its two branches begin and end."""

    condition: bytes
    branches: tuple[tuple[int, int], tuple[int, int]]


_Places = Mapping[bytes, bytes]
"""What the parameters of a host template are at one of its calls, by their names."""


class _Reader:
    def __init__(
        self,
        outline: Outline,
        host: list[OutlineItem],
        kernels: Mapping[bytes, list[OutlineItem]],
        macros: Mapping[bytes, Macro],
    ) -> None:
        self._kernels = kernels
        self._host = host
        self._rest: int | None = None
        self._declarations: dict[tuple[bytes, bytes], tuple[bytes, int] | None] = {}
        variables = (i.head for i in outline.items if i.kind is Kind.OTHER and i.parent is None)
        self._globals = b"\n".join(variables)
        self._templates: defaultdict[bytes, list[OutlineItem]] = defaultdict(list)
        for function in host:
            if name := _name_of_template(function):
                self._templates[name].append(function)
        words = b"|".join(map(re.escape, {*kernels, *self._templates}))
        self._named = re.compile(rb"(?<![\w.])(%s)\b\s*+(<<<|<(?![<=])|\()" % words)
        useful = _useful_macros(macros, {*kernels, *self._templates})
        self._bodies = {
            id(item): _expanded(outline.code[item.start : item.end], useful) for item in host
        }
        self._guards = {id(item): _guards(self._bodies[id(item)]) for item in host}
        self._mentions = {id(item): list(self._mentions_in(item)) for item in host}
        self._places = self._follow()

    def read(self) -> Launched:
        """Returns the instances, in the order of the launches."""
        found: dict[str, None] = {}
        launches = ((f.start + at, x) for f in self._host for at, x in self._launches(f))
        for count, (at, instance) in enumerate(launches):
            name = instance.decode("utf-8", "replace")
            if count == _MOST_LAUNCHES or (len(found) == _MOST and name and name not in found):
                self._rest = at
                break
            found |= {name: None} if name else {}
        return Launched(tuple(found), self._rest)

    def _mentions_in(self, function: OutlineItem) -> Iterator[_Mention]:
        body = self._bodies[id(function)]
        seen = set()
        own_head = body.find(b"{") if function.kind is Kind.FUNCTION else 0
        for match in self._named.finditer(body):
            name, at = match[1], match.start(2)
            is_launch = name in self._kernels
            if match[2] == b"(" and (is_launch or match.start() < own_head):
                continue
            given: list[bytes] = []
            if match[2] == b"<":
                near = body[at : at + _LONGEST]
                end = close_of(near, 0, b"<", b">")
                if not near.startswith(b">", end - 1):
                    continue  # a comparison, or longer than anybody writes
                given, at = _split(near[1 : end - 1]), at + end
            arguments: list[bytes] = []
            at = _past_blanks(body, at)
            if is_launch and body.startswith(_CHEVRONS, at):
                arguments = _arguments(body, at + len(_CHEVRONS))
            elif not is_launch and body.startswith(b"(", at):
                arguments = _split(body[at + 1 : close_of(body, at, b"(", b")") - 1])
            whole = _name_before(body, match.end(1))
            mention = _Mention(match.start(), whole, tuple(given), tuple(arguments), is_launch)
            if mention[1:] not in seen or self._guards[id(function)]:
                seen.add(mention[1:])
                yield mention

    def _follow(self) -> dict[int, dict[tuple[bytes, ...], _Places]]:
        """Returns what the parameters of each host template are, once for each of its calls."""
        found: dict[int, dict[tuple[bytes, ...], _Places]] = {id(f): {} for f in self._host}
        waiting: deque[tuple[OutlineItem, _Places]] = deque()
        for function in self._host:
            if not _name_of_template(function):
                found[id(function)][()] = {}
                waiting.append((function, {}))
        calls = 0
        while waiting:
            function, places = waiting.popleft()
            for mention in self._taken(function, places):
                for called in self._templates.get(mention.name.rpartition(b"::")[2], ()):
                    calls += 1
                    if calls > _MOST_CALLS:
                        self._rest = called.start if self._rest is None else self._rest
                        return found
                    given = self._given_to(called, mention, self._bodies[id(function)], places)
                    if given is not None and given not in found[id(called)]:
                        more = dict(zip(_template_around(called).names, given, strict=True))
                        found[id(called)][given] = more
                        waiting.append((called, more))
        return found

    def _taken(self, function: OutlineItem, places: _Places) -> Iterator[_Mention]:
        """Yields the mentions of templates that a host function compiles with these parameters."""
        body = self._bodies[id(function)]
        gone = []
        for condition, branches in self._guards[id(function)]:
            truth = _truth(self._resolved(condition, body, places))
            if truth is not None:
                gone.append(branches[truth])  # of two, the second is that of `else`
        for mention in self._mentions[id(function)]:
            if not any(start <= mention.at < end for start, end in gone):
                yield mention

    def _given_to(
        self, called: OutlineItem, mention: _Mention, body: bytes, places: _Places
    ) -> tuple[bytes, ...] | None:
        """Returns the arguments of a host template at a call; None if one cannot be known."""
        own = _template_around(called)
        given = [_counted(self._resolved(each, body, places)) for each in mention.given]
        arguments = list(mention.arguments)
        for at in range(len(given), len(own.names)):
            deduced = self._deduced(own, own.names[at], arguments, body, places)
            if deduced is None and own.defaults[at]:
                known = dict(zip(own.names, given, strict=False))
                deduced = _counted(self._resolved(own.defaults[at], b"", known))
            if deduced is None:
                return None
            given.append(deduced)
        kinds = zip(given, own.are_types, strict=False)
        given = [x if is_type or x.isalnum() else b"(" + x + b")" for x, is_type in kinds]
        # What grows from call to call has no end.
        return tuple(given) if all(len(each) < _LONGEST for each in given) else None

    def _launches(self, function: OutlineItem) -> Iterator[tuple[int, bytes]]:
        """Yields where a function launches, and the instance; empty where it cannot be known."""
        body = self._bodies[id(function)]
        for places in self._places[id(function)].values():
            for mention in self._taken(function, places):
                if not mention.is_launch:
                    continue
                kernel = self._kernel(mention.name)
                given, arguments = list(mention.given), list(mention.arguments)
                instance = self._instance(_template(kernel), given, arguments, body, places) or ()
                name = _path(kernel) + b"<" + b", ".join(instance) + b">"
                yield mention.at, name if instance else b""

    def _kernel(self, written: bytes) -> OutlineItem:
        """Returns the kernel that a name means: of several the global one, then the first."""
        name = written.removeprefix(b"::")
        same = self._kernels[name.rpartition(b"::")[2]]
        return next((each for each in same if _path(each) == name), same[0])

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


def _path(item: OutlineItem) -> bytes:
    """Returns the name of a function with the namespaces that it is in."""
    return b"::".join(part for part in (item.scope, _name(item)) if part)


def _name_of_template(function: OutlineItem) -> bytes:
    """Returns the name by which a function of the host gets template arguments; empty for none.

    That of a method of a class template is the class's.
    """
    if _template(function).names:
        return _name(function)
    owner = function.parent
    return class_name(owner.head) if owner is not None and _template(owner).names else b""


def _template_around(function: OutlineItem) -> _Template:
    """Returns the template whose arguments a function of the host gets."""
    own = _template(function)
    if own.names or function.parent is None:
        return own
    return replace(_template(function.parent), parameters=())


def _useful_macros(macros: Mapping[bytes, Macro], names: Collection[bytes]) -> dict[bytes, Macro]:
    """Returns those macros that name one of some templates, be it by other macros."""
    words = {name: set(_ANY_WORD.findall(macro.body)) for name, macro in macros.items()}
    wanted = set(names)
    while more := {n for n, found in words.items() if n not in wanted and wanted & found}:
        wanted |= more
    return {name: macros[name] for name in wanted & macros.keys()}


def _expanded(body: bytes, macros: Mapping[bytes, Macro]) -> bytes:
    """Returns a function with what its macros stand for behind it."""
    pieces, waiting, size = [body], deque([body] if macros else ()), 0
    while waiting and len(pieces) < _MOST_EXPANDED and size < _LONGEST_EXPANDED:
        text = waiting.popleft()
        for name, macro in macros.items():
            for _, end in _mentions(name, text):
                at = _past_blanks(text, end)
                arguments: list[bytes] = []
                if macro.parameters is not None:
                    if not text.startswith(b"(", at):
                        continue
                    arguments = _split(text[at + 1 : close_of(text, at, b"(", b")") - 1])
                replacement = b";" + _replaced(macro, arguments) + b";"
                size += len(replacement)
                if len(pieces) < _MOST_EXPANDED and size < _LONGEST_EXPANDED:
                    pieces.append(replacement)
                    waiting.append(replacement)
    return b"\n".join(pieces)


def _replaced(macro: Macro, arguments: list[bytes]) -> bytes:
    """Returns what a macro stands for with these arguments."""
    names = macro.parameters or ()
    values = dict(zip(names, arguments, strict=False))
    if names[-1:] == (b"...",):
        values[b"__VA_ARGS__"] = b", ".join(arguments[len(names) - 1 :])
    text = _WORD.sub(lambda word: values.get(word[0], word[0]), macro.body)
    return _PASTED.sub(b"", text)


def _guards(body: bytes) -> list[_Guard]:
    """Returns the conditions of `if constexpr` in a function, the first ones of too many."""
    found = []
    for match in islice(_IF_CONSTEXPR.finditer(body), _MOST_LAUNCHES):
        # Nobody nests statements a thousand deep.
        with suppress(RecursionError):
            end = close_of(body, match.end() - 1, b"(", b")")
            first = _statement(body, end)
            otherwise = _ELSE.match(body, first[1])
            second = _statement(body, otherwise.end()) if otherwise else (first[1], first[1])
            found.append(_Guard(body[match.end() : end - 1], (first, second)))
    return found


def _past_blanks(body: bytes, at: int) -> int:
    while body[at : at + 1].isspace():
        at += 1
    return at


def _statement(body: bytes, at: int) -> tuple[int, int]:
    """Returns where the statement begins and ends that is next."""
    start = at = _past_blanks(body, at)
    while nested := _IF.match(body, at):
        end = _statement(body, close_of(body, nested.end() - 1, b"(", b")"))[1]
        otherwise = _ELSE.match(body, end)
        if otherwise is None:
            return start, end
        at = _past_blanks(body, otherwise.end())
    depth = 0
    for match in _STATEMENT_END.finditer(body, at):
        depth += {b"{": 1, b"(": 1, b"}": -1, b")": -1}.get(match[0], 0)
        if depth <= 0 and match[0] in b";}":
            return start, match.end()
    return start, len(body)


def _counted(words: bytes) -> bytes:
    """Returns a template argument as one number where it comes to a whole one."""
    if words.isalnum():
        return words
    with suppress(TextError, ZeroDivisionError):
        return str(integer(words.decode("utf-8", "replace"))).encode()
    return words


def _truth(condition: bytes) -> bool | None:
    """Returns whether a condition holds; None where that cannot be known."""
    if b"||" in condition or b"?" in condition:
        return None
    parts = [_holds(part.strip()) for part in condition.split(b"&&")]
    if False in parts:
        return False
    return None if None in parts else True


def _holds(condition: bytes) -> bool | None:
    if same := _SAME_TYPE.fullmatch(condition):
        types = [each.strip() for each in (same[1] or same[2]).split(b",")]
        are_plain = all(each in BUILT_IN for each in types)
        return types[0] == types[1] if len(types) == 2 and are_plain else None
    if condition.startswith(b"!") and not condition.startswith(b"!="):
        inner = _holds(condition[1:].strip())
        return None if inner is None else not inner
    left, relation, right = condition, b"!=", b"0"
    if compared := _COMPARED.fullmatch(condition):
        left, relation, right = compared.groups()
    with suppress(TextError, ZeroDivisionError):
        sides = (integer(side.decode("utf-8", "replace")) for side in (left, right))
        return _COMPARE[relation](next(sides), next(sides))
    return None


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
    names, are_types, defaults = [], [], []
    for part in _split(inside[1:-1]) if inside.startswith(b"<") else ():
        declared, _, default = part.partition(b"=")
        defaults.append(default.strip())
        words = re.findall(rb"\w+", declared)
        names.append(words[-1] if len(words) > 1 else b"")
        are_types.append(words[:1] in ([b"typename"], [b"class"]))
    start = item.head.find(b"(")
    parameters = _split(item.head[start + 1 : close_of(item.head, start, b"(", b")") - 1])
    return _Template(
        tuple(names),
        tuple(are_types),
        tuple(defaults),
        tuple(parameters) if start >= 0 else (),
    )


def _name_before(body: bytes, at: int) -> bytes:
    """Returns the name, with its qualifiers, that ends here; a label or ``?:`` is no part of it."""
    words = body[max(0, at - _LONGEST) : at].translate(_NO_NAME).rpartition(b" ")[2]
    return _COLON.split(words)[-1]


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
