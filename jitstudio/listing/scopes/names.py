"""Which declaration of CUDA C++ a name stands for, as far as a syntax tree can tell.

One name is looked at at a time: the tree is read only where it stands. There is no preprocessor
here and no overload resolution: a name with several overloads is one name, and what `#if` leaves
out counts. A member behind an expression whose type is not written down is uncertain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from jitstudio.listing.scopes.member_types import FOREIGN, bases, type_of
from jitstudio.listing.scopes.tree import (
    MACROS,
    TYPES,
    Kind,
    Path,
    Scope,
    Tree,
    joined,
    name_of,
    open_key,
)

_ANY_WORD = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*+")
_DEEPEST = 20
_MEMBERS = frozenset({"field_expression", "field_designator", "template_method"})


@dataclass(frozen=True)
class Occurrence:
    """A place where a name stands in code.

    Attributes:
        start: Its first byte.
        path: The nodes down to it; in the body of a macro, down to that.
        declares: The node that declares it here, or None where it is used.
        scope: The key of the scope that it is declared in; None where nothing in this text is
            meant, or it is not known what.
        is_certain: Whether `scope` is known to be right.
        kind: What the scope is, where the name is declared here.
    """

    start: int
    path: Path
    declares: Node | None
    scope: str | None
    is_certain: bool = True
    kind: Kind | None = None

    @property
    def may_be_member(self) -> bool:
        """Whether it is behind a dot, an arrow or `::`, or the like."""
        parents = _MEMBERS | {"qualified_identifier"}
        return self.path[-2].type in parents and self.declares is None

    @property
    def is_definition(self) -> bool:
        """Whether the name is declared here, and not only announced."""
        node = self.declares
        if node is None:
            return False
        if node.type in TYPES:
            return node.child_by_field_name("body") is not None
        if node.type in ("declaration", "field_declaration"):
            words = {word.type for child in node.children for word in child.children}
            inside = {inner.type for inner in self.path[self.path.index(node) :]}
            return "function_declarator" not in inside and "extern" not in words
        return True


class Source(Tree):
    """A text in CUDA C++ whose names can be asked for."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self._names: dict[bytes, tuple[Occurrence, ...]] = {}
        # How many names are being looked at, each for the sake of the one before.
        self._depth = 0

    def word_at(self, byte: int) -> bytes:
        """The name that a place is in or at the end of, or nothing; in comments, too."""
        line = self.content.rfind(b"\n", 0, byte) + 1
        for match in _ANY_WORD.finditer(self.content, line):
            if match.start() > byte:
                break
            if match.end() >= byte:
                return match[0]
        return b""

    def at(self, byte: int) -> tuple[bytes, Occurrence | None]:
        """The name at a place, or the one that ends there, and what it stands for in code."""
        name = self.word_at(byte)
        found = self.occurrences(name) if name else ()
        return name, next((o for o in found if o.start <= byte <= o.start + len(name)), None)

    def occurrences(self, name: bytes) -> tuple[Occurrence, ...]:
        """Where a name stands in code, in order, and what it stands for there."""
        if name not in self._names:
            if self._depth >= _DEEPEST:
                return ()
            # For the types of expressions further names are asked for, and perhaps this one.
            self._names[name] = ()
            self._depth += 1
            self._names[name] = tuple(_Resolution(self, name).run())
            self._depth -= 1
        return self._names[name]

    def occurrence_at(self, name: Node) -> Occurrence | None:
        """What a name in the tree stands for."""
        found = self.occurrences(self.content[name.start_byte : name.end_byte])
        return next((o for o in found if o.start == name.start_byte), None)

    def declarations(self, of: Occurrence) -> Iterator[Occurrence]:
        """What declares what an occurrence stands for."""
        name = self.word_at(of.start)
        same = (o for o in self.occurrences(name) if o.scope == of.scope)
        return (o for o in same if o.declares is not None)


