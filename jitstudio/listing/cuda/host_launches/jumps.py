"""Where host code goes on elsewhere: at a `break`, a `goto`, an exception."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from jitstudio.listing.cuda.syntax import children, text_of, within

_LEAVING = frozenset(
    {"break_statement", "continue_statement", "return_statement", "goto_statement"}
    | {"throw_statement"}
)
_LOOPS = frozenset({"for_statement", "for_range_loop", "while_statement", "do_statement"})
_FUNCTIONS = frozenset({"function_definition", "lambda_expression"})


def is_default(case: Node) -> bool:
    """Returns whether a part of a `switch` is for all numbers that no other part is for."""
    return any(child.type == "default" for child in case.children)


def up_to_break(cases: Sequence[Node]) -> tuple[list[Node], bool]:
    """Returns the statements from a `case` on up to its end, and whether all of them are run.

    They go on into the next `case` where nothing surely leaves the `switch` before it.
    """
    statements: list[Node] = []
    for case in cases:
        label = case.child_by_field_name("value")
        for each in children(case):
            if each == label:
                continue
            if each.type == "break_statement":
                return statements, not any(map(has_break, statements))
            statements.append(each)
            if _surely_leaves(each):
                return statements, not any(map(has_break, statements[:-1]))
    return statements, not any(map(has_break, statements))


def falls_through(case: Node) -> bool:
    """Returns whether the code may go on from a `case` into the next."""
    return not any(map(_surely_leaves, children(case)))


def _surely_leaves(statement: Node) -> bool:
    last = statement
    while last.type == "compound_statement" and children(last):
        last = children(last)[-1]
    return last.type in _LEAVING


def has_break(statement: Node, *, also: str = "") -> bool:
    """Returns whether a statement may leave the `switch` or the loop that is around it.

    Args:
        statement: The statement.
        also: Another type of statement that does, such as a `continue` of a loop.
    """
    if statement.type in _FUNCTIONS:
        return False
    if statement.type in ("break_statement", also):
        return True
    if statement.type in _LOOPS or statement.type == "switch_statement":
        inner = also if statement.type == "switch_statement" else ""
        return bool(inner) and any(each.type == inner for each in within(statement))
    return any(has_break(child, also=also) for child in statement.named_children)


def jumped_over(label: Node) -> Iterator[tuple[int, int]]:
    """Yields the bytes between a label and each `goto` to it in its function."""
    name, around = text_of(label.child_by_field_name("label")), label.parent
    while around is not None and around.type not in _FUNCTIONS:
        around = around.parent
    for each in within(around) if around is not None else ():
        if each.type == "goto_statement" and text_of(each.child_by_field_name("label")) == name:
            first, last = sorted((label.start_byte, each.start_byte))
            yield first, last


def may_throw(statement: Node) -> bool:
    """Returns whether a statement throws, or calls what may throw."""
    return any(
        each.type in ("throw_statement", "new_expression")
        or (
            each.type == "call_expression"
            and not any(child.type == "kernel_call_syntax" for child in each.children)
            and not text_of(each.child_by_field_name("function")).startswith(("cuda", "printf"))
        )
        for each in within(statement)
    )


def throws(statement: Node) -> bool:
    """Returns whether a statement has a `throw` of its own."""
    return any(each.type == "throw_statement" for each in within(statement))


def goes_on_behind(statement: Node) -> bool:
    """Returns whether what is behind a statement may be run after it."""
    last = statement
    while last.type == "compound_statement" and children(last):
        last = children(last)[-1]
    call = next(iter(children(last)), None) if last.type == "expression_statement" else None
    leaves = call is not None and text_of(call).partition("(")[0] in ("exit", "std::exit", "abort")
    return not leaves and last.type not in ("return_statement", "throw_statement")
