"""Functions that modules declare or define in another way than others do, by their texts.

A link by LTO inlines what has another prototype without a word, where one by PTX warns. Functions
of C++ are called by their parameters, so that only those of ``extern "C"`` can differ in them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.listing.cuda.include_guards import without_guards
from jitstudio.listing.cuda.syntax import children, parse, text_of, within

_SHAPES = ("pointer_declarator", "reference_declarator", "array_declarator")
# What a type may consist of to be compared: other names may stand for the same type.
_WORDS = frozenset(
    ("void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned")
)
# What makes no difference to how a value is passed: `long long` is as wide as `long` on a GPU.
_IDLE = frozenset({"const", "signed", "unsigned"})
_ALIKE = {"long long": "long", "int long": "long", "int short": "short", "": "int"}
_LARGEST = 1 << 20


@dataclass(frozen=True)
class Prototype:
    """A function of ``extern "C"`` as declared in a module.

    Attributes:
        name: Its name.
        module: The module.
        line: Its line there, from 1.
        text: Its head as it is written.
        types: That of its result, then those of its parameters; None for one that may be another's.
        is_defined: Whether it has a body here.
    """

    name: str
    module: str
    line: int
    text: str
    types: tuple[str | None, ...]
    is_defined: bool

    def differs(self, other: Prototype) -> bool:
        """Returns whether the same function cannot be both."""
        if len(self.types) != len(other.types):
            return True
        pairs = zip(self.types, other.types, strict=True)
        return any(a != b for a, b in pairs if a is not None and b is not None)


def differing_prototypes(
    sources: Iterable[Source], defines: Mapping[str, Collection[str]] | None = None
) -> Iterator[Diagnostic]:
    """Yields a warning for each declaration that no definition in another module fits.

    Args:
        sources: The modules.
        defines: The names of macros that options define, by module.
    """
    declared = [
        prototype
        for source in sources
        if source.kind is CodeKind.CUDA and len(source.content) <= _LARGEST
        for prototype in prototypes(source, (defines or {}).get(source.name, ()))
    ]
    defined: dict[str, list[Prototype]] = {}
    for prototype in declared:
        if prototype.is_defined:
            defined.setdefault(prototype.name, []).append(prototype)
    for prototype in declared:
        same_name = defined.get(prototype.name, ())
        others = [other for other in same_name if other.module != prototype.module]
        if others and not prototype.is_defined and all(map(prototype.differs, others)):
            other = others[-1]
            yield Diagnostic(
                Severity.WARNING,
                prototype.module,
                prototype.line,
                None,
                f"Prototype doesn't match for '{prototype.name}': it is {prototype.text} here, and "
                f"{other.text} at {other.module}:{other.line}.",
            )


def prototypes(source: Source, defines: Collection[str] = ()) -> Iterator[Prototype]:
    """Yields the functions of ``extern "C"`` that a text of CUDA C++ declares or defines.

    Those below a condition of the preprocessor are left out, as they may not be compiled, but for
    conditions that always hold.

    Args:
        source: The module.
        defines: The names of macros that options define.
    """
    text = without_guards(source.content.decode("utf-8", "replace"), defines)
    for linkage in within(parse(text.encode())):
        if linkage.type != "linkage_specification" or '"C"' not in text_of(linkage)[:12]:
            continue
        if _is_conditional(linkage):
            continue
        for item in children(linkage):
            for node in children(item) if item.type == "declaration_list" else (item,):
                if node.type in ("declaration", "function_definition"):
                    yield from _prototype(source.name, node)


def _is_conditional(node: Node) -> bool:
    above = node.parent
    while above is not None and not above.type.startswith("preproc_"):
        above = above.parent
    return above is not None


def _prototype(module: str, node: Node) -> Iterator[Prototype]:
    declarator, shape = node.child_by_field_name("declarator"), ""
    while declarator is not None and declarator.type in _SHAPES:
        shape += " *"
        declarator = declarator.child_by_field_name("declarator")
    if declarator is None or declarator.type != "function_declarator":
        return
    name = declarator.child_by_field_name("declarator")
    listed = declarator.child_by_field_name("parameters")
    if name is None or name.type != "identifier" or listed is None:
        return
    parameters = [_type(parameter) for parameter in children(listed)]
    types = (_type(node, shape), *(() if parameters == ["void"] else parameters))
    is_defined = node.type == "function_definition"
    text = text_of(node).partition("{")[0].rstrip("; ").replace("__device__ ", "")
    yield Prototype(text_of(name), module, node.start_point[0] + 1, text, types, is_defined)


def _type(node: Node, shape: str = "") -> str | None:
    """Returns how a value of a type is passed; None where a word is not of the language."""
    if node.type not in ("declaration", "function_definition", "parameter_declaration"):
        return None
    declarator = None if shape else node.child_by_field_name("declarator")
    while declarator is not None and declarator.type.removeprefix("abstract_") in _SHAPES:
        shape += " *"
        declarator = declarator.child_by_field_name("declarator")
    is_parameter = node.type == "parameter_declaration"
    if is_parameter and declarator and declarator.type.endswith("function_declarator"):
        return None  # `int (*f)(int)` is a pointer
    words = f"{text_of(node.child_by_field_name('type'))}{shape}".split()
    if not words or not _WORDS.issuperset(set(words) - {"*", "const"}):
        return None
    significant = " ".join(sorted(word for word in words if word not in _IDLE))
    significant = "*" if "*" in words else significant.replace("int long long", "long")
    return _ALIKE.get(significant, significant)
