"""Which declaration of CUDA C++ a name represents, as far as a syntax tree can show.

One name is looked at at a time: the tree is read only at that name. There is no preprocessor
here and no overload resolution: a name with several overloads is one name, and what `#if` leaves
out counts. A member behind an expression whose type is not written down is uncertain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from jitstudio.listing.scopes.tree import (
    CLASSES,
    MACROS,
    TYPES,
    Path,
    Scope,
    ScopeKind,
    Tree,
    joined,
    name_of,
    open_key,
)

_ANY_WORD = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*+")
_DEEPEST = 20
_MEMBERS = frozenset(
    {"field_expression", "field_designator", "offsetof_expression", "template_method"}
)


@dataclass(frozen=True)
class Occurrence:
    """A place where a name is in code.

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
    kind: ScopeKind | None = None

    @property
    def may_be_member(self) -> bool:
        """Whether the name is behind a dot, an arrow or `::`, or the like."""
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


class CudaSource(Tree):
    """A text in CUDA C++ whose names can be asked for."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self._names: dict[bytes, tuple[Occurrence, ...]] = {}
        # How many names are being looked at, each for the sake of the one before.
        self._depth = 0

    def word_at(self, byte: int) -> bytes:
        """Returns the name that a place is in or at the end of, or nothing; in comments, too."""
        line = self.content.rfind(b"\n", 0, byte) + 1
        for match in _ANY_WORD.finditer(self.content, line):
            if match.start() > byte:
                break
            if match.end() >= byte:
                return match[0]
        return b""

    def at(self, byte: int) -> tuple[bytes, Occurrence | None]:
        """Returns the name at a place, or ending there, and the occurrence in code."""
        name = self.word_at(byte)
        occurrences = self.occurrences(name) if name else ()
        return name, next((o for o in occurrences if o.start <= byte <= o.start + len(name)), None)

    def occurrences(self, name: bytes) -> tuple[Occurrence, ...]:
        """Returns the occurrences of a name in code, in order."""
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
        """Returns the occurrence of a name in the tree."""
        occurrences = self.occurrences(self.content[name.start_byte : name.end_byte])
        return next((o for o in occurrences if o.start == name.start_byte), None)

    def declarations(self, of: Occurrence) -> Iterator[Occurrence]:
        """Returns the declarations of the entity that an occurrence represents."""
        name = self.word_at(of.start)
        same = (o for o in self.occurrences(name) if o.scope == of.scope)
        return (o for o in same if o.declares is not None)


class _Resolution:
    """Finds out the meanings of a name."""

    def __init__(self, source: CudaSource, name: bytes) -> None:
        self._source = source
        self._name = name
        self._text = name.decode("utf-8", "replace")
        self._declared: dict[str, list[int]] = {}
        self._kinds: dict[str, ScopeKind] = {}
        # Where the enumerators of a plain `enum` are known, by the name of that.
        self._enums: dict[str, str] = {}

    def run(self) -> Iterator[Occurrence]:
        places = list(self._source.words(self._name))
        declarations = {start: self._declaration(start, path) for start, path in places}
        nodes = (o.declares for o in declarations.values() if o is not None and o.declares)
        is_macro = any(node.type in MACROS for node in nodes)
        for start, path in places:
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
            scope = Scope(key, self._kinds.get(key, ScopeKind.CLASS))
        elif node.type == "labeled_statement":
            scope = self._source.labels(path)
        elif node.type == "enumerator" and scope.kind is not ScopeKind.BLOCK:
            enum = next(n for n in reversed(path) if n.type == "enum_specifier")
            name = joined([self._source.text(enum.child_by_field_name("name"))])
            self._enums[f"{scope.key}::{name}"] = scope.key
        if scope.kind is ScopeKind.CLASS and scope.key.rpartition("::")[2] == self._text:
            # The name of a constructor is that of its class, which is known around it.
            scope = Scope(scope.key.rpartition("::")[0], ScopeKind.OPEN)
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
            scope = self._unqualified(start, [s for s in scopes if s.kind is not ScopeKind.BLOCK])
        elif leaf.type == "statement_identifier":
            scope = self._source.labels(path).key
        elif qualifiers := self._qualifiers(path):
            scope, is_certain = self._behind(path, qualifiers)
        else:
            scope = self._unqualified(start, scopes)
        return Occurrence(start, path, None, scope, is_certain)

    def _qualifiers(self, path: Path) -> tuple[str, ...]:
        qualifiers: list[str] = []
        for at in range(len(path) - 2, -1, -1):
            node, child = path[at], path[at + 1]
            is_name = node.child_by_field_name("name") == child
            if node.type == "qualified_identifier":
                if is_name:
                    qualifiers.insert(0, self._source.text(node.child_by_field_name("scope")))
            elif not (is_name and node.type in ("template_function", "template_type")):
                break
        return tuple(qualifiers)

    def _qualified(self, qualifiers: Sequence[str], scopes: Sequence[Scope]) -> str | None:
        """Returns the scope that qualifiers lead to, if the name is declared there."""
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
            if declared and (scope.kind is not ScopeKind.BLOCK or declared[0] <= start):
                return scope.key
            for base in scope.bases:
                if (key := self._qualified([base], scopes[:place])) is not None:
                    return key
        return next((key for key in self._declared if self._is_opened(key)), None)

    def _is_opened(self, key: str) -> bool:
        """Returns whether `using` lets the names of a namespace be used unqualified."""
        path = key.removeprefix("::")
        if not path or "@" in path or self._kinds[key] is not ScopeKind.OPEN:
            return False
        name = re.escape(path.encode()) + rb"(?:\s*::\s*" + re.escape(self._name) + rb")?\s*;"
        return bool(re.search(rb"\busing\s+(?:namespace\s+)?(?:::)?" + name, self._source.content))

    def _behind(self, path: Path, qualifiers: Sequence[str]) -> tuple[str | None, bool]:
        """Returns the scope that the qualifiers of a use lead to, and whether that is certain."""
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
        """Returns the scope of a word in a macro's body: the macro's own, or a namespace."""
        if scopes[-1].key in self._declared:
            return scopes[-1].key
        known = [
            key for key in self._declared if self._kinds[key] is ScopeKind.OPEN and "@" not in key
        ]
        return known[0] if len(known) == 1 else None

    def _member(self, path: Path, scopes: Sequence[Scope]) -> tuple[str | None, bool]:
        """Returns the class that a member belongs to, and whether that is certain."""
        classes = [key for key in self._declared if self._kinds[key] is ScopeKind.CLASS]
        if not classes:
            return None, True
        access = [at for at, node in enumerate(path) if node.type == "field_expression"]
        owner: str | None = None
        if path[-2].type == "offsetof_expression":
            owner = written_type(self._source, path[-2].child_by_field_name("type"))
        elif access and path[-2].type != "field_designator":
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


FOREIGN = "?"
"""The class of what nothing in the text declares."""

_DEEPEST_EXPRESSION = 12
# What is of the same class as what it is made of, as pointers and arrays count as what they
# lead to.
_INNER = {
    "subscript_expression": "argument",
    "pointer_expression": "argument",
    "update_expression": "argument",
    "assignment_expression": "left",
    "conditional_expression": "consequence",
}
_TYPED = frozenset({"cast_expression", "compound_literal_expression", "new_expression"})
_TYPE_PARTS = frozenset(
    {
        "type_identifier",
        "qualified_identifier",
        "template_type",
        "struct_specifier",
        "class_specifier",
        "union_specifier",
        "type_descriptor",
    }
)
_ALIASES = frozenset({"alias_declaration", "type_definition"})
_CALLEES = frozenset({"identifier", "template_function", "qualified_identifier"})


def type_of(source: CudaSource, node: Node | None, path: Path, depth: int = 0) -> str | None:
    """Returns the key of the class of an expression.

    Args:
        source: The text.
        node: The expression.
        path: The nodes down to it, or near to it.
        depth: How many expressions have led here.

    Returns:
        Its qualified name with `::` before each part; `FOREIGN` where nothing in the text can be
        meant, None where that is not known.
    """
    if node is None or depth > _DEEPEST_EXPRESSION:
        return None
    if node.type == "this":
        classes = [s.key for s in source.scopes(path, len(path)) if s.kind is ScopeKind.CLASS]
        return classes[-1] if classes else None
    if node.type == "parenthesized_expression":
        return type_of(source, node.named_children[0], path, depth + 1)
    if node.type in _INNER:
        return type_of(source, node.child_by_field_name(_INNER[node.type]), path, depth + 1)
    if node.type in _TYPED:
        return written_type(source, node.child_by_field_name("type"))
    if node.type == "call_expression":
        callee = node.child_by_field_name("function")
        if callee is not None and callee.type in ("field_expression", *_CALLEES):
            return _declared(source, callee, path, depth)
        return None
    if node.type in ("identifier", "field_expression", "qualified_identifier"):
        return _declared(source, node, path, depth)
    return None


def _declared(source: CudaSource, node: Node, path: Path, depth: int) -> str | None:
    """Returns the class that a name was declared with, or that a function of this name returns."""
    name = node
    while name.type not in ("identifier", "field_identifier", "type_identifier"):
        inner = name.child_by_field_name("field") or name.child_by_field_name("name")
        if inner is None:
            return None
        name = inner
    here = source.occurrence_at(name)
    if here is None:
        return None
    if here.scope is None:
        # `threadIdx` for one; what a function elsewhere returns may be of any class.
        is_plain = name == node and path[-1].type != "call_expression"
        return (
            FOREIGN if here.is_certain and (is_plain or node.type == "field_expression") else None
        )
    # One with a type that is written down, where there are several.
    types = [_type_of_declaration(source, o, depth) for o in source.declarations(here)]
    return next(filter(None, types), None)


def _type_of_declaration(source: CudaSource, occurrence: Occurrence, depth: int) -> str | None:
    node = occurrence.declares
    assert node is not None
    if node.type in TYPES:
        # `A(1)` makes an object of the class.
        return f"{occurrence.scope}::{source.text(node.child_by_field_name('name'))}"
    written = node.child_by_field_name("type")
    if written is None:
        return None
    if written.type != "placeholder_type_specifier":
        return written_type(source, written)
    inits = [n for n in occurrence.path if n.type == "init_declarator"]
    if not inits or any(n.type == "structured_binding_declarator" for n in occurrence.path):
        return None
    return type_of(source, inits[-1].child_by_field_name("value"), occurrence.path, depth + 1)


def written_type(source: CudaSource, node: Node | None, depth: int = 0) -> str | None:
    """Returns the key of the class that a type names, aliases followed; see `type_of`."""
    if node is None or depth > _DEEPEST_EXPRESSION:
        return None
    if node.type in ("primitive_type", "sized_type_specifier"):
        return FOREIGN
    name: Node | None = node
    while name is not None and name.type != "type_identifier":
        inner = [child for child in name.named_children if child.type in _TYPE_PARTS]
        name = name.child_by_field_name("name") or (inner[0] if inner else None)
    if name is None:
        return None
    here = source.occurrence_at(name)
    if here is None or here.scope is None:
        return FOREIGN if here is not None and here.is_certain else None
    declaring = {o.declares.type: o.declares for o in source.declarations(here) if o.declares}
    if CLASSES.isdisjoint(declaring):
        # A parameter of a template represents any class.
        alias = next((n for kind, n in declaring.items() if kind in _ALIASES), None)
        return written_type(source, alias and alias.child_by_field_name("type"), depth + 1)
    return f"{here.scope}::{source.text(name)}"


def bases(source: CudaSource, key: str) -> tuple[str | None, ...]:
    """Returns the keys of the base classes of a class; see `type_of`."""
    around, _, name = key.rpartition("::")
    keys: list[str | None] = []
    for occurrence in source.occurrences(name.encode()):
        node = occurrence.declares
        if occurrence.scope == around and node is not None and node.type in CLASSES:
            clause = next((n for n in node.children if n.type == "base_class_clause"), None)
            named = clause.named_children if clause else ()
            keys += [written_type(source, n) for n in named if n.type in _TYPE_PARTS]
    return tuple(keys)
