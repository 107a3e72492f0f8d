"""Functions, methods and constructors of host code, gone through with what they are called with.

What they return, and what they change by their parameters, of their object and of variables outside
of functions, is known behind the call. Their statements are followed by what is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tree_sitter import Node

from jitstudio.core.launch.request import HostBuffer
from jitstudio.core.launch.types import Pointer, Type
from jitstudio.listing.cuda.host_launches.declared import (
    HostClass,
    HostDeclarations,
    chosen,
    is_for_device,
    parameters,
    template_of,
)
from jitstudio.listing.cuda.host_launches.expressions import HostExpressions
from jitstudio.listing.cuda.host_launches.values import Made, Names, root
from jitstudio.listing.cuda.host_launches.variables import HostVariables
from jitstudio.listing.cuda.syntax import (
    children,
    declared_name,
    is_const,
    stripped,
    template_in,
    text_of,
)
from jitstudio.listing.cuda.types import Argument

_DEEPEST_CALL = 16


@dataclass
class HostCall:
    """A function that is gone through.

    Attributes:
        results: What it may return, in order, up to the first `return` that is surely reached.
        undecided: How many branches and loops it is in of which nobody knows if they are taken.
        is_over: Whether a `return` was surely reached.
        held: What calls in it have made that are looked at again when the code gets to them, by
            their nodes: a call is gone through once.
    """

    results: list[Made] = field(default_factory=list)
    undecided: int = 0
    is_over: bool = False
    held: dict[int, Made] = field(default_factory=dict)

    @property
    def made(self) -> Made:
        """What it returns; of several values, one only if it is memory: others are of failures."""
        last = self.results[-1] if self.results else Made()
        same = all(each.value == last.value for each in self.results)
        return last if same or isinstance(last.value, HostBuffer) else Made()


class HostCalls:
    """Goes through what is called.

    Attributes:
        expressions: What evaluates the expressions in it.
        variables: What follows the variables in it.
        globals: The names of the variables outside of functions.
        entered: The functions that were gone through, by their nodes.
    """

    def __init__(self, code: HostDeclarations, follow: Callable[[Node, Names], None]) -> None:
        """Begins outside of all functions.

        Args:
            code: What the text declares.
            follow: Goes through a statement, with what is known before it and then behind it.
        """
        self._code = code
        self._follow = follow
        self.expressions = HostExpressions(code, self)
        self.variables = HostVariables(code, self.expressions, self)
        self.globals: frozenset[str] = frozenset()
        self.entered: set[int] = set()
        self._open: list[int] = []
        self._under_way = [HostCall()]

    @property
    def current(self) -> HostCall:
        """The function that is gone through."""
        return self._under_way[-1]

    def result(self, node: Node, names: Names) -> Made | None:
        """Goes through the function that a call is of; None where it is none of the text."""
        held = self.current.held
        if node.id not in held:
            function, listed = (node.child_by_field_name(f) for f in ("function", "arguments"))
            if function is None or listed is None:
                return None
            arguments = children(listed)
            called, place = self._called_function(function, len(arguments), names)
            if called is None:
                return None
            held[node.id] = self._run(called, function, arguments, names, place)
        return held[node.id]

    def go_through(self, node: Node, names: Names) -> bool:
        """Goes through what a statement calls; returns whether it is a function of the text."""
        found = self.result(node, names) is not None
        if found:
            self.current.held.pop(node.id, None)
        return found

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Begins code whose calls are gone through anew each time it is met, as of a macro."""
        self._under_way.append(HostCall())
        yield
        self._under_way.pop()

    def _called_function(self, function: Node, count: int, names: Names) -> tuple[Node | None, str]:
        """Returns the function of the text that is called, and the object whose method it is."""
        if function.type == "field_expression":
            place = self.expressions.place(function.child_by_field_name("argument"), names)
            kind, _ = names.objects.get(place, ("", {}))
            method = text_of(function.child_by_field_name("field")).partition("<")[0]
            owner = self._code.classes.get(kind)
            return chosen(owner.methods.get(method, []), count) if owner else None, place
        name = text_of(function).partition("<")[0].strip().rpartition("::")[2]
        if name in names.objects and (owner := self._code.classes.get(names.objects[name][0])):
            return chosen(owner.methods.get("operator()", []), count), name
        return chosen(self._code.functions.get(name, []), count), ""

    def _run(
        self,
        function: Node,
        called: Node,
        arguments: Sequence[Node],
        names: Names,
        place: str,
    ) -> Made:
        """Goes through a function that is called, with what its parameters are there.

        Args:
            function: The function.
            called: How the call names it.
            arguments: What it is given.
            names: What is known at the call; then, what is known behind it.
            place: The object whose method it is; empty for none.
        """
        if is_for_device(function):
            return Made()
        local = names.copy()
        owner = self._code.owner_of(function)
        if place and owner is not None:
            for member in owner.names:
                local.declare(member)
            for behind, value in names.members(place).items():
                if behind.startswith("."):
                    local.keep(behind[1:], value)
            local.bindings |= names.objects.get(place, ("", {}))[1]
        self._bind(function, called, arguments, names, local)
        self._give(function, arguments, names, local)
        made = self.enter(function, local)
        given = {declared_name(p.child_by_field_name("declarator")) for p in parameters(function)}
        if place and owner is not None:
            for member in owner.names:
                names.put(
                    f"{place}.{member}", Made(local.values.get(member), local.members(member))
                )
        shared = self.globals | (owner.names if owner is not None and not place else frozenset())
        for name in shared - given:
            names.put(name, Made(local.values.get(name), local.members(name)))
        self._take_back(function, arguments, names, local)
        return made

    def _bind(
        self,
        function: Node,
        called: Node,
        arguments: Sequence[Node],
        names: Names,
        local: Names,
    ) -> None:
        """Remembers what the parameters of a function template represent."""
        template = template_of(function)
        if template is None:
            return
        while called.type == "qualified_identifier":
            inner = called.child_by_field_name("name")
            if inner is None:
                break
            called = inner
        listed = called.child_by_field_name("arguments")
        given = children(listed) if called.type == "template_function" and listed else []
        values = [self._code.types.argument(each, (), names.bindings) for each in given]
        local.bindings |= self._code.types.bound(template, values, ())
        for parameter, argument in zip(parameters(function), arguments, strict=False):
            kind = parameter.child_by_field_name("type")
            declarator = parameter.child_by_field_name("declarator")
            found = names.types.get(self.expressions.place(argument, names))
            if kind is None or found is None:
                continue
            inner = kind if kind.type == "template_type" else template_in(kind)
            is_pointer = declarator is not None and declarator.type == "pointer_declarator"
            word = text_of(kind)
            if inner is not None and (inside := inner.child_by_field_name("arguments")):
                word = text_of(next(iter(children(inside)), None))
            behind: Type | None = found
            if inner is not None or is_pointer:
                behind = found.target if isinstance(found, Pointer) else None
            if behind is not None and word in {text_of(p).split()[-1] for p in children(template)}:
                local.bindings.setdefault(word, behind)

    def _give(self, function: Node, arguments: Sequence[Node], names: Names, local: Names) -> None:
        """Gives the parameters of a function what it is called with."""
        for at, parameter in enumerate(parameters(function)):
            kind = parameter.child_by_field_name("type")
            declarator = parameter.child_by_field_name("declarator")
            name = declared_name(declarator)
            default = parameter.child_by_field_name("default_value")
            argument = arguments[at] if at < len(arguments) else default
            made, found = Made(), None
            if argument is not None:
                made = self.expressions.made(argument, names)
                if made.value is None:
                    made.value = self.expressions.buffer(argument, names)
                found = names.types.get(self.expressions.place(argument, names))
            local.declare(name)
            declared = self._code.types.declared(kind, declarator, (), local.bindings)
            if kind is not None and self._code.element(kind, local.bindings) is not None:
                declared = None
            if (known := declared or found) is not None:
                local.types[name] = known
            local.put(name, made)

    def _take_back(
        self, function: Node, arguments: Sequence[Node], names: Names, local: Names
    ) -> None:
        """Gives variables what a function has made of them by its parameters."""
        for parameter, argument in zip(parameters(function), arguments, strict=False):
            declarator = parameter.child_by_field_name("declarator")
            name = declared_name(declarator)
            members = local.members(name)
            target = self.expressions.place(argument, names)
            if declarator is None or is_const(parameter):
                continue
            if declarator.type == "reference_declarator":
                names.put(target, Made(local.values.get(name), members))
            elif stripped(argument).type == "pointer_expression":
                value = members.pop("[0]", None)
                kept = {key: each for key, each in members.items() if key.startswith(".")}
                names.put(target, Made(value, kept))
            elif declarator.type in ("pointer_declarator", "array_declarator"):
                names.lose_members(target)
                for key, each in members.items():
                    names.keep(f"{target}{key}", each)

    def enter(self, function: Node, names: Names) -> Made:
        """Goes through a function with what is known in it; returns what it gives."""
        body = function.child_by_field_name("body")
        if body is None or len(self._open) > _DEEPEST_CALL or function.id in self._open:
            return Made()
        self.entered.add(function.id)
        self._open.append(function.id)
        self._under_way.append(HostCall())
        self._follow(body, names)
        self._open.pop()
        return self._under_way.pop().made

    def constructed(
        self,
        owner: HostClass,
        bindings: dict[str, Argument],
        given: Sequence[Node],
        names: Names,
    ) -> Made:
        """Returns an object of a class that is made of these arguments."""
        if len(self._open) > _DEEPEST_CALL or id(owner) in self._open:
            return Made()
        local = names.copy()
        local.bindings |= bindings
        # What is looked at below belongs to no call of the code around it.
        self._open.append(id(owner))
        self._under_way.append(HostCall())
        self.variables.begin(owner, local)
        constructor = chosen(owner.constructors, len(given))
        if constructor is not None:
            self._give(constructor, given, names, local)
            for each in _initialisers(constructor):
                name, *listed = children(each)
                values = children(listed[0]) if listed else []
                kind = next((m for m in owner.members if m.name == text_of(name)), None)
                if kind is None or kind.kind is None or not values:
                    continue
                made = self.expressions.made(values[0], local)
                if (element := self._code.element(kind.kind, local.bindings)) is not None:
                    made = self.variables.vector(element, values, local, None, is_list=False)
                local.put(kind.name, made)
            self.enter(constructor, local)
        else:
            for member, value in zip(owner.members, given, strict=False):
                made = self.expressions.made(value, names)
                if made.value is None:
                    made.value = self.expressions.buffer(value, names)
                local.put(member.name, made)
        self._under_way.pop()
        self._open.pop()
        members = {
            f".{key}": value for key, value in local.values.items() if root(key) in owner.names
        }
        made = Made(None, members, owner.name, bindings)
        if conversion := owner.methods.get("operator"):
            made.value = self.enter(conversion[0], local).value
        return made


def _initialisers(constructor: Node) -> list[Node]:
    """Returns the initialisers of members of a constructor."""
    listed = next((c for c in constructor.children if c.type == "field_initializer_list"), None)
    return [c for c in children(listed) if c.type == "field_initializer"] if listed else []
