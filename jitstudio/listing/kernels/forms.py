"""The kernels of a build, ready to be filled in, by their source and the built code.

The source knows names and types, PTX knows where the parameters lie. Where they disagree, PTX is
right, for it is what runs. Sources are CUDA C++, LLVM IR or captured kernels, of which the text
alone is read: what cannot be read is left out or unknown.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

from jitstudio.core.captured import CapturedError, CapturedKernel, KernelLanguage, unpack
from jitstudio.core.code import Artifact, CodeKind, Header, Source, split_variant
from jitstudio.core.kernel_resources import cubin_resources, is_tile_code
from jitstudio.core.launch.arguments import host_variable
from jitstudio.core.launch.c_types import PTX_SCALARS
from jitstudio.core.launch.request import (
    Direction,
    FormParameter,
    HostLaunch,
    HostNeeds,
    KernelForm,
    ModuleVariable,
    Parameter,
    ParameterSlot,
    Signature,
)
from jitstudio.core.launch.texels import TexelUse
from jitstudio.core.launch.types import REFERENCES, Handle, Pointer, Scalar, Type
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult, Kernel, told_apart
from jitstudio.listing.cuda.declarations import VariableNode, declarations
from jitstudio.listing.cuda.types import NOTHING, Types
from jitstudio.listing.functions import functions
from jitstudio.listing.kernel_names import KernelName, mangled_arguments, read_name
from jitstudio.listing.kernels.captured import captured_launch, captured_signature
from jitstudio.listing.kernels.declared import (
    TOO_DEEP,
    DeclaredKernel,
    declared_kernels,
    llvm_signatures,
    types_of,
)
from jitstudio.listing.kernels.host_needs import host_needs
from jitstudio.listing.kernels.instance_launches import LaunchedInstance, launch_of
from jitstudio.listing.kernels.module_variables import (
    CodeVariable,
    PtxVariables,
    VariableUse,
    cubin_variables,
)
from jitstudio.listing.kernels.parameters import expanded, merged
from jitstudio.listing.own_headers import own_headers
from jitstudio.listing.ptx import (
    KernelUse,
    PtxParameter,
    kernel_uses,
    parameter_slots,
    reaches_texels,
)

_OF_TILES = (
    "A block of the grid is one tile block, as ct::bid() counts them. How many threads work on it "
    "is tileiras' choice, and no other number can be launched."
)
_DEFINES = ("--define-macro=", "-D")
_WIDE = 8
"""Bytes of an address or a handle."""
_LARGEST = 2_000_000
"""Bytes of a text of C++ up to which it is read: the syntax tree of larger ones takes seconds."""


def kernel_forms(
    sources: Sequence[Source],
    result: BuildResult,
    headers: Sequence[Header] = (),
    *,
    access: bool = False,
) -> tuple[KernelForm, ...]:
    """Returns the kernels of a result, each with parameters.

    Args:
        sources: The modules that were built.
        result: What came of it.
        headers: The headers in memory that it was built with.
        access: Whether to find out what kernels do behind their pointers and how the host code
            launches them, which takes longer than all the rest and is for the first texts of a
            form only.
    """
    known = _Known.of(sources, result, headers, access)
    kernels = {(_module(k.module), k.name): k for k in result.kernels}.values()
    instances = [known.instance(kernel, _kernel_name(kernel, result)) for kernel in kernels]
    same: dict[str, list[LaunchedInstance]] = {}
    for instance in instances:
        same.setdefault(instance.name.path, []).append(instance)
    forms = [
        known.form(kernel, instance, same[instance.name.path])
        for kernel, instance in zip(kernels, instances, strict=True)
    ]
    used = Counter(form.title for form in forms)
    titles = {
        (kernel.module, kernel.name): form.title
        if used[form.title] == 1 or kernel.demangled == kernel.name
        # Overloads have nothing but their parameters to be distinguished by.
        else kernel.demangled.removeprefix("void ")
        for kernel, form in zip(kernels, forms, strict=True)
    }
    apart = told_apart(kernels, lambda kernel: titles[kernel.module, kernel.name])
    return tuple(
        replace(form, title=apart[kernel.module, kernel.name])
        for kernel, form in zip(kernels, forms, strict=True)
    )


def unit_forms(request: BuildRequest, result: BuildResult, unit: str) -> dict[str, KernelForm]:
    """Returns the kernels of a build by lowered name; of several with a name, that of a unit.

    Args:
        request: The build.
        result: What came of it.
        unit: The module whose code is looked at, or `core.code.LINKED`.
    """
    forms = kernel_forms(request.sources, result, own_headers(request))
    ordered = sorted(forms, key=lambda form: form.unit == unit)
    return {form.lowered: form for form in ordered}


@dataclass(frozen=True)
class _Layout:
    """The parameters of the kernels in a PTX text.

    Attributes:
        module: The module that the text was made from, or is.
        kernels: The parameters by lowered name.
        uses: What these kernels do behind their pointers and with textures; empty where nobody
            asked and there are none.
        variables: Those outside of functions.
        by_hand: Whether the text is a source.
        needs: What the hosts of kernels have to prepare for, where that is anything.
        spans: See `KernelForm`, where the text is a source.
    """

    module: str
    kernels: dict[str, tuple[PtxParameter, ...]]
    uses: dict[str, KernelUse]
    variables: PtxVariables
    by_hand: bool = False
    needs: Mapping[str, HostNeeds] = field(default_factory=dict)
    spans: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, module: str, ptx: str, access: bool, *, by_hand: bool = False) -> _Layout:
        # Whether 64 bits are an address or a texture decides how they are filled in.
        used = kernel_uses(ptx) if access or reaches_texels(ptx) else {}
        slots, variables = parameter_slots(ptx), PtxVariables.of(ptx)
        found = functions(CodeKind.PTX, ptx.split("\n")) if by_hand else ()
        spans = {f.name: (f.line + 1, f.end) for f in found if f.is_defined}
        return cls(module, slots, used, variables, by_hand, host_needs(ptx), spans)


@dataclass(frozen=True)
class _Known:
    """All that sources and PTX say of kernels."""

    declared: tuple[DeclaredKernel, ...]
    written: tuple[Signature, ...]
    captured: Mapping[str, CapturedKernel]
    layouts: tuple[_Layout, ...]
    types: Types
    launches: tuple[HostLaunch, ...]
    device_variables: tuple[DeclaredVariable, ...]
    cubin_variables: Mapping[str, tuple[CodeVariable, ...]]
    expressions: Mapping[str, Set[str]]
    unread: tuple[str, ...]
    tile_blocks: Mapping[tuple[str, str], int | None]

    @classmethod
    def of(
        cls,
        sources: Sequence[Source],
        result: BuildResult,
        headers: Sequence[Header],
        access: bool,
    ) -> _Known:
        captured = dict(_captured(sources, result))
        texts = [(source, defines_of(result, source.name)) for source in sources]
        texts += [(_cuda_in(name, kernel), ()) for name, kernel in captured.items()]
        # Kernels may be in headers, too, most of all templates.
        texts += [(Source(h.name, CodeKind.HEADER, h.content), ()) for h in headers]
        code = [(t, d) for t, d in texts if t.kind in (CodeKind.CUDA, CodeKind.HEADER)]
        unread = tuple(text.name for text, _ in code if len(text.content) > _LARGEST)
        code = [(text, defines) for text, defines in code if text.name not in unread]
        headers = tuple(header for header in headers if header.name not in unread)
        codes: tuple[Source | Artifact, ...] = (*sources, *result.artifacts)
        built = (a for a in result.artifacts if a.kind is CodeKind.PTX)
        by_hand = (s for s in sources if s.kind is CodeKind.PTX)
        types = Types(declarations(text.content, defines) for text, defines in code)
        return cls(
            tuple(k for text, defines in code for k in declared_kernels(text, headers, defines)),
            tuple(s for source in sources for s in _llvm(source)),
            captured,
            (
                *(_Layout.of(_module(a.name), a.text, access) for a in built),
                *(_Layout.of(s.name, _text(s), access, by_hand=True) for s in by_hand),
            ),
            types,
            tuple(_host_launches(code, types)) if access else (),
            tuple(
                DeclaredVariable(text.name, node, types)
                for text, defines in code
                for node in declarations(text.content, defines).variables
            ),
            {
                _module(a.name): cubin_variables(a.content)
                for a in result.artifacts
                if a.kind is CodeKind.CUBIN
            },
            {
                kernel.name: {
                    n.expression for n in result.lowered_names if n.lowered == kernel.name
                }
                for kernel in result.kernels
            },
            unread,
            {
                (code.name, kernel): needs.max_threads
                for code in codes
                if code.kind is CodeKind.CUBIN and is_tile_code(code.content)
                for kernel, needs in cubin_resources(code.content).items()
            },
        )

    def instance(self, kernel: Kernel, name: KernelName) -> LaunchedInstance:
        """Returns a kernel for comparisons with launches."""
        count = None if name.parameters is None else len(name.parameters)
        return LaunchedInstance(name, count, self.expressions.get(kernel.name, frozenset()))

    def form(
        self, kernel: Kernel, instance: LaunchedInstance, others: Sequence[LaunchedInstance]
    ) -> KernelForm:
        name = instance.name
        layout = self._layout(kernel)
        slots = layout.kernels[kernel.name] if layout else None
        by_hand = any(x.by_hand and kernel.name in x.kernels for x in self.layouts)
        signature = self._signature(kernel, name, slots)
        may_be_declared = bool(signature or self.unread) or by_hand
        declared = signature.parameters if signature else self._named(name)
        parameters = merged(kernel.name, declared, slots, declared=may_be_declared)
        count, launches = len(parameters.parameters), self._launches_of(name)
        launch = launch_of(replace(instance, parameters=count), launches, others)
        captured = self.captured.get(_module(kernel.module))
        if launch is None and captured is not None and signature is not None:
            module = _module(kernel.module)
            launch = captured_launch(captured, module, name.title, parameters.parameters)
        taken = {parameter.name for parameter in parameters.parameters}
        variables = self._variables(kernel, layout, taken)
        spans = (x.spans[kernel.name] for x in self.layouts if kernel.name in x.spans)
        form = KernelForm(
            lowered=kernel.name,
            title=name.title,
            parameters=_accessed(
                parameters.parameters, layout.uses.get(kernel.name) if layout else None
            ),
            notes=(*map(_unread, self.unread), *parameters.notes),
            complete=parameters.complete,
            host_launch=self._without_others(launch, variables),
            unit=_module(kernel.module),
            variables=variables,
            needs=(layout.needs.get(kernel.name) if layout else None) or HostNeeds(),
            span=next(spans, (0, 0)),
        )
        if block := self.tile_blocks.get((kernel.module, kernel.name)):
            form = replace(form, block=block, remarks=(_OF_TILES,))
        if signature is None:
            return form
        return replace(
            form,
            block_hint=signature.block_hint,
            cluster=signature.cluster,
            block=signature.block or form.block,
            remarks=(*form.remarks, *signature.remarks),
            module=signature.module,
            line=signature.line,
            span=signature.span,
        )

    def _variables(
        self, kernel: Kernel, layout: _Layout | None, taken: set[str]
    ) -> tuple[FormParameter, ...]:
        """Returns the module variables that a kernel uses, as rows of the form.

        Args:
            kernel: The kernel.
            layout: The PTX that it is in.
            taken: The names of its parameters.
        """
        if layout is None:
            # Of machine code alone nobody knows which kernel uses them.
            known = {v.name: v for v in self.cubin_variables.get(_module(kernel.module), ())}
            uses = dict.fromkeys(known, VariableUse(writes=True))
        else:
            uses = layout.variables.used_by(kernel.name)
            known = {symbol: self._ptx_variable(symbol, layout) for symbol in uses}
        rows = []
        for symbol, use in uses.items():
            declared = self._declared_variable(symbol, _module(kernel.module))
            own = declared is not None and not declared.node.is_const
            by_hand = layout is not None and layout.by_hand
            # Compilers have variables, too: `$str`, `__cudart_i2opi_f` of sinf.
            if not (own or by_hand) and (declared or "$" in symbol or symbol.startswith("__")):
                continue
            name = read_name(symbol).path or symbol
            while name in taken:
                name = f"::{name}" if not name.startswith("::") else symbol
            taken.add(name)
            rows.append(_variable_row(name, known[symbol], use, declared))
        return tuple(rows)

    def _declared_variable(self, symbol: str, module: str) -> DeclaredVariable | None:
        """Returns the declaration of a lowered name: of that path, in that module, if possible."""
        fitting = [variable for variable in self.device_variables if variable.is_of(symbol)]
        path = read_name(symbol).path
        return min(fitting, key=lambda d: (d.node.path != path, d.module != module), default=None)

    def _launches_of(self, name: KernelName) -> list[HostLaunch]:
        """Returns the launches without launches of another kernel."""
        return [
            launch
            for launch in self.launches
            if not self._is_of_another(launch.kernel.removeprefix("::"), name.path)
        ]

    def _is_of_another(self, path: str, own: str) -> bool:
        """Returns whether a path in host code is declared for another kernel than that of `own`."""
        # `b::k` of `a::b::k`, where there is `using namespace a`.
        if path not in self._paths or ("::" in path and own.endswith(f"::{path}")):
            return False
        # `extern "C"` has no namespaces.
        return path != own if own in self._paths else path.rpartition("::")[2] != own

    @cached_property
    def _paths(self) -> Set[str]:
        """The names of declared kernels, with namespaces: a build may have thousands of kernels."""
        return {kernel.path for kernel in self.declared}

    @cached_property
    def _by_name(self) -> Mapping[str, list[DeclaredKernel]]:
        """The declared kernels by name with and without namespaces."""
        kernels = defaultdict(list)
        for kernel in self.declared:
            for name in {kernel.path, kernel.node.name}:
                kernels[name].append(kernel)
        return kernels

    def _ptx_variable(self, symbol: str, layout: _Layout) -> CodeVariable:
        """Returns a variable of a module by the definition, which may be in another module."""
        own = layout.variables.variables.get(symbol)
        # Modules that nobody links may each define one of that name.
        return own if own is not None and own.is_defined else self._ptx_variables[symbol]

    @cached_property
    def _ptx_variables(self) -> Mapping[str, CodeVariable]:
        """The variables of all PTX, definitions before declarations as `extern`."""
        variables = [v for layout in self.layouts for v in layout.variables.variables.values()]
        return {v.name: v for v in sorted(variables, key=lambda variable: variable.is_defined)}

    def _without_others(
        self, launch: HostLaunch | None, used: Sequence[FormParameter]
    ) -> HostLaunch | None:
        """Returns a launch without facts on variables that the kernel does not use."""
        if launch is None:
            return None
        paths = {variable.node.path for variable in self.device_variables}
        others = paths.difference(
            *(_declared_paths(r.name.removeprefix("::"), paths) for r in used)
        )
        inside = tuple((key, v) for key, v in launch.inside if host_variable(key) not in others)
        return replace(launch, inside=inside)

    def _named(self, name: KernelName) -> tuple[Parameter, ...] | None:
        """Returns the parameters by a name in C++, where no source declares any."""
        if name.parameters is None:
            return None
        pairs = zip(name.parameters, types_of(name.parameters, self.types), strict=True)
        return tuple(Parameter("", spelling, type_) for spelling, type_ in pairs)

    def _layout(self, kernel: Kernel) -> _Layout | None:
        """Returns the PTX of this very module, or any with the kernel, as after a link."""
        layouts = [layout for layout in self.layouts if kernel.name in layout.kernels]
        module = _module(kernel.module)
        return min(layouts, key=lambda layout: layout.module != module, default=None)

    def _signature(
        self, kernel: Kernel, name: KernelName, slots: Sequence[PtxParameter] | None
    ) -> Signature | None:
        """Returns the signature by the source, with template arguments put in; None without any."""
        if (captured := self.captured.get(_module(kernel.module))) is not None:
            read = captured_signature(captured, kernel.module, kernel.name, slots, name.parameters)
            if read is not None:
                return read
        listed = slots if slots is not None else name.parameters
        count = None if listed is None else len(listed)
        readings = [
            _Reading.of(declared, kernel, name, count)
            for declared in self._by_name.get(name.path, ())
        ]
        if readings:
            return min(readings, key=lambda reading: reading.doubts).signature
        written = [signature for signature in self.written if signature.name == kernel.name]
        return min(written, key=lambda s: s.module != _module(kernel.module), default=None)


def _declared_paths(path: str, declared: Set[str]) -> Set[str]:
    """Returns which declarations a path in code may be of: ``extern "C"`` has no namespaces."""
    return declared & {path} or {other for other in declared if other.rpartition("::")[2] == path}


@dataclass(frozen=True)
class _Reading:
    """A kernel read as an instance of a declaration, with the doubts about that reading."""

    signature: Signature
    doubts: tuple[int, ...]

    @classmethod
    def of(
        cls, declared: DeclaredKernel, kernel: Kernel, name: KernelName, count: int | None
    ) -> _Reading:
        signature = declared.signature(declared.bindings(name.arguments))
        parameters = expanded(signature.parameters, count)
        types = declared.types_of(name.parameters or ())
        doubts = (
            name.path != declared.path,
            bool(name.arguments) != bool(signature.template_parameters),
            len(parameters) != count,
            sum(not _is_same(p.type, t) for p, t in zip(parameters, types, strict=False)),
            sum(not p.name for p in parameters),
            signature.module != _module(kernel.module),
        )
        if len(types) == len(parameters):
            pairs = zip(parameters, types, strict=True)
            parameters = tuple(replace(p, type=_more(p.type, other)) for p, other in pairs)
        return cls(replace(signature, parameters=parameters), doubts)


def _is_same(by_source: Type | None, by_name: Type | None) -> bool:
    """Returns whether two types are the same; a name knows the integer behind a handle."""
    is_handle = isinstance(by_source, Handle) and by_name == PTX_SCALARS["u64"]
    return is_handle or by_source == by_name


def _more(by_source: Type | None, by_name: Type | None) -> Type | None:
    """Returns the type that says more; the name knows dependent types of the source."""
    untold = by_source is None or (isinstance(by_source, Pointer) and by_source.target is None)
    return by_name if untold and by_name is not None else by_source


@dataclass(frozen=True)
class DeclaredVariable:
    """A variable of device code in a source, with the types known there."""

    module: str
    node: VariableNode
    types: Types

    def is_of(self, symbol: str) -> bool:
        """Returns whether a lowered name is this variable's."""
        return read_name(symbol).path in (self.node.path, self.node.name)

    def type_of(self, symbol: str) -> Type | None:
        """Returns the variable's type for a lowered name; None where the source does not say."""
        node, bindings = self.node, NOTHING
        with suppress(TOO_DEEP):
            if node.template is not None:
                passed = [
                    self.types.argument_in(text, node.scope) for text in mangled_arguments(symbol)
                ]
                if not passed:
                    return None
                bindings = self.types.bound(node.template, passed, node.scope)
            return self.types.declared(node.kind, node.declarator, node.scope, bindings)
        return None


