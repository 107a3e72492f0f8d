"""The kernels of a build, ready to be filled in: what their source says and what became of it.

The source knows names and types, PTX knows where the parameters lie. Where they disagree, PTX is
right, for it is what runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from jitstudio.core.code import CodeKind, Header, Source, split_variant
from jitstudio.core.launch.request import FormParameter, KernelForm, Parameter, Signature
from jitstudio.core.launch.types import Pointer, Type
from jitstudio.core.result import BuildResult, Kernel
from jitstudio.listing.cuda_declarations import declarations
from jitstudio.listing.cuda_types import Types
from jitstudio.listing.kernel_names import KernelName, read_name
from jitstudio.listing.kernel_parameters import expanded, merged
from jitstudio.listing.llvm_kernels import llvm_signatures
from jitstudio.listing.ptx_access import Access, pointer_access
from jitstudio.listing.ptx_parameters import PtxParameter, parameter_slots
from jitstudio.listing.signatures import DeclaredKernel, declared_kernels, types_of

_DEFINES = ("--define-macro=", "-D")


def kernel_forms(
    sources: Sequence[Source],
    result: BuildResult,
    headers: Sequence[Header] = (),
    *,
    access: bool = False,
) -> tuple[KernelForm, ...]:
    """The kernels of a result, each with its parameters.

    Args:
        sources: The modules that were built.
        result: What came of it.
        headers: The headers in memory that it was built with.
        access: Whether to find out what kernels do behind their pointers, which takes longer than
            all the rest and is for the first texts of a form only.
    """
    known = _Known.of(sources, result, headers, access)
    kernels = {(_module(k.module), k.name): k for k in result.kernels}.values()
    forms = [known.form(kernel, _name(kernel, result)) for kernel in kernels]
    used = Counter(form.title for form in forms)
    words = {kernel.name: kernel.demangled.removeprefix("void ") for kernel in kernels}
    # Overloads have nothing but their parameters to be told apart by.
    return tuple(
        form if used[form.title] == 1 else replace(form, title=words[form.lowered])
        for form in forms
    )


@dataclass(frozen=True)
class _Layout:
    """The parameters of the kernels in one PTX text.

    Attributes:
        module: The module that the text was made from, or is.
        kernels: The parameters by lowered name.
        access: What these kernels do behind their pointers; empty where nobody asked.
        by_hand: Whether the text is a source.
    """

    module: str
    kernels: dict[str, tuple[PtxParameter, ...]]
    access: dict[str, Access]
    by_hand: bool = False

    @classmethod
    def of(cls, module: str, ptx: str, access: bool, *, by_hand: bool = False) -> _Layout:
        used = pointer_access(ptx) if access else {}
        return cls(module, parameter_slots(ptx), used, by_hand)


@dataclass(frozen=True)
class _Known:
    """All that sources and PTX tell of kernels."""

    declared: tuple[DeclaredKernel, ...]
    written: tuple[Signature, ...]
    layouts: tuple[_Layout, ...]
    types: Types

    @classmethod
    def of(
        cls,
        sources: Sequence[Source],
        result: BuildResult,
        headers: Sequence[Header],
        access: bool,
    ) -> _Known:
        headers = tuple(headers)
        texts = [(source, _defines(result, source.name)) for source in sources]
        # Kernels may be in headers, too, most of all templates.
        texts += [(Source(h.name, CodeKind.HEADER, h.content), ()) for h in headers]
        code = [(t.content, d) for t, d in texts if t.kind in (CodeKind.CUDA, CodeKind.HEADER)]
        made = (a for a in result.artifacts if a.kind is CodeKind.PTX)
        by_hand = (s for s in sources if s.kind is CodeKind.PTX)
        return cls(
            tuple(k for text, given in texts for k in declared_kernels(text, headers, given)),
            tuple(s for source in sources for s in _llvm(source)),
            (
                *(_Layout.of(_module(a.name), a.text, access) for a in made),
                *(_Layout.of(s.name, _text(s), access, by_hand=True) for s in by_hand),
            ),
            Types(declarations(content, defines) for content, defines in code),
        )

    def form(self, kernel: Kernel, name: KernelName) -> KernelForm:
        layout = self._layout(kernel)
        slots = layout.kernels[kernel.name] if layout else None
        by_hand = any(x.by_hand and kernel.name in x.kernels for x in self.layouts)
        signature = self._signature(kernel, name, slots)
        told = signature.parameters if signature else self._named(name)
        parameters = merged(kernel.name, told, slots, declared=bool(signature) or by_hand)
        form = KernelForm(
            lowered=kernel.name,
            title=name.title,
            parameters=_accessed(
                parameters.parameters, layout.access.get(kernel.name, {}) if layout else {}
            ),
            notes=parameters.notes,
            complete=parameters.complete,
        )
        if signature is None:
            return form
        return replace(
            form,
            block_hint=signature.block_hint,
            cluster=signature.cluster,
            module=signature.module,
            line=signature.line,
        )

    def _named(self, name: KernelName) -> tuple[Parameter, ...] | None:
        """What a name in C++ tells of the parameters where no source does."""
        if name.parameters is None:
            return None
        pairs = zip(name.parameters, types_of(name.parameters, self.types), strict=True)
        return tuple(Parameter("", spelling, found) for spelling, found in pairs)

    def _layout(self, kernel: Kernel) -> _Layout | None:
        """The PTX of this very module, else any with such a kernel, as after a link."""
        found = [layout for layout in self.layouts if kernel.name in layout.kernels]
        module = _module(kernel.module)
        return min(found, key=lambda layout: layout.module != module, default=None)

    def _signature(
        self, kernel: Kernel, name: KernelName, slots: Sequence[PtxParameter] | None
    ) -> Signature | None:
        """What the source says, with template arguments put in; None where it says nothing."""
        listed = slots if slots is not None else name.parameters
        count = None if listed is None else len(listed)
        readings = [
            _Reading.of(declared, kernel, name, count)
            for declared in self.declared
            if name.path in (declared.path, declared.node.name)
        ]
        if readings:
            return min(readings, key=lambda reading: reading.doubts).signature
        written = [signature for signature in self.written if signature.name == kernel.name]
        return min(written, key=lambda s: s.module != _module(kernel.module), default=None)


@dataclass(frozen=True)
class _Reading:
    """What a kernel would be if it were this declaration, and what speaks against that."""

    signature: Signature
    doubts: tuple[int, ...]

    @classmethod
    def of(
        cls, declared: DeclaredKernel, kernel: Kernel, name: KernelName, count: int | None
    ) -> _Reading:
        signature = declared.signature(declared.bindings(name.arguments))
        parameters = expanded(signature.parameters, count)
        told = declared.types_of(name.parameters or ())
        doubts = (
            name.path != declared.path,
            bool(name.arguments) != bool(signature.template_parameters),
            len(parameters) != count,
            sum(p.type != other for p, other in zip(parameters, told, strict=False)),
            sum(not p.name for p in parameters),
            signature.module != _module(kernel.module),
        )
        if len(told) == len(parameters):
            pairs = zip(parameters, told, strict=True)
            parameters = tuple(replace(p, type=_more(p.type, other)) for p, other in pairs)
        return cls(replace(signature, parameters=parameters), doubts)


def _more(by_source: Type | None, by_name: Type | None) -> Type | None:
    """The type that tells more; the name knows what dependent types of the source are."""
    untold = by_source is None or (isinstance(by_source, Pointer) and by_source.target is None)
    return by_name if untold and by_name is not None else by_source


def _accessed(parameters: Sequence[FormParameter], access: Access) -> tuple[FormParameter, ...]:
    """The parameters with what happens behind those that are pointers."""
    return tuple(
        replace(p, access=access.get(i)) if isinstance(p.type, Pointer) else p
        for i, p in enumerate(parameters)
    )


def _name(kernel: Kernel, result: BuildResult) -> KernelName:
    """The kernel's name in C++; from a name expression where nothing can demangle."""
    if kernel.demangled != kernel.name or not kernel.name.startswith("_Z"):
        return read_name(kernel.demangled)
    expressions = (n.expression for n in result.lowered_names if n.lowered == kernel.name)
    return read_name(next(expressions, kernel.name))


def _module(name: str) -> str:
    return split_variant(name)[0]


def _text(source: Source) -> str:
    return source.content.decode("utf-8", "replace")


def _llvm(source: Source) -> tuple[Signature, ...]:
    return llvm_signatures(source) if source.kind is CodeKind.LLVM_IR else ()


def _defines(result: BuildResult, module: str) -> tuple[str, ...]:
    """The macros that the compiler was given for this module."""
    options = [o for s in result.stages if s.source == module for o in s.options]
    return tuple(dict.fromkeys(_bodies(options)))


def _bodies(options: Sequence[str]) -> Iterator[str]:
    for option in options:
        for prefix in _DEFINES:
            if option.startswith(prefix) and option != prefix:
                yield option.removeprefix(prefix).strip()
                break
