"""The options of commands that build: `build` itself, `inspect` and `diff`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from jitstudio.command_options.fields import CommandOptions, flag, ways, word
from jitstudio.command_options.values import (
    ANY_TEXT,
    ANY_TEXTS,
    ARCH,
    COUNT,
    COUNT_OR_NONE,
    EMITTED,
    HEADERS,
    MODULE,
    MODULES,
    OPTIONS,
    OPTIONS_OF_MODULES,
    PATH,
    PATHS,
    SECONDS,
    TARGETS,
    TEXT,
    TEXTS,
    HeaderInputs,
    ModuleInput,
    ModuleOptionSets,
    UsageError,
    WrongValueError,
    choice,
)
from jitstudio.core.arch import Arch
from jitstudio.core.code import EMITTED_KINDS, CodeKind
from jitstudio.core.request import DEFAULT_TIMEOUT, CudaCompiler, LinkMode

LINKS = choice({"ptx": LinkMode.PTX, "lto": LinkMode.LTO}, or_none=True)

json_word = partial(flag, "--json", "print one JSON object")
"""The field of a command that prints JSON."""


def timeout_word(what: str, default: float | None = DEFAULT_TIMEOUT) -> Any:
    """Returns the field of how long something may take."""
    return word(
        "--timeout S",
        SECONDS,
        f"stop {what} after this many seconds (default {DEFAULT_TIMEOUT:g})",
        default=default,
    )


def python_word(what: str) -> Any:
    """Returns the field of another interpreter."""
    return word("--python PATH", PATH, what)


def toolchain_word(what: str) -> Any:
    """Returns the field of other versions of the compilers."""
    return word("--toolchain PATH", PATHS, what)


@dataclass(frozen=True, kw_only=True)
class CompileOptions(CommandOptions):
    """How modules are built: the target, the inputs of the tools, and the way to link."""

    arch: Arch | None = word("--arch ARCH", ARCH, "target architecture, such as sm_90")
    link: LinkMode | None = ways(
        LINKS,
        {
            "--link": (LinkMode.PTX, "link all modules by PTX"),
            "--lto": (LinkMode.LTO, "link all modules by LTO-IR"),
        },
        group="link",
    )
    options: tuple[str, ...] = word(
        "--option OPT",
        OPTIONS,
        "an option for the tools that take it, written --option=OPT; "
        "nvjitlink:OPT and the like address one tool; 'jitstudio options' lists them",
        takes_dash=True,
    )
    options_for: ModuleOptionSets = word(
        "--options-for NAME=OPTIONS",
        OPTIONS_OF_MODULES,
        "options of one module instead of all others, such as --options-for='a.cu=-G -DN=4'; a "
        "link takes those of --option",
    )
    compile_commands: str | None = word(
        "--compile-commands PATH",
        PATH,
        "take target and options of each module from this compile_commands.json, or from "
        "that in this folder; what has no counterpart is named",
    )
    headers: HeaderInputs = word("--header NAME=PATH", HEADERS, "an in-memory header")
    name_expressions: tuple[str, ...] = word(
        "--name-expression EXPR", TEXTS, "ask for a lowered name, such as 'saxpy<float>'"
    )
    compiler: CudaCompiler | None = word(
        "--compiler",
        choice(CudaCompiler),
        "what compiles CUDA C++: nvrtc, or a CUDA toolkit's nvcc with a host compiler",
    )
    host_code: str | None = word(
        "--host-code",
        choice(("aside", "keep")),
        "whether NVRTC gets functions and variables for the host, too, which it refuses; "
        "they are set aside unless a project says otherwise",
    )
    libdevice: bool = flag("--libdevice", "let libNVVM take functions from libdevice")
    libraries: tuple[str, ...] = word(
        "--library FILE", PATHS, "LLVM IR of which libNVVM takes only what is called"
    )
    join_ir: bool = flag("--join-ir", "give all LLVM IR to libNVVM as one program")
    no_cache: bool = flag("--no-cache", "compile again what was compiled before")
    trust: bool = flag(
        "--trust", "let a project send any option and include files outside its folder"
    )
    unsafe_options: bool = flag(
        "--unsafe-options",
        "send options that load native code into a compiler, such as LLVM's -load",
    )
    python: str | None = python_word(
        "run .py files with this interpreter; jitstudio's own unless given"
    )
    toolchain: tuple[str, ...] = toolchain_word(
        "take all compilers from this virtual environment, folder of packages or toolkit, or from "
        "the one with this version that was added in the settings, such as 13.0; 'own' means those "
        "of jitstudio's environment"
    )
    json: bool = json_word()

    @property
    def is_linked(self) -> bool:
        """Whether the modules are linked, whatever a project says."""
        return self.link is not None

    @property
    def compares_toolchains(self) -> bool:
        """Whether several versions of the compilers may be named."""
        return False


@dataclass(frozen=True, kw_only=True)
class ModuleOptions(CompileOptions):
    """Modules and how they are built."""

    sources: tuple[ModuleInput, ...] = word(
        "SRC",
        MODULES,
        ".cu .cuh .ll .bc .ptx .cubin .fatbin .ltoir .a .o, and .py, which is run",
        default=(),
        nargs="+",
    )


@dataclass(frozen=True, kw_only=True)
class BuildOptions(ModuleOptions):
    """The options of `jitstudio build`."""

    compare_links: bool = flag(
        "--compare-links",
        "link both ways and print registers, instructions, bytes and time of both",
        group="link",
    )
    compare_targets: str | None = word(
        "--compare-targets TARGETS",
        ANY_TEXT,
        "build for each of these, separated by commas, and print the figures of each kernel; "
        "with several --toolchain, by each of them",
    )
    compare_options: tuple[str, ...] = word(
        "--compare-options SET",
        ANY_TEXTS,
        "a set of options to compare, written --compare-options=SET, for each target; "
        "an empty one adds nothing",
        takes_dash=True,
    )
    emit: tuple[CodeKind, ...] | None = word(
        "--emit KINDS",
        EMITTED,
        f"what to make, separated by commas: {','.join(k.value for k in EMITTED_KINDS)}",
    )
    fat: tuple[str, ...] | None = word(
        "--fat TARGETS",
        TARGETS,
        "what a fatbin holds, separated by commas: the cubin for sm_XX, the PTX for "
        "compute_XX; implies --emit fatbin",
    )
    output: str | None = word("-o, --output DIR", PATH, "write the results into this folder")
    driver_jit: bool = flag("--driver-jit", "let the driver assemble PTX, instead of nvJitLink")
    no_pch: bool = flag("--no-pch", "make and use no precompiled headers with --repeat")
    timeout: float = timeout_word("a build")
    time: bool = flag(
        "--time",
        "print where the compile time goes: phases, headers, templates, ptxas by kernel; builds "
        "without the cache",
    )
    repeat: int = word(
        "--repeat N", COUNT, "build N times without the cache, for the times", default=1
    )

    def check_together(self) -> None:
        """Refuses outputs that a comparison would pass over in silence."""
        compared = {
            "--compare-links": self.compare_links,
            "--compare-targets": self.compares_toolchains,
        }
        asked = [flag for flag, on in compared.items() if on]
        if self.compare_options and not self.compares_toolchains:
            raise UsageError("--compare-options needs --compare-targets, too.")
        outputs: dict[str, object] = {
            "--emit": self.emit,
            "--fat": self.fat,
            "-o": self.output,
            "--time": self.time or None,
        }
        if self.time and self.fat is not None:
            raise UsageError(
                "--time is for a single target, which --arch names. Leave it or --fat out."
            )
        others = [flag for flag, value in outputs.items() if value is not None]
        # Two comparisons exclude each other, too.
        if asked and (others := [*asked[1:], *others]):
            raise UsageError(
                f"{others[0]} is not for {asked[0]}, which only prints figures. "
                "Leave one of the two out."
            )

    @property
    def is_linked(self) -> bool:
        """Whether the modules are linked, whatever a project says."""
        return self.link is not None or self.compare_links

    @property
    def compares_toolchains(self) -> bool:
        """Whether several versions of the compilers may be named."""
        return self.compare_targets is not None


@dataclass(frozen=True, kw_only=True)
class InspectOptions(ModuleOptions):
    """The options of `jitstudio inspect`."""

    timeout: float = timeout_word("the build, and the reading")
    kernel: str | None = word("--kernel K", TEXT, "report on this kernel or function only")
    lists: bool = flag(
        "--list",
        "list the kernels in a program, library, wheel, zip, fatbin, cubin or cache, as it "
        "is: those with K in their names, and those for --arch, if these are given",
    )
    code: bool = flag("--code", "print the instructions, too")
    interleave: bool = flag(
        "--interleave", "print each line of the source with the PTX and the SASS made of it"
    )
    block: int | None = word(
        "--block N",
        COUNT,
        "threads per block to calculate the occupancy with (default: 256, or what the kernel "
        "is bounded to)",
    )
    shared: int = word(
        "--shared BYTES",
        COUNT_OR_NONE,
        "dynamic shared memory per block to calculate the occupancy with",
        default=0,
    )

    def check_together(self) -> None:
        """Refuses a text for people where JSON is printed."""
        if self.interleave and self.json:
            reason = (
                "is for people. Leave it out: in JSON each instruction has its source line, and "
                "its line of PTX."
            )
            raise WrongValueError("interleave", self.interleave, reason)


@dataclass(frozen=True, kw_only=True)
class PassesOptions(ModuleOptions):
    """The options of `jitstudio passes`."""

    timeout: float = timeout_word("the build, and each film")
    kernel: str | None = word("--kernel K", TEXT, "show what changes this kernel or function only")
    number: int | None = word(
        "--pass N", COUNT, "print what pass N changes: the PTX before and after it as a diff"
    )
    diffs: bool = flag("--diff", "print the diff of each pass that changes the PTX")
    lines: bool = flag("--lines", "print the last PTX with the pass that made each instruction")
    every_pass: bool = flag(
        "--every-pass",
        "stop after each pass, also between two that leave the same PTX, however long that takes",
    )

    def check_together(self) -> None:
        """Refuses two ways to say which passes are printed."""
        if self.diffs and self.number is not None:
            raise WrongValueError("diffs", self.diffs, "prints all passes. Leave it or --pass out.")


@dataclass(frozen=True, kw_only=True)
class _Sides(CommandOptions):
    """The two sides of a comparison; these words stand in front of the build's."""

    a: ModuleInput = word(
        "A",
        MODULE,
        ".cu .cuh .ll .bc .ptx .cubin .fatbin .ltoir .a .o, a project, the text that "
        "nvdisasm has written (.sass), or a program, library, wheel or zip with the kernel K",
        default="",
    )
    b: ModuleInput | None = word(
        "B",
        MODULE,
        ".cu .cuh .ll .bc .ptx .cubin .fatbin .ltoir .a .o, a project, the text that "
        "nvdisasm has written (.sass), or a program, library, wheel or zip with the kernel K",
        nargs="?",
    )
    what: str = word(
        "--what",
        choice(("sass", "ptx", "source")),
        "what is compared: machine code (default), PTX, or the files as they are",
        default="sass",
    )
    kernel: str | None = word(
        "--kernel K",
        TEXT,
        "compare this kernel only, with its parameters and limits, and nothing else",
    )
    normalised: bool = flag(
        "--normalised",
        "let names of registers and labels, addresses and control bits be no difference",
    )


@dataclass(frozen=True, kw_only=True)
class DiffOptions(CompileOptions, _Sides):
    """The options of `jitstudio diff`."""

    timeout: float = timeout_word("each build, and each reading")

    def check_together(self) -> None:
        """Refuses options for machine code where texts are compared."""
        if self.normalised and self.what != "sass":
            reason = "is about machine code. Leave it or --what out."
            raise WrongValueError("normalised", self.normalised, reason)
        if self.kernel is not None and self.what == "source":
            reason = "is about what was built. Leave it or --what source out."
            raise WrongValueError("kernel", self.kernel, reason)