def _unread(name: str) -> str:
    return (
        f"{name} is not read for names, types and launches: it has more than "
        f"{_LARGEST // 10**6} MB. Move the kernels to a file of their own."
    )


def _variable_row(
    name: str, known: CodeVariable, use: VariableUse, declared: DeclaredVariable | None
) -> FormParameter:
    """Returns a module variable as a row of a form; the type is the source's if that fits."""
    by_source = declared.type_of(known.name) if declared else None
    fits = by_source is not None and by_source.size == known.type.size
    kind = by_source if fits and by_source is not None else known.type
    is_constant = known.space == "__constant__"
    variable = ModuleVariable(
        known.name,
        known.space,
        known.initial,
        known.is_initialised or (declared is not None and declared.node.is_initialised),
        use.read_at,
        # What is constant can be nothing but read, wherever its address goes.
        use.reads or (is_constant and use.escapes),
        not is_constant and (use.writes or use.escapes),
    )
    slot = ParameterSlot(0, kind.size, kind.align)
    return FormParameter(name, kind, slot, variable=variable)


def _accessed(
    parameters: Sequence[FormParameter], uses: KernelUse | None
) -> tuple[FormParameter, ...]:
    """Returns the parameters with the access behind pointers and handles."""
    if uses is None:
        return tuple(parameters)
    return tuple(_used(p, uses.access.get(i), uses.texels.get(i)) for i, p in enumerate(parameters))


