"""Splits a CUDA C++ text into its declarations, by brackets and directives alone.

A syntax tree is of no use where a text is half typed or macros make its functions: one bracket
too few, and all that follows is one error. Here a declaration ends at its ``;`` or ``}`` whatever
is in between, the branches of ``#if`` are read as alternatives, and a declaration of a kernel at
the start of a line ends whatever was left open before it. Linear in the length of the text.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

DEVICE = re.compile(rb"\b__(?:device|global|constant|shared|managed)__\b")
"""The words that make a declaration one of device code."""

COMMENT = rb"//(?:[^\\\n]|\\(?:\r\n|[\s\S]))*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
# An apostrophe between digits begins nothing.
QUOTED = (
    rb""""(?:[^"\\\n]|\\[\s\S])*+"?"""
    rb"|'(?:(?<![0-9A-Fa-f]')|(?<=\bu8')|(?<=\bcase')|(?<=\belse')|(?<=\bsizeof'))"
    rb"(?:[^'\\\n]|\\[\s\S])*+'?"
)
BOUNDS = re.compile(rb"\[[^\[\]]*+\]")
"""Square brackets without others in them."""

# Each begins with a byte of a few, so that the search is quick.
_IN_BODY = re.compile(rb"""[{}"'#]|/[/*]""")
_IN_HEAD = re.compile(rb"""[{}();"'#]|/[/*]""")
_TO_SKIP = re.compile(rb"""["'#]|/[/*]""")
SKIPPED = re.compile(COMMENT + rb"|" + QUOTED)
"""Comments, strings and characters."""

_RAW = re.compile(rb'R"(?P<end>[^()\\\s"]{0,16})\(')
_DIRECTIVE = re.compile(rb"#(?:[^\\\n/]|\\(?:\r\n|[\s\S])|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|/)*+")
_GAP = re.compile(rb"(?:\s++|" + COMMENT + rb"|(?:public|private|protected)\s*+:(?!:))*+")
_CONDITION = re.compile(rb"^[ \t]*+\#[ \t]*+(if|elif|else|endif)", re.MULTILINE)
_CLOSING, _RAW_PREFIX, _HASH, _QUOTE = b'}R#"'
_SKIPPED_MARKS = b"\"'/"
# Nobody writes more scopes within each other.
_DEEPEST = 16
# A macro that makes declarations is called on lines of its own; what begins so is no macro.
_MACRO_CALL = re.compile(
    rb"(?!__|(?:alignas|explicit|decltype|static_assert|asm|if|for|while|switch|main)\b)"
    rb"[A-Za-z_]\w*+[ \t]*+(?=\()"
)
# A macro that opens or closes a namespace.
_SCOPE_MACRO = re.compile(
    rb"(?=\w*(?:BEGIN|END|OPEN|CLOSE|NAMESPACE))[A-Z_][A-Z0-9_]*+(?=[ \t]*+\r?\n)"
)
_NEW_LINE = re.compile(
    rb"[ \t]*+(?:/[/*][^\n]*+)?\r?\n\s*+"
    rb"(?!(?:noexcept|const|override|final|try|throw|requires)\b)[\w#/~]"
)
_TRIED = re.compile(rb"\btry(?:\s*+:(?!:)[^;]*+)?\Z")
_HANDLER = re.compile(rb"\s*+catch\s*+\([^(){};]*+\)\s*+\{")
# Lines that do not begin so are within something, or no code.
_LINE_START = re.compile(rb"^[^ \t/*#\];{}\r\n][^;{}\n]*+", re.MULTILINE)
_WORD = re.compile(rb"#[ \t]*+(\w+)(.*)", re.DOTALL)
# What NVRTC never reads: it defines __CUDACC_RTC__ and no other compiler does.
_NEVER = re.compile(rb"\s*+(?:0|!\s*+defined\s*+\(?\s*+__CUDACC_RTC__\s*+\)?)\s*+(?:/|\Z)")
_ONLY_HERE = re.compile(rb"\s*+defined\s*+\(?\s*+__CUDACC_RTC__\s*+\)?\s*+(?:/|\Z)")
_RTC = re.compile(rb"\s*+__CUDACC_RTC__\b")
_GROUPS = (
    rb"(?:__attribute__|__launch_bounds__|__declspec|__align__|__cluster_dims__|__builtin_align__|alignas|decltype"
    rb"|explicit|noexcept|__block_size__|__maxnreg__)\s*+(?=\()"
)
_ATTRIBUTE = re.compile(_GROUPS)
_DOUBLE_BRACKETS = re.compile(rb"\[\[[^\[\]]*+\]\]")
_TEMPLATE = re.compile(rb"\s*+template\s*+(?=<)")
_STATEMENT = re.compile(rb"(?:for|if|while|switch|else|do|try|catch|return|case|goto)\b")
ASSIGNED = re.compile(rb"(?<![=!<>+\-*/%&|^])=(?!=)")
_OPERATOR = re.compile(rb"\boperator\b\s*+(?:\(\s*+\)|[^\s\w(]{1,3}|\w+[^(]*)")


