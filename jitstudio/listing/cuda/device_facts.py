"""Facts about the declarations of a text that tell those of the device from those of the host."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from jitstudio.listing.cuda.candidates import around
from jitstudio.listing.cuda.heads import (
    BUILT_IN,
    WORDS,
    DeclarationHead,
    FunctionSignature,
    alias,
    head_of,
    parameter_types,
    pointer_end,
    sign_of,
    value_start,
)
from jitstudio.listing.cuda.host_macros import CONST, TextMacros
from jitstudio.listing.cuda.outline import DEVICE, Kind, Outline, OutlineItem, close_of
from jitstudio.listing.cuda.spans import overlapping
from jitstudio.listing.cuda.words import has_word, listed_words

# Types of C, POSIX and Windows, which are written as macros are: in capitals.
_CAPITAL_TYPES = frozenset(b"FILE DIR BOOL DWORD HANDLE HWND LRESULT UINT LPVOID SOCKET".split())
# `(*f)`, `(&f)`, `(Class::*f)`
_POINTER = re.compile(rb"\(\s*+(?:(?:\w+\s*+::\s*+)+)?[*&^]")
# What may be the first parameter and may be the value of a constant.
_VALUE = re.compile(rb"\(\s*+(?!\)|\.)(?![\w:]++\s++\w)(\w*+)(\s*+[({])?")
# `template <typename T, int N, class... Rest>`
_TEMPLATE_NAMES = re.compile(rb"\b(?:typename|class|int|bool|unsigned|size_t|auto)[\s.]++(\w+)")


class DeclarationFacts:
    """The facts about the declarations of a text.

    Attributes:
        device: The identities of the items that are marked as the device's.

    Args:
        outline: The declarations.
        macros: The macros of the text.
        refused: Where NVRTC has refused host code.
    """

    def __init__(
        self, outline: Outline, macros: TextMacros, refused: list[tuple[int, int]]
    ) -> None:
        self._items, self._code = outline.items, outline.code
        self._macros, self._refused_spans = macros, refused
        self._signatures: dict[int, FunctionSignature] = {}
        # The signatures of functions of the device, and scopes with counts of parameters, by name.
        self._redeclared: dict[bytes, tuple[set[FunctionSignature], set[tuple[bytes, int]]]] = {}
        self.device = {id(item) for item in self._items if self.is_marked(item.head)}

    def is_marked(self, text: bytes) -> bool:
        """Returns whether something in a text is of the device."""
        return bool(DEVICE.search(text)) or has_word(text, self._macros.device)

    def is_refused(self, declaration: OutlineItem) -> bool:
        """Returns whether NVRTC has refused this as code of the host."""
        return overlapping(declaration, self._refused_spans) is not None

    @cached_property
    def types(self) -> set[bytes]:
        """The types that the text makes known."""
        declarations = self._items
        types = {self.name_of_type(d) for d in declarations if d.kind is Kind.TYPE}
        return types.union(alias(d.head) for d in declarations if d.kind is Kind.OTHER)

    def name_of_type(self, declaration: OutlineItem) -> bytes:
        """Returns the name of a type, also by a ``typedef``; empty for none."""
        name = head_of(declaration).name
        if name or not declaration.head.startswith(b"typedef"):
            return name
        return alias(b"typedef " + self.tail(declaration))

    def tail(self, declaration: OutlineItem) -> bytes:
        """Returns the text behind the body of a type."""
        return self._code[declaration.body_end : declaration.end].strip(b"; \t\r\n")

    @cached_property
    def _known(self) -> frozenset[bytes]:
        """The words before a name that are no macros for device code."""
        return self._macros.known | self.types | _CAPITAL_TYPES | self._of_refused

    @cached_property
    def _of_refused(self) -> set[bytes]:
        """The words before functions that NVRTC has refused, none of which marks device code.

        As of ``LIBRARY_API`` in ``status_t LIBRARY_API create();``, alone in its line.
        """
        spans = self._refused_spans
        inside: defaultdict[int, list[OutlineItem]] = defaultdict(list)
        for item in self._items if spans else ():
            at = overlapping(item, spans)
            if item.kind is not Kind.TYPE and at is not None:
                inside[at].append(item)
        alone = (items[0] for items in inside.values() if len(items) == 1)
        return {word for item in alone for word in head_of(item).words}

    @cached_property
    def _of_the_device(self) -> defaultdict[bytes, list[OutlineItem]]:
        """The functions of the device that a host's may be called like, by their last names."""
        by_name: defaultdict[bytes, list[OutlineItem]] = defaultdict(list)
        functions = [item for item in self._items if b"(" in item.head]
        names = {_last_name(item) for item in functions if id(item) not in self.device}
        for item in functions:
            # Most are called otherwise: there is no need to read their heads.
            if id(item) in self.device and (
                b"" in names
                or b"operator" in item.head
                or not names.isdisjoint(listed_words(item.head))
            ):
                by_name[_last_name(item)].append(item)
        return by_name

    def device_namesakes(self, declaration: OutlineItem) -> Sequence[OutlineItem]:
        """Returns the functions of the device with the same name, whatever their scopes are."""
        return self._of_the_device.get(_last_name(declaration), ())

    def signature(self, declaration: OutlineItem) -> FunctionSignature:
        """Returns scope, name and types of parameters of a function."""
        key = id(declaration)
        if key not in self._signatures:
            head = head_of(declaration)
            owner, _, name = head.name.rpartition(b"::")
            scopes = (scope for scope in (declaration.scope, owner) if scope)
            types = parameter_types(head.parameters or b"")
            self._signatures[key] = FunctionSignature(b"::".join(scopes), name, types)
        return self._signatures[key]

    def arguments(self, function: OutlineItem) -> range:
        """Returns how many arguments a function may get."""
        parameters = head_of(function).parameters or b""
        most = len(self.signature(function).types)
        inside = parameters[: close_of(parameters, 0, b"(", b")")]
        return range(most - inside.count(b"="), 100 if b"..." in inside else most + 1)

    def is_redeclared(self, declaration: OutlineItem) -> bool:
        """Returns whether the text declares the same function for the device elsewhere."""
        if not (same := self.device_namesakes(declaration)):
            return False
        name = _last_name(declaration)
        if name not in self._redeclared:
            signatures = {self.signature(function) for function in same}
            counts = {(owner, len(types)) for owner, _, types in signatures}
            self._redeclared[name] = signatures, counts
        signatures, counts = self._redeclared[name]
        mine = self.signature(declaration)
        is_member = declaration.parent or b"::" in head_of(declaration).name
        if is_member or declaration.template.strip() == b"<>":
            return (mine.owner, len(mine.types)) in counts
        return mine in signatures

    def is_prototype(self, declaration: OutlineItem, head: DeclarationHead) -> bool:
        """Returns whether a declaration without a body is of a function."""
        if head.parameters is None or not head.name or _POINTER.match(head.parameters):
            return False
        if is_special(declaration, head) or sign_of(head.name):
            return True
        if declaration.parent:
            is_attribute = head.name in self._macros.qualifiers
            return head.is_plain and not is_attribute and not WORDS.issuperset(head.words)
        if b"constexpr" in head.words and (value := _VALUE.match(head.parameters)):
            types = WORDS | BUILT_IN | self.types
            return value[1] in types and not value[2]
        return bool(head.words)

    def is_constant(self, text: bytes, head: DeclarationHead) -> bool:
        """Returns whether a variable is a constant, by a word or by a macro."""
        by_word = not self._macros.constants.isdisjoint(head.words)
        return by_word or bool(CONST.search(text, pointer_end(text), value_start(text)))

    def is_arithmetic(self, text: bytes, head: DeclarationHead) -> bool:
        """Returns whether a constant has a type of numbers, and is no pointer or reference."""
        types = BUILT_IN - {b"half2"} | {b"const", b"static"}
        return types.issuperset(head.words) and not {*b"*&"} & {*text[: value_start(text)]}

    def why_unsure(self, declaration: OutlineItem, head: DeclarationHead) -> str:
        """Returns why this may be no function of the host: a sentence; empty if certain."""
        if declaration.kind is Kind.FUNCTION:
            return self.why_marked(declaration, head) or self._why_data(declaration, head)
        return self._why_data(declaration, head) or self.why_marked(declaration, head)

    def _why_data(self, declaration: OutlineItem, head: DeclarationHead) -> str:
        """Returns why a member may be a type, a name and a macro, and no function."""
        if not declaration.parent or is_special(declaration, head):
            return ""
        if sign_of(head.name):
            return ""
        words = [w for w in head.words if w not in WORDS and w not in self._macros.qualifiers]
        two = len(words) > 1 and not BUILT_IN.issuperset(words)
        unsure = two or not head.is_plain or head.name in self._macros.known
        return "This may be a data member with a macro after its name." if unsure else ""

    def why_marked(self, declaration: OutlineItem, head: DeclarationHead) -> str:
        """Returns why a word before the name may be a macro that marks device code."""
        name = self._unknown_word(declaration, head).decode("utf-8", "replace")
        return f"'{name}' may be a macro that marks device code." if name else ""

    def _unknown_word(self, declaration: OutlineItem, head: DeclarationHead) -> bytes:
        """Returns a word that may be a macro which makes this device code; empty for none."""
        words = [word for word in head.words if word not in WORDS]
        others = [word for word in words if word not in BUILT_IN]

        def is_known(word: bytes) -> bool:
            return (
                b"::" in word
                or word in self._known
                or any(
                    word in _TEMPLATE_NAMES.findall(scope.template)
                    for scope in around(declaration)
                    if scope.template
                )
            )

        if len(others) == len(words) and others:
            kind = others.pop()
            is_host = b"__host__" in head.words
            if not is_host and kind.isupper() and len(kind) > 1 and not is_known(kind):
                return kind
        elif not words and head.name.isupper() and not is_special(declaration, head):
            return b"" if is_known(head.name) else head.name
        return next((word for word in others if not is_known(word)), b"")


def is_special(declaration: OutlineItem, head: DeclarationHead) -> bool:
    """Returns whether this is a constructor or a destructor within the class."""
    owner = head_of(declaration.parent).name if declaration.parent else b""
    return head.name.removeprefix(b"~") == owner != b""


def _last_name(declaration: OutlineItem) -> bytes:
    return head_of(declaration).name.rpartition(b"::")[2]
