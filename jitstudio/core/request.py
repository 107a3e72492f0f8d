"""A request for a build. Holds content only, so equal requests are equal builds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum

from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.code import CodeKind, Header, Source

DEFAULT_TIMEOUT = 120.0
"""Seconds a build may take unless the user says otherwise; the heaviest headers need some ten."""


class LinkMode(Enum):
    """Whether the modules are linked, and by which kind of code."""

    NONE = "none"
    PTX = "ptx"
    LTO = "lto"


class Assembler(Enum):
    """The tool that makes machine code of PTX that is not linked."""

    NVJITLINK = "nvjitlink"
    DRIVER = "driver"


class CudaCompiler(Enum):
    """The compiler of CUDA C++."""

    NVRTC = "nvrtc"
    NVCC = "nvcc"


@dataclass(frozen=True)
class BuildRequest:
    """A request for a build.

    Attributes:
        sources: The modules, in link order.
        arch: The target architecture.
        emit: The kinds wanted from each module, or from the link.
        link: Whether and how the modules are linked.
        options: What the user typed, one option an entry; `core.options` sends each to the
            tools that take it. A source with options of its own takes those instead, as by
            CMake's `set_source_files_properties`; the link takes these in any case.
        headers: Headers that exist in memory only.
        compiler: What compiles CUDA C++.
        assembler: What makes machine code of PTX outside a link.
        libdevice: Whether libNVVM may take functions from libdevice.
        libraries: LLVM IR of which libNVVM takes only the functions that are called.
        entry: The function of LLVM IR that the copy for libNVVM marks as a kernel, as it is to be
            launched and nothing marks it; empty for none.
        join_ir: Whether all LLVM IR modules go into one libNVVM program, named by the first.
        fat_archs: The targets of which a fatbin takes the cubin, in order.
        fat_ptx: The targets of which a fatbin takes the PTX, in order. With neither, the fatbin
            holds the cubin for `arch`.
        use_cache: Whether what was compiled before may be taken from the cache.
        keep_host_code: Whether NVRTC gets host code, too, which it refuses.
        precompile_headers: Whether NVRTC may keep precompiled headers in the worker.
        confined_to: The folders whose files the build may read apart from the toolchain's, and the
            sign that nobody has said yet that he trusts it; None for a build of the user's own,
            which reads what its texts include.
        unsafe_options: Whether options are sent that make a tool load native code.
        folder: Where relative paths in the options begin; empty for the working directory.
        toolchain: The folder that the compilers are taken from, all of them (`toolchain_folders`);
            empty for those of jitstudio's own environment.
        function: Of machine code that takes long to print, the only function whose SASS is made, by
            its lowered name (see `kernel_resources.function_alone`); None for all of them.
        python: The interpreter that runs Python files; empty for the one of this process.
    """

    sources: tuple[Source, ...]
    arch: Arch = DEFAULT_ARCH
    emit: frozenset[CodeKind] = frozenset({CodeKind.PTX})
    link: LinkMode = LinkMode.NONE
    options: tuple[str, ...] = ()
    headers: tuple[Header, ...] = ()
    compiler: CudaCompiler = CudaCompiler.NVRTC
    assembler: Assembler = Assembler.NVJITLINK
    libdevice: bool = False
    libraries: tuple[Source, ...] = ()
    join_ir: bool = False
    entry: str = ""
    fat_archs: tuple[Arch, ...] = ()
    fat_ptx: tuple[Arch, ...] = ()
    keep_host_code: bool = False
    use_cache: bool = True
    precompile_headers: bool = True
    confined_to: tuple[str, ...] | None = None
    unsafe_options: bool = False
    folder: str = ""
    toolchain: str = ""
    function: str | None = None
    python: str = ""

    def options_of(self, source: Source) -> tuple[str, ...]:
        """Returns the options of the steps that work on a module alone."""
        return self.options if source.options is None else source.options

    @property
    def option_sets(self) -> tuple[tuple[str, ...], ...]:
        """The options of the build, and of each module that has own options."""
        own = (source.options for source in self.sources if source.options is not None)
        return tuple(dict.fromkeys((self.options, *own)))

    def with_options(self, change: Callable[[tuple[str, ...]], tuple[str, ...]]) -> BuildRequest:
        """Returns the build with other options, also of modules with options of their own."""
        sources = tuple(
            source if source.options is None else replace(source, options=change(source.options))
            for source in self.sources
        )
        return replace(self, options=change(self.options), sources=sources)


@dataclass(frozen=True)
class ProbeRequest:
    """A request for the tools that are here and the features that the tools support.

    Attributes:
        devices: Also initialise the driver and list the GPUs; costs some 0.3 s where there is one.
        toolchain: See `BuildRequest`.
    """

    devices: bool = False
    toolchain: str = ""


@dataclass(frozen=True)
class DemangleRequest:
    """A request for lowered names in C++."""

    names: tuple[str, ...]


NAME_MAP = "__nv_name_map"
"""What NVRTC calls the list of all name expressions, as if it were a file."""
_ECHO = "#pragma nv_mangled_name "


def expression_in(line: str) -> str:
    """Returns the name expression that NVRTC repeats below an error; empty for another line."""
    _, _, expression = line.partition(_ECHO)
    return expression.strip()


def with_name_expressions(
    sources: tuple[Source, ...], expressions: Iterable[str]
) -> tuple[Source, ...]:
    """Gives each expression to the CUDA C++ modules that mention the expression's first name.

    Where none does, all get it, so that NVRTC says what is wrong with it. A module that has the
    expression already keeps it once.
    """
    names = {s.name: list(s.name_expressions) for s in sources if s.kind is CodeKind.CUDA}
    takers = [source for source in sources if source.name in names]
    for expression in expressions:
        name = re.search(r"\w+(?=\s*(?:<|$))", expression)
        word = re.compile(rf"\b{re.escape(name[0] if name else expression)}\b".encode())
        mentioned = [source for source in takers if word.search(source.content)]
        for source in mentioned or takers:
            names[source.name].append(expression)
    return tuple(
        replace(s, name_expressions=tuple(dict.fromkeys(names[s.name]))) if s.name in names else s
        for s in sources
    )