class Kind(Enum):
    """What a declaration looks like."""

    FUNCTION = auto()
    TYPE = auto()
    OTHER = auto()
    UNCLEAR = auto()


@dataclass
class OutlineItem:
    """A declaration, or what looks like one.

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
        items: All declarations, members included, in order.
        directives: Where the preprocessor's lines are, continued ones whole.
        stray: Where a ``}`` closes nothing.
    """

    items: list[OutlineItem]
    directives: list[tuple[int, int]]
    stray: list[int]


@dataclass
class _Condition:
    """An ``#if`` that is open: the open braces before it, and whether its rest is left out."""

    depth: int
    done: bool


@dataclass
class _Scope:
    """A namespace or a class that is open; a class goes on after its brace."""

    name: bytes = b""
    type: OutlineItem | None = None


def outline(text: bytes, marks: Collection[bytes] = ()) -> Outline:
    """Returns the declarations of a text; whatever it is, this raises nothing.

    Args:
        text: CUDA C++, complete or not.
        marks: Macros that mark functions as those of the device.
    """
    return _Reader(text, marks).read()


class _Token(NamedTuple):
    """A byte that matters, or a directive, with where it is.

    Attributes:
        mark: The byte; ``#`` for a directive.
        start: Where it begins.
        end: Behind its last byte.
    """

    mark: bytes
    start: int
    end: int


def _find(text: bytes, pattern: re.Pattern[bytes], at: int) -> _Token | None:
    """Returns the next mark or directive, those in comments and strings aside."""
    while found := pattern.search(text, at):
        start = found.start()
        mark = text[start]
        if mark in _SKIPPED_MARKS:
            at = _skip(text, start)
        elif mark != _HASH:
            return _Token(found[0], start, found.end())
        elif end := _end_of_directive(text, start):
            return _Token(found[0], start, end)
        else:
            at = start + 1
    return None


def _skip(text: bytes, start: int) -> int:
    """Returns the place behind the comment or string that begins here."""
    is_raw = text[start] == _QUOTE and start and text[start - 1] == _RAW_PREFIX
    if is_raw and (raw := _RAW.match(text, start - 1)):
        closing = b")" + raw["end"] + b'"'
        end = text.find(closing, raw.end())
        return len(text) if end < 0 else end + len(closing)
    skipped = SKIPPED.match(text, start)
    return skipped.end() if skipped else start + 1


def _end_of_directive(text: bytes, start: int) -> int:
    """Returns the place behind the directive that begins with this ``#``; 0 for none."""
    if text[text.rfind(b"\n", 0, start) + 1 : start].strip(b" \t"):
        return 0
    return _DIRECTIVE.match(text, start).end()  # type: ignore[union-attr]


