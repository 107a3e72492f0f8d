"""References and pointers to variables of host code: followed where one is for good.

A reference to a variable, and a pointer that gets its address and no other, are that variable. Of
what others may point at no number is known any more.
"""

from __future__ import annotations

from tree_sitter import Node

from jitstudio.core.launch.types import Array, Pointer
from jitstudio.listing.cuda.host_launches.declared import HostDeclarations
from jitstudio.listing.cuda.host_launches.expressions import HostExpressions
from jitstudio.listing.cuda.host_launches.values import Names, root
from jitstudio.listing.cuda.syntax import (
    declarator_chain,
    declared_name,
    operator,
    stripped,
    text_of,
    within,
)

_PLACES = frozenset({"identifier", "field_expression", "subscript_expression"})


class HostAliases:
    """Notes which variables are the same as others, or may be changed by others."""

    def __init__(self, code: HostDeclarations, expressions: HostExpressions) -> None:
        self._code = code
        self._expressions = expressions

    def declared(
        self, declarator: Node, value: Node | None, names: Names, *, is_const: bool
    ) -> None:
        """Notes what a variable that is declared refers to.

        Args:
            declarator: Its declarator, without the value.
            value: What it begins with; None for nothing.
            names: What is known behind the declaration.
            is_const: Whether what it refers to is not changed by it.
        """
        shapes = [each.type for each in declarator_chain(declarator)]
        name = declared_name(declarator)
        refers = not {"reference_declarator", "pointer_declarator"}.isdisjoint(shapes)
        if value is None and refers:
            # `int& r(n);` is a function as far as its syntax goes.
            self._untrack_in(declarator, names, "type_identifier")
        if value is None or not name:
            return
        if value.type == "lambda_expression":
            # `[&r = n]`
            for each in within(value):
                if each.type == "lambda_capture_initializer":
                    self._untrack_in(each, names)
        if value.type in ("initializer_list", "argument_list") and value.named_child_count == 1:
            value = value.named_children[0]
        if "reference_declarator" in shapes:
            self._refer(name, stripped(value, casts=False), names, is_const=is_const)
            return
        pointed_at = _pointed_at(value)
        if pointed_at is not None:
            # Of a pointer that never gets another address.
            is_for_good = "pointer_declarator" in shapes and name not in self._code.moved
            target = self._expressions.place(pointed_at, names)
            if is_for_good and target and root(target) != name and "[" not in target:
                names.aliases[f"{name}[0]"] = target
            elif not is_const and "array_declarator" not in shapes:
                names.untrack(target)
        elif not is_const and "pointer_declarator" in shapes and "array_declarator" not in shapes:
            self._share(name, value, names)

    def _refer(self, name: str, value: Node, names: Names, *, is_const: bool) -> None:
        target = self._expressions.place(value, names)
        is_place = value.type in _PLACES or value.type == "pointer_expression"
        if is_place and target and root(target) != name and ("[" not in target or is_const):
            names.lose(name)
            names.aliases[name] = target
        elif not is_const:
            for each in within(value):
                if each.type == "identifier" and each.parent != value.child_by_field_name(
                    "function"
                ):
                    names.untrack(self._expressions.place(each, names))

    def kept(self, kind: Node, declarator: Node, names: Names) -> None:
        """Notes what an object keeps references to, as `std::pair<int&, int&>` does."""
        if "&" in text_of(kind) or "reference_wrapper" in text_of(kind):
            self._untrack_in(declarator, names, "identifier", "type_identifier")

    def bound(self, declarator: Node, value: Node | None, names: Names) -> None:
        """Notes what the names of a structured binding are."""
        for each in within(declarator):
            if each.type == "identifier":
                names.declare(text_of(each))
        if declarator.type == "reference_declarator" and value is not None:
            self._untrack_in(value, names)

    def _untrack_in(self, node: Node, names: Names, *types: str) -> None:
        for each in within(node):
            if each.type in (types or ("identifier",)):
                names.untrack(names.resolved(text_of(each)))

    def assigned(self, place: str, value: Node | None, names: Names) -> None:
        """Notes to what a pointer that gets another value points."""
        if value is None or names.kinds.get(root(place), ("", 0))[0].startswith("void"):
            # `void* arguments[]` of a launch are only read.
            return
        pointed_at = _pointed_at(value)
        if pointed_at is not None:
            names.untrack(self._expressions.place(pointed_at, names))
        elif isinstance(kind := names.types.get(place), Pointer) and not kind.const:
            self._share(place, value, names)

    def member(self, declarator: Node, value: Node, names: Names) -> None:
        """Notes what a member that is a reference or pointer gets."""
        shapes = [each.type for each in declarator_chain(declarator)]
        pointed_at = _pointed_at(value)
        if "reference_declarator" in shapes or pointed_at is not None:
            names.untrack(self._expressions.place(pointed_at or value, names))

    def _share(self, pointer: str, value: Node, names: Names) -> None:
        """Notes that the elements of an array may be changed by two names."""
        for each in within(value):
            if each.type == "pointer_expression" and operator(each) == "&":
                names.untrack(self._expressions.place(each, names))
            if each.type != "identifier":
                continue
            place = self._expressions.place(each, names)
            if place != pointer and isinstance(names.types.get(place), Pointer | Array):
                names.untrack(place)
                names.untrack(pointer)


def _pointed_at(value: Node) -> Node | None:
    """Returns what an expression is the address of; None for none."""
    value = stripped(value)
    is_address = value.type == "pointer_expression" and operator(value) == "&"
    return value.child_by_field_name("argument") if is_address else None
