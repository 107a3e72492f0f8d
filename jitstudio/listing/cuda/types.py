"""The types and constant expressions of a CUDA C++ text, with their layout.

What the text alone does not say is None, never a guess.
"""

from __future__ import annotations

import operator as arithmetic
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

from tree_sitter import Node

from jitstudio.core.launch.c_types import (
    INT,
    BitField,
    instance,
    named,
    padded,
    struct_of,
    with_bit_fields,
)
from jitstudio.core.launch.types import Array, Opaque, Pointer, Scalar, Type
from jitstudio.core.launch.values import c_quotient
from jitstudio.listing.cuda.declarations import Declaration, Declarations, Scope
from jitstudio.listing.cuda.syntax import (
    SHAPES,
    declarator_chain,
    declared_name,
    is_const,
    is_method,
    is_static,
    operator,
    parse,
    qualifiers,
    template_in,
    template_name,
    text_of,
    within,
)

_Member = tuple[str, Type | BitField]
# C++ standard, [lex.icon]: `0x10`, `0b1`, `017`, `16u`.
_LITERAL = re.compile(r"(-?)(?:0[xX]([\da-fA-F]+)|0[bB]([01]+)|0([0-7]+)|(\d+))[uUlLzZ]*")
_BASES = (16, 2, 8, 10)
_LARGEST = 1 << 64


_UNARY: dict[str, Callable[[int], int]] = {
    "-": arithmetic.neg,
    "+": arithmetic.pos,
    "~": arithmetic.invert,
    "!": arithmetic.not_,
}
_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": arithmetic.add,
    "-": arithmetic.sub,
    "*": arithmetic.mul,
    "/": c_quotient,
    "%": lambda a, b: a - b * c_quotient(a, b),
    "<<": lambda a, b: a << min(b, 64),
    ">>": arithmetic.rshift,
    "&": arithmetic.and_,
    "|": arithmetic.or_,
    "^": arithmetic.xor,
    "<": arithmetic.lt,
    ">": arithmetic.gt,
    "<=": arithmetic.le,
    ">=": arithmetic.ge,
    "==": arithmetic.eq,
    "!=": arithmetic.ne,
    "&&": lambda a, b: bool(a and b),
    "||": lambda a, b: bool(a or b),
}


def literal(text: str) -> int | None:
    """Returns the value of an integer literal, or of a character; None for other text."""
    if len(text) == 3 and text[0] == text[2] == "'":
        return ord(text[1])
    match = _LITERAL.fullmatch(text.replace("'", ""))
    if match is None:
        return None
    sign, *digits = match.groups()
    value = next(int(d, base) for d, base in zip(digits, _BASES, strict=True) if d)
    return bounded(-value if sign else value)


def unary(sign: str, value: int) -> int | None:
    """Returns the result of an operator on a number, or None."""
    apply = _UNARY.get(sign)
    return bounded(int(apply(value))) if apply else None


def binary(sign: str, left: int, right: int) -> int | None:
    """Returns the result of an operator on two numbers, or None."""
    apply = _BINARY.get(sign)
    try:
        return bounded(int(apply(left, right))) if apply else None
    except (ZeroDivisionError, ValueError):  # the latter for a shift by less than nothing
        return None


def bounded(value: int) -> int | None:
    """Returns the number, or None if too large for all types of C++."""
    return value if abs(value) <= _LARGEST else None


Argument = Type | int
Bindings = Mapping[str, Argument]
"""What the template parameters represent."""

NOTHING: Bindings = {}
_MOST_DECLARATORS = 16
_MOST_MEMBERS = 10_000
_DEEPEST = 32
# What makes a layout that plain data has not.
_UNPLAIN = frozenset({"base_class_clause", "ERROR"})
# `__attribute__((aligned(16)))`
_ALIGNED = re.compile(r"\baligned(?:__)?\s*\(\s*(\w+)\s*\)")
_UNSURE = frozenset({"ERROR", "preproc_if", "preproc_ifdef"})


