"""How the host code of a text launches its kernels, found by following that code with numbers.

Each function of the host is gone through once, from `main` on, in the order of the text: what a
variable comes to is remembered where it can be calculated, and a program has no arguments on its
command line. Functions and methods are gone through with what they are called with, and what they
return or change is known behind the call. A loop is gone through once: behind it, and behind a
branch that is not decided, what they change is not known. What needs to be run to be known is left
out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property, partial

from tree_sitter import Node

from jitstudio.core.code import Source
from jitstudio.core.launch.request import HostLaunch
from jitstudio.listing.cuda.declarations import prepare
from jitstudio.listing.cuda.host_launches.calls import HostCalls
from jitstudio.listing.cuda.host_launches.declared import HostDeclarations, is_for_device
from jitstudio.listing.cuda.host_launches.runtime import RuntimeCalls
from jitstudio.listing.cuda.host_launches.values import Made, Names, root
from jitstudio.listing.cuda.syntax import (
    children,
    declared_name,
    operator,
    parse,
    stripped,
    text_of,
    within,
)
from jitstudio.listing.cuda.types import Types

_DEEPEST_ASIDE = 8
_DECIDING = frozenset({"if_statement", "conditional_expression"})
# The fields of what decides, of what is gone through if it is so, and if not.
_LOGICAL = {"&&": ("left", "right", ""), "||": ("left", "", "right")}
_ARGUMENTS = re.compile(r"\b(?:arg[cv]|getopt\w*)\b")


def host_launches(source: Source, types: Types, defines: Iterable[str] = ()) -> list[HostLaunch]:
    """Returns the launches of kernels that the host code of a text makes, in order.

    Args:
        source: CUDA C++ in UTF-8.
        types: What the text and its headers declare.
        defines: Macros defined from outside, as ``NAME`` or ``NAME=BODY``.
    """
    text = source.content
    if b"<<<" not in text and b"cudaLaunch" not in text:
        return []
    launches: list[HostLaunch] = []
    with suppress(RecursionError):
        tree = parse(prepare(text, defines, for_host=True).text)
        _Program(HostDeclarations(tree, types, text), source.name, launches).run()
    return launches


class _Program:
    """Goes through the statements of a text."""

    def __init__(self, code: HostDeclarations, module: str, launches: list[HostLaunch]) -> None:
        self._code = code
        self._calls = HostCalls(code, self._follow)
        self._expressions = self._calls.expressions
        self._variables = self._calls.variables
        self._runtime = RuntimeCalls(module, self._expressions, launches)
        self._loops = self._asides = 0

    def run(self) -> None:
        """Goes through each function once, `main` first."""
        names = Names()
        for node in self._code.variables:
            self._variables.declare(node, names)
        self._calls.globals = frozenset(map(root, (*names.types, *names.values)))
        functions = [function for listed in self._code.functions.values() for function in listed]
        for function in (*self._code.functions.get("main", ()), *functions):
            if function.id not in self._calls.entered and not is_for_device(function):
                local = names.copy()
                if (owner := self._code.owner_of(function)) is not None:
                    self._variables.begin(owner, local)
                # The program's own name.
                local.values["argc"] = 1
                self._calls.enter(function, local)

    def _follow(self, node: Node, names: Names) -> None:
        """Goes through a statement or an expression."""
        todo: list[Node | Callable[[], None]] = [node]
        while todo and self._expressions.step():
            step = todo.pop()
            if not isinstance(step, Node):
                step()
                continue
            match step.type:
                case "declaration":
                    self._variables.declare(step, names)
                case "assignment_expression":
                    self._variables.assign(step, names)
                case "update_expression":
                    self._variables.update(step, names)
                case "call_expression":
                    self._call(step, names)
                case "enum_specifier":
                    self._variables.enumerate_names(step, names)
                case "return_statement":
                    self._return(step, names)
                case "compound_statement":
                    todo.append(names.enter())
                case kind if kind in _DECIDING or operator(step) in _LOGICAL:
                    todo.extend(self._branches(step, names))
                    continue
                case "switch_statement":
                    todo.extend(self._cases(step, names))
                    continue
                case "for_statement" | "for_range_loop" | "while_statement" | "do_statement":
                    todo.extend(self._loop(step, names))
                    continue
            todo.extend(reversed(step.named_children))
        for left in reversed(todo):
            # Too long a text: what was begun is ended.
            if not isinstance(left, Node):
                left()

    def _loop(self, node: Node, names: Names) -> Iterator[Node | Callable[[], None]]:
        """Yields what to go through of a loop, the last first: once, as nobody knows how often."""
        condition = node.child_by_field_name("condition")
        if condition is not None and _ARGUMENTS.search(text_of(condition)):
            # There are none.
            return
        yield names.enter()
        yield partial(self._forget_changes, node, names, in_loop=True)
        begin, end = self._undecided(names, in_loop=True)
        yield end
        if node.type == "for_range_loop":
            declarator = node.child_by_field_name("declarator")
            name = declared_name(declarator)
            first = self._first(node.child_by_field_name("right"), names)
            names.declare(name)
            names.put(name, first)
            if declarator is not None and declarator.type == "reference_declarator":
                # Each element may be changed by that name.
                place = self._expressions.place(node.child_by_field_name("right"), names)
                yield partial(names.lose_elements, place)
        update = node.child_by_field_name("update")
        yield from (child for child in reversed(node.named_children) if child != update)
        yield begin

    def _first(self, node: Node | None, names: Names) -> Made:
        """Returns the first element of what is listed."""
        if node is not None and node.type == "compound_literal_expression":
            node = node.child_by_field_name("value")
        if node is None:
            return Made()
        if node.type == "initializer_list":
            return self._expressions.made(next(iter(children(node)), None), names)
        return Made(names.values.get(f"{self._expressions.place(node, names)}[0]"))

    def _branches(self, node: Node, names: Names) -> list[Node | Callable[[], None]]:
        """Returns what to go through of an `if`, ``?:``, ``&&`` or ``||``, the last first."""
        fields = _LOGICAL.get(operator(node), ("condition", "consequence", "alternative"))
        condition, *parts = (node.child_by_field_name(part) for part in fields)
        value = self._expressions.value(condition, names)
        if not isinstance(value, int | float) and _ARGUMENTS.search(text_of(condition)):
            # There are none.
            value = 0
        if condition is not None:
            # It is surely gone through, as the copy of `if (cudaMemcpyToSymbol(…) != cudaSuccess)`.
            self._follow(condition, names)
        steps: list[Node | Callable[[], None] | None] = []
        if isinstance(value, int | float):
            steps = [
                part if bool(value) is is_first else self._aside(part, names)
                for part, is_first in zip(parts, (True, False), strict=True)
            ]
            steps.reverse()
        else:
            for part in filter(None, reversed(parts)):
                forget = partial(self._forget_changes, part, names)
                begin, end = self._undecided(names)
                steps += [forget, end, part, begin]
        return [step for step in steps if step is not None]

    def _cases(self, node: Node, names: Names) -> list[Node | Callable[[], None]]:
        """Returns what to go through of a `switch`, the last first."""
        value = self._expressions.value(node.child_by_field_name("condition"), names)
        body = node.child_by_field_name("body")
        cases = children(body) if body is not None else []
        taken = None
        for case in cases:
            chosen_by = case.child_by_field_name("value")
            if value is not None and chosen_by is not None and taken is None:
                taken = case if self._expressions.value(chosen_by, names) == value else None
        # Without one it may be `default`, too.
        is_taken = False if taken is not None else None
        steps: list[Node | Callable[[], None] | None] = [
            case if case is taken else self._aside(case, names, is_taken=is_taken) for case in cases
        ]
        steps.reverse()
        if taken is None and body is not None:
            steps.insert(0, partial(self._forget_changes, body, names))
        return [step for step in steps if step is not None]

    def _aside(
        self, node: Node | None, names: Names, *, is_taken: bool | None = False
    ) -> Callable[[], None] | None:
        """Returns what goes through a branch apart, for its launches; None for none.

        Args:
            node: The branch.
            names: What is known before it.
            is_taken: False for a branch that is not taken; None where nobody knows.
        """
        code = (node.text or b"") if node is not None else b""
        if node is None or (
            is_taken is not None and b"<<<" not in code and b"cudaLaunch" not in code
        ):
            return None
        return partial(self._follow_aside, node, names.copy(), is_taken=is_taken)

    def _follow_aside(self, node: Node, names: Names, *, is_taken: bool | None) -> None:
        if self._asides < _DEEPEST_ASIDE:
            self._asides += 1
            begin, end = self._undecided(names, is_taken=is_taken)
            begin()
            self._follow(node, names)
            end()
            self._asides -= 1

    def _return(self, node: Node, names: Names) -> None:
        call = self._calls.current
        if not call.is_over:
            made = self._expressions.made(next(iter(children(node)), None), names)
            if made.value is None and node.named_children:
                made.value = self._expressions.buffer(node, names)
            call.results.append(made)
            call.is_over = not call.undecided

    def _undecided(
        self, names: Names, *, in_loop: bool = False, is_taken: bool | None = None
    ) -> tuple[Callable[[], None], Callable[[], None]]:
        """Returns what begins and ends what may not be gone through in a run, or more than once."""
        call = self._calls.current
        leave: list[Callable[[], None]] = []

        def begin() -> None:
            call.undecided += 1
            self._loops += in_loop
            leave.append(partial(names.lose_since, names.copy()))
            leave.append(self._runtime.symbols.enter(is_taken=is_taken))

        def end() -> None:
            call.undecided -= 1
            self._loops -= in_loop
            while leave:
                leave.pop()()

        return begin, end

    def _call(self, node: Node, names: Names) -> None:
        function, listed = (node.child_by_field_name(f) for f in ("function", "arguments"))
        if function is None or listed is None:
            return
        arguments = children(listed)
        if self._runtime.follow(node, names, in_loop=self._loops > 0):
            return
        if self._variables.resize(function, arguments, names):
            return
        if not self._calls.go_through(node, names):
            for argument in arguments:
                # What a call does with a variable whose address it gets is not followed.
                place = self._expressions.place(argument, names)
                if stripped(argument).type == "pointer_expression":
                    names.lose(place)
                elif argument == arguments[0] or not text_of(function).startswith("cuda"):
                    # Those of the runtime change what their first argument points at.
                    names.lose_elements(place)

    def _forget_changes(self, node: Node, names: Names, *, in_loop: bool = False) -> None:
        """Forgets the variables that a statement may have changed."""
        first, last = (bisect_left(self._changes, at, key=_start) for at in node.byte_range)
        # All places before any is lost: of `h[i++] = 0` the index is not known behind `i`.
        for place in [self._expressions.place(each, names) for each in self._changes[first:last]]:
            names.lose(place)
            # Each round of a loop may change another element of an array.
            array, index, _ = place.partition("[" if in_loop else "[]")
            if index:
                names.lose_elements(array)

    @cached_property
    def _changes(self) -> list[Node]:
        """What is assigned to, in the order of the text."""
        found = []
        for node in within(self._code.tree):
            side = {"assignment_expression": "left", "update_expression": "argument"}.get(node.type)
            changed = node.child_by_field_name(side) if side is not None else None
            found += [changed] if changed is not None else []
        return sorted(found, key=_start)


def _start(node: Node) -> int:
    return node.start_byte
