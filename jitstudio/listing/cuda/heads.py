"""The parts of a C++ declaration's head: words before the name, the name, the parameters."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from jitstudio.listing.cuda.outline import (
    ASSIGNED,
    BOUNDS,
    CACHED,
    OPERATOR,
    Kind,
    OutlineItem,
    class_name,
    close_of,
)

NAMES = re.compile(rb"~?[A-Za-z_]\w*(?:\s*+::\s*+~?[A-Za-z_]\w*)*")
"""A name with its qualifiers."""

ANGLES = re.compile(rb"<[^<>;{}]*+>")
"""The innermost arguments of a template."""

# All that may be before the parameters of a member function.
_PLAIN = re.compile(rb"""(?>[\w\s*&~"\x80-\xff]++|::)*+(?<=[\w\s\x80-\xff])""")
BUILT_IN = frozenset(
    b"void bool char short int long float double signed unsigned auto wchar_t char8_t char16_t "
    b"char32_t size_t __int128 __int64 half2".split()
)
WORDS = frozenset(
    b"static inline extern const constexpr consteval constinit volatile virtual explicit friend "
    b"typename struct class union enum register mutable restrict __restrict__ __restrict "
    b"thread_local __inline__ __inline __forceinline__ __forceinline __noinline__ __host__ typedef "
    b"__extension__ template export final override noexcept __cdecl __stdcall WINAPI CALLBACK "
    b"APIENTRY".split()
)
_NO_NAMES = WORDS | BUILT_IN
# The name that stands for an operator; C++ keeps two underscores for compilers.
_OPERATOR_NAME = re.compile(rb"operator__((?>[0-9a-f]{2})++)")
_PARAMETER_TOKEN = re.compile(rb"\w+(?:\s*+::\s*+\w+)*|[*&\[\]]")
# What two declarations of a function need not both have: `struct A` is A.
_NO_TYPES = frozenset(
    b"__restrict__ const restrict __restrict struct class union enum typename".split()
)
_ALIAS = re.compile(rb"(?:using|namespace)\s+(\w+)\s*=")
_NAMES_TYPE = re.compile(rb"(?:using(?!\s+namespace)|typedef|template)\b")
# Its calling convention may be before the star, as in `typedef void (WINAPI *Call)(int)`.
_POINTER_ALIAS = re.compile(rb"\(\s*+(?>[\w:]++\s*+)*+[*&^]\s*+(\w++)\s*+(?>\[[^][]*+\]\s*+)*+\)")
# `= 1`, `[4]`, `{`, or the colon of a bit-field, but not `::`.
_VALUE_OR_BODY = re.compile(rb"[=\[{;,]|(?<!:):(?!:)")


class FunctionSignature(NamedTuple):
    """The signature that tells overloads apart: scope, name and types of parameters."""

    owner: bytes
    name: bytes
    types: tuple[bytes, ...]


class DeclarationHead(NamedTuple):
    """The parts of a declaration's head.

    Attributes:
        words: The words before the parameters, the name not among them.
        name: What is declared, with its qualifiers; empty where that is not plain.
        parameters: The text from the bracket on; None where there is none.
        before: What is before that.
    """

    words: tuple[bytes, ...]
    name: bytes
    parameters: bytes | None
    before: bytes = b""

    @property
    def is_plain(self) -> bool:
        """Whether nothing is before the bracket that no function has there."""
        return self.parameters is not None and bool(_PLAIN.fullmatch(self.before))


def alias(head: bytes) -> bytes:
    """Returns the name that a declaration gives to another entity; empty for none."""
    if not head.startswith((b"using", b"namespace", b"typedef", b"template")):
        return b""
    if match := _ALIAS.match(head):
        return match[1]
    if not _NAMES_TYPE.match(head):
        return b""
    if function := _POINTER_ALIAS.search(head):
        return function[1]
    words = NAMES.findall(ANGLES.sub(b"", head.partition(b"[")[0]))
    return words[-1].rpartition(b"::")[2].strip() if words else b""


def head_of(declaration: OutlineItem) -> DeclarationHead:
    """Returns the parts of a declaration's head; of a type, the name alone."""
    if declaration.kind is Kind.TYPE:
        return _type_parts(declaration.head)
    return _parts(declaration.head)


@lru_cache(CACHED)
def _type_parts(head: bytes) -> DeclarationHead:
    return DeclarationHead((), class_name(head), None)


@lru_cache(CACHED)
def _parts(head: bytes) -> DeclarationHead:
    text = OPERATOR.sub(_operator_name, head) if b"operator" in head else head
    count = int(b"<" in text)
    while count:
        text, count = ANGLES.subn(b"", text)
    count = int(b"[" in text)
    while count:
        text, count = BOUNDS.subn(b" * ", text)
    bracket, parameters = text.find(b"("), None
    if bracket < 0 or (b"=" in text[:bracket] and ASSIGNED.search(text, 0, bracket)):
        end = _VALUE_OR_BODY.search(text)
        before = text[: end.start()] if end else text
    else:
        before, parameters = text[:bracket], text[bracket:]
    words = [b"".join(w.split()) if b":" in w else w for w in NAMES.findall(before)]
    name = words.pop() if words and words[-1] not in _NO_NAMES else b""
    return DeclarationHead(tuple(words), name, parameters, before)


def _operator_name(match: re.Match[bytes]) -> bytes:
    """Returns a name for an operator, which is a word, by its sign in hexadecimal digits."""
    return b" operator__%s " % re.sub(rb"\s", b"", match[1]).hex().encode()


def sign_of(name: bytes) -> bytes:
    """Returns the sign of an operator by its name in a head; empty for other functions."""
    match = _OPERATOR_NAME.fullmatch(name.rpartition(b"::")[2])
    return bytes.fromhex(match[1].decode()) if match else b""


def value_start(head: bytes) -> int:
    """Returns where the value of a variable begins in the head."""
    assignment = ASSIGNED.search(head)
    return assignment.start() if assignment else len(head)


def pointer_end(head: bytes) -> int:
    """Returns the place behind a variable's last ``*``: a const before is of another type."""
    return head.rfind(b"*", 0, value_start(head)) + 1


def parameter_types(parameters: bytes) -> tuple[bytes, ...]:
    """Returns the types of parameters, without their names and defaults."""
    if not parameters:
        return ()
    inside = parameters[1 : close_of(parameters, 0, b"(", b")") - 1]
    types = []
    for parameter in inside.split(b","):
        tokens = _PARAMETER_TOKEN.findall(parameter.partition(b"=")[0])
        tokens = [b"".join(x.split()) for x in tokens if x not in _NO_TYPES]
        names = [at for at, x in enumerate(tokens) if x not in b"*&[]" and x not in WORDS]
        # `(ns::A)` and `(unsigned)` name types alone.
        if len(names) > 1 and not (b"::" in tokens[names[-1]] or tokens[names[-1]] in BUILT_IN):
            del tokens[names[-1]]
        if tokens and tokens != [b"void"]:
            types.append(b" ".join(tokens))
    return tuple(types)
