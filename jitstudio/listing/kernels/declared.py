"""The kernels that a source declares, with their parameters: CUDA C++ and LLVM IR."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from jitstudio.core.code import CodeKind, Header, Source, is_bitcode
from jitstudio.core.ir_functions import ir_functions, without_comments
from jitstudio.core.launch.c_types import LLVM_SCALARS
from jitstudio.core.launch.request import (
    Parameter,
    Signature,
)
from jitstudio.core.launch.types import Pointer, Type
from jitstudio.listing.cuda.declarations import KernelNode, Scope, declarations
from jitstudio.listing.cuda.host_launches.macros import LaunchMacros, Macro, defined_macros
from jitstudio.listing.cuda.syntax import is_const, name_node, parse, template_name, text_of
from jitstudio.listing.cuda.types import NOTHING, Argument, Bindings, Types

_PARAMETERS = frozenset(
    {"parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration"}
)
_LOOSE = re.compile(r" ([*&\[)])")
TOO_DEEP = RecursionError
"""A type may nest as deeply as the text likes, but Python's stack may not."""


@dataclass(frozen=True)
class DeclaredKernel:
    """A kernel of CUDA C++, whose types are known once the template arguments are.

    Attributes:
        module: The module it is in.
        node: Where it is declared.
        types: What its text and its headers declare.
    """

    module: str
    node: KernelNode
    types: Types

    @property
    def path(self) -> str:
        """The name with the namespaces."""
        return "::".join((*self.node.scope, self.node.name))

    def signature(self, bindings: Bindings = NOTHING) -> Signature:
        """Returns the kernel with these template arguments put in.

        Args:
            bindings: What template parameters represent; types that depend on others are unknown.
        """
        bounds = self._attribute("__launch_bounds__", bindings)
        cluster = self._attribute("__cluster_dims__", bindings)
        return Signature(
            name=self.path,
            parameters=tuple(self._parameters(bindings)),
            module=self.module,
            line=self.node.line,
            span=self.node.span,
            template_parameters=self.template_parameters,
            block_hint=bounds[0] if bounds and bounds[0] else None,
            cluster=_three(cluster),
        )

    @property
    def template_parameters(self) -> tuple[str, ...]:
        """Their names in order; empty for no template."""
        nodes = self.node.template.named_children if self.node.template else ()
        return tuple(template_name(n) for n in nodes if n.type.endswith("_declaration"))

    def bindings(self, arguments: Iterable[str]) -> dict[str, Argument]:
        """Returns the meanings of the template's parameters, by the first arguments as C++ text."""
        if self.node.template is None:
            return {}
        passed = [self.types.argument_in(text, self.node.scope) for text in arguments]
        try:
            return self.types.bound(self.node.template, passed, self.node.scope)
        except TOO_DEEP:
            return {}

    def types_of(self, parameters: Iterable[str]) -> tuple[Type | None, ...]:
        """Returns the types of C++ text where this kernel is declared."""
        return types_of(parameters, self.types, self.node.scope)

    def _parameters(self, bindings: Bindings) -> Iterable[Parameter]:
        for node in self.node.parameters.named_children:
            if node.type in _PARAMETERS and text_of(node) != "void":
                declarator = node.child_by_field_name("declarator")
                name = name_node(declarator)
                spelling = _spelling(node, name)
                kind = _passed(node, self.types, self.node.scope, bindings)
                yield Parameter(text_of(name), spelling, kind)

    def _attribute(self, name: str, bindings: Bindings) -> list[int | None]:
        """Returns the numbers in the brackets of an attribute; empty without the attribute."""
        lists = [a.arguments for a in self.node.attributes if a.name == name]
        call = _first(parse(b"int x = f(%s);" % lists[-1]), {"argument_list"}) if lists else None
        try:
            nodes = call.named_children if call else []
            return [self.types.number(node, self.node.scope, bindings) for node in nodes]
        except TOO_DEEP:
            return []


def types_of(parameters: Iterable[str], types: Types, scope: Scope = ()) -> tuple[Type | None, ...]:
    """Returns the parameter types of C++ text in this scope."""
    nodes = (_first(parse(f"void f({text});".encode()), _PARAMETERS) for text in parameters)
    return tuple(_passed(node, types, scope, NOTHING) if node else None for node in nodes)


def _passed(node: Node, types: Types, scope: Scope, bindings: Bindings) -> Type | None:
    """Returns the type of a parameter."""
    try:
        return types.declared(
            node.child_by_field_name("type"),
            node.child_by_field_name("declarator"),
            scope,
            bindings,
            const=is_const(node),
            decays=True,
        )
    except TOO_DEEP:
        return None


def declared_kernels(
    source: Source, headers: Sequence[Header] = (), defines: tuple[str, ...] = ()
) -> tuple[DeclaredKernel, ...]:
    """Returns the kernels of a source in CUDA C++, in order; none for other kinds.

    Args:
        source: The module.
        headers: Headers whose types, constants and macros of kernels are known, too.
        defines: Macros defined from outside, as ``NAME`` or ``NAME=BODY``.
    """
    if source.kind not in (CodeKind.CUDA, CodeKind.HEADER):
        return ()
    text = _with_made_kernels(source.content, [header.content for header in headers])
    own = declarations(text, defines)
    types = Types([own, *(declarations(header.content, defines) for header in headers)])
    return tuple(DeclaredKernel(source.name, node, types) for node in own.kernels)


