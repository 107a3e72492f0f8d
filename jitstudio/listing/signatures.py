"""The kernels that a source declares, with their parameters, found by reading its text alone.

Whatever stands in the text, there is an answer: what cannot be read is left out or unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from jitstudio.core.code import CodeKind, Header, Source
from jitstudio.core.launch.request import Parameter, Signature
from jitstudio.core.launch.types import Type
from jitstudio.listing.cuda_declarations import KernelNode, Scope, declarations
from jitstudio.listing.cuda_syntax import is_const, name_node, parse, template_name, text_of
from jitstudio.listing.cuda_types import NOTHING, Argument, Bindings, Types
from jitstudio.listing.llvm_kernels import llvm_signatures

_PARAMETERS = frozenset(
    {"parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration"}
)
_LOOSE = re.compile(r" ([*&\[)])")
# A type may nest as deeply as the text likes, but Python's stack may not.
_TOO_DEEP = RecursionError


def signatures(source: Source, headers: Sequence[Header] = ()) -> tuple[Signature, ...]:
    """The kernels of a source in CUDA C++ or LLVM IR, in order; none for other kinds.

    Args:
        source: The module.
        headers: Headers whose types and constants are known, too.
    """
    if source.kind is CodeKind.LLVM_IR:
        return llvm_signatures(source)
    return tuple(kernel.signature() for kernel in declared_kernels(source, headers))


@dataclass(frozen=True)
class DeclaredKernel:
    """A kernel of CUDA C++, whose types can be asked for once its template arguments are known.

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
        """The name with its namespaces."""
        return "::".join((*self.node.scope, self.node.name))

    def signature(self, bindings: Bindings = NOTHING) -> Signature:
        """The kernel with these template arguments put in.

        Args:
            bindings: What template parameters stand for; types that depend on others are unknown.
        """
        bounds = self._attribute("__launch_bounds__", bindings)
        cluster = self._attribute("__cluster_dims__", bindings)
        return Signature(
            name=self.path,
            parameters=tuple(self._parameters(bindings)),
            module=self.module,
            line=self.node.line,
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
        """What the template's parameters stand for, given its first arguments as C++ text."""
        if self.node.template is None:
            return {}
        given = [self._argument(text) for text in arguments]
        try:
            return self.types.bound(self.node.template, given, self.node.scope)
        except _TOO_DEEP:
            return {}

    def types_of(self, parameters: Iterable[str]) -> tuple[Type | None, ...]:
        """What C++ text of parameter types means where this kernel is declared."""
        return types_of(parameters, self.types, self.node.scope)

    def _parameters(self, bindings: Bindings) -> Iterable[Parameter]:
        for node in self.node.parameters.named_children:
            if node.type in _PARAMETERS and text_of(node) != "void":
                declarator = node.child_by_field_name("declarator")
                name = name_node(declarator)
                spelling = _spelling(node, name)
                found = _passed(node, self.types, self.node.scope, bindings)
                yield Parameter(text_of(name), spelling, found)

    def _argument(self, text: str) -> Argument | None:
        listed = _first(parse(f"using x = f<{text}>;".encode()), {"template_argument_list"})
        try:
            inner = listed.named_children if listed else []
            return self.types.argument(inner[0], self.node.scope) if inner else None
        except _TOO_DEEP:
            return None

    def _attribute(self, name: str, bindings: Bindings) -> list[int | None]:
        """The numbers in the brackets of an attribute; empty where it is not there."""
        given = [a.arguments for a in self.node.attributes if a.name == name]
        call = _first(parse(b"int x = f(%s);" % given[-1]), {"argument_list"}) if given else None
        try:
            nodes = call.named_children if call else []
            return [self.types.number(node, self.node.scope, bindings) for node in nodes]
        except _TOO_DEEP:
            return []


def types_of(parameters: Iterable[str], types: Types, scope: Scope = ()) -> tuple[Type | None, ...]:
    """What C++ text of parameter types means in this scope."""
    nodes = (_first(parse(f"void f({text});".encode()), _PARAMETERS) for text in parameters)
    return tuple(_passed(node, types, scope, NOTHING) if node else None for node in nodes)


def _passed(node: Node, types: Types, scope: Scope, bindings: Bindings) -> Type | None:
    """What a parameter is."""
    try:
        return types.declared(
            node.child_by_field_name("type"),
            node.child_by_field_name("declarator"),
            scope,
            bindings,
            const=is_const(node),
            decays=True,
        )
    except _TOO_DEEP:
        return None


def declared_kernels(
    source: Source, headers: Sequence[Header] = (), defines: tuple[str, ...] = ()
) -> tuple[DeclaredKernel, ...]:
    """The kernels of a source in CUDA C++, in order; none for other kinds.

    Args:
        source: The module.
        headers: Headers whose types and constants are known, too.
        defines: Macros defined from outside, as ``NAME`` or ``NAME=BODY``.
    """
    if source.kind not in (CodeKind.CUDA, CodeKind.HEADER):
        return ()
    contents = (source.content, *(header.content for header in headers))
    texts = [declarations(content, defines) for content in contents]
    types = Types(texts)
    return tuple(DeclaredKernel(source.name, node, types) for node in texts[0].kernels)


def _spelling(node: Node, name: Node | None) -> str:
    """The type as it is written: a declaration without its name and its default."""
    text, start = node.text or b"", node.start_byte
    default = node.child_by_field_name("default_value")
    end = default.start_byte if default else node.end_byte
    left_out = (name.start_byte, name.end_byte) if name else (end, end)
    written = text[: left_out[0] - start] + b" " + text[left_out[1] - start : end - start]
    words = written.decode("utf-8", "replace").rstrip("= \n\t").split()
    spelt = " ".join(word for word in words if word != "__grid_constant__")
    return _LOOSE.sub(r"\1", spelt)


def _first(root: Node, kinds: Iterable[str]) -> Node | None:
    """The first node of one of these kinds, from the outside to the inside."""
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
