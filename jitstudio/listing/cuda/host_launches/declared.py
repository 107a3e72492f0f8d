"""What a text declares that its host code uses: functions, classes, kernels, macros, variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from tree_sitter import Node

from jitstudio.core.launch.types import Type
from jitstudio.listing.cuda.declarations import KernelNode
from jitstudio.listing.cuda.host_launches.macros import LAUNCH
from jitstudio.listing.cuda.host_launches.templates import LONGEST, TemplateHead, template
from jitstudio.listing.cuda.syntax import (
    children,
    declarator_chain,
    declared_name,
    is_method,
    operator,
    parse,
    template_in,
    text_of,
    within,
)
from jitstudio.listing.cuda.types import Argument, Types
from jitstudio.listing.cuda.words import words_in

_CLASSES = frozenset({"class_specifier", "struct_specifier"})
_VECTORS = ("vector", "device_vector", "host_vector", "universal_vector")
_MACRO = re.compile(
    rb"^[ \t]*+#[ \t]*+define[ \t]++(\w++)\(([\w \t,]*+)\)((?>[^\n\\]|\\\r?\n|\\.)++)", re.M
)
_MOST_MACROS = 200
_MOST_ALIASES = 8
_MOST_BASES = 8
_VIRTUAL = frozenset({"virtual", "virtual_specifier", "virtual_function_specifier"})
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*+")


@dataclass(frozen=True)
class HostMember:
    """A variable of a class: its type, its declarator, what it begins with, if all share it.

    Attributes:
        variable: The place of a static variable that may change, ``Config::threads``; else empty.
    """

    kind: Node | None
    declarator: Node
    default: Node | None
    is_static: bool = False
    variable: str = ""

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
        bases: The classes that it is made of, as they are written.
    """

    name: str
    template: Node | None
    members: list[HostMember] = field(default_factory=list)
    constructors: list[Node] = field(default_factory=list)
    methods: dict[str, list[Node]] = field(default_factory=dict)
    bases: list[Node] = field(default_factory=list)

    @property
    def names(self) -> frozenset[str]:
        """What its variables are called."""
        return frozenset(member.name for member in self.members)


