"""How often a loop of host code goes round, and the vectors that it fills."""

from __future__ import annotations

from tree_sitter import Node

from jitstudio.core.launch.types import Pointer
from jitstudio.listing.cuda.host_launches.expressions import HostExpressions
from jitstudio.listing.cuda.host_launches.values import SIZE, Names, Value, calculated, elements
from jitstudio.listing.cuda.syntax import children, declared_name, operator, text_of, within

_FILLING = frozenset({"push_back", "emplace_back"})
_READING = frozenset({"size", "empty", "back", "front", "data", "capacity"})
_LEAVING = frozenset(
    {
        *("break_statement", "continue_statement", "return_statement", "goto_statement"),
        "throw_statement",
    }
)


def filled(loop: Node, expressions: HostExpressions, names: Names) -> dict[str, Value]:
    """Returns how many elements vectors have behind a loop that adds to them in each round.

    Args:
        loop: The loop.
        expressions: What evaluates the expressions in it.
        names: What is known before it.
    """
    places = [expressions.place(vector, names) for vector in _filled_in(loop)]
    count = _rounds(loop, expressions, names) if places else None
    sizes: dict[str, Value] = {}
    for place in places:
        before = sizes.get(place, names.values.get(f"{place}{SIZE}"))
        after = calculated("+", before, count)
        if after is not None:
            sizes[place] = after
    return sizes


def fill(sizes: dict[str, Value], names: Names) -> None:
    """Notes how many elements vectors have."""
    for place, size in sizes.items():
        kind = names.types.get(place)
        names.put(place, elements(size, kind.target if isinstance(kind, Pointer) else None))


def _filled_in(loop: Node) -> list[Node]:
    """Returns the vectors to which each round of a loop adds an element, once for each."""
    body = loop.child_by_field_name("body")
    if loop.type != "for_statement" or body is None:
        return []
    statements = children(body) if body.type == "compound_statement" else [body]
    added = [vector for each in statements if (vector := _filled_by(each)) is not None]
    others = {
        node.text
        for node in within(body)
        if node.type == "identifier" and node not in added and not _is_reading(node)
    }
    return [vector for vector in added if vector.text not in others]


def _filled_by(statement: Node) -> Node | None:
    """Returns the vector to which a statement adds an element; None for any other."""
    call = next(iter(statement.named_children), None)
    function = call.child_by_field_name("function") if call is not None else None
    if statement.type != "expression_statement" or function is None:
        return None
    vector = function.child_by_field_name("argument")
    is_filling = text_of(function.child_by_field_name("field")) in _FILLING
    return vector if vector is not None and vector.type == "identifier" and is_filling else None


def _is_reading(vector: Node) -> bool:
    """Returns whether a vector is only read where it is named."""
    around = vector.parent
    if around is not None and around.type == "subscript_expression":
        return around.child_by_field_name("argument") == vector
    return text_of(around.child_by_field_name("field") if around else None) in _READING


def _rounds(loop: Node, expressions: HostExpressions, names: Names) -> Value | None:
    """Returns how often ``for (int i = a; i < b; ++i)`` goes round; None for any other loop."""
    parts = (loop.child_by_field_name(part) for part in ("initializer", "condition", "update"))
    begin, condition, update = parts
    declarator = begin.child_by_field_name("declarator") if begin is not None else None
    if declarator is None or condition is None or update is None:
        return None
    name = declared_name(declarator)
    is_plain = (
        operator(condition) in ("<", "!=")
        and text_of(condition.child_by_field_name("left")) == name
        and operator(update) == "++"
        and text_of(update.child_by_field_name("argument")) == name
        and not any(_changes(node, name) for node in within(loop) if node != update)
    )
    first = expressions.value(declarator.child_by_field_name("value"), names)
    last = expressions.value(condition.child_by_field_name("right"), names)
    count = calculated("-", last, first) if is_plain else None
    return count if isinstance(count, int) and count >= 0 else None


def _changes(node: Node, name: str) -> bool:
    """Returns whether a node leaves a loop before its end, or sets the variable that counts."""
    if node.type == "assignment_expression":
        return text_of(node.child_by_field_name("left")) == name
    if node.type == "update_expression":
        return text_of(node.child_by_field_name("argument")) == name
    return node.type in _LEAVING