class _Resolution:
    """Finds out what one name stands for."""

    def __init__(self, source: Source, name: bytes) -> None:
        self._source = source
        self._name = name
        self._text = name.decode("utf-8", "replace")
        self._declared: dict[str, list[int]] = {}
        self._kinds: dict[str, Kind] = {}
        # Where the enumerators of a plain `enum` are known, by the name of that.
        self._enums: dict[str, str] = {}

    def run(self) -> Iterator[Occurrence]:
        found = list(self._source.words(self._name))
        declarations = {start: self._declaration(start, path) for start, path in found}
        nodes = (o.declares for o in declarations.values() if o is not None and o.declares)
        is_macro = any(node.type in MACROS for node in nodes)
        for start, path in found:
            occurrence = declarations[start] or self._reference(start, path)
            if is_macro:
                # A preprocessor knows no scopes.
                occurrence = Occurrence(start, path, occurrence.declares, "")
            yield occurrence

    # Declarations.

    def _declaration(self, start: int, path: Path) -> Occurrence | None:
        declared = self._source.declared(path)
        if declared is None:
            return None
        node = path[declared.at]
        scopes = self._source.declaring_scopes(path, declared.at)
        scope = scopes[-1]
        if declared.qualifiers:
            key = self._qualified(declared.qualifiers, scopes)
            if key is None:
                key = f"{open_key(scopes)}::{joined(declared.qualifiers)}"
            scope = Scope(key, self._kinds.get(key, Kind.CLASS))
        elif node.type == "labeled_statement":
            scope = self._source.labels(path)
        elif node.type == "enumerator" and scope.kind is not Kind.BLOCK:
            enum = next(n for n in reversed(path) if n.type == "enum_specifier")
            name = joined([self._source.text(enum.child_by_field_name("name"))])
            self._enums[f"{scope.key}::{name}"] = scope.key
        if scope.kind is Kind.CLASS and scope.key.rpartition("::")[2] == self._text:
            # The name of a constructor is that of its class, which is known around it.
            scope = Scope(scope.key.rpartition("::")[0], Kind.OPEN)
        self._declared.setdefault(scope.key, []).append(start)
        self._kinds.setdefault(scope.key, scope.kind)
        return Occurrence(start, path, node, scope.key, kind=scope.kind)

    # References.

    def _reference(self, start: int, path: Path) -> Occurrence:
        leaf, above = path[-1], path[-2]
        scopes = self._source.scopes(path, len(path))
        is_certain = True
        scope: str | None
        if leaf.type == "preproc_arg":
            scope = self._in_macro(scopes)
        elif above.type in _MEMBERS and above.child_by_field_name("argument") != leaf:
            scope, is_certain = self._member(path, scopes)
        elif above.type == "field_initializer" and leaf.type == "field_identifier":
            scope = self._unqualified(start, [s for s in scopes if s.kind is not Kind.BLOCK])
        elif leaf.type == "statement_identifier":
            scope = self._source.labels(path).key
        elif qualifiers := self._qualifiers(path):
            scope, is_certain = self._behind(path, qualifiers)
        else:
            scope = self._unqualified(start, scopes)
        return Occurrence(start, path, None, scope, is_certain)

    def _qualifiers(self, path: Path) -> tuple[str, ...]:
        found: list[str] = []
        for at in range(len(path) - 2, -1, -1):
            node, child = path[at], path[at + 1]
            is_name = node.child_by_field_name("name") == child
            if node.type == "qualified_identifier":
                if is_name:
                    found.insert(0, self._source.text(node.child_by_field_name("scope")))
            elif not (is_name and node.type in ("template_function", "template_type")):
                break
        return tuple(found)

    def _qualified(self, qualifiers: Sequence[str], scopes: Sequence[Scope]) -> str | None:
        """The scope that qualifiers lead to, if the name is declared there."""
        tail = joined(qualifiers)
        around = [""] if tail.startswith("::") else [s.key for s in reversed(scopes)]
        for outer in around:
            key = f"{outer}::{tail.removeprefix('::')}" if tail else ""
            key = self._enums.get(key, key)
            if key in self._declared:
                return key
            owner, _, last = key.rpartition("::")
            if last == self._text and owner in self._declared:
                # `A::A` is the constructor of `A`.
                return owner
        return None

    def _unqualified(self, start: int, scopes: Sequence[Scope]) -> str | None:
        for place in range(len(scopes) - 1, -1, -1):
            scope = scopes[place]
            declared = self._declared.get(scope.key)
            if declared and (scope.kind is not Kind.BLOCK or declared[0] <= start):
                return scope.key
            for base in scope.bases:
                if (key := self._qualified([base], scopes[:place])) is not None:
                    return key
        return next((key for key in self._declared if self._is_opened(key)), None)

    def _is_opened(self, key: str) -> bool:
        """Whether `using` lets the names of a namespace be used without it."""
        path = key.removeprefix("::")
        if not path or "@" in path or self._kinds[key] is not Kind.OPEN:
            return False
        name = re.escape(path.encode()) + rb"(?:\s*::\s*" + re.escape(self._name) + rb")?\s*;"
        return bool(re.search(rb"\busing\s+(?:namespace\s+)?(?:::)?" + name, self._source.content))

    def _behind(self, path: Path, qualifiers: Sequence[str]) -> tuple[str | None, bool]:
        """The scope that the qualifiers of a use lead to, and whether that is certain."""
        whole = next(node for node in path if node.type == "qualified_identifier")
        head = whole.child_by_field_name("scope")
        here = self._source.occurrence_at(name_of(head)) if head is not None else None
        if here is not None and here.scope is not None:
            key = "::".join((here.scope, joined(qualifiers)))
            key = self._enums.get(key, key)
            if key in self._declared:
                return key, True
            kinds = {o.declares.type for o in self._source.declarations(here) if o.declares}
            if kinds and not kinds & (TYPES | {"namespace_definition"}):
                # An alias, or a parameter of a template.
                return None, False
        scopes = self._source.scopes(path, len(path))
        return self._qualified(qualifiers, scopes), True

    def _in_macro(self, scopes: Sequence[Scope]) -> str | None:
        """What a word in the body of a macro stands for: a parameter of it, or what all know."""
        if scopes[-1].key in self._declared:
            return scopes[-1].key
        known = [key for key in self._declared if self._kinds[key] is Kind.OPEN and "@" not in key]
        return known[0] if len(known) == 1 else None

    def _member(self, path: Path, scopes: Sequence[Scope]) -> tuple[str | None, bool]:
        """The class that a member belongs to, and whether that is certain."""
        classes = [key for key in self._declared if self._kinds[key] is Kind.CLASS]
        if not classes:
            return None, True
        access = [at for at, node in enumerate(path) if node.type == "field_expression"]
        owner: str | None = None
        if access and path[-2].type != "field_designator":
            argument = path[access[-1]].child_by_field_name("argument")
            owner = type_of(self._source, argument, path[: access[-1] + 1])
        waiting, seen = [owner], set[str]()
        while waiting:
            owner = waiting.pop(0)
            if owner in classes:
                return owner, True
            if owner is None:
                return None, False
            if owner not in seen and owner != FOREIGN:
                seen.add(owner)
                waiting += bases(self._source, owner)
        return None, True