def plain(text: bytes) -> bytes:
    """Returns a piece of text without comments and directives, with ``""`` for each string."""
    pieces, at, done = [], 0, 0
    while found := _TO_SKIP.search(text, at):
        start = found.start()
        is_directive = text[start] == _HASH
        end = _end_of_directive(text, start) if is_directive else _skip(text, start)
        at = end or start + 1
        if end > start + 1:
            pieces += [text[done:start], b'""' if text[start] in b"\"'" else b" "]
            done = end
    return b"".join((*pieces, text[done:]))


class _Reader:
    def __init__(self, text: bytes, marks: Collection[bytes]) -> None:
        self._text = text
        self._found = Outline([], [], [])
        self._conditions: list[_Condition] = []
        self._scopes = [_Scope()]
        self._fresh = deque(_fresh_starts(text, marks))

    def read(self) -> Outline:
        at = 0
        while (start := self._next(at)) < len(self._text):
            if self._text[start] == _CLOSING:
                at = self._close(start)
            elif call := self._call_of_macro(start):
                self._end(None, start, call, Kind.UNCLEAR, [])
                at = call
            else:
                at = self._declaration(start, start)
        return self._found

    def _next(self, at: int) -> int:
        """Returns where the next declaration begins."""
        while True:
            at = _GAP.match(self._text, at).end()  # type: ignore[union-attr]
            found = _DIRECTIVE.match(self._text, at)
            if found is None:
                return at
            at = self._directive(at, found.end(), 0)[0]

    def _call_of_macro(self, start: int) -> int:
        """Returns the end of what may be a macro on lines of its own; 0 for anything else."""
        if line := _SCOPE_MACRO.match(self._text, start):
            return line.end()
        match = _MACRO_CALL.match(self._text, start)
        if match is None:
            return 0
        close = close_of(self._text, match.end(), b"(", b")")
        return close if _NEW_LINE.match(self._text, close) else 0

    def _close(self, at: int) -> int:
        if len(self._scopes) == 1:
            self._found.stray.append(at)
            return at + 1
        declaration = self._scopes.pop().type
        if declaration is None:
            return at + 1
        declaration.body_end = at + 1
        return self._declaration(declaration.start, at + 1, declaration)

    def _declaration(self, start: int, at: int, opened: OutlineItem | None = None) -> int:
        """Reads a declaration to its end, or into the scope that it opens."""
        text, parens = self._text, 0
        skipped: list[tuple[int, int]] = []
        conditions = len(self._conditions)
        while token := _find(text, _IN_HEAD, at):
            mark, at = token.mark, token.end
            if mark == b"#":
                at = self._directive(token.start, at, 0)[0]
            elif mark in b"()":
                parens = max(0, parens + (1 if mark == b"(" else -1))
            elif mark == b"{" and (parens or opened):
                at = self._matching(at)[0]
            elif mark == b"{":
                head, template = _head(text, start, token.start, skipped)
                role = _role(head)
                if role == "namespace":
                    self._scopes.append(_Scope(head.partition(b"namespace")[2].strip()))
                    return at
                if role == "class":
                    made = self._add(Kind.TYPE, start, at, head, token.start, template)
                    self._scopes.append(_Scope(class_name(head), made))
                    return at
                end, complete = self._matching(at)
                if role == "value":
                    skipped.append((token.start, end))
                    at = end
                elif role == "enum":
                    opened = self._add(Kind.TYPE, start, end, head, token.start, template)
                    opened.body_end = at = end
                else:
                    if complete and _TRIED.search(head):
                        end, complete = self._handlers(end)
                    end = self._branches(end, conditions) if complete else end
                    kind = Kind.FUNCTION if role == "function" else Kind.UNCLEAR
                    made = self._add(kind, start, end, head, token.start, template)
                    made.complete = complete
                    return end
            elif mark == b"}" and not parens:
                self._end(opened, start, token.start, Kind.UNCLEAR, skipped)
                return token.start
            elif mark == b";" and not parens:
                at = self._branches(at, conditions)
                self._end(opened, start, at, Kind.OTHER, skipped)
                return at
        self._end(opened, start, len(text), Kind.UNCLEAR, skipped)
        return len(text)

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
        head, template = _head(self._text, start, end, skipped)
        if head.strip(b"; \t\r\n"):
            made = self._add(kind, start, end, head, end, template)
            made.complete = kind is Kind.OTHER

    def _add(
        self, kind: Kind, start: int, end: int, head: bytes, body: int, template: bytes
    ) -> OutlineItem:
        parent = self._scopes[-1].type
        scope = b"::".join(scope.name for scope in self._scopes[-_DEEPEST:] if scope.name)
        made = OutlineItem(kind, start, end, head, body, end, scope, parent, template)
        self._found.items.append(made)
        return made

    def _matching(self, at: int) -> tuple[int, bool]:
        """Returns where the brace that is open ends, and whether it does.

        It ends where device code begins at the start of a line, too: a brace was left open.
        """
        depth, fresh = 1, self._fresh
        while fresh and fresh[0] < at:
            fresh.popleft()
        while token := _find(self._text, _IN_BODY, at):
            if fresh and fresh[0] < token.start and depth > 0:
                return fresh[0], False
            at = token.end
            if token.mark == b"#":
                at, depth = self._directive(token.start, at, depth)
            else:
                depth += 1 if token.mark == b"{" else -1
                if depth == 0:
                    return at, True
            while fresh and fresh[0] < at:
                fresh.popleft()
        return (fresh[0] if fresh else len(self._text)), False

    def _handlers(self, end: int) -> tuple[int, bool]:
        """Returns where the last handler of a function ends, and whether it does."""
        complete = True
        while complete and (handler := _HANDLER.match(self._text, end)):
            end, complete = self._matching(handler.end())
        return end, complete

    def _branches(self, at: int, conditions: int) -> int:
        """Returns where the branches of each ``#if`` end that was opened in a declaration."""
        while len(self._conditions) > conditions:
            token = _find(self._text, _IN_BODY, at)
            if token is None:
                return len(self._text)
            at = token.end
            if token.mark == b"#":
                at = self._directive(token.start, at, 0)[0]
        return at

    def _directive(self, start: int, end: int, depth: int) -> tuple[int, int]:
        """Takes note of a directive; returns where to go on, and how many braces are open then."""
        self._found.directives.append((start, end))
        match = _WORD.match(self._text, start, end)
        word, rest = match.groups() if match else (b"", b"")
        conditions = self._conditions
        if word in (b"if", b"ifdef", b"ifndef"):
            rtc = _RTC.match(rest)
            here = _ONLY_HERE.match(rest) if word == b"if" else rtc and word == b"ifdef"
            conditions.append(_Condition(depth, bool(here)))
            if _NEVER.match(rest) if word == b"if" else rtc and word == b"ifndef":
                return self._left_out(end), depth
        elif word in (b"else", b"elif", b"elifdef", b"elifndef") and conditions:
            depth = conditions[-1].depth
            if conditions[-1].done:
                return self._left_out(end), depth
        elif word == b"endif" and conditions:
            conditions.pop()
        return end, depth

    def _left_out(self, at: int) -> int:
        """Returns where the next branch of the innermost ``#if`` begins."""
        nested = 0
        for found in _CONDITION.finditer(self._text, at):
            if found[1] == b"if":
                nested += 1
            elif nested == 0:
                return found.start()
            elif found[1] == b"endif":
                nested -= 1
        return len(self._text)


