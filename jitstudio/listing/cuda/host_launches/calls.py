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
from jitstudio.listing.cuda.host_launches.brackets import between_angles, split_texts
from jitstudio.listing.cuda.host_launches.declared import (
    HostClass,
    HostDeclarations,
    HostMember,
    chosen,
    is_for_device,
    parameters,
    template_of,
)
from jitstudio.listing.cuda.host_launches.expressions import HostExpressions
from jitstudio.listing.cuda.host_launches.integers import converted
from jitstudio.listing.cuda.host_launches.named import instance_in, written_bindings
from jitstudio.listing.cuda.host_launches.packs import pack_names, spread_all
from jitstudio.listing.cuda.host_launches.templates import TemplateHead, template
from jitstudio.listing.cuda.host_launches.values import (
    SIZE,
    THIS,
    FunctionName,
    HostLambda,
    HostObject,
    Names,
    Value,
    root,
)
from jitstudio.listing.cuda.host_launches.variables import HostVariables
from jitstudio.listing.cuda.syntax import (
    children,
    declared_name,
    is_const,
    operator,
    stripped,
    text_of,
)
from jitstudio.listing.cuda.types import Argument

_DEEPEST_CALL = 16


@dataclass
class HostCall:
    """A function that is gone through.

    Attributes:
        results: What it may return, in order, up to the first `return` that is surely reached.
        tree: The id of the tree that it is in.
        kind: The type of what it returns; None where it does not say.
        undecided: How many branches and loops it is in of which nobody knows if they are taken.
        is_over: Whether a `return` was surely reached.
        call_results: The results of calls in it that are looked at again when the code gets to
            them, by their nodes: a call is gone through once.
    """

    results: list[HostObject] = field(default_factory=list)
    tree: int = 0
    kind: Node | None = None
    undecided: int = 0
    is_over: bool = False
    call_results: dict[int, HostObject] = field(default_factory=dict)

    @property
    def result(self) -> HostObject:
        """What it returns; of several values, one only if it is memory: others are of failures."""
        last = self.results[-1] if self.results else HostObject()
        same = all(each.value == last.value for each in self.results)
        return last if same or isinstance(last.value, HostBuffer) else HostObject()


@dataclass(frozen=True)
class _Called:
    """A function that is called.

    Attributes:
        function: The function.
        name: How the call names it, without classes and namespaces.
        place: The object whose method it is; empty for none.
        owner: The class whose static method it is, as it is named.
        owner_name: How the call names that class.
    """

    function: Node
    name: str
    place: str = ""
    owner: HostClass | None = None
    owner_name: str = ""

    @classmethod
    def of(
        cls,
        function: Node | None,
        written: str,
        place: str = "",
        owner: HostClass | None = None,
        owner_name: str = "",
    ) -> _Called | None:
        """Returns a function that is called; None for none."""
        return cls(function, written, place, owner, owner_name) if function is not None else None


