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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial

from tree_sitter import Node

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.launch.request import HostLaunch
from jitstudio.listing.cuda.declarations import declarations, prepare
from jitstudio.listing.cuda.host_launches.bodiless import BodilessFunctions
from jitstudio.listing.cuda.host_launches.brackets import with_joined_chevrons
from jitstudio.listing.cuda.host_launches.called_headers import called_headers
from jitstudio.listing.cuda.host_launches.calls import HostCalls
from jitstudio.listing.cuda.host_launches.declared import HostDeclarations, is_for_device
from jitstudio.listing.cuda.host_launches.jumps import (
    falls_through,
    goes_on_behind,
    has_break,
    is_default,
    jumped_over,
    may_throw,
    throws,
    up_to_break,
)
from jitstudio.listing.cuda.host_launches.macros import (
    LAUNCH,
    LaunchMacros,
    defined_macros,
)
from jitstudio.listing.cuda.host_launches.named import NamesKnown, written_in
from jitstudio.listing.cuda.host_launches.namespace_aliases import NamespaceAliases
from jitstudio.listing.cuda.host_launches.packs import spread
from jitstudio.listing.cuda.host_launches.rounds import fill, filled
from jitstudio.listing.cuda.host_launches.runtime import RuntimeCalls
from jitstudio.listing.cuda.host_launches.templates import resolved, truth
from jitstudio.listing.cuda.host_launches.values import (
    FunctionName,
    HostLambda,
    HostObject,
    Names,
    root,
)
from jitstudio.listing.cuda.host_launches.variables import resized
from jitstudio.listing.cuda.syntax import (
    children,
    declared_name,
    operator,
    parse,
    text_of,
    within,
)
from jitstudio.listing.cuda.types import Types
from jitstudio.listing.cuda.words import words_in

_CHANGED = {"assignment_expression": "left", "update_expression": "argument"}
_DEEPEST_ASIDE = 8
_MOST_ELEMENTS = 8
_DECIDING = frozenset({"if_statement", "conditional_expression"})
# The fields of what decides, of what is gone through if it is so, and if not.
_LOGICAL = {"&&": ("left", "right", ""), "||": ("left", "", "right")}
_ARGUMENTS = re.compile(r"\b(?:arg[cv]|getopt\w*)\b")


def host_launches(
    source: Source,
    types: Types,
    defines: tuple[str, ...] = (),
    headers: Iterable[Source] = (),
    *,
    assume: bool = False,
) -> list[HostLaunch]:
    """Returns the launches of kernels that the host code of a text makes, in order.

    Args:
        source: CUDA C++ in UTF-8.
        types: What the text and its headers declare.
        defines: Macros defined from outside, as ``NAME`` or ``NAME=BODY``.
        headers: Other texts, whose kernels, macros and functions it may launch by.
        assume: Whether a number is taken for each variable that only a run would tell, where a
            launch depends on one.
    """
    text, headers = source.content, [each for each in headers if each.name != source.name]
    others = [each.content for each in headers]
    kernels = [k for each in (text, *others) for k in declarations(each, defines).kernels]
    macros = [defined_macros(each) for each in (*others, text)]
    names = {kernel.name.encode() for kernel in kernels}
    launching = LaunchMacros({k: m for each in macros for k, m in each.items()}, names)
    with_launches = [each for each in headers if LAUNCH.search(each.content)]
    words = words_in(text)
    if LAUNCH.search(text) is None and launching.leading.isdisjoint(words) and not with_launches:
        return []
    launches: list[HostLaunch] = []
    with suppress(RecursionError):
        texts = [source, *(with_launches if source.kind is CodeKind.CUDA else ())]
        quiet = [each for each in headers if each not in with_launches]
        called = called_headers((each.content for each in texts), quiet)
        prepared = [_prepared(each.content, defines) for each in (*texts, *called)]
        namespaces = NamespaceAliases()
        for each in prepared:
            namespaces.take(each)
        trees = [parse(launching.expanded(namespaces.resolved(each))) for each in prepared]
        code = HostDeclarations(trees, types, [text, *(h.content for h in called)], kernels)
        modules = {tree.id: each.name for tree, each in zip(trees, texts, strict=False)}
        _Program(code, modules, launches, assumes=False).run()
        if assume and not all(map(_is_known, launches)):
            launches.clear()
            _Program(code, modules, launches, assumes=True).run()
    # A function is gone through for each of its calls.
    return list(dict.fromkeys(launches))


