"""The classes of host code: their members, and the functions that make and use their objects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from jitstudio.listing.cuda.syntax import declared_name, is_method, text_of

_CLASSES = frozenset({"class_specifier", "struct_specifier"})


@dataclass(frozen=True)
class HostMember:
    """A variable of a class: its type, its declarator and what it begins with."""

    kind: Node | None
    declarator: Node
    default: Node | None

    @property
    def name(self) -> str:
        """What it is called."""
        return declared_name(self.declarator)


@dataclass
class HostClass:
    """A class.

    Attributes:
        name: Without namespaces.
        template: The parameters of its template, or None.
        members: Its variables, in order.
        constructors: Those with a body.
        methods: The others by their names, ``operator()`` for one; a conversion is ``operator``.
    """

    name: str
    template: Node | None
    members: list[HostMember] = field(default_factory=list)
    constructors: list[Node] = field(default_factory=list)
    methods: dict[str, list[Node]] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        """What its variables are called."""
        return frozenset(member.name for member in self.members)


def function_name(function: Node) -> str:
    """Returns the name of a function, with those before it; ``operator`` for a conversion."""
    declarator = function.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        if declarator.type == "operator_cast":
            return "operator"
        inner = declarator.child_by_field_name("declarator")
        declarator = inner or next(
            (c for c in declarator.named_children if c.type.endswith("_declarator")), None
        )
    name = declarator.child_by_field_name("declarator") if declarator is not None else None
    return "".join(text_of(name).split())


def parameters(function: Node) -> list[Node]:
    """Returns the parameters of a function."""
    todo, listed = [function.child_by_field_name("declarator")], None
    while todo and listed is None:
        node = todo.pop(0)
        if node is not None:
            listed = node.child_by_field_name("parameters")
            todo.append(node.child_by_field_name("declarator"))
            todo += [c for c in node.named_children if c.type.endswith("_declarator")]
    return children(listed) if listed is not None else []


def children(node: Node) -> list[Node]:
    """Returns what is in a node, without comments."""
    return [child for child in node.named_children if child.type != "comment"]


def template_of(node: Node) -> Node | None:
    """Returns the parameters of the template that a function or class is; None for none."""
    parent = node.parent
    if parent is None or parent.type != "template_declaration":
        return None
    return parent.child_by_field_name("parameters")


def chosen(functions: list[Node], count: int) -> Node | None:
    """Returns the first of these functions that takes so many arguments; else the first."""
    fitting = (f for f in functions if _least(f) <= count <= len(parameters(f)))
    return next(fitting, functions[0] if functions else None)


def _least(function: Node) -> int:
    return sum(p.child_by_field_name("default_value") is None for p in parameters(function))


def host_classes(root: Node) -> dict[str, HostClass]:
    """Returns the classes of a text by their names."""
    found: dict[str, HostClass] = {}
    outside: list[Node] = []
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == "function_definition":
            outside.append(node)
        else:
            todo.extend(reversed(node.named_children))
        if node.type in _CLASSES and (body := node.child_by_field_name("body")) is not None:
            name = text_of(node.child_by_field_name("name")) or _typedef_name(node)
            if name and name not in found:
                found[name] = HostClass(name, template_of(node))
                _read(found[name], body)
    for function in outside:
        owner, _, method = function_name(function).rpartition("::")
        name = owner.partition("<")[0].rpartition("::")[2]
        if name in found:
            _add(found[name], method, function)
    return found


def _typedef_name(node: Node) -> str:
    parent = node.parent
    if parent is None or parent.type != "type_definition":
        return ""
    return text_of(parent.child_by_field_name("declarator"))


def _read(made: HostClass, body: Node) -> None:
    for node in _members(body):
        if node.type == "function_definition":
            _add(made, function_name(node), node)
            continue
        kind, last = node.child_by_field_name("type"), None
        for at, child in enumerate(node.children):
            role = node.field_name_for_child(at)
            if role == "declarator" and not is_method(child):
                last = HostMember(kind, child, None)
                made.members.append(last)
            elif role == "default_value" and last is not None:
                made.members[-1] = HostMember(kind, last.declarator, child)


def _members(body: Node) -> Iterator[Node]:
    for node in children(body):
        if node.type in ("field_declaration", "function_definition"):
            yield node
        elif node.type == "template_declaration":
            yield from _members(node)


def _add(made: HostClass, name: str, function: Node) -> None:
    if name == made.name:
        made.constructors.append(function)
    else:
        made.methods.setdefault(name, []).append(function)