class HostDeclarations:
    """What a text declares.

    Attributes:
        trees: Its syntax, and that of its headers.
        types: The types and constants of it and its headers.
        macros: The parameters of macros that are expressions, and these.
        classes: Its classes by their names.
        functions: Its functions by their names, those of classes and namespaces, too.
        kernels: The kernel templates and kernels that it knows, by their names.
        launching: The names of its functions that launch kernels, be it by others.
        variables: The declarations outside of functions.
        managed: The names of those that are `__managed__`.
    """

    def __init__(
        self,
        trees: Sequence[Node],
        types: Types,
        texts: Sequence[bytes],
        kernels: Iterable[KernelNode],
    ) -> None:
        """Reads what a text declares.

        Args:
            trees: The text as the compiler sees it for the host, and the headers that it includes.
            types: What the text and its headers declare.
            texts: It and headers as they are written, with their macros.
            kernels: Its kernels and those of its headers.
        """
        self.trees = trees
        self.types = types
        self.macros = {name: m for text in reversed(texts) for name, m in _macros(text)}
        self.classes = _host_classes(trees)
        self._define_members()
        own = {name: (tuple(c.members), dict(c.methods)) for name, c in self.classes.items()}
        for each in self.classes.values():
            for base in self._all_bases(each):
                members, methods = own[base.name]
                each.members[:0] = [m for m in members if m.name not in each.names]
                each.methods = {**methods, **each.methods}
        self.functions: dict[str, list[Node]] = {}
        self.variables: list[Node] = []
        self._tree_of: dict[int, int] = {}
        outside = [(tree.id, node) for tree in trees for node in _outside_functions(tree)]
        for tree_id, node in outside:
            if node.type == "function_definition":
                self._tree_of[node.id] = tree_id
                name = _function_name(node).rpartition("::")[2]
                self.functions.setdefault(name, []).append(node)
            else:
                self.variables.append(node)
        self.kernels: dict[str, list[KernelNode]] = {}
        for kernel in kernels:
            self.kernels.setdefault(kernel.name, []).append(kernel)
        self.launching = frozenset(self._launching())
        self.managed = frozenset(
            declared_name(declarator)
            for node in self.variables
            if any(
                child.type == "__managed__" or child.text == b"__managed__"
                for child in node.children
            )
            for declarator in node.children_by_field_name("declarator")
        )
        self._owners = {
            function.id: each
            for each in self.classes.values()
            for function in (
                *each.constructors,
                # Those of its bases aside.
                *(f for m in own[each.name][1].values() for f in m),
            )
        }

    def _define_members(self) -> None:
        """Gives static variables what their definitions outside of the class begin them with."""
        defined: set[tuple[str, str]] = set()
        for node in (each for tree in self.trees for each in _outside_functions(tree)):
            if node.type != "declaration":
                continue
            for declarator in node.children_by_field_name("declarator"):
                value = declarator.child_by_field_name("value")
                *_, inner = declarator_chain(declarator)
                written, _, name = "".join(text_of(inner).split()).rpartition("::")
                owner = self.class_named(written)[0] if written else None
                if owner is None or value is None:
                    continue
                if _names(template_of(node)) != _names(owner.template):
                    continue
                # Of two it is that of an instance, or of a class of the same name.
                only = None if (owner.name, name) in defined else value
                defined.add((owner.name, name))
                owner.members = [
                    replace(m, default=only) if m.name == name and m.is_static else m
                    for m in owner.members
                ]

    @cached_property
    def static_variables(self) -> dict[str, tuple[HostClass, HostMember]]:
        """The static variables that may change, with their classes, by their places."""
        return {
            member.variable: (owner, member)
            for owner in self.classes.values()
            for member in owner.members
            if member.variable
        }

    def place_of(self, written: str) -> str:
        """Returns the place of a qualified name: a variable of a class has the same in all code."""
        owner, _, name = written.rpartition("::")
        if not self.static_variables or not owner:
            return written
        known = self.class_named(owner)[0]
        members = known.members if known is not None else ()
        return next((m.variable for m in members if m.name == name), "") or written

    def _all_bases(self, of: HostClass) -> list[HostClass]:
        """Returns the classes of the text that a class is made of, the nearest first."""
        bases: list[HostClass] = []
        todo = [of]
        while todo and len(bases) < _MOST_BASES:
            known = (self.class_of(base) for base in todo.pop().bases)
            more = [base for base in known if base is not None and base not in (of, *bases)]
            bases += more
            todo += more
        return bases

    def class_named(self, written: str) -> tuple[HostClass | None, str]:
        """Returns the class that a name is of, be it by aliases, and its name with arguments."""
        for _ in range(_MOST_ALIASES):
            last = written.rpartition("::")[2] if "<" not in written else written
            if last not in self.aliases:
                break
            written = self.aliases[last]
        before = written.partition("<")[0].strip().rpartition("::")[2]
        return self.classes.get(written) or self.classes.get(before), written

    def without_aliases(self, written: str) -> str:
        """Returns template arguments with the types that aliases are of."""
        for _ in range(_MOST_ALIASES):
            before = written
            written = _WORD.sub(lambda word: self.aliases.get(word[0], word[0]), written)
            if written == before or len(written) > LONGEST:
                break
        return written

    @cached_property
    def _nameless(self) -> dict[int, HostClass]:
        """The classes without a name that variables are declared with, by their nodes."""
        classes = {}
        for node in self.variables:
            kind = node.child_by_field_name("type")
            body = kind.child_by_field_name("body") if kind is not None else None
            if kind is not None and body is not None and kind.type in _CLASSES:
                classes[kind.id] = HostClass("", None)
                _read(classes[kind.id], body)
        return classes

    def kernel_of_table(self, body: Node) -> Node | None:
        """Returns what a statement launches and takes from a variable; None for no such launch."""
        for node in within(body):
            if node.type == "call_expression" and any(
                child.type == "kernel_call_syntax" for child in node.children
            ):
                function = node.child_by_field_name("function")
                name = text_of(function).partition("<")[0].rpartition("::")[2].strip("(*) ")
                if name not in self.kernels:
                    return function
        return None

    @cached_property
    def aliases(self) -> dict[str, str]:
        """The types that names are of which the text declares, as written: no templates."""
        aliases: dict[str, str] = {}
        for tree in self.trees:
            for node in within(tree):
                parent = node.parent
                if node.type not in ("alias_declaration", "type_definition") or (
                    parent is not None and parent.type == "template_declaration"
                ):
                    continue
                name = node.child_by_field_name("name") or node.child_by_field_name("declarator")
                kind = node.child_by_field_name("type")
                is_plain = kind is not None and "{" not in text_of(kind)
                if name is not None and name.type == "type_identifier" and is_plain:
                    aliases.setdefault(text_of(name), text_of(kind))
        return aliases

    @cached_property
    def moved(self) -> frozenset[str]:
        """The names of variables that get another value, or whose address is taken, anywhere."""
        changing = {
            "assignment_expression": "left",
            "update_expression": "argument",
            "pointer_expression": "argument",
        }
        found = set()
        for tree in self.trees:
            for node in within(tree):
                field = changing.get(node.type)
                if field is not None and not (field == "argument" and operator(node) == "*"):
                    found.add(text_of(node.child_by_field_name(field)))
        return frozenset(found)

    @cached_property
    def overriders(self) -> dict[str, list[Node]]:
        """The virtual methods that have a body, by their names."""
        virtual: dict[str, list[Node]] = {}
        for owner in self.classes.values():
            for name, methods in owner.methods.items():
                for each in methods:
                    declarator = each.child_by_field_name("declarator")
                    words = {child.type for child in each.children}
                    words.update(n.type for n in (within(declarator) if declarator else ()))
                    if words & _VIRTUAL and each not in virtual.get(name, ()):
                        virtual.setdefault(name, []).append(each)
        return virtual

    def tree_of(self, function: Node) -> int | None:
        """Returns the id of the tree that a function is in; None for one within another."""
        return self._tree_of.get(function.id)

    def owner_of(self, function: Node) -> HostClass | None:
        """Returns the class whose method or constructor a function is; None for none."""
        return self._owners.get(function.id)

    def class_of(self, kind: Node | None) -> HostClass | None:
        """Returns the class that a type is; None for any other type."""
        if kind is not None and kind.type in _CLASSES and kind.child_by_field_name("name") is None:
            return self._nameless.get(kind.id)
        name = text_of(kind).partition("<")[0].strip().rpartition("::")[2]
        return self.classes.get(name.removeprefix("struct ").removeprefix("class "))

    def kernel_template(self, path: str) -> TemplateHead | None:
        """Returns the template that a kernel of this name is, of several that of the path."""
        same = self.kernels.get(path.rpartition("::")[2], [])
        full = path.removeprefix("::")
        kernel = next((k for k in same if "::".join((*k.scope, k.name)) == full), None)
        if kernel is None and not same:
            return None
        kernel = kernel or same[0]
        listed = kernel.template.text if kernel.template is not None else None
        return template(listed or b"", kernel.parameters.text or b"")

    def host_template(self, function: Node) -> TemplateHead:
        """Returns the template that a function is, one without parameters for none."""
        listed, declarator = template_of(function), function.child_by_field_name("declarator")
        head = (declarator.text or b"") if declarator is not None else b""
        return template((listed.text if listed is not None else None) or b"", head)

    def _launching(self) -> Iterator[str]:
        """Yields the names of functions that launch kernels, be it by others."""
        words = {
            name: words_in(b" ".join(f.text or b"" for f in functions))
            for name, functions in self.functions.items()
            if name not in self.kernels
        }
        found = {
            name
            for name in words
            if any(LAUNCH.search(f.text or b"") for f in self.functions[name])
        }
        while more := {
            name
            for name, inside in words.items()
            if name not in found and not inside.isdisjoint({each.encode() for each in found})
        }:
            found |= more
        yield from found

    def launches_in(self, node: Node) -> bool:
        """Returns whether a statement launches kernels, be it by functions that it calls."""
        code = node.text or b""
        names = {word.decode("utf-8", "replace") for word in words_in(code)}
        return LAUNCH.search(code) is not None or not self.launching.isdisjoint(names)

    def bindings(
        self, owner: HostClass, kind: Node, around: Mapping[str, Argument]
    ) -> dict[str, Argument]:
        """Returns what the parameters of a class template represent in a type.

        Args:
            owner: The class.
            kind: The type, with the arguments of the template.
            around: What the parameters of templates represent where the type is written.
        """
        template = kind if kind.type in ("template_type", "template_function") else None
        template = template or template_in(kind)
        listed = template.child_by_field_name("arguments") if template is not None else None
        if owner.template is None or listed is None:
            return {}
        given = [self.types.argument(each, (), around) for each in children(listed)]
        return self.types.bound(owner.template, given, ())

    def is_vector(self, kind: Node) -> bool:
        """Returns whether a type is `std::vector` or its like, be its elements known or not."""
        template = kind if kind.type == "template_type" else template_in(kind)
        name = template.child_by_field_name("name") if template is not None else None
        return text_of(name) in _VECTORS

    def element(self, kind: Node, around: Mapping[str, Argument]) -> Type | None:
        """Returns what `std::vector` and its like hold; None for what is none."""
        template = kind if kind.type == "template_type" else template_in(kind)
        listed = template.child_by_field_name("arguments") if template is not None else None
        if template is None or listed is None or not children(listed):
            return None
        if text_of(template.child_by_field_name("name")) not in _VECTORS:
            return None
        element = self.types.argument(children(listed)[0], (), around)
        return element if isinstance(element, Type) else None