def _prepared(text: bytes, defines: tuple[str, ...]) -> bytes:
    return with_joined_chevrons(prepare(text, defines, for_host=True).text)


def _is_known(launch: HostLaunch) -> bool:
    return None not in (launch.grid, launch.block, launch.shared, *launch.arguments)


class _Program:
    """Goes through the statements of a text."""

    def __init__(
        self,
        code: HostDeclarations,
        modules: Mapping[int, str],
        launches: list[HostLaunch],
        *,
        assumes: bool,
    ) -> None:
        self._code, self._modules = code, modules
        self._calls = HostCalls(code, self._follow, assumes=assumes)
        self._expressions = self._calls.expressions
        self._variables = self._calls.variables
        self._runtime = RuntimeCalls(modules, self._expressions, launches, assumes=assumes)
        self._bodiless = BodilessFunctions(code, self._expressions)
        self._assumes = assumes
        self._loops = self._asides = 0
        self._lambdas: list[tuple[Node, Names]] = []

    def run(self) -> None:
        """Goes through each function once, `main` first."""
        names = Names()
        for node in self._code.variables:
            self._variables.declare(node, names)
        self._variables.begin_static(names)
        places = (*names.types, *names.values, *self._code.static_variables)
        self._calls.globals = frozenset(map(root, places))
        functions = [function for listed in self._code.functions.values() for function in listed]
        for function in (*self._code.functions.get("main", ()), *functions):
            if self._code.tree_of(function) not in self._modules:
                # Nothing of a header without launches that nobody calls.
                continue
            if function.id not in self._calls.entered and not is_for_device(function):
                local = names.copy()
                if (owner := self._code.owner_of(function)) is not None:
                    self._variables.begin(owner, local)
                self._calls.begin(function, local)
                # The program's own name.
                local.values["argc"] = 1
                self._calls.enter(function, local)
        for node, local in self._lambdas:
            # Those that nobody was seen to call.
            if node.id not in self._calls.entered:
                self._calls.enter(node, local)

    def _follow(self, node: Node, names: Names) -> None:
        """Goes through a statement or an expression."""
        todo: list[Node | Callable[[], None]] = [node]
        while todo and self._expressions.step():
            step = todo.pop()
            if not isinstance(step, Node):
                step()
                continue
            if (instead := self._instead(step, names)) is not None:
                todo.extend(instead)
                continue
            match step.type:
                case "declaration":
                    self._variables.declare(step, names)
                    self._forget_by_lambdas(step, names)
                case "assignment_expression":
                    self._variables.assign(step, names)
                case "update_expression":
                    self._variables.update(step, names)
                case "call_expression":
                    self._call(step, names)
                case "binary_expression" if operator(step) == ">>":
                    self._read(step, names)
                case "enum_specifier":
                    self._variables.enumerate_names(step, names)
                case "return_statement":
                    self._return(step, names)
                case "goto_statement" | "labeled_statement":
                    self._jump(step, names)
                case "compound_statement":
                    todo.append(names.enter())
            todo.extend(reversed(step.named_children))
        for left in reversed(todo):
            # Too long a text: what was begun is ended.
            if not isinstance(left, Node):
                left()

    def _instead(self, node: Node, names: Names) -> Iterable[Node | Callable[[], None]] | None:
        """Returns what to go through in place of all that is in a node, the last first.

        None for all of it.
        """
        match node.type:
            case "alias_declaration" | "type_definition":
                self._alias(node, names)
                return ()
            case "lambda_expression":
                if node.id not in self._calls.entered:
                    self._lambdas.append((node, names.copy()))
                return ()
            case "fold_expression" | "parameter_pack_expansion" if names.packs:
                return reversed(spread(node, names))
            case kind if kind in _DECIDING or operator(node) in _LOGICAL:
                return self._branches(node, names)
            case "switch_statement":
                return self._cases(node, names)
            case "try_statement":
                return self._attempt(node, names)
            case "for_statement" | "for_range_loop" | "while_statement" | "do_statement":
                return self._loop(node, names)
        return None

    def _alias(self, node: Node, names: Names) -> None:
        """Remembers what a name of a type in a function is."""
        name = node.child_by_field_name("name") or node.child_by_field_name("declarator")
        kind = node.child_by_field_name("type")
        word = text_of(name)
        if word.isidentifier() and kind is not None:
            known = self._code.types.argument_in(text_of(kind), (), names.bindings)
            names.declare(word)
            names.written[word] = written_in(text_of(kind), names)
            if known is not None:
                names.bindings[word] = known

    def _loop(self, node: Node, names: Names) -> Iterator[Node | Callable[[], None]]:
        """Yields what to go through of a loop, the last first: once, as nobody knows how often."""
        condition = node.child_by_field_name("condition")
        if condition is not None and _ARGUMENTS.search(text_of(condition)):
            # There are none.
            self._forget_sizes(node, names)
            return
        body = node.child_by_field_name("body")
        if node.type == "do_statement" and self._expressions.value(condition, names) == 0:
            # `do { … } while (0)` of a macro is gone through but once.
            if body is not None and has_break(body, also="continue_statement"):
                yield partial(self._forget_changes, body, names)
            yield from filter(None, (body,))
            return
        yield names.enter()
        yield partial(fill, filled(node, self._expressions, names), names)
        yield partial(self._forget_changes, node, names, in_loop=True)
        begin, end = self._undecided(names, in_loop=True)
        yield end
        name, array = _walked(node)
        if name:
            declarator = node.child_by_field_name("declarator")
            first, *others = self._elements(array, names)
            if body is not None and self._code.launches_in(body):
                # Each kernel of a table, where its elements are known.
                for result in reversed(others):
                    yield body
                    yield partial(names.put, name, result)
            names.declare(name)
            names.put(name, first)
            if declarator is not None and declarator.type == "reference_declarator":
                # Each element may be changed by that name.
                place = self._expressions.place(array, names)
                yield partial(names.lose_elements, place)
            if node.type == "for_statement":
                yield from filter(None, (body,))
                yield begin
                return
        update = node.child_by_field_name("update")
        kernel = self._code.kernel_of_table(body) if update is not None and body else None
        if body is not None and kernel is not None:
            yield partial(self._further_rounds, node, body, kernel, names)
        yield from (child for child in reversed(node.named_children) if child != update)
        yield begin

    def _further_rounds(self, loop: Node, body: Node, kernel: Node, names: Names) -> None:
        """Goes through a loop again, as each round may launch another kernel of a table."""
        condition, update = (loop.child_by_field_name(part) for part in ("condition", "update"))
        for _ in range(_MOST_ELEMENTS):
            if update is not None:
                self._follow(update, names)
            goes_on = self._expressions.value(condition, names)
            if not isinstance(goes_on, int | float):
                # Nobody knows how often: as long as the table has more.
                goes_on = isinstance(self._expressions.value(kernel, names), FunctionName)
            if not goes_on:
                break
            self._follow(body, names)

    def _elements(self, node: Node | None, names: Names) -> list[HostObject]:
        """Returns the elements of what is listed, the first ones of too many; at least one."""
        if node is not None and node.type == "compound_literal_expression":
            node = node.child_by_field_name("value")
        if node is None:
            return [HostObject()]
        if node.type == "initializer_list":
            listed = children(node)[:_MOST_ELEMENTS]
            return [self._expressions.evaluate(each, names) for each in listed] or [HostObject()]
        place, elements = self._expressions.place(node, names), []
        for at in range(_MOST_ELEMENTS):
            result = HostObject(names.values.get(f"{place}[{at}]"), names.members(f"{place}[{at}]"))
            if at and result.value is None and not result.members:
                break
            elements.append(result)
        return elements

    def _branches(self, node: Node, names: Names) -> list[Node | Callable[[], None]]:
        """Returns what to go through of an `if`, ``?:``, ``&&`` or ``||``, the last first."""
        fields = _LOGICAL.get(operator(node), ("condition", "consequence", "alternative"))
        condition, *parts = (node.child_by_field_name(part) for part in fields)
        value = self._expressions.value(condition, names)
        if not value and _ARGUMENTS.search(text_of(condition)):
            # There are none.
            value = 0
            for part in filter(None, parts[:1]):
                self._forget_sizes(part, names)
        if not isinstance(value, int | float) and condition is not None:
            words = text_of(condition).removeprefix("(").removesuffix(")").encode()
            holds = truth(resolved(words, NamesKnown(names)))
            value = holds if holds is None else int(holds)
        # What is not compiled launches nothing.
        is_constant = any(child.type == "constexpr" for child in node.children)
        steps: list[Node | Callable[[], None] | None] = []
        if isinstance(value, int | float):
            steps = [
                part
                if bool(value) is is_first
                else None
                if is_constant
                else self._aside(part, names)
                for part, is_first in zip(parts, (True, False), strict=True)
            ]
            steps.reverse()
        else:
            for part in filter(None, reversed(parts)):
                forget = partial(self._forget_changes, part, names)
                begin, end = self._undecided(names)
                steps += [forget, end, part, begin]
        # It is surely gone through, as the copy of `if (cudaMemcpyToSymbol(…) != cudaSuccess)`.
        return [step for step in (*steps, condition) if step is not None]

    def _cases(self, node: Node, names: Names) -> list[Node | Callable[[], None]]:
        """Returns what to go through of a `switch`, the last first."""
        condition = node.child_by_field_name("condition")
        value = self._expressions.value(condition, names)
        body = node.child_by_field_name("body")
        cases = children(body) if body is not None else []
        labels = [case.child_by_field_name("value") for case in cases]
        numbers = [self._expressions.value(label, names) for label in labels]
        at = None
        if isinstance(value, int | float):
            is_known = all(
                n is not None or is_default(c) for n, c in zip(numbers, cases, strict=True)
            )
            others = (i for i, case in enumerate(cases) if is_default(case))
            # Where none of them is equal it is `default`, if there is one.
            otherwise = next(others, len(cases)) if is_known else None
            at = numbers.index(value) if value in numbers else otherwise
        if at is None:
            follow = partial(self._follow_any_case, cases, names)
            return [follow, *filter(None, (condition,))]
        taken, is_all = up_to_break(cases[at:])
        end = taken[-1].end_byte if taken else 0
        steps: list[Node | Callable[[], None] | None] = [condition]
        steps += [self._aside(case, names) for case in cases[:at]]
        steps += taken
        if not is_all:
            steps += [partial(self._forget_changes, each, names) for each in taken]
        steps += [self._aside(case, names) for case in cases[at:] if case.start_byte >= end]
        return [step for step in reversed(steps) if step is not None]

    def _follow_any_case(self, cases: Sequence[Node], names: Names) -> None:
        """Goes through a `switch` of which nobody knows the case."""
        before, inside = names.copy(), names.copy()
        for case in cases:
            self._follow_aside(case, inside, is_taken=None)
            names.lose_unlike(inside)
            behind, inside = inside, before.copy()
            if falls_through(case):
                inside.lose_unlike(behind)
        for case in cases:
            self._forget_changes(case, names)

    def _attempt(self, node: Node, names: Names) -> list[Node | Callable[[], None]]:
        """Returns what to go through of a `try`, the last first: it is run if nothing throws."""
        body = node.child_by_field_name("body")
        if body is None:
            return []
        steps: list[Node | Callable[[], None] | None] = [body]
        for handler in (each for each in children(node) if each.type == "catch_clause"):
            inside = handler.child_by_field_name("body")
            if inside is None:
                continue
            if may_throw(body) and goes_on_behind(inside):
                parts = [body, inside] if throws(body) else [inside]
                begin, end = self._undecided(names)
                steps += [begin, inside, end]
                steps += [partial(self._forget_changes, each, names) for each in parts]
            else:
                steps.append(self._aside(inside, names))
        return [step for step in reversed(steps) if step is not None]

    def _jump(self, node: Node, names: Names) -> None:
        """Forgets at a label what a `goto` to it has jumped over, or done more than once."""
        if node.type == "goto_statement":
            # A `return` behind it may be jumped over.
            self._calls.current.undecided += 1
            return
        for span in jumped_over(node):
            self._forget(self._changed_between(*span, names), names, in_loop=True)

    def _aside(
        self, node: Node | None, names: Names, *, is_taken: bool | None = False
    ) -> Callable[[], None] | None:
        """Returns what goes through a branch apart, for its launches; None for none.

        Args:
            node: The branch.
            names: What is known before it.
            is_taken: False for a branch that is not taken; None where nobody knows.
        """
        if node is None or (is_taken is not None and not self._code.launches_in(node)):
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
            value = next(iter(children(node)), None)
            result = self._expressions.evaluate(value, names)
            if value is not None and value.type == "initializer_list":
                listed = self._expressions.listed(call.kind, children(value), names)
                result = listed or result
            if result.value is None and node.named_children:
                result.value = self._expressions.buffer(node, names)
            call.results.append(result)
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

    def _read(self, node: Node, names: Names) -> None:
        """Forgets what a stream gives to a variable, as in ``std::cin >> n``."""
        above = node.parent
        while above is not None and above.type == "binary_expression" and operator(above) == ">>":
            above = above.parent
        is_alone = above is not None and (
            above.type in ("expression_statement", "condition_clause")
        )
        if is_alone and (variable := node.child_by_field_name("right")) is not None:
            place = self._expressions.place(variable, names)
            names.lose(place)
            names.lines[place] = node.start_point[0] + 1

    def _call(self, node: Node, names: Names) -> None:
        function, listed = (node.child_by_field_name(f) for f in ("function", "arguments"))
        if function is None or listed is None:
            return
        arguments = children(listed)
        self._runtime.tree = self._calls.current.tree
        if self._runtime.follow(node, names, in_loop=self._loops > 0):
            return
        if self._variables.resize(function, arguments, names):
            return
        if self._calls.go_through(node, names):
            return
        for argument in arguments:
            known = names.known(self._expressions.place(argument, names))
            called = known.node if isinstance(known, HostLambda) else argument
            if called.type == "lambda_expression":
                # It may be called there.
                self._forget_changes(called, names)
        self._bodiless.follow(function, arguments, names)

    def _forget_by_lambdas(self, declaration: Node, names: Names) -> None:
        """Forgets what lambdas change that an object is made of, as a `std::thread` is."""
        for declarator in declaration.children_by_field_name("declarator"):
            listed = declarator.child_by_field_name("value")
            for each in children(listed) if listed is not None else ():
                if each.type == "lambda_expression":
                    self._forget_changes(each, names)

    def _forget_sizes(self, node: Node, names: Names) -> None:
        """Forgets numbers that the command line has to give: without it they are none that can be.

        Only where others are taken for them.
        """
        for place in self._changed(node, names) if self._assumes else ():
            value = names.values.get(place)
            if isinstance(value, int) and value <= 0:
                names.lose(place)

    def _changed(self, node: Node, names: Names) -> list[str]:
        """Returns the places that a statement may change."""
        return self._changed_between(*node.byte_range, names)

    def _changed_between(self, start: int, end: int, names: Names) -> list[str]:
        """Returns the places that the statements between two bytes may change."""
        listed = self._changes.get(self._calls.current.tree, [])
        first, last = (bisect_left(listed, at, key=_start) for at in (start, end))
        return [self._expressions.place(each, names) for each in listed[first:last]]

    def _forget_changes(self, node: Node, names: Names, *, in_loop: bool = False) -> None:
        """Forgets the variables that a statement may have changed."""
        # All places before any is lost: of `h[i++] = 0` the index is not known behind `i`.
        self._forget(self._changed(node, names), names, in_loop=in_loop)

    def _forget(self, places: Iterable[str], names: Names, *, in_loop: bool = False) -> None:
        for place in places:
            names.lose(place)
            # Each round of a loop may change another element of an array.
            array, index, _ = place.partition("[" if in_loop else "[]")
            if index:
                names.lose_elements(array)

    @cached_property
    def _changes(self) -> dict[int, list[Node]]:
        """What is assigned to, and vectors that change, by trees, in the order of the text."""
        trees = {}
        for tree in self._code.trees:
            found = []
            for node in within(tree):
                side = _CHANGED.get(node.type)
                changed = node.child_by_field_name(side) if side is not None else resized(node)
                found += [changed] if changed is not None else []
            trees[tree.id] = sorted(found, key=_start)
        return trees


def _walked(loop: Node) -> tuple[str, Node | None]:
    """Returns the variable that is each element of an array in a loop, and the array.

    That is so of ``for (auto x : array)`` and of ``for (T *p = array; p < array + 3; p++)``.
    """
    if loop.type == "for_range_loop":
        return declared_name(loop.child_by_field_name("declarator")), loop.child_by_field_name(
            "right"
        )
    begin, condition = (loop.child_by_field_name(part) for part in ("initializer", "condition"))
    declarator = begin.child_by_field_name("declarator") if begin is not None else None
    inner = declarator.child_by_field_name("declarator") if declarator is not None else None
    array = declarator.child_by_field_name("value") if declarator is not None else None
    if inner is None or array is None or inner.type != "pointer_declarator":
        return "", None
    name = declared_name(inner)
    is_compared = condition is not None and operator(condition) in ("<", "!=")
    left = condition.child_by_field_name("left") if condition is not None else None
    is_walk = is_compared and array.type == "identifier" and text_of(left) == name
    return (name, array) if is_walk else ("", None)


def _start(node: Node) -> int:
    return node.start_byte
