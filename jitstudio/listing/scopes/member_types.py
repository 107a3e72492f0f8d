"""The class of an expression, where a declaration in the same text writes it down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from jitstudio.listing.scopes.tree import CLASSES, TYPES, Kind, Path

if TYPE_CHECKING:
    from jitstudio.listing.scopes.names import Occurrence, Source

FOREIGN = "?"
"""The class of what nothing in the text declares."""

_DEEPEST = 12
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


def type_of(source: Source, node: Node | None, path: Path, depth: int = 0) -> str | None:
    """The key of the class of an expression.

    Args:
        source: The text.
        node: The expression.
        path: The nodes down to it, or near to it.
        depth: How many expressions have led here.

    Returns:
        Its qualified name with `::` before each part; `FOREIGN` where nothing in the text can be
        meant, None where that is not known.
    """
    if node is None or depth > _DEEPEST:
        return None
    if node.type == "this":
        classes = [s.key for s in source.scopes(path, len(path)) if s.kind is Kind.CLASS]
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


def _declared(source: Source, node: Node, path: Path, depth: int) -> str | None:
    """The class that a name was declared with, or that a function of this name returns."""
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
    return next((found for found in types if found), None)


def _type_of_declaration(source: Source, occurrence: Occurrence, depth: int) -> str | None:
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


def written_type(source: Source, node: Node | None, depth: int = 0) -> str | None:
    """The key of the class that a type names, aliases followed; see `type_of`."""
    if node is None or depth > _DEEPEST:
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
        # A parameter of a template stands for any class.
        alias = next((n for kind, n in declaring.items() if kind in _ALIASES), None)
        return written_type(source, alias and alias.child_by_field_name("type"), depth + 1)
    return f"{here.scope}::{source.text(name)}"


def bases(source: Source, key: str) -> tuple[str | None, ...]:
    """The keys of the classes that one is derived from; see `type_of`."""
    around, _, name = key.rpartition("::")
    found: list[str | None] = []
    for occurrence in source.occurrences(name.encode()):
        node = occurrence.declares
        if occurrence.scope == around and node is not None and node.type in CLASSES:
            clause = next((n for n in node.children if n.type == "base_class_clause"), None)
            named = clause.named_children if clause else ()
            found += [written_type(source, n) for n in named if n.type in _TYPE_PARTS]
    return tuple(found)
