"""What a text in CUDA C++ declares, found in its syntax tree: types, numbers and kernels.

Nothing is understood here; `listing.cuda_types` does that when it is asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from tree_sitter import Node

from jitstudio.listing.cuda_syntax import declared_name, parse, text_of
from jitstudio.listing.cuda_text import Attribute, prepare

_MOST_REMEMBERED = 32

Scope = tuple[str, ...]


@dataclass(frozen=True)
class Declaration:
    """A name and the syntax that says what it is.

    Attributes:
        name: Without the namespaces.
        node: A struct, a union, an enum, the type of an alias, or the value of a constant.
        scope: The namespaces and classes around it.
        declarator: What stands around the name of a `typedef` or alias, such as a ``*``.
        template: The list of template parameters, or None.
    """

    name: str
    node: Node
    scope: Scope
    declarator: Node | None = None
    template: Node | None = None

    @property
    def path(self) -> str:
        """The name with its namespaces."""
        return "::".join((*self.scope, self.name))


@dataclass(frozen=True)
class KernelNode:
    """A kernel where it is declared.

    Attributes:
        name: Without namespaces and template arguments.
        scope: The namespaces around it.
        parameters: The list of parameters.
        template: The list of template parameters, or None.
        line: From 1.
        attributes: Those that were set aside, such as ``__launch_bounds__``.
    """

    name: str
    scope: Scope
    parameters: Node
    template: Node | None
    line: int
    attributes: tuple[Attribute, ...]


@dataclass
class Declarations:
    """What one text declares.

    Attributes:
        types: Structs, unions, enums and aliases.
        numbers: Constants and enumerators.
        specialised: The paths of class templates that have specialisations.
        kernels: In order.
    """

    types: list[Declaration] = field(default_factory=list)
    numbers: list[Declaration] = field(default_factory=list)
    specialised: set[str] = field(default_factory=set)
    kernels: list[KernelNode] = field(default_factory=list)


@lru_cache(_MOST_REMEMBERED)
def declarations(text: bytes, defines: tuple[str, ...] = ()) -> Declarations:
    """Everything that a text declares; whoever asks must not change it.

    Args:
        text: In UTF-8.
        defines: Macros defined from outside, as ``NAME`` or ``NAME=BODY``.
    """
    prepared = prepare(text, defines)
    found = Declarations()
    for code, attributes in ((prepared.text, prepared.attributes), (prepared.aliases, ())):
        _Walk(found, list(attributes)).walk(parse(code))
    return found


@dataclass(frozen=True)
class _Place:
    scope: Scope = ()
    template: Node | None = None


@dataclass
class _Walk:
    """Goes through a tree in the order of the text, without recursion: texts may nest deeply."""

    found: Declarations
    attributes: list[Attribute]

    def walk(self, root: Node) -> None:
        todo = [(root, _Place())]
        while todo:
            node, place = todo.pop()
            inner = list(self._visit(node, place))
            todo.extend(reversed(inner))

    def _visit(self, node: Node, place: _Place) -> Iterable[tuple[Node, _Place]]:
        self._kernels_in(node, place)
        match node.type:
            case "namespace_definition":
                names = text_of(node.child_by_field_name("name")).split("::")
                inner = _Place((*place.scope, *filter(None, names)))
                return _children(node.child_by_field_name("body"), inner)
            case "template_declaration":
                parameters = node.child_by_field_name("parameters")
                return _children(node, _Place(place.scope, parameters))
            case "struct_specifier" | "class_specifier" | "union_specifier":
                return self._class(node, place)
            case "enum_specifier":
                self._enum(node, place)
            case "alias_declaration":
                described = node.child_by_field_name("type")
                if described and (kind := described.child_by_field_name("type")):
                    declarator = described.child_by_field_name("declarator")
                    name = text_of(node.child_by_field_name("name"))
                    self._type(Declaration(name, kind, place.scope, declarator, place.template))
            case "type_definition":
                return self._typedef(node, place)
            case "declaration" | "field_declaration":
                self._constants(node, place)
                return _children(node, place)
            case "function_definition":
                # `struct S {...} f() {...}` aside, nothing in a function is known outside.
                return [(c, place) for c in node.children if c.type == "ERROR"]
            case _ if node.type in _TRANSPARENT:
                return _children(node, place)
        return ()

    def _class(self, node: Node, place: _Place) -> Iterable[tuple[Node, _Place]]:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and name.type == "template_type":
            path = (*place.scope, text_of(name.child_by_field_name("name")))
            self.found.specialised.add("::".join(path))
        elif name is not None and body is not None:
            self._type(Declaration(text_of(name), node, place.scope, None, place.template))
        scope = (*place.scope, text_of(name)) if name else place.scope
        return _children(body, _Place(scope)) if place.template is None else ()

    def _enum(self, node: Node, place: _Place) -> None:
        body = node.child_by_field_name("body")
        name = text_of(node.child_by_field_name("name"))
        if name and (body or node.child_by_field_name("base")):
            self._type(Declaration(name, node, place.scope))
        for enumerator in body.named_children if body else ():
            member = text_of(enumerator.child_by_field_name("name"))
            if enumerator.type == "enumerator" and member:
                # Unscoped enumerators are known both inside and outside of their enum.
                for scope in (place.scope, (*place.scope, name)) if name else (place.scope,):
                    self.found.numbers.append(Declaration(member, enumerator, scope))

    def _typedef(self, node: Node, place: _Place) -> Iterable[tuple[Node, _Place]]:
        kind = node.child_by_field_name("type")
        if kind is None:
            return ()
        for declarator in node.children_by_field_name("declarator"):
            name = declared_name(declarator)
            # A class without a name is known by that of its first alias.
            unnamed = kind.child_by_field_name("name") is None and declarator.type in _NAMES
            shape = None if unnamed and kind.child_by_field_name("body") else declarator
            self._type(Declaration(name, kind, place.scope, shape))
        return [(kind, place)]

    def _constants(self, node: Node, place: _Place) -> None:
        if not any(c.type == "type_qualifier" and c.text in _CONSTANT for c in node.children):
            return
        # Members and `constexpr auto` carry the value themselves, others in an init_declarator.
        value = node.child_by_field_name("default_value") or node.child_by_field_name("value")
        for declarator in node.children_by_field_name("declarator"):
            given = declarator.child_by_field_name("value") or value
            inner = declarator.child_by_field_name("declarator") or declarator
            if given is not None and inner.type in _NAMES:
                self.found.numbers.append(Declaration(text_of(inner), given, place.scope))

    def _type(self, declaration: Declaration) -> None:
        if declaration.name:
            self.found.types.append(declaration)

    def _kernels_in(self, node: Node, place: _Place) -> None:
        """Take the functions behind `__global__` among a node's children."""
        ahead = False
        for child in node.children:
            if child.type == "__global__":
                ahead = True
            elif ahead and (function := _function(child)):
                self._kernel(function, place)
                ahead = False

    def _kernel(self, function: Node, place: _Place) -> None:
        name, parameters = (function.child_by_field_name(f) for f in ("declarator", "parameters"))
        if name is None or parameters is None:
            return
        mine = [a for a in self.attributes if a.at <= name.start_byte]
        self.attributes = self.attributes[len(mine) :]
        if name.type == "template_function":
            name = name.child_by_field_name("name") or name
        *around, last = text_of(name).split("::")
        line = name.start_point[0] + 1
        scope = (*place.scope, *filter(None, around))
        found = KernelNode(last, scope, parameters, place.template, line, tuple(mine))
        self.found.kernels.append(found)


_CONSTANT = frozenset({b"const", b"constexpr"})
_NAMES = frozenset({"identifier", "field_identifier", "type_identifier"})
_TRANSPARENT = frozenset(
    {
        "translation_unit",
        "declaration_list",
        "linkage_specification",
        "preproc_if",
        "preproc_else",
        "preproc_elif",
        "export_declaration",
        "ERROR",
    }
)


def _children(node: Node | None, place: _Place) -> list[tuple[Node, _Place]]:
    return [(child, place) for child in node.named_children] if node else []


def _function(node: Node) -> Node | None:
    """The function that a declarator declares, if it does."""
    while node.type in ("init_declarator", "ERROR"):
        inner = node.child_by_field_name("declarator")
        if inner is None:
            return None
        node = inner
    return node if node.type == "function_declarator" else None
