"""The tree of a text in CUDA C++: where names are declared, and in which scopes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from operator import attrgetter

from tree_sitter import Node

from jitstudio.core.cpp_text import HIDDEN
from jitstudio.listing.cuda.syntax import parse

Path = tuple[Node, ...]
"""The nodes from the root of the tree to a leaf."""

CLASSES = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
_BLOCKS = frozenset(
    {
        "function_definition",
        "compound_statement",
        "for_statement",
        "for_range_loop",
        "while_statement",
        "if_statement",
        "switch_statement",
        "lambda_expression",
        "template_declaration",
        "template_template_parameter_declaration",
        "catch_clause",
        "requires_expression",
        "preproc_function_def",
    }
)
# What declares what is in its field `declarator`.
DECLARING = frozenset(
    {
        "declaration",
        "field_declaration",
        "parameter_declaration",
        "optional_parameter_declaration",
        "variadic_parameter_declaration",
        "function_definition",
        "type_definition",
        "for_range_loop",
    }
)
# What is around a declared name, in the field `declarator` or as the only name.
DECLARATORS = frozenset(
    {
        "pointer_declarator",
        "array_declarator",
        "function_declarator",
        "reference_declarator",
        "parenthesized_declarator",
        "init_declarator",
        "attributed_declarator",
        "variadic_declarator",
        "structured_binding_declarator",
        "destructor_name",
    }
)
# What declares what is in its field `name`.
NAMING = CLASSES | {
    "enum_specifier",
    "enumerator",
    "alias_declaration",
    "concept_definition",
    "namespace_definition",
    "namespace_alias_definition",
    "preproc_def",
    "preproc_function_def",
}
TYPE_PARAMETERS = frozenset(
    {
        "type_parameter_declaration",
        "optional_type_parameter_declaration",
        "variadic_type_parameter_declaration",
        "template_type_parameter",
        "preproc_params",
    }
)
MACROS = frozenset({"preproc_def", "preproc_function_def"})
_QUALIFIED = frozenset({"qualified_identifier"})
TYPES = CLASSES | {"enum_specifier"}
_WORDS = frozenset(
    {
        "identifier",
        "field_identifier",
        "type_identifier",
        "namespace_identifier",
        "statement_identifier",
    }
)
_WORD = rb"(?<![\w$\x80-\xff])%s(?![\w$\x80-\xff])"
# What hides words in the body of a macro.
_HIDDEN = re.compile(HIDDEN.encode())
# How many children a node has that is asked for them again and again.
_MANY = 64
# How many nodes are looked at: some seconds' worth, three times what the longest text takes.
_MOST_NODES = 2_500_000
_NOISE = re.compile(r"\b(?:struct|class|union|enum|typename|const|volatile)\b|[\s*&]")


class ScopeKind(Enum):
    """Kinds of scopes."""

    OPEN = "namespace"
    CLASS = "class"
    BLOCK = "block"


@dataclass(frozen=True)
class Scope:
    """Where a name is known.

    Attributes:
        key: Its qualified name with `::` before each part; that of a block begins with its place.
        kind: What it is.
        bases: The names of the classes that a class is derived from.
    """

    key: str
    kind: ScopeKind
    bases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Declared:
    """A declaration of a name.

    Attributes:
        at: The place in the path of the node that does.
        qualifiers: What is written before the name, as in `A::name`.
    """

    at: int
    qualifiers: tuple[str, ...] = ()


class TooDeep(ValueError):
    """Finding out the meanings of names takes too long; the message says why."""


class Tree:
    """A text and the syntax tree.

    Args:
        content: In UTF-8.
    """

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._child_nodes: dict[int, list[Node]] = {}
        self._passed = 0
        # The nodes to the place that was looked at last: the next one is often close.
        self._near: list[Node] = []

    @cached_property
    def _root(self) -> Node:
        return parse(self.content)

    def text(self, node: Node | None) -> str:
        """Returns the text of a node; empty for None."""
        content = self.content[node.start_byte : node.end_byte] if node else b""
        return content.decode("utf-8", "replace")

    def path_at(self, byte: int) -> Path:
        """Returns the nodes from the root to the leaf at a place.

        Raises:
            TooDeep: See the class.
        """
        path = self._near or [self._root]
        while len(path) > 1 and not path[-1].start_byte <= byte < path[-1].end_byte:
            path.pop()
        while path[-1].child_count:
            children = self._children(path[-1])
            at = bisect_right(children, byte, key=attrgetter("start_byte")) - 1
            if at < 0 or children[at].end_byte <= byte:
                break
            path.append(children[at])
        self._near = path
        self._passed += len(path)
        if self._passed > _MOST_NODES:
            raise TooDeep(
                "The code is nested so deeply that it would take minutes to tell what its names "
                "mean. Find and replace (Ctrl+H) goes by the letters only."
            )
        return tuple(path)

    def _children(self, node: Node) -> Sequence[Node]:
        """Returns the parts of a node; many parts, as of the root, are remembered."""
        if node.child_count < _MANY:
            return node.children
        if node.id not in self._child_nodes:
            self._child_nodes[node.id] = node.children
        return self._child_nodes[node.id]

    def words(
        self, name: bytes, start: int = 0, end: int | None = None
    ) -> Iterator[tuple[int, Path]]:
        """Yields where a name is in code from a byte to another, with the nodes around, in order.

        Yields:
            The start of the name, and the nodes; the last may be the body of a macro.
        """
        pattern = re.compile(_WORD % re.escape(name))
        for match in pattern.finditer(
            self.content, start, len(self.content) if end is None else end
        ):
            path = self.path_at(match.start())
            leaf = path[-1]
            if (leaf.type in _WORDS and leaf.end_byte == match.end()) or (
                leaf.type == "preproc_arg" and not self._is_hidden(leaf, match.start())
            ):
                yield match.start(), path

    def _is_hidden(self, body: Node, at: int) -> bool:
        """Returns whether a place in the body of a macro is in a comment or a string."""
        hidden = _HIDDEN.finditer(self.content, body.start_byte, body.end_byte)
        return any(match.start() <= at < match.end() for match in hidden)

    def declared(self, path: Path) -> Declared | None:
        """Returns the declaration of the name at the end of a path, or None for a mere use."""
        qualifiers: list[str] = []
        for at in range(len(path) - 2, -1, -1):
            node, child = path[at], path[at + 1]
            if node.type in ("qualified_identifier", "template_function", "template_type"):
                if node.child_by_field_name("name") != child:
                    return None
                if node.type == "qualified_identifier":
                    qualifiers.insert(0, self.text(node.child_by_field_name("scope")))
            elif node.type in DECLARATORS:
                inner = node.child_by_field_name("declarator")
                if inner is not None and inner != child:
                    return None
            elif self._declares(path, at):
                return Declared(at, tuple(qualifiers))
            else:
                return None
        return None

    def _declares(self, path: Path, at: int) -> bool:
        """Returns whether a node declares the name that the child in a path leads to."""
        node, child = path[at], path[at + 1]
        if node.type in DECLARING:
            return child in node.children_by_field_name("declarator")
        if node.type in NAMING:
            return node.child_by_field_name("name") == child and self._is_no_use(path, at)
        if node.type in TYPE_PARAMETERS:
            return child != node.child_by_field_name("default_type")
        if node.type == "lambda_capture_initializer":
            return node.named_children[0] == child
        return node.type == "labeled_statement" and child.type == "statement_identifier"

    def _is_no_use(self, path: Path, at: int) -> bool:
        """Returns True for `struct A;` and `struct A {}`, False for `struct A a;`, a mere use."""
        node, above = path[at], path[at - 1]
        if node.type not in TYPES or node.child_by_field_name("body") is not None:
            return True
        is_used = above.child_by_field_name("type") == node
        return not is_used and above.type not in ("type_descriptor", "friend_declaration")

    def scopes(self, path: Path, end: int) -> list[Scope]:
        """Returns the scopes around a place of a path, the outermost first."""
        scopes = [Scope("", ScopeKind.OPEN)]
        for at in range(min(end, len(path) - 1)):
            node = path[at]
            key, body = scopes[-1].key, node.child_by_field_name("body")
            is_inside = body is not None and path[at + 1] == body
            name = self.text(node.child_by_field_name("name"))
            if node.type == "namespace_definition" or is_scoped_enum(node):
                if name and is_inside:
                    scopes.append(Scope(f"{key}::{joined([name])}", ScopeKind.OPEN))
            elif node.type in CLASSES:
                if is_inside:
                    part = joined([name]) if name else f"@{node.start_byte}"
                    scopes.append(Scope(f"{key}::{part}", ScopeKind.CLASS, self._bases(node)))
            elif node.type in _BLOCKS or _is_prototype(path, at):
                if node.type == "function_definition":
                    scopes += self._class_of(node, scopes)
                scopes.append(Scope(f"@{node.start_byte}", ScopeKind.BLOCK))
        return scopes

    def declaring_scopes(self, path: Path, at: int) -> list[Scope]:
        """Returns the scopes around the name that a node of a path declares."""
        node = path[at]
        if "parameter" in node.type or node.type in ("preproc_params", "for_range_loop"):
            return self.scopes(path, at + 1)
        # A template is known outside of what its parameters are known in.
        while at and path[at - 1].type == "template_declaration":
            at -= 1
        return self.scopes(path, at)

    def labels(self, path: Path) -> Scope:
        """Returns where the labels of a function are known; they are no other names."""
        functions = ("function_definition", "lambda_expression")
        ends = [at for at, node in enumerate(path) if node.type in functions]
        around = self.scopes(path, ends[-1] + 1 if ends else 1)[-1]
        return Scope(f"{around.key}::@goto", ScopeKind.BLOCK)

    def _class_of(self, function: Node, scopes: Sequence[Scope]) -> list[Scope]:
        """Returns the class or namespace that only the name of a function says."""
        node = function.child_by_field_name("declarator")
        while node is not None and node.type in DECLARATORS:
            inner = [n for n in node.named_children if n.type in DECLARATORS | _QUALIFIED]
            node = node.child_by_field_name("declarator") or (inner[0] if inner else None)
        qualifiers = []
        while node is not None and node.type in _QUALIFIED:
            qualifiers.append(self.text(node.child_by_field_name("scope")))
            node = node.child_by_field_name("name")
        if not qualifiers:
            return []
        return [Scope(f"{open_key(scopes)}::{joined(qualifiers)}", ScopeKind.CLASS)]

    def _bases(self, node: Node) -> tuple[str, ...]:
        clause = next((n for n in node.children if n.type == "base_class_clause"), None)
        names = [n for n in clause.named_children if n.type != "access_specifier"] if clause else ()
        return tuple(joined([self.text(name)]) for name in names)


def joined(parts: Sequence[str]) -> str:
    """Returns a qualified name without blanks and the arguments of templates."""
    return "::".join(_NOISE.sub("", _plain(part)) for part in parts)


def _plain(part: str) -> str:
    """Returns a part of a qualified name without the arguments of a template."""
    first, last = part.find("<"), part.rfind(">")
    return part[:first] + part[last + 1 :] if 0 <= first < last else part


def name_of(node: Node) -> Node:
    """Returns the last name in a part of a qualified name, without the arguments of templates."""
    while (inner := node.child_by_field_name("name")) is not None:
        node = inner
    return node


def open_key(scopes: Sequence[Scope]) -> str:
    """Returns the innermost namespace."""
    return next(scope.key for scope in reversed(scopes) if scope.kind is ScopeKind.OPEN)


def is_scoped_enum(node: Node) -> bool:
    """Returns whether this is an `enum class`, whose enumerators have the scope of the class."""
    if node.type != "enum_specifier":
        return False
    return any(child.type in ("class", "struct") for child in node.children)


def _is_prototype(path: Path, at: int) -> bool:
    """Returns whether a declarator is of a function without a body, the scope of the parameters."""
    if path[at].type != "function_declarator":
        return False
    above = (node.type for node in reversed(path[:at]))
    return next((kind for kind in above if kind not in DECLARATORS), "") != "function_definition"