def _fresh_starts(text: bytes, marks: Collection[bytes]) -> Iterator[int]:
    """Yields where lines begin whose first word is not indented and that declare device code.

    Such a line is outside of everything, whatever was left open before it.
    """
    words = {b"__global__", b"__device__", *marks}
    at, in_comment = 0, False
    for line in _LINE_START.finditer(text):
        if words.isdisjoint(_WORDS.findall(line[0])):
            continue
        start = line.start()
        above = text.rfind(b"\n", 0, max(0, start - 1)) + 1
        if text.startswith(b"template", above) and not any(b in text[above:start] for b in b";{}"):
            start = above
        opened, closed = text.rfind(b"/*", at, start), text.rfind(b"*/", at, start)
        in_comment = opened > closed if max(opened, closed) >= 0 else in_comment
        at = start
        if not in_comment:
            yield start


def _head(text: bytes, start: int, end: int, skipped: list[tuple[int, int]]) -> tuple[bytes, bytes]:
    """Returns the head of a declaration, and the parameters of templates taken out of it."""
    pieces, at = [], start
    for begin, stop in skipped:
        pieces += [text[at:begin], b"{}"]
        at = stop
    head = plain(b"".join((*pieces, text[at:end])))
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
    """Returns the place behind the bracket that closes the one at `at`."""
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
_NAMESPACE = re.compile(rb'(?:inline\s++)?namespace\b|(?:export\s++)?extern\s*+""\s*+\Z')
_PARENTHESES = re.compile(rb"[()]")
_CLASS = re.compile(rb"\b(?:class|struct|union)\b")
_KEYED = re.compile(rb"(?:typedef\s++)?(?:class|struct|union)\b[^=]*\Z")
# A macro with an argument before the name, as for an alignment.
_ATTRIBUTED = re.compile(rb"(?:typedef\s++)?(?:class|struct|union)\s++\w++\s*+\(")
_AFTER_PARAMETERS = re.compile(rb"(?:\)|\b(?:const|noexcept|override))\s*\Z")
_CLASS_WORDS = re.compile(rb"\b(?:typedef|class|struct|union|enum|final|const|static)\b")
_ARGUMENTS = re.compile(rb"<[^<>;{}]*+>|\([^()]*+\)")
_BASES = re.compile(rb"(?<!:):(?!:)")
_WORDS = re.compile(rb"[A-Za-z_]\w*")
_BIT_FIELD = re.compile(rb"[\w\s]+:\s*+(?:\w+\s*+)?\(")
_ENUM = re.compile(rb"\benum\b")
_STARTS_MEMBERS = re.compile(rb"\)[\s\w&]*+:(?!:)")


