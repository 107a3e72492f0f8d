"""What the place of an expression in the syntax of host code says of it."""

from __future__ import annotations

from tree_sitter import Node

from jitstudio.listing.cuda.syntax import operator, text_of, within


def is_template_parameter(node: Node) -> bool:
    """Returns whether a name is a parameter of a template that it is in."""
    name, around = node.text, node.parent
    while node.type in ("identifier", "type_identifier") and around is not None:
        if around.type == "template_declaration":
            listed = around.child_by_field_name("parameters")
            inside = within(listed) if listed is not None else ()
            if any(each.type.endswith("identifier") and each.text == name for each in inside):
                return True
        around = around.parent
    return False


def is_moved(pointer: Node, node: Node) -> bool:
    """Returns whether an expression adds something to a pointer in it, or takes an element's."""
    while pointer != node and (around := pointer.parent) is not None:
        is_sum = around.type == "binary_expression" and operator(around) in ("+", "-")
        is_element = around.type == "pointer_expression" and pointer.type == "subscript_expression"
        if is_sum or is_element:
            return True
        pointer = around
    return False


def as_expression(node: Node) -> Node:
    """Returns the expression that the syntax takes for the parameter of a function."""
    if node.type == "parameter_declaration":
        return node.child_by_field_name("type") or node
    return node


def scope_of(node: Node) -> tuple[str, ...]:
    """Returns the namespaces and classes around an expression, the outermost first."""
    scope: list[str] = []
    around = node.parent
    while around is not None:
        if around.type in _SCOPES and (name := around.child_by_field_name("name")) is not None:
            scope[:0] = text_of(name).split("::")
        around = around.parent
    return tuple(scope)


_SCOPES = frozenset({"namespace_definition", "struct_specifier", "class_specifier"})