def _function_name(function: Node) -> str:
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


def template_of(node: Node) -> Node | None:
    """Returns the parameters of the template that a function or class is; None for none."""
    parent = node.parent
    if parent is None or parent.type != "template_declaration":
        return None
    return parent.child_by_field_name("parameters")


def _names(parameters: Node | None) -> tuple[bytes, ...]:
    """Returns the names of the parameters of a template; none for no template."""
    return template((parameters.text if parameters is not None else None) or b"").names


def is_for_device(function: Node) -> bool:
    """Returns whether a function is for the device only."""
    words = {child.type for child in function.children}
    return "__global__" in words or ("__device__" in words and "__host__" not in words)


def chosen(functions: list[Node], count: int) -> Node | None:
    """Returns the first of these functions that takes so many arguments; else the first."""
    fitting = (f for f in functions if _least(f) <= count <= len(parameters(f)))
    return next(fitting, functions[0] if functions else None)


def _least(function: Node) -> int:
    return sum(p.child_by_field_name("default_value") is None for p in parameters(function))


def _host_classes(trees: Sequence[Node]) -> dict[str, HostClass]:
    """Returns the classes of texts by their names."""
    found: dict[str, HostClass] = {}
    outside: list[Node] = []
    todo = [*reversed(trees)]
    while todo:
        node = todo.pop()
        if node.type == "function_definition":
            outside.append(node)
        else:
            todo.extend(reversed(node.named_children))
        if node.type in _CLASSES and (body := node.child_by_field_name("body")) is not None:
            name = text_of(node.child_by_field_name("name")) or _typedef_name(node)
            if name and name not in found:
                found[name] = HostClass(name, template_of(node), bases=_bases(node))
                _read(found[name], body)
    for function in outside:
        owner, _, method = _function_name(function).rpartition("::")
        name = owner.partition("<")[0].rpartition("::")[2]
        if name in found:
            _add(found[name], method, function)
    return found