class Types:
    """Looks names up in the declarations of texts.

    Args:
        texts: What each declares; the first that knows a name has the say.
    """

    def __init__(self, texts: Iterable[Declarations]) -> None:
        self._types: dict[str, Declaration] = {}
        self._numbers: dict[str, Declaration] = {}
        self._by_last_name: dict[str, Declaration] = {}
        self._specialised: set[str] = set()
        self._used: list[str] = []
        self._open: set[_Key] = set()
        self._known: dict[_Key, Type | None] = {}
        for text in texts:
            self._specialised |= text.specialised
            self._used += text.used
            for declared, table in ((text.types, self._types), (text.numbers, self._numbers)):
                for declaration in declared:
                    table.setdefault(declaration.path, declaration)
                    self._by_last_name.setdefault(declaration.name, declaration)

    def declared(
        self,
        kind: Node | None,
        declarator: Node | None,
        scope: Scope,
        bindings: Bindings = NOTHING,
        *,
        const: bool = False,
        decays: bool = False,
    ) -> Type | None:
        """Returns the type that a declaration of this type with this declarator declares.

        Args:
            kind: The type before the declarator.
            declarator: The name with what is around it; None for neither.
            scope: Where it is.
            bindings: What template parameters represent.
            const: Whether the type is.
            decays: Whether an array is passed as a pointer to its first element.
        """
        type_ = self._base(kind, scope, bindings) if kind else None
        chain = list(declarator_chain(declarator))
        if len(chain) > _MOST_DECLARATORS:
            return None
        # What is applied last is what the name itself is: an array there decays.
        last = next((n for n in reversed(chain) if n.type in SHAPES), None)
        for node in chain:
            match node.type:
                case "pointer_declarator" | "abstract_pointer_declarator":
                    type_, const = Pointer(type_, const), is_const(node)
                case "array_declarator" | "abstract_array_declarator":
                    if decays and node is last:
                        return Pointer(type_, const)
                    number = self.number(node.child_by_field_name("size"), scope, bindings)
                    if type_ is None or not number or number < 0:
                        return None
                    type_ = Array(type_, number)
                case "reference_declarator" | "abstract_reference_declarator":
                    return Opaque(f"{type_.name if type_ else 'void'}&", 8, 8)
                case "function_declarator" | "abstract_function_declarator":
                    type_ = None
                case "variadic_declarator":
                    return None
        # An alias may hide the array.
        return Pointer(type_.element, const) if decays and isinstance(type_, Array) else type_

    def number(self, node: Node | None, scope: Scope, bindings: Bindings = NOTHING) -> int | None:
        """Returns the value of a constant expression."""
        return self._value(node, scope, bindings) if node else None

    def argument(self, node: Node, scope: Scope, bindings: Bindings = NOTHING) -> Argument | None:
        """Returns an argument of a template: a type or a number."""
        if node.type != "type_descriptor":
            return self.number(node, scope, bindings)
        kind = node.child_by_field_name("type")
        declarator = node.child_by_field_name("declarator")
        if declarator is None and (value := self.number(kind, scope, bindings)) is not None:
            return value
        return self.declared(kind, declarator, scope, bindings, const=is_const(node))

    def argument_in(self, text: str, scope: Scope, bindings: Bindings = NOTHING) -> Argument | None:
        """Returns a text as an argument of a template: a type or a number."""
        tree = parse(f"using x = f<{text}>;".encode())
        listed = next((n for n in within(tree) if n.type == "template_argument_list"), None)
        inner = listed.named_children if listed is not None else []
        with suppress(RecursionError):
            return self.argument(inner[0], scope, bindings) if inner else None
        return None

    def bound(
        self, template: Node, arguments: Iterable[Argument | None], scope: Scope
    ) -> dict[str, Argument]:
        """Returns the meanings of a template's parameters, by the first arguments.

        One of which nothing is known, None, has no meaning, whatever the default is.
        """
        bindings: dict[str, Argument] = {}
        remaining = iter(arguments)
        for parameter in template.named_children:
            if parameter.type.startswith("variadic") or parameter.type == "comment":
                break
            defaults = map(parameter.child_by_field_name, ("default_type", "default_value"))
            try:
                argument = next(remaining)
            except StopIteration:
                default = next(filter(None, defaults), None)
                argument = self.argument(default, scope, bindings) if default else None
            if argument is not None:
                bindings[template_name(parameter)] = argument
        return bindings

    def _base(self, node: Node, scope: Scope, bindings: Bindings) -> Type | None:
        match node.type:
            case "primitive_type" | "sized_type_specifier":
                return named(text_of(node)) or self._named(text_of(node), scope, bindings)
            case "type_identifier" | "qualified_identifier" | "identifier":
                if template := template_in(node):
                    return self._instance(node, template, scope, bindings)
                return self._named(text_of(node), scope, bindings)
            case "template_type":
                return self._instance(node, node, scope, bindings)
            case "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier":
                if node.child_by_field_name("body") is None:
                    return self._named(text_of(node.child_by_field_name("name")), scope, bindings)
                name = text_of(node.child_by_field_name("name"))
                return self._defined(Declaration(name, node, scope), bindings)
            case "dependent_type" if node.named_children:
                return self._base(node.named_children[-1], scope, bindings)
        return None

    def _named(self, name: str, scope: Scope, bindings: Bindings) -> Type | None:
        bound = bindings.get(name)
        if bound is not None:
            return None if isinstance(bound, int) else bound
        declaration = self._find(self._types, name, scope)
        if declaration is None and (builtin := named(name)):
            return builtin
        if declaration is None:
            declaration = self._by_last_name.get(name.rpartition("::")[2])
        if declaration is None or declaration.template is not None:
            return None
        return self._defined(declaration, NOTHING)

    def _find(
        self, table: Mapping[str, Declaration], name: str, scope: Scope
    ) -> Declaration | None:
        name = name.replace(" ", "").removeprefix("::")
        around = ("::".join((*scope[:depth], name)) for depth in range(len(scope), -1, -1))
        used = (f"{namespace}::{name}" for namespace in self._used)
        return next((table[path] for path in (*around, *used) if path in table), None)

    def _instance(
        self, node: Node, template: Node, scope: Scope, bindings: Bindings
    ) -> Type | None:
        """Returns a class template or alias template with arguments."""
        listed = template.child_by_field_name("arguments")
        nodes = [n for n in listed.named_children if n.type != "comment"] if listed else []
        arguments = [self.argument(n, scope, bindings) for n in nodes]
        name = text_of(node).partition("<")[0].strip()
        declaration = self._find(self._types, name, scope)
        if declaration is None and None not in arguments:
            if builtin := instance(name, tuple(a for a in arguments if a is not None)):
                return builtin
            declaration = self._by_last_name.get(name.rpartition("::")[2])
        if declaration is None or declaration.template is None:
            return None
        if declaration.path in self._specialised:
            return None
        return self._defined(
            declaration, self.bound(declaration.template, arguments, declaration.scope)
        )

    def _defined(self, declaration: Declaration, bindings: Bindings) -> Type | None:
        """Returns the type that a declaration declares, looked up but once."""
        key = _key(declaration, bindings)
        if key not in self._known:
            # A struct may hold pointers to itself; and anything else may be written.
            with self._entered(declaration, bindings) as fresh:
                if not fresh:
                    return None
                self._known[key] = self._laid_out(declaration, bindings)
        return self._known[key]

    def _laid_out(self, declaration: Declaration, bindings: Bindings) -> Type | None:
        node, scope = declaration.node, declaration.scope
        if node.child_by_field_name("body") is None and node.type != "enum_specifier":
            chain = declaration.declarator
            return self.declared(node, chain, scope, bindings, const=is_const(node.parent))
        if declaration.declarator is not None:
            return self.declared(node, declaration.declarator, scope, bindings)
        if node.type == "enum_specifier":
            base = node.child_by_field_name("base")
            return self._base(base, scope, bindings) if base else INT
        return self._struct(declaration, bindings)

    def _struct(self, declaration: Declaration, bindings: Bindings) -> Type | None:
        node = declaration.node
        body = node.child_by_field_name("body")
        if body is None or any(child.type in _UNPLAIN for child in node.children):
            return None
        scope = (*declaration.scope, declaration.name) if declaration.name else declaration.scope
        members: list[_Member] = []
        for member in body.named_children:
            if any(child.type in ("virtual", "ERROR") for child in member.children):
                return None
            if member.type in _UNSURE:
                return None
            if member.type != "field_declaration" or is_static(member):
                continue
            declared = self._members(member, scope, bindings)
            if declared is None or len(members) + len(declared) > _MOST_MEMBERS:
                return None
            members += declared
        name = declaration.name or node.type.partition("_")[0]
        if bindings and declaration.template is not None:
            arguments = (str(a) if isinstance(a, int) else a.name for a in bindings.values())
            name = f"{name}<{', '.join(arguments)}>"
        attributes = " ".join(text_of(c) for c in node.children if c.type == "attribute_specifier")
        if "packed" in attributes:
            return None
        align = self._alignment(node, scope, bindings)
        if asked := _ALIGNED.search(attributes):
            align = max(align or 1, int(asked[1]) if asked[1].isdigit() else 1)
        return _assembled(name, members, align, is_union=node.type == "union_specifier")

    def _members(self, member: Node, scope: Scope, bindings: Bindings) -> list[_Member] | None:
        """Returns the members that a declaration declares; None if any cannot be laid out."""
        kind = member.child_by_field_name("type")
        declarators = member.children_by_field_name("declarator")
        if kind is None:
            return None
        if self._alignment(member, scope, bindings):
            return None
        if not declarators:
            # A class without a name is a member without a name; with one it is only declared.
            unnamed = kind.type in ("struct_specifier", "union_specifier")
            if not unnamed or kind.child_by_field_name("name") is not None:
                return []
            inner = self._base(kind, scope, bindings)
            return [("", inner)] if inner else None
        members: list[_Member] = []
        for declarator in declarators:
            if is_method(declarator):
                continue
            type_ = self.declared(kind, declarator, scope, bindings, const=is_const(member))
            if type_ is None:
                return None
            name, behind = declared_name(declarator), declarator.next_sibling
            if behind is None or behind.type != "bitfield_clause":
                members.append((name, type_))
                continue
            bits = self.number(behind.named_children[0], scope, bindings)
            if bits is None or not isinstance(type_, Scalar):
                return None
            members.append((name, BitField(type_, bits, bool(name))))
        return members

    def _alignment(self, node: Node, scope: Scope, bindings: Bindings) -> int | None:
        """Returns the alignment that `alignas` asks for, or None."""
        specifiers = [n for n in qualifiers(node) if n.type == "alignas_qualifier"]
        for qualifier in specifiers:
            of = qualifier.named_children[-1] if qualifier.named_children else None
            value = self.number(of, scope, bindings)
            if value and 0 < value <= 4096:
                return value
            kind = self.argument(of, scope, bindings) if of else None
            return kind.align if kind is not None and not isinstance(kind, int) else None
        return None

    def _value(self, node: Node, scope: Scope, bindings: Bindings) -> int | None:
        match node.type:
            case "number_literal" | "char_literal":
                return literal(text_of(node))
            case "true" | "false":
                return int(node.type == "true")
            case "identifier" | "type_identifier" | "qualified_identifier" | "field_identifier":
                return self._named_number(text_of(node), scope, bindings)
            case "parenthesized_expression" | "initializer_list" if node.named_child_count == 1:
                return self.number(node.named_children[0], scope, bindings)
            case "cast_expression":
                return self.number(node.child_by_field_name("value"), scope, bindings)
            case "sizeof_expression":
                measured = self._measured(node, scope, bindings)
                return measured.size if measured else None
            case "unary_expression":
                value = self.number(node.child_by_field_name("argument"), scope, bindings)
                return None if value is None else unary(operator(node), value)
            case "binary_expression":
                sides = (node.child_by_field_name(side) for side in ("left", "right"))
                left, right = (self.number(side, scope, bindings) for side in sides)
                if left is None or right is None:
                    return None
                return binary(operator(node), left, right)
        return None

    def _measured(self, node: Node, scope: Scope, bindings: Bindings) -> Type | None:
        """Returns the type that a `sizeof` asks about; None otherwise."""
        kind = node.child_by_field_name("type")
        if kind is not None:
            argument = self.argument(kind, scope, bindings)
            return None if isinstance(argument, int) else argument
        # In brackets a name may be that of a value as far as its syntax goes.
        value = node.child_by_field_name("value")
        inner = value.named_children if value and value.type == "parenthesized_expression" else []
        return self._base(inner[0], scope, bindings) if inner else None

    def _named_number(self, name: str, scope: Scope, bindings: Bindings) -> int | None:
        bound = bindings.get(name)
        if bound is not None:
            return bound if isinstance(bound, int) else None
        declaration = self._find(self._numbers, name, scope)
        if declaration is None:
            # `#define N M` might be an alias of a type as far as its text goes.
            declaration = self._find(self._types, name, scope)
            if (
                declaration is None
                or declaration.declarator
                or declaration.node.type != "type_identifier"
            ):
                return None
        with self._entered(declaration, NOTHING) as fresh:
            return self._constant(declaration) if fresh else None

    def _constant(self, declaration: Declaration) -> int | None:
        node, ahead = declaration.node, 0
        while node.type == "enumerator" and node.child_by_field_name("value") is None:
            before = node.prev_named_sibling
            if before is None or before.type != "enumerator":
                return ahead
            node, ahead = before, ahead + 1
        value = self.number(node.child_by_field_name("value") or node, declaration.scope)
        return None if value is None else value + ahead

    @contextmanager
    def _entered(self, declaration: Declaration, bindings: Bindings) -> Iterator[bool]:
        """Returns whether a declaration is looked at first, not in the midst of itself."""
        key = _key(declaration, bindings)
        fresh = key not in self._open and len(self._open) < _DEEPEST
        entered = {key} if fresh else set()
        self._open |= entered
        try:
            yield fresh
        finally:
            self._open -= entered


_Key = tuple[int, str, tuple[tuple[str, Argument], ...]]


def _key(declaration: Declaration, bindings: Bindings) -> _Key:
    return declaration.node.id, declaration.name, tuple(bindings.items())


def _assembled(
    name: str, members: list[_Member], align: int | None, *, is_union: bool
) -> Type | None:
    """Returns a class by members; of nameless or overlapping members only the size is known."""
    plain = [(member, kind) for member, kind in members if not isinstance(kind, BitField)]
    if len(plain) < len(members):
        return with_bit_fields(name, (kind for _, kind in members), align, is_union=is_union)
    laid_out = struct_of(name, plain, align)
    if is_union:
        widest = max((kind.align for _, kind in plain), default=1)
        size = padded(max((kind.size for _, kind in plain), default=1), max(widest, align or 1))
        return Opaque(name, size, max(widest, align or 1))
    if any(not member for member, _ in members):
        return Opaque(name, laid_out.size, laid_out.align)
    return laid_out