def _used(p: FormParameter, access: Direction | None, texels: TexelUse | None) -> FormParameter:
    untold = p.type == Pointer(None) or (isinstance(p.type, Scalar) and p.type.size == _WIDE)
    if texels is not None and (untold or isinstance(p.type, Handle)):
        kind = p.type if isinstance(p.type, Handle) else Handle(texels.kind)
        return replace(p, type=kind, access=access, texels=texels)
    return replace(p, access=access) if isinstance(p.type, REFERENCES) else p


def _kernel_name(kernel: Kernel, result: BuildResult) -> KernelName:
    """Returns the kernel's name in C++; from a name expression where nothing can demangle."""
    if kernel.demangled != kernel.name or not kernel.name.startswith("_Z"):
        return read_name(kernel.demangled)
    expressions = (n.expression for n in result.lowered_names if n.lowered == kernel.name)
    return read_name(next(expressions, kernel.name))


def _module(name: str) -> str:
    return split_variant(name)[0]


def _text(source: Source) -> str:
    return source.content.decode("utf-8", "replace")


def _captured(
    sources: Sequence[Source], result: BuildResult
) -> Iterator[tuple[str, CapturedKernel]]:
    """Yields the captured kernels among the modules and of scripts, by their names."""
    modules = ((s.name, s.content) for s in sources if s.kind is CodeKind.CAPTURED)
    artifacts = ((a.name, a.content) for a in result.artifacts if a.kind is CodeKind.CAPTURED)
    for name, content in (*modules, *artifacts):
        with suppress(CapturedError):
            yield name, unpack(content)


