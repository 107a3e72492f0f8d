"""Splits a CUDA C++ text into declarations, by brackets and directives alone.

A syntax tree is of no use where a text is half typed or macros make its functions: one bracket
too few, and all that follows is one error. Here a declaration ends at its ``;`` or ``}`` whatever
is in between, the branches of ``#if`` are read as alternatives, and a declaration of a kernel at
the start of a line ends whatever was left open before it. Linear in the length of the text.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from jitstudio.core import cpp_text
from jitstudio.listing.cuda.words import has_word

DEVICE = re.compile(rb"__(?<!\w__)(?:device|(?:tile_)?global|tile|constant|shared|managed)__\b")
"""The words that make a declaration one of device code."""

HIDDEN = cpp_text.HIDDEN.encode()
BOUNDS = re.compile(rb"\[[^\[\]]*+\]")
"""Square brackets without others in them."""

# Each alternative begins with a byte of a few, so that the search is quick.
_NO_CODE = re.compile(HIDDEN + rb"|#")
# With lines that a backslash joins, and with comments over several lines.
_DIRECTIVE = re.compile(
    rb"#[ \t]*+(\w*+)((?>[^\\\n/]++|\\(?:\r\n|[\s\S])|/\*(?>[^*]++|\*(?!/))*+(?:\*/)?|/)*+)"
)
_IN_BODY = re.compile(rb"[{}#]")
# What is in round brackets with others in them is no end of a head.
_IN_HEAD = re.compile(
    rb"[^{}();#]*+(?>\([^(){};#]*+(?>\([^(){};#]*+(?>\([^(){};#]*+\)[^(){};#]*+)*+"
    rb"\)[^(){};#]*+)*+\)[^{}();#]*+)*+([{}();#])"
)
# The rest of a body with blocks in blocks.
_BODY = re.compile(
    rb"[^{}#]*+(?>\{[^{}#]*+(?>\{[^{}#]*+(?>\{[^{}#]*+(?>\{[^{}#]*+\}[^{}#]*+)*+"
    rb"\}[^{}#]*+)*+\}[^{}#]*+)*+\}[^{}#]*+)*+\}"
)
# Blanks, and the `public:` between members of a class.
_GAP = re.compile(rb"(?>\s++|(?:public|private|protected)\s*+:(?!:))*+")
_CONDITION = re.compile(rb"^[ \t]*+\#[ \t]*+(if|elif|else|endif)", re.MULTILINE)
_CLOSING, _HASH, _SLASH, _OPENING, _ROUND = b"}#/{("
_ENDS = b";}"
# The texts of a build have several readers.
_MOST_TEXTS = 8
CACHED = 4096
"""Heads of declarations that are remembered: between two readings of a text most stay."""

# Nobody writes more scopes within each other.
_DEEPEST = 16
# A macro that makes declarations is called on lines of its own; what begins so is no macro.
_MACRO_CALL = re.compile(rb"[A-Za-z_]\w*+[ \t]*+(?=\()")
_NO_MACRO = re.compile(
    rb"__|(?:alignas|explicit|decltype|static_assert|asm|if|for|while|switch|main)\b"
)
# A macro that opens or closes a namespace.
_SCOPE_MACRO = re.compile(rb"[A-Z_][A-Z0-9_]*+(?=[ \t]*+\r?\n)")
_SCOPE_WORD = re.compile(rb"BEGIN|END|OPEN|CLOSE|NAMESPACE")
# The next line goes on with the head of a function if it begins with such a word.
_NEW_LINE = re.compile(
    rb"[ \t]*+\r?\n\s*+(?!(?:noexcept|const|override|final|try|throw|requires)\b)[\w#~]"
)
# `Type() try : member(1) {`: C++ standard, [except.pre].
_TRIED = re.compile(rb"\btry(?:\s*+:(?!:)[^;]*+)?\Z")
# `catch (const Error &error) {`
_HANDLER = re.compile(rb"\s*+catch\s*+\([^(){};]*+\)\s*+\{")
# Lines that do not begin so are within something, or no code.
_LINE_START = re.compile(rb"\n[^ \t/*#\];{}\r\n][^;{}\n]*+")
# What NVRTC never reads: it defines __CUDACC_RTC__ and no other compiler does.
_NEVER = re.compile(rb"\s*+(?:0|!\s*+defined\s*+\(?\s*+__CUDACC_RTC__\s*+\)?)\s*+(?:/|\Z)")
_ONLY_HERE = re.compile(rb"\s*+defined\s*+\(?\s*+__CUDACC_RTC__\s*+\)?\s*+(?:/|\Z)")
_RTC = re.compile(rb"\s*+__CUDACC_RTC__\b")
_ATTRIBUTE = re.compile(
    rb"(?:__attribute__|__launch_bounds__|__declspec|__align__|__cluster_dims__|__builtin_align__|alignas|decltype"
    rb"|explicit|noexcept|__block_size__|__maxnreg__)\s*+(?=\()"
)
_DOUBLE_BRACKETS = re.compile(rb"\[\[[^\[\]]*+\]\]")
_TEMPLATE = re.compile(rb"\s*+template\s*+(?=<)")
_STATEMENT = re.compile(rb"(?:for|if|while|switch|else|do|try|catch|return|case|goto)\b")
# No part of `==`, `<=` or `+=`.
ASSIGNED = re.compile(rb"(?<![=!<>+\-*/%&|^])=(?!=)")
# `operator""_kg`, `operator()`, `operator+=`, `operator float`
OPERATOR = re.compile(rb'\boperator\b\s*+(""\s*+\w+|\(\s*+\)|[^\s\w(]{1,3}|[A-Za-z_][^(]*)')
"""An operator that is overloaded: its sign, type or suffix."""


class Kind(Enum):
    """Kinds of declarations, by their looks."""

    FUNCTION = auto()
    TYPE = auto()
    OTHER = auto()
    UNCLEAR = auto()


class _Role(Enum):
    """What a brace opens, by the head before it."""

    NAMESPACE = auto()
    CLASS = auto()
    ENUM = auto()
    FUNCTION = auto()
    STATEMENT = auto()
    VALUE = auto()


@dataclass
class OutlineItem:
    """A declaration, by the looks.

    Attributes:
        kind: A function with its body, a class or enumeration, anything that ends with ``;``, or
            a piece of text that is none of these.
        start: Where it begins.
        end: Behind its last byte.
        head: Its text up to the body, or all of it: without comments, directives, strings,
            attributes in brackets and the parameters of templates.
        body: Where its body begins, at the bracket; `end` where it has none.
        body_end: Behind the bracket that ends the body of a type.
        scope: The namespaces and classes that it is in, with ``::`` between.
        parent: The class that it is a member of; None outside of all classes.
        template: The parameters of templates, as written.
        complete: Whether its brackets are balanced.
    """

    kind: Kind
    start: int
    end: int
    head: bytes
    body: int
    body_end: int = 0
    scope: bytes = b""
    parent: OutlineItem | None = None
    template: bytes = b""
    complete: bool = True


@dataclass
class Outline:
    """The declarations of a text.

    Attributes:
        code: The text with blanks for comments, directives and what NVRTC never reads, and with
            ``""`` and blanks for strings and characters: every other byte is where it was.
        items: All declarations, members included, in order.
        directives: Where the preprocessor's lines are, continued ones whole.
        stray: Where a ``}`` closes nothing.
    """

    code: bytes
    items: list[OutlineItem]
    directives: list[tuple[int, int]]
    stray: list[int]


@dataclass
class _Scope:
    """A namespace or a class that is open; a class goes on after the brace."""

    name: bytes = b""
    path: bytes = b""
    type: OutlineItem | None = None


def outline(text: bytes, marks: Collection[bytes] = ()) -> Outline:
    """Returns the declarations of a text; raises nothing, whatever the text is.

    Args:
        text: CUDA C++, complete or not.
        marks: Macros that mark functions as those of the device.
    """
    return _Reader(text, marks).read()


class CodeAlone(NamedTuple):
    """The code of a text.

    Attributes:
        text: As `Outline.code`, but with a ``#`` for each directive.
        directives: The end and the word of each directive, by where it begins.
    """

    text: bytes
    directives: Mapping[int, tuple[int, bytes]]


@lru_cache(_MOST_TEXTS)
def code_alone(text: bytes) -> CodeAlone:
    """Returns the code of a text, without comments and quoted texts."""
    pieces: list[bytes] = []
    directives: dict[int, tuple[int, bytes]] = {}
    # Whether the rest of each `#if` that is open is left out.
    conditions: list[bool] = []
    at = done = 0
    while match := _NO_CODE.search(text, at):
        start, at = match.span()
        first, blank = text[start], b""
        if first == _HASH:
            blank = b" "
            line = text.rfind(b"\n", 0, start) + 1
            if not text[line:start].strip(b" \t") and (directive := _DIRECTIVE.match(text, start)):
                word, rest = directive.groups()
                directives[start] = directive.end(), word
                at, blank = _next_branch(text, directive.end(), word, rest, conditions), b"#"
        elif at == start + 1:
            continue
        elif first != _SLASH:
            blank = b'""'
        pieces += text[done:start], blank, b" " * (at - start - len(blank))
        done = at
    return CodeAlone(b"".join((*pieces, text[done:])), directives)


def _next_branch(text: bytes, at: int, word: bytes, rest: bytes, conditions: list[bool]) -> int:
    """Returns where to read on behind a directive: at the next branch if this is left out."""
    is_left_out = False
    if word in (b"if", b"ifdef", b"ifndef"):
        rtc = _RTC.match(rest)
        here = _ONLY_HERE.match(rest) if word == b"if" else rtc and word == b"ifdef"
        conditions.append(bool(here))
        is_left_out = bool(_NEVER.match(rest) if word == b"if" else rtc and word == b"ifndef")
    elif word in (b"else", b"elif", b"elifdef", b"elifndef") and conditions:
        is_left_out = conditions[-1]
    elif word == b"endif" and conditions:
        conditions.pop()
    nested = 0
    for condition in _CONDITION.finditer(text, at) if is_left_out else ():
        if condition[1] == b"if":
            nested += 1
        elif nested == 0:
            return condition.start()
        elif condition[1] == b"endif":
            nested -= 1
    return len(text) if is_left_out else at


class _Reader:
    def __init__(self, text: bytes, marks: Collection[bytes]) -> None:
        self._code, self._directives = code_alone(text)
        self._outline = Outline(
            self._code.replace(b"#", b" "),
            [],
            [(start, end) for start, (end, _) in self._directives.items()],
            [],
        )
        # The open braces before each `#if` that is open.
        self._conditions: list[int] = []
        self._scopes = [_Scope()]
        self._fresh = deque(_fresh_starts(self._code, marks))

    def read(self) -> Outline:
        at, code = 0, self._code
        while (start := self._next(at)) < len(code):
            if code[start] == _CLOSING:
                at = self._close(start)
            elif call := self._call_of_macro(start):
                self._end(None, start, call, Kind.UNCLEAR, [])
                at = call
            else:
                at = self._declaration(start, start)
        return self._outline

    def _next(self, at: int) -> int:
        """Returns where the next declaration begins."""
        while True:
            at = _GAP.match(self._code, at).end()  # type: ignore[union-attr]
            if not self._code.startswith(b"#", at):
                return at
            self._directive(at, 0)
            at += 1

    def _call_of_macro(self, start: int) -> int:
        """Returns the end of a likely macro that has whole lines; 0 for anything different."""
        line = _SCOPE_MACRO.match(self._code, start)
        if line and _SCOPE_WORD.search(line[0]):
            return line.end()
        match = _MACRO_CALL.match(self._code, start)
        if match is None or _NO_MACRO.match(self._code, start):
            return 0
        close = close_of(self._code, match.end(), b"(", b")")
        return close if _NEW_LINE.match(self._code, close) else 0

    def _close(self, at: int) -> int:
        if len(self._scopes) == 1:
            self._outline.stray.append(at)
            return at + 1
        declaration = self._scopes.pop().type
        if declaration is None:
            return at + 1
        declaration.body_end = at + 1
        return self._declaration(declaration.start, at + 1, declaration)

    def _open(self, name: bytes, declaration: OutlineItem | None = None) -> None:
        """Opens a namespace or a class."""
        names = [scope.name for scope in self._scopes[1 - _DEEPEST :] if scope.name]
        path = b"::".join((*names, name) if name else names)
        self._scopes.append(_Scope(name, path, declaration))

    def _declaration(self, start: int, at: int, opened: OutlineItem | None = None) -> int:
        """Reads a declaration to the end, or into a scope that opens there."""
        code, parens = self._code, 0
        skipped: list[tuple[int, int]] = []
        conditions = len(self._conditions)
        while match := _IN_HEAD.match(code, at):
            place, at = match.span(1)
            mark = code[place]
            if mark == _HASH:
                self._directive(place, 0)
            elif mark == _OPENING and (parens or opened):
                at = self._matching(at)[0]
            elif mark == _OPENING:
                head, template = self._head(start, place, skipped)
                # A value among the parameters of a template, as in `enable_if<is_same<T, U>{}>`.
                role = _Role.VALUE if template and not head else _role(head)
                if role is _Role.NAMESPACE:
                    self._open(head.partition(b"namespace")[2].strip())
                    return at
                if role is _Role.CLASS:
                    item = self._add(Kind.TYPE, start, at, head, place, template)
                    self._open(class_name(head), item)
                    return at
                end, complete = self._matching(at)
                if role is _Role.VALUE:
                    skipped.append((place, end))
                    at = end
                elif role is _Role.ENUM:
                    opened = self._add(Kind.TYPE, start, end, head, place, template)
                    opened.body_end = at = end
                else:
                    if complete and b"try" in head and _TRIED.search(head):
                        end, complete = self._handlers(end)
                    end = self._branches(end, conditions) if complete else end
                    kind = Kind.FUNCTION if role is _Role.FUNCTION else Kind.UNCLEAR
                    item = self._add(kind, start, end, head, place, template)
                    item.complete = complete
                    return end
            elif mark in _ENDS:
                if not parens:
                    is_whole = mark != _CLOSING
                    end = self._branches(at, conditions) if is_whole else place
                    kind = Kind.OTHER if is_whole else Kind.UNCLEAR
                    self._end(opened, start, end, kind, skipped)
                    return end
            else:
                parens = max(0, parens + (1 if mark == _ROUND else -1))
        self._end(opened, start, len(code), Kind.UNCLEAR, skipped)
        return len(code)

    def _end(
        self,
        opened: OutlineItem | None,
        start: int,
        end: int,
        kind: Kind,
        skipped: list[tuple[int, int]],
    ) -> None:
        if opened:
            opened.end, opened.complete = end, kind is Kind.OTHER
            return
        head, template = self._head(start, end, skipped)
        if head.strip(b"; \t\r\n"):
            item = self._add(kind, start, end, head, end, template)
            item.complete = kind is Kind.OTHER

    def _head(self, start: int, end: int, skipped: list[tuple[int, int]]) -> tuple[bytes, bytes]:
        """Returns the head of a declaration, and the parameters of templates taken out."""
        if not skipped:
            return _head(self._outline.code[start:end])
        pieces, at = [], start
        for begin, stop in skipped:
            pieces += [self._outline.code[at:begin], b"{}"]
            at = stop
        return _head(b"".join((*pieces, self._outline.code[at:end])))

    def _add(
        self, kind: Kind, start: int, end: int, head: bytes, body: int, template: bytes
    ) -> OutlineItem:
        scope = self._scopes[-1]
        item = OutlineItem(kind, start, end, head, body, end, scope.path, scope.type, template)
        self._outline.items.append(item)
        return item

    def _matching(self, at: int) -> tuple[int, bool]:
        """Returns where the open brace ends, and whether by a closing brace.

        It ends where device code begins at the start of a line, too: a brace was left open.
        """
        depth, fresh, code = 1, self._fresh, self._code
        while fresh and fresh[0] < at:
            fresh.popleft()
        limit = fresh[0] if fresh else len(code)
        if body := _BODY.match(code, at, limit):
            return body.end(), True
        while match := _IN_BODY.search(code, at):
            place, at = match.span()
            if place > limit and depth > 0:
                return limit, False
            mark = code[place]
            if mark == _HASH:
                depth = self._directive(place, depth)
            else:
                depth += 1 if mark == _OPENING else -1
                if depth == 0:
                    return at, True
            if limit < at:
                while fresh and fresh[0] < at:
                    fresh.popleft()
                limit = fresh[0] if fresh else len(code)
        return limit, False

    def _handlers(self, end: int) -> tuple[int, bool]:
        """Returns where the last handler of a function ends, and whether by a closing brace."""
        complete = True
        while complete and (handler := _HANDLER.match(self._code, end)):
            end, complete = self._matching(handler.end())
        return end, complete

    def _branches(self, at: int, conditions: int) -> int:
        """Returns where the branches of each ``#if`` end that was opened in a declaration."""
        while len(self._conditions) > conditions:
            place = self._code.find(b"#", at)
            if place < 0:
                return len(self._code)
            self._directive(place, 0)
            at = self._directives[place][0]
        return at

    def _directive(self, start: int, depth: int) -> int:
        """Takes note of a directive; returns how many braces are open behind."""
        word, conditions = self._directives[start][1], self._conditions
        if word in (b"if", b"ifdef", b"ifndef"):
            conditions.append(depth)
        elif word in (b"else", b"elif", b"elifdef", b"elifndef") and conditions:
            return conditions[-1]
        elif word == b"endif" and conditions:
            conditions.pop()
        return depth