def class_name(head: bytes) -> bytes:
    """Returns the name of a class or enumeration; empty for one without."""
    words = _WORDS.findall(_BASES.split(_CLASS_WORDS.sub(b"", _ARGUMENTS.sub(b"", head)))[0])
    return words[-1] if words else b""


def _role(head: bytes) -> str:
    """Returns what a brace after this head opens."""
    if _NAMESPACE.match(head):
        return "namespace"
    if _STATEMENT.match(head):
        return "statement"
    if _KEYED.match(head) and (_ATTRIBUTED.match(head) or not _AFTER_PARAMETERS.search(head)):
        return "class"
    if b"(" not in head or _BIT_FIELD.match(head) or b"(" not in _without_bounds(head):
        if ASSIGNED.search(head):
            return "value"
        if _ENUM.search(head):
            return "enum"
        if _CLASS.search(head):
            return "class"
        return "value" if len(head.split()) > 1 else "statement"
    outside = _OPERATOR.sub(b"operator_", head) if b"operator" in head else head
    if b"=" in outside and ASSIGNED.search(_without_parentheses(outside)):
        return "value"
    if b":" in outside and _STARTS_MEMBERS.search(outside):
        names = head[-1:].isalnum() or head[-1:] in b"_>"
        return "value" if names else "function"
    return "function"


def _without_bounds(head: bytes) -> bytes:
    """Returns a head without the bounds of arrays."""
    count = int(b"[" in head)
    while count:
        head, count = BOUNDS.subn(b"", head)
    return head


def _without_parentheses(text: bytes) -> bytes:
    """Returns a text without what is in round brackets."""
    pieces, depth, at = [], 0, 0
    for match in _PARENTHESES.finditer(text):
        if depth == 0:
            pieces.append(text[at : match.start()])
        depth = max(0, depth + (1 if match[0] == b"(" else -1))
        at = match.end()
    return b"".join((*pieces, text[at:] if depth == 0 else b""))