def _cuda_in(name: str, kernel: CapturedKernel) -> Source:
    """Returns the CUDA C++ that a captured kernel was made from, empty for none."""
    source = kernel.representation(KernelLanguage.CUDA)
    return Source(name, CodeKind.CUDA, source.content if source else b"")


def _host_launches(
    code: Sequence[tuple[Source, tuple[str, ...]]], types: Types
) -> Iterator[HostLaunch]:
    """Yields the launches of host code in all texts, each with the macros defined there."""
    # The reader of host code takes as long to import as all else here, and few ask for launches.
    from jitstudio.listing.cuda.host_launches.program import host_launches  # noqa: PLC0415

    texts = [text for text, _ in code]
    for text, defines in code:
        yield from host_launches(text, types, defines, texts, assume=True)


def _llvm(source: Source) -> tuple[Signature, ...]:
    return llvm_signatures(source) if source.kind is CodeKind.LLVM_IR else ()


def defines_of(result: BuildResult, module: str) -> tuple[str, ...]:
    """Returns the macros that the compiler was given for this module."""
    options = [o for s in result.stages if s.source == module for o in s.options]
    return tuple(dict.fromkeys(_bodies(options)))


def _bodies(options: Sequence[str]) -> Iterator[str]:
    for option in options:
        for prefix in _DEFINES:
            if option.startswith(prefix) and option != prefix:
                yield option.removeprefix(prefix).strip()
                break