def _fresh_starts(code: bytes, marks: Collection[bytes]) -> Iterator[int]:
    """Yields where lines begin whose first word is not indented and that declare device code.

    Such a line is outside of everything, whatever was left open before it.
    """
    words = {b"__global__", b"__device__", b"__tile_global__", b"__tile__", *marks}
    for line in _LINE_START.finditer(b"\n" + code):
        if not has_word(line[0], words):
            continue
        start = line.start()
        above = code.rfind(b"\n", 0, max(0, start - 1)) + 1
        if code.startswith(b"template", above) and not any(b in code[above:start] for b in b";{}"):
            start = above
        yield start


@lru_cache(CACHED)
def _head(head: bytes) -> tuple[bytes, bytes]:
    templates = b""
    while match := _TEMPLATE.match(head):
        close = close_of(head, match.end(), b"<", b">")
        templates += head[match.end() : close] + b" "
        head = head[close:]
    head = _DOUBLE_BRACKETS.sub(b" ", head) if b"[[" in head else head
    while b"(" in head and (match := _ATTRIBUTE.search(head)):
        word = match[0].strip()
        close = close_of(head, match.end(), b"(", b")")
        head = head[: match.start()] + (b" auto " if word == b"decltype" else b" ") + head[close:]
    return head.strip(), templates