class HostCalls:
    """Goes through what is called.

    Attributes:
        expressions: What evaluates the expressions in it.
        variables: What follows the variables in it.
        globals: The names of the variables outside of functions.
        entered: The functions that were gone through, by their nodes.
    """

    def __init__(
        self, code: HostDeclarations, follow: Callable[[Node, Names], None], *, assumes: bool
    ) -> None:
        """Begins outside of all functions.

        Args:
            code: What the text declares.
            follow: Goes through a statement, with what is known before it and then behind it.
            assumes: See `HostExpressions`.
        """
        self._code = code
        self._follow = follow
        self.expressions = HostExpressions(code, self, assumes=assumes)
        self.variables = HostVariables(code, self.expressions, self)
        self.globals: frozenset[str] = frozenset()
        self.entered: set[int] = set()
        self._open: list[tuple[int, tuple[str, ...]]] = []
        self._under_way = [HostCall()]

    @property
    def current(self) -> HostCall:
        """The function that is gone through."""
        return self._under_way[-1]

    def result(self, node: Node, names: Names) -> HostObject | None:
        """Goes through the function that a call is of; None where it is none of the text."""
        results = self.current.call_results
        if node.id not in results:
            function, listed = (node.child_by_field_name(f) for f in ("function", "arguments"))
            if function is None or listed is None:
                return None
            arguments = list(spread_all(children(listed), names))
            called = self._called_function(function, len(arguments), names)
            if called is None:
                self._run_overriders(function, arguments, names)
                return None
            results[node.id] = self._run(called, arguments, names)
        return results[node.id]

    def _run_overriders(self, function: Node, arguments: Sequence[Node], names: Names) -> None:
        """Goes through all that a call of a virtual method may be of, for their launches."""
        method = text_of(function.child_by_field_name("field"))
        for each in self._code.overriders.get(method, ()):
            if self._code.launches_in(each) and len(parameters(each)) == len(arguments):
                self._run(_Called(each, method), arguments, names.copy())

    def begin(self, function: Node, local: Names) -> None:
        """Declares the parameters of a function that nobody was seen to call."""
        self._give(function, (), local, local)

    def go_through(self, node: Node, names: Names) -> bool:
        """Goes through what a statement calls; returns whether it is a function of the text."""
        is_of_text = self.result(node, names) is not None
        if is_of_text:
            self.current.call_results.pop(node.id, None)
        return is_of_text

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Begins code whose calls are gone through anew each time it is met, as of a macro."""
        self._under_way.append(HostCall(tree=self.current.tree))
        yield
        self._under_way.pop()

    def _called_function(self, function: Node, count: int, names: Names) -> _Called | None:
        """Returns what is called, with the object whose method it is; None for none of the text."""
        if function.type == "field_expression":
            of = function.child_by_field_name("argument")
            place = self.expressions.place(of, names)
            if of is not None and of.type == "call_expression":
                # What a call returns has no name: `plan(n).with(m)`.
                place = f"@{of.id}"
                names.put(place, self.expressions.evaluate(of, names))
            # Its variables have their own names there.
            is_own, place = place == "this", "" if place == "this" else place
            kind, _ = names.objects.get(THIS if is_own else place, ("", {}))
            written = text_of(function.child_by_field_name("field"))
            owner = self._code.classes.get(kind)
            method = owner.methods.get(written.partition("<")[0], []) if owner else []
            return _Called.of(chosen(method, count), written, place)
        if function.type == "lambda_expression":
            return _Called(function, "")
        place = self.expressions.place(function, names)
        known = names.known(place)
        if isinstance(known, HostLambda):
            return _Called(known.node, "")
        if isinstance(known, FunctionName):
            return self._function_of(str(known), count, names)
        if place in names.objects and (owner := self._code.classes.get(names.objects[place][0])):
            return _Called.of(chosen(owner.methods.get("operator()", []), count), "", place)
        return self._function_of(text_of(function), count, names)

    def _function_of(self, written: str, count: int, names: Names) -> _Called | None:
        """Returns the function of a name, be it of a class, with the arguments of its template."""
        owner, name = (instance_in(each, names) for each in _owner_and_name(written))
        held, owner = self._code.class_named(names.written.get(owner, owner))
        if held is not None:
            method = held.methods.get(name.partition("<")[0], [])
            return _Called.of(chosen(method, count), name, "", held, owner)
        special = self._code.functions.get("".join(name.split()), [])
        plain = self._code.functions.get(name.partition("<")[0], [])
        return _Called.of(chosen(special or plain, count), name)

    def constant(self, written: str, names: Names) -> Value | None:
        """Returns what a constant of a class comes to, as ``Tile<4>::threads``."""
        owner, name = _owner_and_name(written)
        owner = instance_in(owner, names)
        held, owner = self._code.class_named(names.written.get(owner, owner))
        if held is None or name not in held.names or (id(held), (name,)) in self._open:
            return None
        local = names.copy()
        self._open.append((id(held), (name,)))
        self._bind_to(held, owner, names, local)
        self._open.pop()
        return local.known(name)

    def _run(self, called: _Called, arguments: Sequence[Node], names: Names) -> HostObject:
        """Goes through a function that is called, with what its parameters are there.

        Args:
            called: The function, and how the call names it.
            arguments: What it is given.
            names: What is known at the call; then, what is known behind it.
        """
        function, place = called.function, called.place
        if is_for_device(function):
            return HostObject()
        local = names.copy()
        owner = self._code.owner_of(function)
        if owner is None and function.type != "lambda_expression":
            # Templates of the caller are none of its own.
            local.written, local.bindings = {}, {}
        if function.type != "lambda_expression":
            local.untracked &= self.globals
            for key, target in tuple(local.aliases.items()):
                if not {root(key), root(target)} <= self.globals:
                    del local.aliases[key]
        if place and owner is not None:
            for member in owner.names:
                local.declare(member)
            for behind, value in names.members(place).items():
                if behind.startswith("."):
                    local.keep(behind[1:], value)
            bindings = names.objects.get(place, ("", {}))[1]
            local.bindings |= bindings
            local.written |= written_bindings(bindings)
            self.variables.note_types(owner, local)
            local.objects[THIS] = owner.name, bindings
        if owner is not None:
            self.variables.share(owner, local)
        instance = self._bind_owner(called, names, local)
        instance += self._bind(called, arguments, names, local)
        self._give(function, arguments, names, local)
        result = self.enter(function, local, instance)
        own = {declared_name(p.child_by_field_name("declarator")) for p in parameters(function)}
        if place and owner is not None:
            for member in owner.names:
                names.put(
                    f"{place}.{member}", HostObject(local.values.get(member), local.members(member))
                )
        members = () if owner is None or place else owner.members
        shared = self.globals | {each.name for each in members if not each.is_static}
        if function.type == "lambda_expression":
            shared |= {root(key) for key in (*names.values, *local.values)}
        names.untracked |= (shared - own) & local.untracked
        for name in sorted(shared - own):
            names.put(name, HostObject(local.values.get(name), local.members(name)))
        self._take_back(function, arguments, names, local)
        self._untrack(function, arguments, names, local)
        return result

    def _untrack(
        self, function: Node, arguments: Sequence[Node], names: Names, local: Names
    ) -> None:
        """Forgets variables to which a function has made pointers or references that stay."""
        for parameter, argument in zip(parameters(function), arguments, strict=False):
            declarator = parameter.child_by_field_name("declarator")
            is_open = declarator is not None and declarator.type != "identifier"
            if is_open and declared_name(declarator) in local.untracked:
                names.untrack(self.expressions.place(argument, names))

    def _bind_owner(self, called: _Called, names: Names, local: Names) -> tuple[str, ...]:
        """Remembers what the parameters of the template of a class are, as in ``Tile<4>::run``."""
        if called.owner is None:
            return ()
        return self._bind_to(called.owner, called.owner_name, names, local)

    def _bind_to(
        self, owner: HostClass, written: str, names: Names, local: Names
    ) -> tuple[str, ...]:
        instance: tuple[str, ...] = ()
        if owner.template is not None and owner.template.text:
            listed = split_texts(between_angles(written))
            instance = self._remember(template(owner.template.text), listed, [], names, local)
        self.variables.begin(owner, local)
        return instance

    def _bind(
        self, called: _Called, arguments: Sequence[Node], names: Names, local: Names
    ) -> tuple[str, ...]:
        """Remembers what the parameters of a function template represent, and returns that."""
        if template_of(called.function) is None:
            return ()
        own = self._code.host_template(called.function)
        listed = split_texts(between_angles(called.name))
        return self._remember(own, listed, [text_of(each) for each in arguments], names, local)

    def _remember(
        self,
        own: TemplateHead,
        listed: Sequence[str],
        arguments: Sequence[str],
        names: Names,
        local: Names,
    ) -> tuple[str, ...]:
        meanings = self.expressions.functions.places(own, listed, arguments, names)
        local.written |= meanings
        if own.has_pack:
            pack = own.names[-1].decode("utf-8", "replace")
            local.packs[pack] = split_texts(meanings.get(pack, ""))
        for name, text in meanings.items():
            if (known := self._code.types.argument_in(text, (), names.bindings)) is not None:
                local.bindings[name] = known
        return tuple(meanings.values())

    def _give(self, function: Node, arguments: Sequence[Node], names: Names, local: Names) -> None:
        """Gives the parameters of a function what it is called with."""
        for at, parameter in enumerate(parameters(function)):
            if parameter.type.startswith("variadic"):
                self._give_pack(parameter, arguments[at:], names, local)
                continue
            kind = parameter.child_by_field_name("type")
            declarator = parameter.child_by_field_name("declarator")
            name = declared_name(declarator)
            default = parameter.child_by_field_name("default_value")
            argument = arguments[at] if at < len(arguments) else default
            result, passed = HostObject(), None
            if argument is not None and argument.type == "initializer_list":
                result = self.expressions.listed(kind, children(argument), names) or result
            if argument is not None and not result.members:
                result = self.expressions.evaluate(argument, names)
                if result.value is None:
                    result.value = self.expressions.buffer(argument, names)
                passed = names.types.get(self.expressions.place(argument, names))
            local.declare(name)
            declared = self._code.types.declared(kind, declarator, (), local.bindings)
            if kind is not None and self._code.element(kind, local.bindings) is not None:
                declared = None
            if (known := declared or passed) is not None:
                local.types[name] = known
            if result.value is not None:
                result.value = converted(declared, result.value)
            written = names.kinds.get(self.expressions.place(argument, names)) if argument else None
            local.note_kind(name, kind, declarator, written)
            local.put(name, result)

    def _give_pack(
        self, parameter: Node, arguments: Sequence[Node], names: Names, local: Names
    ) -> None:
        """Gives the pack of a function the arguments that are left, each by a name of its own."""
        name = declared_name(parameter.child_by_field_name("declarator"))
        local.packs[name] = pack_names(name, len(arguments))
        for each, argument in zip(local.packs[name], arguments, strict=False):
            result = self.expressions.evaluate(argument, names)
            if result.value is None:
                result.value = self.expressions.buffer(argument, names)
            place = self.expressions.place(argument, names)
            local.declare(each)
            if (known := names.types.get(place)) is not None:
                local.types[each] = known
            local.note_kind(each, None, None, names.kinds.get(place))
            local.put(each, result)

    def _take_back(
        self, function: Node, arguments: Sequence[Node], names: Names, local: Names
    ) -> None:
        """Gives variables what a function has made of them by its parameters."""
        for at, (parameter, argument) in enumerate(
            zip(parameters(function), arguments, strict=False)
        ):
            declarator = parameter.child_by_field_name("declarator")
            name = declared_name(declarator)
            if parameter.type.startswith("variadic"):
                for own, passed in zip(local.packs.get(name, ()), arguments[at:], strict=False):
                    place = self.expressions.place(passed, names)
                    if local.values.get(own) != names.values.get(place):
                        names.put(place, HostObject(local.values.get(own), local.members(own)))
                continue
            members = local.members(name)
            target = self.expressions.place(argument, names)
            if declarator is None or is_const(parameter):
                continue
            if declarator.type == "reference_declarator":
                names.put(target, HostObject(local.values.get(name), members))
            elif operator(stripped(argument)) == "&":
                value = members.pop("[0]", None)
                kept = {key: each for key, each in members.items() if key.startswith(".")}
                names.put(target, HostObject(value, kept))
            elif declarator.type in ("pointer_declarator", "array_declarator"):
                names.lose_members(target)
                for key, each in members.items():
                    names.keep(f"{target}{key}", each)

    def _construct_part(
        self, owner: HostClass, part: HostClass, name: Node, values: Sequence[Node], local: Names
    ) -> None:
        """Gives the variables of an object what a constructor of a base makes of them."""
        bindings = self._code.bindings(part, name, local.bindings)
        opened = self._open
        # A constructor that calls another is not in the midst of itself.
        self._open = [each for each in opened if each[0] != id(owner)] + [(id(self), ())]
        result = self.constructed(part, bindings or dict(local.bindings), values, local)
        self._open = opened
        for behind, value in result.members.items():
            local.keep(behind.removeprefix("."), value)

    def _constructor(
        self, owner: HostClass, arguments: Sequence[Node], names: Names
    ) -> Node | None:
        """Returns the constructor that takes these arguments, as far as that can be known."""
        least = chosen(owner.constructors, len(arguments))
        if len(owner.constructors) < 2 or len(arguments) != 1:
            return least
        place = self.expressions.place(arguments[0], names)
        is_vector = f"{place}{SIZE}" in names.values
        kind = names.objects.get(place, ("", {}))[0]
        for each in owner.constructors:
            own = parameters(each)
            of = own[0].child_by_field_name("type") if len(own) == 1 else None
            if of is None:
                continue
            same = self._code.class_of(of)
            if self._code.is_vector(of) == is_vector and (same.name if same else "") == kind:
                return each
        return least

    def enter(self, function: Node, names: Names, instance: tuple[str, ...] = ()) -> HostObject:
        """Goes through a function with what is known in it; returns what it gives.

        Args:
            function: The function.
            names: What is known in it.
            instance: The arguments of its template: with others it may be in the midst of itself.
        """
        body = function.child_by_field_name("body")
        key = function.id, instance
        if body is None or len(self._open) > _DEEPEST_CALL or key in self._open:
            return HostObject()
        self.entered.add(function.id)
        self._open.append(key)
        tree = self._code.tree_of(function)
        tree = self.current.tree if tree is None else tree
        self._under_way.append(HostCall(tree=tree, kind=function.child_by_field_name("type")))
        self._follow(body, names)
        self._open.pop()
        return self._under_way.pop().result

    def constructed(
        self,
        owner: HostClass,
        bindings: dict[str, Argument],
        arguments: Sequence[Node],
        names: Names,
    ) -> HostObject:
        """Returns an object of a class that is made of these arguments."""
        if len(self._open) > _DEEPEST_CALL or (id(owner), ()) in self._open:
            return HostObject()
        local = names.copy()
        local.bindings |= bindings
        local.written |= written_bindings(bindings)
        # What is looked at below belongs to no call of the code around it.
        self._open.append((id(owner), ()))
        self._under_way.append(HostCall(tree=self.current.tree))
        self.variables.begin(owner, local)
        constructor = self._constructor(owner, arguments, names)
        if constructor is not None:
            self._give(constructor, arguments, names, local)
            for each in _initialisers(constructor):
                name, *listed = children(each)
                values = children(listed[0]) if listed else []
                if (part := self._code.class_of(name)) is not None:
                    # Another constructor of the class, or one of a base.
                    self._construct_part(owner, part, name, values, local)
                    continue
                member = next((m for m in owner.members if m.name == text_of(name)), None)
                if member is None or member.kind is None or not values:
                    continue
                if member.declarator.type == "array_declarator":
                    result = self.variables.array(member.kind, values, local)
                else:
                    result = self.expressions.evaluate(values[0], local)
                if (element := self._code.element(member.kind, local.bindings)) is not None:
                    result = self.variables.vector(element, values, local, None, is_list=False)
                if result.value is not None:
                    result.value = converted(local.types.get(member.name), result.value)
                local.put(member.name, result)
                self.variables.aliases.member(member.declarator, values[0], local)
            self.enter(constructor, local)
            self._untrack(constructor, arguments, names, local)
        else:
            for member, value in _listed_members(owner, arguments):
                result = self.expressions.evaluate(value, names)
                if result.value is None:
                    result.value = self.expressions.buffer(value, names)
                if result.value is not None:
                    result.value = converted(local.types.get(member.name), result.value)
                local.put(member.name, result)
                self.variables.aliases.member(member.declarator, value, names)
        self._under_way.pop()
        self._open.pop()
        parts = {
            f".{key}": value for key, value in local.values.items() if root(key) in owner.names
        }
        result = HostObject(None, parts, owner.name, bindings)
        if conversion := owner.methods.get("operator"):
            result.value = self.enter(conversion[0], local).value
        return result


def _owner_and_name(written: str) -> tuple[str, str]:
    """Returns the class or namespace that a name is in, and the last part of it."""
    depth = 0
    for at in range(len(written) - 1, 0, -1):
        depth += (written[at] == ">") - (written[at] == "<")
        if depth == 0 and written[at - 1 : at + 1] == "::":
            return written[: at - 1].strip(), written[at + 1 :].removeprefix("template ").strip()
    return "", written.strip()


def _listed_members(
    owner: HostClass, arguments: Sequence[Node]
) -> Iterator[tuple[HostMember, Node]]:
    """Yields the variables of a class that a list begins, and what with: ``{1, .n = 2}``."""
    members = [member for member in owner.members if not member.is_static]
    for at, node in enumerate(arguments):
        if node.type == "initializer_pair":
            name = text_of(node.child_by_field_name("designator")).lstrip(".")
            value = node.child_by_field_name("value")
            member = next((each for each in members if each.name == name), None)
            if member is not None and value is not None:
                yield member, value
        elif at < len(members):
            yield members[at], node


def _initialisers(constructor: Node) -> list[Node]:
    """Returns the initialisers of members of a constructor."""
    listed = next((c for c in constructor.children if c.type == "field_initializer_list"), None)
    return [c for c in children(listed) if c.type == "field_initializer"] if listed else []