def _with_made_kernels(text: bytes, headers: Iterable[bytes]) -> bytes:
    """Returns a text with macros that declare kernels expanded, line for line."""
    macros: dict[bytes, Macro] = {}
    for content in (*headers, text):
        if _KERNEL in content and b"define" in content:
            macros |= defined_macros(content)
    if not any(_KERNEL in macro.body for macro in macros.values()):
        return text
    makers = LaunchMacros(macros, {_KERNEL})

    def rest(match: re.Match[bytes]) -> bytes:
        is_one = match["name"] in makers.leading
        return b"\n" * match[0].count(b"\n") if is_one else match[0]

    return makers.expanded(_DEFINITION.sub(rest, text))


_KERNEL = b"__global__"
_DEFINITION = re.compile(
    rb"^[ \t]*+#[ \t]*+define[ \t]++(?P<name>\w++)(?>[^\\\n]++|\\(?:\r\n|[\s\S]))*+", re.MULTILINE
)


def _spelling(node: Node, name: Node | None) -> str:
    """Returns the type as written: a declaration without name and default."""
    text, start = node.text or b"", node.start_byte
    default = node.child_by_field_name("default_value")
    end = default.start_byte if default else node.end_byte
    left_out = (name.start_byte, name.end_byte) if name else (end, end)
    written = text[: left_out[0] - start] + b" " + text[left_out[1] - start : end - start]
    words = written.decode("utf-8", "replace").rstrip("= \n\t").split()
    spelt = " ".join(word for word in words if word != "__grid_constant__")
    return _LOOSE.sub(r"\1", spelt)


def _first(root: Node, kinds: Iterable[str]) -> Node | None:
    """Returns the first node of these kinds, from the outside to the inside."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type in kinds:
            return node
        todo.extend(reversed(node.named_children))
    return None


def _three(numbers: list[int | None]) -> tuple[int, int, int] | None:
    known = [n for n in numbers if n]
    if not known or len(known) != len(numbers) or len(known) > 3:
        return None
    x, y, z = (*known, 1, 1)[:3]
    return x, y, z


_NAME = r'(?:[\w.$-]+|"[^"\n]*")'
_MARK = re.compile(r"[](){}<>[,]")
_PARAMETER_NAME = re.compile(rf"\s%({_NAME})\Z")
_ADDRESS = re.compile(r"ptr\b|.*\*\s*(?:$|\s)", re.DOTALL)
_WORD = re.compile(r"(?P<word>\w+)\b(?![\s\w()]*\*)")
# Typed pointers say what they point at.
_TARGET = re.compile(r"(?P<word>\w++)\s*+(?:addrspace\(\d++\))?\s*+\*(?!.*\*)", re.DOTALL)
_ONLY_READ = re.compile(r"\breadonly\b")
_BY_VALUE = re.compile(r"\bbyval\b")


def llvm_signatures(source: Source) -> tuple[Signature, ...]:
    """Returns the functions of a module that are kernels, or that a build can make kernels."""
    if is_bitcode(source.content):
        return ()
    text = without_comments(source.content.decode("utf-8", "replace"))
    functions = ir_functions(text)
    ends = [*(function.start for function in functions), len(text)][1:]
    return tuple(
        Signature(
            name=function.name,
            parameters=_parameters(text[function.parameters : end]),
            module=source.name,
            line=function.line,
            span=(function.line, function.line + _lines_to_brace(text[function.start : end])),
        )
        for function, end in zip(functions, ends, strict=True)
        if function.is_kernel or function.can_be_marked
    )


def _lines_to_brace(text: str) -> int:
    """Returns how many lines a definition has up to the brace that closes its body."""
    end = text.find("\n}")
    return text.count("\n", 0, end) + 1 if end >= 0 else 0


def _parameters(text: str) -> tuple[Parameter, ...]:
    """Returns the parameters up to the closing bracket."""
    depth, begin, parts = 0, 0, []
    for mark in _MARK.finditer(f"{text})"):
        if depth == 0 and mark[0] in ",)":
            parts.append(text[begin : mark.start()])
            begin = mark.end()
        if depth == 0 and mark[0] == ")":
            break
        depth += (mark[0] in "(<{[") - (mark[0] in ")>}]")
    return tuple(_parameter(part) for part in parts if part.strip())


def _parameter(text: str) -> Parameter:
    spelling = text.strip()
    name = _PARAMETER_NAME.search(spelling)
    if name is not None:
        spelling = spelling[: name.start()].rstrip()
    # LLVM numbers what has no name; such a number says nothing.
    shown = _plain(name[1]) if name else ""
    return Parameter("" if shown.isdigit() else shown, spelling, _llvm_type(spelling))


def _llvm_type(spelling: str) -> Type | None:
    if _BY_VALUE.search(spelling):
        return None
    if _ADDRESS.match(spelling):
        target = _TARGET.match(spelling)
        known = LLVM_SCALARS.get(target["word"]) if target else None
        return Pointer(known, bool(_ONLY_READ.search(spelling)))
    word = _WORD.match(spelling)
    return LLVM_SCALARS.get(word["word"]) if word else None


def _plain(name: str) -> str:
    return name.strip('"')