def close_of(text: bytes, at: int, opening: bytes, closing: bytes) -> int:
    """Returns the place behind the bracket that closes the bracket at `at`."""
    depth, parens = 0, 0
    for match in _BRACKET.finditer(text, at):
        byte = match[0]
        if opening == b"<" and byte in b"()":
            parens += 1 if byte == b"(" else -1
        elif byte == opening and parens == 0:
            depth += 1
        elif byte == closing and parens == 0:
            depth -= 1
            if depth == 0:
                return match.end()
    return len(text)


_BRACKET = re.compile(rb"[()<>]")
# `inline namespace v1`, or `extern "C"`, of which code alone has `extern ""`.
_NAMESPACE = re.compile(rb'(?:inline\s++)?namespace\b|(?:export\s++)?extern\s*+""\s*+\Z')
_PARENTHESES = re.compile(rb"[()]")
_CLASS = re.compile(rb"\b(?:class|struct|union)\b")
_KEYED = re.compile(rb"(?:typedef\s++)?(?:class|struct|union)\b[^=]*\Z")
# A macro with an argument before the name, as for an alignment.
_ATTRIBUTED = re.compile(rb"(?:typedef\s++)?(?:class|struct|union)\s++\w++\s*+\(")
# Of a function that returns a class: `struct Pair make() const`.
_AFTER_PARAMETERS = re.compile(rb"(?:\)|\b(?:const|noexcept|override))\s*\Z")
_CLASS_WORDS = re.compile(rb"\b(?:typedef|class|struct|union|enum|final|const|static)\b")
_ARGUMENTS = re.compile(rb"<[^<>;{}]*+>|\([^()]*+\)")
_BASES = re.compile(rb"(?<!:):(?!:)")
_WORDS = re.compile(rb"[A-Za-z_]\w*")
_BIT_FIELD = re.compile(rb"[\w\s]+:\s*+(?:\w+\s*+)?\(")
_ENUM = re.compile(rb"\benum\b")
# `Vector(int n) : size(n)`: C++ standard, [class.base.init].
_STARTS_MEMBERS = re.compile(rb"\)[\s\w&]*+:(?!:)")