def _bases(node: Node) -> list[Node]:
    clause = next((c for c in node.children if c.type == "base_class_clause"), None)
    return [c for c in children(clause) if c.type != "access_specifier"] if clause else []


def _typedef_name(node: Node) -> str:
    parent = node.parent
    if parent is None or parent.type != "type_definition":
        return ""
    return text_of(parent.child_by_field_name("declarator"))


def _read(host_class: HostClass, body: Node) -> None:
    for node in _members(body):
        if node.type == "function_definition":
            _add(host_class, _function_name(node), node)
            continue
        kind, last = node.child_by_field_name("type"), None
        words = {child.text for child in node.children}
        is_static, is_open = b"static" in words, words.isdisjoint((b"const", b"constexpr"))
        if kind is not None and kind.type == "enum_specifier":
            host_class.members += _enumerators(kind)
        for at, child in enumerate(node.children):
            role = node.field_name_for_child(at)
            if role == "declarator" and not is_method(child):
                may_change = (
                    is_static and is_open and host_class.template is None and host_class.name
                )
                place = f"{host_class.name}::{declared_name(child)}" if may_change else ""
                last = HostMember(kind, child, None, is_static, place)
                host_class.members.append(last)
            elif role == "default_value" and last is not None:
                host_class.members[-1] = replace(last, default=child)


def _enumerators(kind: Node) -> Iterator[HostMember]:
    """Yields the names of an enumeration that say what they are."""
    body = kind.child_by_field_name("body")
    for each in children(body) if body is not None else ():
        name, value = (each.child_by_field_name(part) for part in ("name", "value"))
        if name is not None and value is not None:
            yield HostMember(kind, name, value, is_static=True)


def _members(body: Node) -> Iterator[Node]:
    for node in children(body):
        if node.type in ("field_declaration", "function_definition"):
            yield node
        elif node.type == "template_declaration":
            yield from _members(node)


def _add(host_class: HostClass, name: str, function: Node) -> None:
    if name == host_class.name:
        host_class.constructors.append(function)
    else:
        host_class.methods.setdefault(name, []).append(function)


def _macros(text: bytes) -> Iterator[tuple[str, tuple[list[str], Node]]]:
    """Yields the macros that have parameters and are an expression, by their names."""
    for match in islice(_MACRO.finditer(text), _MOST_MACROS):
        body = b" ".join(match[3].replace(b"\\", b" ").split())
        given = [word.strip().decode() for word in match[2].split(b",")]
        tree = parse(b"int x = (" + body + b");")
        found = next((n for n in within(tree) if n.type == "parenthesized_expression"), None)
        if found is not None and not tree.has_error:
            yield match[1].decode(), (given, found)


def _outside_functions(tree: Node) -> Iterator[Node]:
    """Yields the functions and variables of a text, in namespaces and classes, too."""
    todo = [tree]
    while todo:
        node = todo.pop()
        if node.type in ("function_definition", "declaration"):
            yield node
        else:
            todo.extend(reversed(node.named_children))
