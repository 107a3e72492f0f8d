"""The syntax tree of CUDA C++ by tree-sitter, and questions to nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

_LANGUAGE = Language(tree_sitter_cuda.language())
SHAPES = frozenset(
    f"{abstract}{shape}_declarator"
    for abstract in ("", "abstract_")
    for shape in ("pointer", "array", "function", "reference")
)
"""What can be around the name that is declared."""

# Each node of a long text reads a piece to know its own.
_PIECE = 512
# It takes some milliseconds.
_LONG = 1 << 15
_NAMES = frozenset({"identifier", "field_identifier", "type_identifier"})
_WRAPPERS = frozenset(
    {
        "parenthesized_declarator",
        "abstract_parenthesized_declarator",
        "reference_declarator",
        "variadic_declarator",
    }
)
_CASTS = ("static_cast<", "reinterpret_cast<", "const_cast<")
_QUALIFIERS = frozenset({"type_qualifier", "ERROR", "ms_pointer_modifier"})


def parse(text: bytes) -> Node:
    """Returns the syntax tree of a text.

    Other threads may run meanwhile, the window's among them: a long text is parsed in pieces. Its
    nodes read their own text in pieces, too.
    """
    # A parser may serve one thread at a time, and costs next to nothing.
    known = _known(text)
    return Parser(_LANGUAGE).parse(known if len(known) <= _LONG else _pieces_of(known)).root_node


def _pieces_of(text: bytes) -> Callable[[int, object], bytes]:
    return lambda at, _: text[at : at + _PIECE]


def _known(text: bytes) -> bytes:
    """Returns a text with words known to the grammar in place of the marks of tile functions.

    Nothing moves.
    """
    if b"__tile_" not in text:
        return text
    return text.replace(b"__tile_global__", b"__global__     ").replace(b"__tile__", b"inline  ")


def text_of(node: Node | None) -> str:
    """Returns the text of a node, with single spaces; empty for None."""
    return " ".join((node.text or b"").decode("utf-8", "replace").split()) if node else ""


def children(node: Node) -> list[Node]:
    """Returns the nodes in a node, without comments."""
    return [child for child in node.named_children if child.type != "comment"]


def within(node: Node) -> Iterator[Node]:
    """Yields a node and all inside, in the order of the text."""
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(reversed(node.named_children))


def stripped(node: Node, *, casts: bool = True) -> Node:
    """Returns an expression without brackets and casts, or without casts of C++ alone."""
    while True:
        inner = None
        if node.type == "parenthesized_expression" or (casts and node.type == "cast_expression"):
            inner = node.child_by_field_name("value") or next(iter(children(node)), None)
        elif node.type == "call_expression" and casts:
            function = node.child_by_field_name("function")
            listed = node.child_by_field_name("arguments")
            if text_of(function).startswith(_CASTS) and listed is not None:
                inner = next(iter(children(listed)), None)
        if inner is None:
            return node
        node = inner


def name_node(declarator: Node | None) -> Node | None:
    """Returns the name within a declarator, or None where there is none."""
    return next((n for n in declarator_chain(declarator) if n.type in _NAMES), None)


def declared_name(declarator: Node | None) -> str:
    """Returns the name within a declarator; empty where there is none."""
    return text_of(name_node(declarator))


def declarator_chain(declarator: Node | None) -> Iterator[Node]:
    """Yields a declarator from the outside to the name."""
    while declarator is not None:
        yield declarator
        inner = declarator.child_by_field_name("declarator")
        if inner is None and declarator.type in _WRAPPERS:
            named = [n for n in declarator.named_children if n.type not in _QUALIFIERS]
            inner = named[-1] if named else None
        declarator = inner


def template_name(parameter: Node) -> str:
    """Returns the name of a parameter of a template; empty without a name."""
    declarator = parameter.child_by_field_name("declarator")
    if declarator is not None:
        return declared_name(declarator)
    name = parameter.child_by_field_name("name")
    inner = [n for n in parameter.named_children if n.type in ("type_identifier", "identifier")]
    is_number = parameter.type in ("parameter_declaration", "optional_parameter_declaration")
    return text_of(name or (inner[-1] if inner and not is_number else None))


def is_const(node: Node | None) -> bool:
    """Returns whether `const` is among the words of a declaration or behind the ``*``."""
    words = node.children if node else ()
    return any(word.type == "type_qualifier" and word.text == b"const" for word in words)


def operator(node: Node) -> str:
    """Returns the sign of an expression."""
    return text_of(node.child_by_field_name("operator"))


def qualifiers(node: Node) -> Iterator[Node]:
    """Yields the words of a declaration, also words within others."""
    for child in node.children:
        yield from child.children if child.type == "type_qualifier" else (child,)


def is_static(member: Node) -> bool:
    """Returns whether a member belongs to no object."""
    return any(c.type == "storage_class_specifier" and c.text == b"static" for c in member.children)


def is_method(declarator: Node) -> bool:
    """Returns whether a member is a function rather than a pointer to a function."""
    shapes = [n.type for n in declarator_chain(declarator) if n.type in SHAPES]
    return bool(shapes) and shapes[-1] == "function_declarator"


def template_in(node: Node) -> Node | None:
    """Returns the last part of a qualified name, if that has template arguments."""
    while node.type == "qualified_identifier":
        inner = node.child_by_field_name("name")
        if inner is None:
            return None
        node = inner
    return node if node.type == "template_type" else None