def class_name(head: bytes) -> bytes:
    """Returns the name of a class or enumeration; empty without a name."""
    words = _WORDS.findall(_BASES.split(_CLASS_WORDS.sub(b"", _ARGUMENTS.sub(b"", head)))[0])
    return words[-1] if words else b""


@lru_cache(CACHED)
def _role(head: bytes) -> _Role:
    """Returns the role of the scope that a brace behind a head opens."""
    if _NAMESPACE.match(head):
        return _Role.NAMESPACE
    if _STATEMENT.match(head):
        return _Role.STATEMENT
    if _KEYED.match(head) and (_ATTRIBUTED.match(head) or not _AFTER_PARAMETERS.search(head)):
        return _Role.CLASS
    if b"(" not in head or _BIT_FIELD.match(head) or b"(" not in _without_bounds(head):
        if ASSIGNED.search(head):
            return _Role.VALUE
        if _ENUM.search(head):
            return _Role.ENUM
        if _CLASS.search(head):
            return _Role.CLASS
        return _Role.VALUE if len(head.split()) > 1 else _Role.STATEMENT
    outside = OPERATOR.sub(b"operator_", head) if b"operator" in head else head
    if b"=" in outside and ASSIGNED.search(_without_parentheses(outside)):
        return _Role.VALUE
    if b":" in outside and _STARTS_MEMBERS.search(outside):
        names = head[-1:].isalnum() or head[-1:] in b"_>"
        return _Role.VALUE if names else _Role.FUNCTION
    return _Role.FUNCTION


def _without_bounds(head: bytes) -> bytes:
    """Returns a head without the bounds of arrays."""
    count = int(b"[" in head)
    while count:
        head, count = BOUNDS.subn(b"", head)
    return head


def _without_parentheses(text: bytes) -> bytes:
    """Returns a text without the parts in round brackets."""
    pieces, depth, at = [], 0, 0
    for match in _PARENTHESES.finditer(text):
        if depth == 0:
            pieces.append(text[at : match.start()])
        depth = max(0, depth + (1 if match[0] == b"(" else -1))
        at = match.end()
    return b"".join((*pieces, text[at:] if depth == 0 else b""))
