"""The symbols that a text of any kind defines; symbols of CUDA C++ from the syntax tree.

The text is read as it is: what a preprocessor would leave out is found, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tree_sitter import Node

from jitstudio.core.code import CodeKind
from jitstudio.listing.cuda.syntax import declarator_chain, name_node, parse
from jitstudio.listing.symbols import Symbol, SymbolKind, llvm_symbols, ptx_symbols

_TYPES = frozenset(
    {
        "struct_specifier",
        "class_specifier",
        "union_specifier",
        "enum_specifier",
        "alias_declaration",
        "concept_definition",
    }
)
_MACROS = frozenset({"preproc_def", "preproc_function_def"})
# What holds definitions without being one that anybody looks for.
_AROUND = frozenset(
    {
        "translation_unit",
        "declaration_list",
        "field_declaration_list",
        "linkage_specification",
        "template_declaration",
        "preproc_if",
        "preproc_ifdef",
        "preproc_else",
        "preproc_elif",
        "ERROR",
    }
)
# Known to all functions, and so looked for as they are.
_LASTING = frozenset({b"__constant__", b"__device__", b"__managed__", b"__shared__"})
_FUNCTION_NAMES = frozenset(
    {"qualified_identifier", "operator_name", "destructor_name", "template_function"}
)


def cuda_symbols(text: str) -> tuple[Symbol, ...]:
    """Returns the functions, kernels, types, macros and variables of the GPU, in order."""
    content = text.encode("utf-8", "replace")
    finder = _Finder(content)
    return tuple(finder.within(parse(content), ""))


class _Finder:
    def __init__(self, content: bytes) -> None:
        self._content = content

    def within(self, node: Node, scope: str) -> Iterator[Symbol]:
        """Yields the symbols in a node; no tree is deep in the places looked at."""
        for child in node.named_children:
            yield from self._at(child, scope)

    def _at(self, node: Node, scope: str) -> Iterator[Symbol]:
        name = node.child_by_field_name("name")
        if node.type in _MACROS:
            yield from self._symbol(name, SymbolKind.MACRO, "")
        elif node.type == "namespace_definition":
            yield from self._inside(node, scope, name)
        elif node.type in _TYPES:
            body = node.child_by_field_name("body")
            if body is not None or node.type == "alias_declaration":
                yield from self._symbol(name, SymbolKind.TYPE, scope)
                yield from self._inside(node, scope, name)
        elif node.type == "type_definition":
            yield from self.within(node, scope)
            yield from self._symbol(
                name_node(node.child_by_field_name("declarator")), SymbolKind.TYPE, scope
            )
        elif node.type == "function_definition":
            kind = SymbolKind.KERNEL if _has(node, "__global__") else SymbolKind.FUNCTION
            yield from self._symbol(_function_name(node), kind, scope)
        elif node.type in ("declaration", "field_declaration"):
            yield from self._declaration(node, scope)
        elif node.type in _AROUND:
            yield from self.within(node, scope)

    def _inside(self, node: Node, scope: str, name: Node | None) -> Iterator[Symbol]:
        body = node.child_by_field_name("body")
        if body is not None:
            yield from self.within(body, f"{scope}{self._text(name)}::" if name else scope)

    def _declaration(self, node: Node, scope: str) -> Iterator[Symbol]:
        """Yields a type that is defined on the way, and the variables that last."""
        yield from self.within(node, scope)
        words = {self._content[child.start_byte : child.end_byte] for child in node.children}
        declarator = node.child_by_field_name("declarator")
        shapes = {inner.type for inner in declarator_chain(declarator)}
        if words & _LASTING and "function_declarator" not in shapes:
            yield from self._symbol(name_node(declarator), SymbolKind.VARIABLE, scope)

    def _symbol(self, name: Node | None, kind: SymbolKind, scope: str) -> Iterator[Symbol]:
        if name is not None:
            yield Symbol(f"{scope}{self._text(name)}", kind, name.start_point[0] + 1)

    def _text(self, node: Node | None) -> str:
        content = self._content[node.start_byte : node.end_byte] if node else b""
        return " ".join(content.decode("utf-8", "replace").split())


def _has(node: Node, word: str) -> bool:
    return any(child.type == word for child in node.children)


def _function_name(node: Node) -> Node | None:
    """Returns the whole name of a function, as `Class::operator()`."""
    for inner in declarator_chain(node.child_by_field_name("declarator")):
        if inner.type == "function_declarator":
            named = inner.child_by_field_name("declarator")
            if named is not None and named.type in _FUNCTION_NAMES:
                return named
    return name_node(node.child_by_field_name("declarator"))


_FINDERS: dict[CodeKind, Callable[[str], tuple[Symbol, ...]]] = {
    CodeKind.CUDA: cuda_symbols,
    CodeKind.HEADER: cuda_symbols,
    CodeKind.LLVM_IR: llvm_symbols,
    CodeKind.PTX: ptx_symbols,
}


def symbols(kind: CodeKind, text: str) -> tuple[Symbol, ...]:
    """Returns the symbols of a text, in order; none for kinds without names. May take a while."""
    find = _FINDERS.get(kind)
    return find(text) if find else ()
