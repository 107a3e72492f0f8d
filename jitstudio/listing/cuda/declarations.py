"""Declarations of a text in CUDA C++, by the syntax tree: types, numbers and kernels.

The parser knows neither the preprocessor nor all of CUDA, so the text is made ready for it:
comments go, simple macros are put in, what `#ifdef` leaves out is left out, and the attributes of
kernels are set aside. No more than that: macros with parameters and `#if` of expressions stay.
Nothing is understood here; `listing.cuda.types` does that when it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from tree_sitter import Node

from jitstudio.core.cpp_text import COMMENT, LITERAL
from jitstudio.listing.cuda.syntax import declarator_chain, declared_name, parse, text_of

_LITERAL = LITERAL.encode()
_PASSED = re.compile(rb"(?P<comment>" + COMMENT.encode() + rb")|" + _LITERAL)
# A backslash joins two lines: C++ standard, [lex.phases]. The mark keeps their number.
_SPLICE = re.compile(rb"\\[ \t]*\r?\n")
_SPLICED = b"\x01"
_DIRECTIVE = re.compile(rb"[ \t]*#[ \t]*(?P<word>\w+)(?P<rest>[^\n]*)")
# No macro with parameters, whose bracket follows the name at once.
_DEFINE = re.compile(rb"\s+([A-Za-z_]\w*)(?:[ \t]+([^\n]*))?\s*")
# `#if !defined(NAME)`
_DEFINED = re.compile(rb"\s*+(!?)\s*+defined\s*+\(?\s*+(\w++)\s*+\)?\s*+")
_WORD = re.compile(rb"\b[A-Za-z_]\w*\b")
_BRACKET = re.compile(rb"[()]")
# Literals first, so that nothing in a quoted text is an attribute.
_ATTRIBUTE = re.compile(
    _LITERAL + rb"|\b(?P<name>__launch_bounds__|__cluster_dims__|__block_size__|__maxnreg__)"
    rb"\s*+(?=\()|\b(?P<align>__align__)\s*+(?=\()"
)
# An unknown macro, where only a macro of attributes makes sense.
_UNKNOWN_ATTRIBUTES = re.compile(rb"(\b__global__\s+)((?>[A-Z_][A-Z0-9_]*\s+)++)(?=void\b)")
# `256`, `ROWS + 1`, `1 << 4`
_NUMBER_OR_SUM = re.compile(rb"[-+(~\d].*|.*[-+/%|^]\s*\w+\)*|.*<<.*", re.DOTALL)
# `const float *`, `std::pair<int, int>`
_TYPE = re.compile(rb"(?:const\s+)?[A-Za-z_:][\w:]*(?:\s+[A-Za-z_]\w*)*(?:\s*<[^{};]*>)?[\s*]*")
_KEYWORDS = frozenset(
    b"""__global__ __device__ __host__ __restrict__ __restrict __grid_constant__ __forceinline__
    __noinline__ __launch_bounds__ __cluster_dims__ __align__ inline static extern void template
    typename class struct namespace alignas noexcept restrict""".split()
)
_DEEPEST_MACRO = 8
_LONGEST_MACRO = 200
_LONGEST_ATTRIBUTE = 500
# For the host's compiler below nvcc, and for NVRTC: NVRTC User Guide, "Predefined Macros".
_ON_HOST = frozenset({b"__cplusplus", b"__CUDACC__"})
_BUILT_IN = _ON_HOST | {b"__CUDACC_RTC__", b"__CUDA_ARCH__"}


@dataclass(frozen=True)
class Attribute:
    """An attribute of a kernel with the arguments, as ``__launch_bounds__(256)``.

    It belongs to the first kernel whose name comes behind `at`.
    """

    name: str
    arguments: bytes
    at: int


@dataclass(frozen=True)
class PreparedText:
    """A text to be parsed, line for line that of the user.

    Attributes:
        text: UTF-8.
        attributes: In order.
        aliases: Declarations that represent the macros which name a type or a number.
    """

    text: bytes
    attributes: tuple[Attribute, ...]
    aliases: bytes


def prepare(text: bytes, defines: Iterable[str] = (), *, for_host: bool = False) -> PreparedText:
    """Makes a text ready for the parser.

    Args:
        text: In UTF-8.
        defines: Macros defined from outside, as ``NAME`` or ``NAME=BODY``.
        for_host: Whether to leave what nvcc has its host compiler see, in place of what NVRTC does.
    """
    definitions = (define.partition("=") for define in defines)
    macros = {n.encode(): (body if equals else "1").encode() for n, equals, body in definitions}
    preprocessor = _Preprocessor(macros, _ON_HOST if for_host else _BUILT_IN)
    macros, lines = preprocessor.run(_SPLICE.sub(_SPLICED, _PASSED.sub(_without_comment, text)))
    substituted = _substituted(lines, macros)
    plain = _UNKNOWN_ATTRIBUTES.sub(rb"\1", substituted)
    pieces, attributes = [], []
    done = length = 0
    for match in _ATTRIBUTE.finditer(plain):
        if match.start() < done or not (match["name"] or match["align"]):
            continue
        end = _closing(plain, match.end())
        if end is None:
            continue
        inside = plain[match.end() + 1 : end - 1]
        replacement = b"alignas(" + inside + b")" if match["align"] else b"\n" * inside.count(b"\n")
        pieces += [plain[done : match.start()], replacement]
        length += len(pieces[-2]) + len(replacement)
        done = end
        if match["name"]:
            attributes.append(Attribute(match["name"].decode(), inside, length))
    aliases = b"".join(_declared(*item) for item in macros.items() if _is_alias(item[1]))
    return PreparedText(b"".join((*pieces, plain[done:])), tuple(attributes), aliases)


@dataclass
class _Preprocessor:
    """Goes through the lines once, keeping the lines that count."""

    macros: dict[bytes, bytes]
    built_in: frozenset[bytes]
    # For each open `#if`: whether its lines count, and what they would if the test failed;
    # None where it is unknown, and then all branches count.
    _open: list[tuple[bool, bool | None]] = field(default_factory=list)

    def run(self, text: bytes) -> tuple[dict[bytes, bytes], bytes]:
        return self.macros, b"\n".join(self._lines(text))

    def _lines(self, text: bytes) -> Iterator[bytes]:
        for spliced in text.split(b"\n"):
            line = spliced.replace(_SPLICED, b" ")
            directive = _DIRECTIVE.match(line) if b"#" in line else None
            if directive:
                self._obey(directive["word"], directive["rest"])
            yield b"" if directive or not all(counts for counts, _ in self._open) else line
            # What is behind keeps its line.
            yield from [b""] * spliced.count(_SPLICED)

    def _obey(self, word: bytes, rest: bytes) -> None:
        match word:
            case b"if" | b"ifdef" | b"ifndef":
                true = self._true(word, rest)
                self._open.append((true is not False, true))
            case b"elif" | b"elifdef" | b"elifndef" | b"else" if self._open:
                _, taken = self._open[-1]
                test = True if word == b"else" else self._true(word.removeprefix(b"el"), rest)
                now = taken is not True and test is not False
                known = None if taken is None or test is None else taken or test
                self._open[-1] = (now, known)
            case b"endif" if self._open:
                self._open.pop()
            case b"define" if all(counts for counts, _ in self._open):
                if match := _DEFINE.fullmatch(rest):
                    self.macros[match[1]] = (match[2] or b"").strip()
            case b"undef":
                self.macros.pop(rest.strip(), None)

    def _true(self, word: bytes, rest: bytes) -> bool | None:
        """Returns the value of a condition; None if unknown."""
        if word == b"ifdef":
            return self._defined(rest.strip())
        if word == b"ifndef":
            return not self._defined(rest.strip())
        if match := _DEFINED.fullmatch(rest):
            return self._defined(match[2]) is not bool(match[1])
        value = self.macros.get(rest.strip(), rest.strip())
        return bool(int(value)) if value.isdigit() else None

    def _defined(self, name: bytes) -> bool:
        return name in self.macros or name in self.built_in


def _without_comment(match: re.Match[bytes]) -> bytes:
    if match["comment"] is None:
        return match[0]
    return b" " + b"\n" * match[0].count(b"\n")


def _is_alias(body: bytes) -> bool:
    """Returns whether a macro names a type or a number, as a declaration can."""
    if not body or not _KEYWORDS.isdisjoint(_WORD.findall(body)):
        return False
    return bool(_TYPE.fullmatch(body) or _NUMBER_OR_SUM.fullmatch(body))


def _declared(name: bytes, body: bytes) -> bytes:
    if _TYPE.fullmatch(body):
        return b"using %s = %s;\n" % (name, body)
    return b"constexpr auto %s = %s;\n" % (name, body)


def _substituted(text: bytes, macros: dict[bytes, bytes]) -> bytes:
    """Returns the text with these macros put in, and the macros within.

    The names of types stay, that they may be shown as they are written.
    """
    short = {name: body for name, body in macros.items() if len(body) <= _LONGEST_MACRO}
    if not short:
        return text
    words = [name + rb"\b(?=\s*\()" if _is_alias(short[name]) else name + rb"\b" for name in short]
    names = re.compile(_LITERAL + rb"|\b(?P<name>" + rb"|".join(words) + rb")")
    for _ in range(_DEEPEST_MACRO):
        changed = names.sub(lambda m: short[m["name"]] if m["name"] else m[0], text)
        if changed == text or len(changed) > 2 * len(text) + _LONGEST_MACRO * _DEEPEST_MACRO:
            break
        text = changed
    return text


def _closing(text: bytes, at: int) -> int | None:
    """Returns where the bracket that opens at `at` is closed, or None where that is not near."""
    depth = 0
    for match in _BRACKET.finditer(text, at, at + _LONGEST_ATTRIBUTE):
        depth += 1 if match[0] == b"(" else -1
        if depth == 0:
            return match.end()
    return None


_MOST_REMEMBERED = 32

Scope = tuple[str, ...]


@dataclass(frozen=True)
class Declaration:
    """A name and the syntax that declares the name.

    Attributes:
        name: Without the namespaces.
        node: A struct, a union, an enum, the type of an alias, or the value of a constant.
        scope: The namespaces and classes around it.
        declarator: What is around the name of a `typedef` or alias, such as a ``*``.
        template: The list of template parameters, or None.
    """

    name: str
    node: Node
    scope: Scope
    declarator: Node | None = None
    template: Node | None = None

    @property
    def path(self) -> str:
        """The name with the namespaces."""
        return "::".join((*self.scope, self.name))


@dataclass(frozen=True)
class KernelNode:
    """A declaration of a kernel.

    Attributes:
        name: Without namespaces and template arguments.
        scope: The namespaces around it.
        parameters: The list of parameters.
        template: The list of template parameters, or None.
        line: From 1.
        span: The first and the last line of the whole declaration, its template included.
        attributes: Those that were set aside, such as ``__launch_bounds__``.
    """

    name: str
    scope: Scope
    parameters: Node
    template: Node | None
    line: int
    span: tuple[int, int]
    attributes: tuple[Attribute, ...]


@dataclass(frozen=True)
class VariableNode:
    """A declaration of a variable outside of functions that device code uses.

    Attributes:
        name: Without the namespaces.
        scope: The namespaces around it.
        kind: Its type, and `declarator` what is around its name.
        declarator: See `kind`.
        is_const: Whether it is never written, not by the host either.
        is_initialised: Whether the declaration says what it holds.
        template: The list of template parameters, or None.
    """

    name: str
    scope: Scope
    kind: Node
    declarator: Node
    is_const: bool
    is_initialised: bool
    template: Node | None

    @property
    def path(self) -> str:
        """The name with the namespaces."""
        return "::".join((*self.scope, self.name))


@dataclass
class Declarations:
    """The declarations of a text.

    Attributes:
        types: Structs, unions, enums and aliases.
        numbers: Constants and enumerators.
        specialised: The paths of class templates that have specialisations.
        kernels: In order.
        variables: Those of device code, in order.
        used: The namespaces of directives, `using namespace sizes;`, with those around in front.
    """

    types: list[Declaration] = field(default_factory=list)
    numbers: list[Declaration] = field(default_factory=list)
    specialised: set[str] = field(default_factory=set)
    kernels: list[KernelNode] = field(default_factory=list)
    variables: list[VariableNode] = field(default_factory=list)
    used: list[str] = field(default_factory=list)


@lru_cache(_MOST_REMEMBERED)
def declarations(text: bytes, defines: tuple[str, ...] = ()) -> Declarations:
    """Returns all declarations of a text; the caller must not change the result.

    Args:
        text: In UTF-8.
        defines: Macros defined from outside, as ``NAME`` or ``NAME=BODY``.
    """
    prepared = prepare(text, defines)
    declared = Declarations()
    for code, attributes in ((prepared.text, prepared.attributes), (prepared.aliases, ())):
        _Walk(declared, list(attributes)).walk(parse(code))
    return declared


@dataclass(frozen=True)
class _Place:
    scope: Scope = ()
    template: Node | None = None


@dataclass
class _Walk:
    """Goes through a tree in the order of the text, without recursion: texts may nest deeply."""

    declarations: Declarations
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
            case "using_declaration" if b"namespace" in (child.text for child in node.children):
                self.declarations.used.append(
                    "::".join((*place.scope, text_of(node.named_children[-1])))
                )
            case "type_definition":
                return self._typedef(node, place)
            case "declaration" | "field_declaration":
                self._constants(node, place)
                self._variables(node, place)
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
            self.declarations.specialised.add("::".join(path))
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
                    self.declarations.numbers.append(Declaration(member, enumerator, scope))

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
            number = declarator.child_by_field_name("value") or value
            inner = declarator.child_by_field_name("declarator") or declarator
            if number is not None and inner.type in _NAMES:
                self.declarations.numbers.append(Declaration(text_of(inner), number, place.scope))

    def _variables(self, node: Node, place: _Place) -> None:
        words, kind = {c.text for c in node.children}, node.child_by_field_name("type")
        if words.isdisjoint(_ON_DEVICE) or kind is None:
            return
        for declarator in node.children_by_field_name("declarator"):
            inner = declarator.child_by_field_name("declarator")
            is_initialised = declarator.type == "init_declarator" and inner is not None
            bare = inner if is_initialised and inner is not None else declarator
            *around, name = declared_name(bare).split("::")
            if name and _function(bare) is None:
                scope = (*place.scope, *filter(None, around))
                # Of `const float *table` it is not the pointer that is const.
                leads = any(n.type == "pointer_declarator" for n in declarator_chain(bare))
                is_const = b"const" in words and not leads
                self.declarations.variables.append(
                    VariableNode(name, scope, kind, bare, is_const, is_initialised, place.template)
                )

    def _type(self, declaration: Declaration) -> None:
        if declaration.name:
            self.declarations.types.append(declaration)

    def _kernels_in(self, node: Node, place: _Place) -> None:
        """Takes the functions behind `__global__` among a node's children."""
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
        span = _span(function, place.template)
        kernel = KernelNode(last, scope, parameters, place.template, line, span, tuple(mine))
        self.declarations.kernels.append(kernel)


def _span(declarator: Node, template: Node | None) -> tuple[int, int]:
    """Returns the first and the last line of a function by its declarator."""
    whole = declarator
    while whole.type not in _WHOLE and whole.parent is not None:
        whole = whole.parent
    if whole.type not in _WHOLE:
        whole = declarator
    first = min(whole.start_point[0], template.start_point[0] if template else whole.end_point[0])
    return first + 1, whole.end_point[0] + 1


_WHOLE = frozenset({"function_definition", "declaration"})
_CONSTANT = frozenset({b"const", b"constexpr"})
_ON_DEVICE = frozenset({b"__device__", b"__constant__", b"__managed__"})
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
    """Returns the function that a declarator declares; None for no function."""
    while node.type in ("init_declarator", "ERROR"):
        inner = node.child_by_field_name("declarator")
        if inner is None:
            return None
        node = inner
    return node if node.type == "function_declarator" else None
