"""The grammar of the command line: what each command takes."""

from __future__ import annotations

import argparse
import itertools
from argparse import _MutuallyExclusiveGroup, _SubParsersAction
from collections.abc import Mapping
from typing import Any, NoReturn, TypeAlias, TypeVar

from jitstudio import terminal
from jitstudio.core.code import EMITTED_KINDS
from jitstudio.core.launch.device import SIMULATED_DEVICE, SIMULATOR
from jitstudio.core.launch.spec import LaunchSpec, LoadMode, Sanitizer
from jitstudio.core.options import ADDRESSES
from jitstudio.core.request import DEFAULT_TIMEOUT, CudaCompiler
from jitstudio.export.formats import FORMATS

_Commands: TypeAlias = "_SubParsersAction[argparse.ArgumentParser]"

_Number = TypeVar("_Number", int, float)
_BUILD_STATUS = """\
Exit status: 0 built, 1 compile or link failed, 2 usage, 3 something is missing (library, driver,
GPU), 4 a tool crashed or ran past its time."""
_LAUNCH_STATUS = """\
Exit status: 0 ran and every check passed, 1 compile, link or launch failed, 2 usage, 3 something is
missing (library, driver, GPU), 4 a tool or the launch crashed or ran past its time, 5 a check
failed."""
_SWEEP_STATUS = f"""\
{_LAUNCH_STATUS} A sweep in which some variant ran is a success, unless a check failed."""
_INSPECT_STATUS = """\
Exit status: 0 read, 1 compile, link or reading failed, 2 usage, 3 something is missing, 4 a tool
crashed or ran past its time."""
_DIFF = """\
Both are built for the same target with the same options, and their machine code is compared: also
of PTX files, so that two texts that become the same program are equal. --what compares the texts
themselves. The address in front of an instruction never counts, as one more instruction moves all
behind it. With --toolchain PATH and no B, A is compared with itself: built by our own compilers and
by those of PATH. Given twice, A is built by the first and B, or A again, by the second."""
_DIFF_STATUS = """\
The data are compared, too, where both sides tell them in the same way: what nvdisasm -c has written
tells none, and a full listing is compared with another one only. A .cu file and the .ptx file of
the same program may differ: NVRTC and nvJitLink each bring a ptxas of their own, and the two need
not make the same code. Exit status: 0 equal, 1 different, 2 usage, or one of them cannot be built,
3 something is missing, 4 a tool crashed or ran past its time."""
_EXPORT_STATUS = """\
Exit status: 0 exported, 1 compile or link failed, 2 usage, or this cannot be exported so, 3
something is missing, 4 a tool crashed or ran past its time."""
_CHECK_STATUS = """\
Exit status: 0 all conditions hold, 5 one does not, 1 compile, link or reading failed, 2 usage,
3 something is missing, 4 a tool crashed or ran past its time."""
_CAPTURE_STATUS = """\
Exit status: 0 the program ended well, 1 it ended with another status, 2 usage, 3 there is no GPU or
no CUPTI, or no process of the program could be listened to."""
_NOT_ASKED: dict[str, object] = {
    "emit": None,
    "fat": None,
    "output": None,
    "compare_links": False,
    "compare_targets": None,
    "compare_options": [],
    "driver_jit": False,
    "no_pch": True,
    "repeat": 1,
}
"""The options of `build` that the others do not take, with the values that they have then."""


class _Parser(argparse.ArgumentParser):
    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        for word in itertools.takewhile(lambda word: word != "--", args or ()):
            flag, equals, value = word.partition("=")
            if flag.startswith("-") and equals and value == "--":
                # Before Python 3.13 the parser takes it for the end of the options.
                self.error(f"argument {flag}: '--' is no value")
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        super().error(terminal.shown(message))


def parser() -> argparse.ArgumentParser:
    """The parser of all commands; without a command the arguments are files for the window."""
    return _grammar()[0]


def command_parsers() -> Mapping[str, argparse.ArgumentParser]:
    """Returns the parser of each command by its name."""
    return _grammar()[1].choices


def _grammar() -> tuple[argparse.ArgumentParser, _Commands]:
    root: argparse.ArgumentParser = _Parser(
        prog="jitstudio",
        description="See what NVRTC, libNVVM and nvJitLink make of CUDA C++, LLVM IR and PTX.",
        epilog="jitstudio [FILE...] opens the window with these files.",
    )
    root.add_argument("--version", action="store_true", help="print the versions of all parts")
    commands = root.add_subparsers(dest="command", metavar="COMMAND")
    _add_build(commands)
    _add_run(commands)
    _add_sweep(commands)
    _add_inspect(commands)
    _add_diff(commands)
    _add_export(commands)
    _add_check(commands)
    _add_import(commands)
    _add_lesson(commands)
    _add_mcp(commands)
    _add_show(commands)
    doctor = commands.add_parser("doctor", help="tell which tools, driver and GPUs are here")
    _add_toolchain(doctor, "look at the compilers in this folder, too")
    _add_python(doctor, "look at this Python interpreter and its packages for kernels")
    _add_json(doctor)
    _add_capture(commands)
    _add_json(commands.add_parser("devices", help="list the GPUs that can be launched on"))
    _add_options(commands)
    _add_help(commands)
    cache = commands.add_parser("cache", help="tell how much earlier builds have left in the cache")
    cache.add_argument("--clear", action="store_true", help="empty it")
    _add_json(cache)
    return root, commands


def _add_build(commands: _Commands) -> None:
    """The command itself."""
    build = commands.add_parser(
        "build",
        help="compile, link and disassemble",
        description="Compile, link and disassemble. The kind of a file follows from its ending.",
        epilog=_BUILD_STATUS,
        # `--opt` for `--option` would not take a value that begins with a dash.
        allow_abbrev=False,
    )
    link = _add_modules(build)
    link.add_argument(
        "--compare-links",
        action="store_true",
        help="link both ways and print registers, instructions, bytes and time of both",
    )
    _add_matrix(build)
    _add_outputs(build)
    _add_ways(build)


def _add_modules(
    command: argparse.ArgumentParser,
) -> _MutuallyExclusiveGroup:
    """Adds the modules, the target, the inputs of the tools, and the way to link.

    Returns:
        The group of the ways to link.
    """
    command.add_argument(
        "sources",
        nargs="+",
        metavar="SRC",
        help=".cu .cuh .ll .bc .ptx .cubin .fatbin .ltoir .a .o, and .py, which is run",
    )
    return _add_settings(command)


def _add_settings(
    command: argparse.ArgumentParser,
) -> _MutuallyExclusiveGroup:
    """Adds what `_add_modules` does, except the modules."""
    command.add_argument("--arch", metavar="ARCH", help="target architecture, such as sm_90")
    link = command.add_mutually_exclusive_group()
    link.add_argument("--link", action="store_true", help="link all modules by PTX")
    link.add_argument("--lto", action="store_true", help="link all modules by LTO-IR")
    command.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="OPT",
        help="an option for the tools that take it, written --option=OPT; "
        "nvjitlink:OPT and the like address one tool; 'jitstudio options' lists them",
    )
    command.add_argument(
        "--compile-commands",
        metavar="PATH",
        help="take target and options of each module from this compile_commands.json, or from "
        "that in this folder; what has no counterpart is named",
    )
    command.add_argument(
        "--header", action="append", default=[], metavar="NAME=PATH", help="an in-memory header"
    )
    command.add_argument(
        "--name-expression",
        action="append",
        default=[],
        metavar="EXPR",
        help="ask for a lowered name, such as 'saxpy<float>'",
    )
    command.add_argument(
        "--compiler",
        choices=[compiler.value for compiler in CudaCompiler],
        help="what compiles CUDA C++: nvrtc, or a CUDA toolkit's nvcc with a host compiler",
    )
    command.add_argument(
        "--host-code",
        choices=("aside", "keep"),
        help="whether NVRTC gets functions and variables for the host, too, which it refuses; "
        "they are set aside unless a project says otherwise",
    )
    command.add_argument(
        "--libdevice", action="store_true", help="let libNVVM take functions from libdevice"
    )
    command.add_argument(
        "--library",
        action="append",
        default=[],
        metavar="FILE",
        help="LLVM IR of which libNVVM takes only what is called",
    )
    command.add_argument(
        "--join-ir", action="store_true", help="give all LLVM IR to libNVVM as one program"
    )
    command.add_argument(
        "--no-cache", action="store_true", help="compile anew what was compiled before"
    )
    command.add_argument(
        "--trust",
        action="store_true",
        help="let a project send any option and include files outside its folder",
    )
    command.add_argument(
        "--unsafe-options",
        action="store_true",
        help="send options that load native code into a compiler, such as LLVM's -load",
    )
    _add_python(command, "run .py files with this interpreter; jitstudio's own unless given")
    _add_toolchain(
        command,
        "take all compilers from this virtual environment, folder of packages or toolkit, or from "
        "the one with this version that was added in the settings, such as 13.0; 'own' means those "
        "of jitstudio's environment",
    )
    _add_json(command)
    return link


def _add_python(command: argparse.ArgumentParser, what: str) -> None:
    """Another interpreter."""
    command.add_argument("--python", metavar="PATH", help=what)


def _add_toolchain(command: argparse.ArgumentParser, what: str) -> None:
    """Other versions of the compilers."""
    command.add_argument("--toolchain", action="append", default=[], metavar="PATH", help=what)


def _add_timeout(command: argparse.ArgumentParser, what: str) -> None:
    """How long something may take."""
    command.add_argument(
        "--timeout",
        type=_seconds,
        default=DEFAULT_TIMEOUT,
        metavar="S",
        help=f"stop {what} after this many seconds (default {DEFAULT_TIMEOUT:g})",
    )


def _add_matrix(build: argparse.ArgumentParser) -> None:
    """The same code for several targets and with several sets of options."""
    build.add_argument(
        "--compare-targets",
        metavar="TARGETS",
        help="build for each of these, separated by commas, and print the figures of each kernel; "
        "with several --toolchain, by each of them",
    )
    build.add_argument(
        "--compare-options",
        action="append",
        default=[],
        metavar="SET",
        help="a set of options to compare, written --compare-options=SET, for each target; "
        "an empty one adds nothing",
    )


def _add_outputs(build: argparse.ArgumentParser) -> None:
    """What is to be made, and where it goes."""
    build.add_argument(
        "--emit",
        metavar="KINDS",
        help=f"what to make, separated by commas: {','.join(k.value for k in EMITTED_KINDS)}",
    )
    build.add_argument(
        "--fat",
        metavar="TARGETS",
        help="what a fatbin holds, separated by commas: the cubin for sm_XX, the PTX for "
        "compute_XX; implies --emit fatbin",
    )
    build.add_argument("-o", "--output", metavar="DIR", help="write the results into this folder")


def _add_ways(build: argparse.ArgumentParser) -> None:
    """How the work is done."""
    build.add_argument(
        "--driver-jit",
        action="store_true",
        help="let the driver assemble PTX, in the place of nvJitLink",
    )
    build.add_argument(
        "--no-pch", action="store_true", help="make and use no precompiled headers with --repeat"
    )
    _add_timeout(build, "a build")
    build.add_argument(
        "--repeat",
        type=_count,
        default=1,
        metavar="N",
        help="build N times without the cache, for the times",
    )


def _add_run(commands: _Commands) -> None:
    """`jitstudio run`."""
    run = commands.add_parser(
        "run",
        help="build, launch a kernel on a GPU, time it and check it",
        description="Build, launch a kernel on a GPU, time it and check what it has written.",
        epilog=_LAUNCH_STATUS,
        allow_abbrev=False,
    )
    _add_launch(run)
    run.add_argument(
        "--device",
        type=_device,
        default=0,
        metavar="N",
        help="the GPU, as 'jitstudio devices' counts them (default 0), or 'sim': the simulator, "
        "which needs no GPU and counts what each line does in the place of times",
    )
    run.add_argument(
        "--both",
        action="store_true",
        default=None,
        help="run it on a GPU and in the simulator, and compare what both leave in the buffers; "
        "where floats differ, build and run both with --fmad=false, too",
    )
    run.add_argument(
        "--compare-option",
        action="append",
        default=[],
        metavar="OPT",
        help="build a second time with this option, too, run that on the same device, and compare "
        "what both leave in the buffers",
    )
    run.add_argument(
        "--save", metavar="DIR", help="write each buffer as NAME.npy into this folder afterwards"
    )


def _add_export(commands: _Commands) -> None:
    """`jitstudio export`."""
    export = commands.add_parser(
        "export",
        help="write a build and its launch as a script, a program, commands or a report",
        description="Write a build and its launch in a form that others run, read and check. What "
        "has no counterpart in it is named on stderr. Formats:\n"
        + "\n".join(f"  {one.name:<18}{one.title}" for one in FORMATS),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=_EXPORT_STATUS,
        allow_abbrev=False,
    )
    export.add_argument("format", metavar="FORMAT", choices=[one.name for one in FORMATS])
    _add_launch(export)
    export.add_argument(
        "-o",
        "--output",
        metavar="PATH",
        help="the file, or the folder of a format with several; without it, it is printed",
    )


def _add_import(commands: _Commands) -> None:
    """`jitstudio import`."""
    found = commands.add_parser(
        "import",
        help="write what a link of Compiler Explorer or a project's text holds into a folder",
        description="Write the files and a project from a link of Compiler Explorer that has all "
        "of it in itself (/clientstate/ or behind a #), from a file downloaded there, or from a "
        "project as text. Nothing is sent and nothing is run.",
        epilog="Exit status: 0 written, 2 usage, or the link is short, damaged or of no compiler "
        "that is here.",
    )
    found.add_argument(
        "link", metavar="LINK|FILE", help="the link, in quotes; a file; or - for standard input"
    )
    found.add_argument(
        "-o", "--output", metavar="FOLDER", required=True, help="the folder to write into"
    )


def _add_capture(commands: _Commands) -> None:
    """`jitstudio capture`."""
    capture = commands.add_parser(
        "capture",
        help="collect the kernels that a running Python program loads on the GPU",
        description="Run a program and save each module of machine code that its Python processes "
        "load on a GPU, once, with how often and from which line it was loaded.",
        usage="jitstudio capture [-h] [-o FOLDER] [--json] -- PROGRAM [WORD ...]",
        epilog=_CAPTURE_STATUS,
        allow_abbrev=False,
    )
    capture.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        default="captured",
        help="where they are saved, as .jitkernel files (default: ./captured)",
    )
    _add_json(capture)
    capture.add_argument("program", nargs=argparse.REMAINDER, metavar="PROGRAM")


def _add_sweep(commands: _Commands) -> None:
    """`jitstudio sweep`."""
    sweep = commands.add_parser(
        "sweep",
        help="run a kernel in many variants and find the fastest",
        description="Build, launch, time and check a kernel in each variant that the axes span.",
        epilog=_SWEEP_STATUS,
        allow_abbrev=False,
    )
    _add_launch(sweep)
    sweep.add_argument(
        "--axis",
        action="append",
        default=[],
        metavar="NAME=VALUES",
        help="what to vary, with its values between commas, or semicolons where a value has "
        "commas: block, grid, cover, cluster, shared, target, options (sets between semicolons), "
        "link (none, ptx, lto), toolchain (own, a version that was added, a folder), -DMACRO, T "
        "for {T} in the kernel's name, or an argument; can be given several times",
    )
    sweep.add_argument(
        "--jobs", type=_count, metavar="N", help="build N variants at a time (default: one a core)"
    )
    sweep.add_argument(
        "--devices",
        type=_devices,
        metavar="N,N",
        help="the GPUs that share the work (default: all), or 'sim': the simulator, which gives "
        "counts in the place of times",
    )
    sweep.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="let the workers of this Dask cluster do the work, such as tls://host:8786; Dask runs "
        "what it is sent, so this trusts whoever answers, and the workers trust your project",
    )
    sweep.add_argument(
        "--dask-tls",
        nargs=3,
        metavar=("CA", "CERT", "KEY"),
        help="PEM files for tls:// (default: what Dask's own configuration names)",
    )
    sweep.add_argument(
        "--dask-insecure",
        action="store_true",
        help="accept an address beyond this machine without TLS: whoever answers can run code here",
    )
    sweep.add_argument("--csv", metavar="FILE", help="write the table into this file")


def _add_launch(command: argparse.ArgumentParser) -> None:
    """What a `LaunchSpec` is made of, under the names of its fields; None where nothing is said."""
    _add_modules(command)
    command.set_defaults(**_NOT_ASKED)
    _add_configuration(command)
    _add_data(command)
    _add_measuring(command)


def _add_configuration(command: argparse.ArgumentParser) -> None:
    default = LaunchSpec()
    command.add_argument(
        "--kernel",
        metavar="K",
        help="its name or, for a template, a name expression such as 'saxpy<float>'",
    )
    command.add_argument("--grid", metavar="X[,Y[,Z]]", help="blocks")
    command.add_argument(
        "--cover",
        metavar="N[,N[,N]]",
        help="in place of --grid: so many threads at least, such as 'n'",
    )
    command.add_argument(
        "--block",
        metavar="X[,Y[,Z]]",
        help=f"threads per block (default {default.block})",
    )
    command.add_argument("--cluster", metavar="X[,Y[,Z]]", help="blocks per cluster")
    command.add_argument(
        "--shared",
        metavar="BYTES",
        help="dynamic shared memory per block",
    )
    command.add_argument(
        "--cooperative",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="have all blocks resident at the same time",
    )
    command.add_argument(
        "--driver-jit",
        dest="load",
        action="store_const",
        const=LoadMode.DRIVER_JIT,
        help="load the PTX by the driver's compiler, in the place of the cubin",
    )


def _add_data(command: argparse.ArgumentParser) -> None:
    default = LaunchSpec()
    command.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="NAME=TEXT",
        help="a value such as 2.5 or {x=1, y=2}, or a buffer LENGTH[@START][:FILL][:in|out|inout] "
        "such as 'n:random(7)', of which the kernel gets the address of element START; fills are "
        "zeros, constant(V), range, random, file(PATH), expr(NUMPY), unfilled; same(NAME) or "
        "same(NAME+N) is the memory of another buffer; a texture "
        "TYPE[W,H][:FILL][:SAMPLING] such as 'uchar4[w,h]:random:linear,clamp', or a surface "
        "TYPE[W,H][:FILL][:in|out|inout]; a pointer in a struct by its path, such as "
        "view.data=n:range, what a pointer to pointers leads to as 'rows[]=n:range'",
    )
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=FILL",
        help="what a module variable (__constant__, __device__, __managed__) holds before the "
        "launch: a value such as 0 or '{1, 2, 1}', or a fill; NAME=FILL:out or NAME:out to read it "
        "back",
    )
    command.add_argument(
        "--expect",
        dest="expectations",
        action="append",
        metavar="EXPR",
        help="what a buffer shall hold, in NumPy: 'out = a * x + y'; or a part of it: "
        "'out[1:-1] = x[i - 1] + x[i + 1]'",
    )
    command.add_argument(
        "--rtol",
        dest="relative",
        type=_tolerance,
        metavar="R",
        help=f"relative tolerance of floats (default {default.relative:g})",
    )
    command.add_argument(
        "--atol",
        dest="absolute",
        type=_tolerance,
        metavar="A",
        help=f"absolute tolerance of floats (default {default.absolute:g})",
    )
    command.add_argument(
        "--itol",
        dest="integer_tolerance",
        type=_count_or_none,
        metavar="N",
        help="how far integers may be apart (default 0: they are compared exactly, and --rtol and "
        "--atol are about floats)",
    )
    command.add_argument(
        "--no-poison",
        dest="poison",
        action="store_false",
        default=None,
        help="do not look for what is never written",
    )
    command.add_argument(
        "--no-guards",
        dest="guards",
        action="store_false",
        default=None,
        help="do not look for writes out of bounds",
    )


def _add_measuring(command: argparse.ArgumentParser) -> None:
    default = LaunchSpec()
    command.add_argument(
        "--repeat",
        dest="repeats",
        type=_count_or_none,
        metavar="N",
        help=f"launches that are timed (default {default.repeats})",
    )
    command.add_argument(
        "--warmup",
        type=_count_or_none,
        metavar="N",
        help=f"launches before those (default {default.warmup})",
    )
    command.add_argument(
        "--flush-l2",
        action="store_true",
        default=None,
        help="overwrite the L2 cache before each timed launch",
    )
    command.add_argument(
        "--sanitize",
        dest="sanitizer",
        type=Sanitizer,
        choices=list(Sanitizer),
        metavar="TOOL",
        help=f"run under compute-sanitizer: {', '.join(tool.value for tool in Sanitizer)}",
    )
    command.add_argument(
        "--timeout",
        type=_seconds,
        metavar="S",
        help=f"end a launch after this many seconds (default {default.timeout:g})",
    )
    command.add_argument(
        "--blocks",
        type=_count,
        metavar="N",
        help="simulate the first N blocks only; with --device sim",
    )
    command.add_argument(
        "--seed",
        type=_count_or_none,
        metavar="N",
        help="simulate blocks and warps in another order (default 0, the natural one)",
    )
    command.add_argument(
        "--seeds",
        type=_count,
        metavar="N",
        help="simulate N orders, from --seed on, and compare their buffers",
    )


def _add_inspect(commands: _Commands) -> None:
    """`jitstudio inspect`."""
    inspect = commands.add_parser(
        "inspect",
        help="read machine code: lines, registers, control flow, occupancy, findings",
        description="Read machine code: what it needs, where it comes from, what may cost time. "
        "Files that hold no machine code are built first; of a fatbin the code for --arch is read. "
        "Of a program, shared library, wheel, zip or cache --kernel chooses one of the kernels in "
        "it. A cache is a folder, or one of the words triton, inductor, cupy, numba, cutile, warp, "
        "cuda and xla for the place where that keeps its kernels.",
        epilog=_INSPECT_STATUS,
        allow_abbrev=False,
    )
    _add_modules(inspect)
    inspect.set_defaults(**_NOT_ASKED)
    _add_timeout(inspect, "the build, and the reading")
    inspect.add_argument("--kernel", metavar="K", help="tell of this kernel or function only")
    inspect.add_argument(
        "--list",
        action="store_true",
        help="list the kernels in a program, library, wheel, zip, fatbin, cubin or cache, as it "
        "is: those with K in their names, and those for --arch, where these are given",
    )
    inspect.add_argument("--code", action="store_true", help="print the instructions, too")
    inspect.add_argument(
        "--block",
        type=_count,
        metavar="N",
        help="threads per block to calculate the occupancy with (default: 256, or what the kernel "
        "is bounded to)",
    )
    inspect.add_argument(
        "--shared",
        type=_count_or_none,
        default=0,
        metavar="BYTES",
        help="dynamic shared memory per block to calculate the occupancy with",
    )


def _add_diff(commands: _Commands) -> None:
    """`jitstudio diff`."""
    diff = commands.add_parser(
        "diff",
        help="compare two programs, or two builds of one",
        description=_DIFF,
        epilog=_DIFF_STATUS,
        allow_abbrev=False,
    )
    for place in ("A", "B"):
        diff.add_argument(
            place.lower(),
            nargs="?" if place == "B" else None,
            metavar=place,
            help=".cu .cuh .ll .bc .ptx .cubin .fatbin .ltoir .a .o, a project, the text that "
            "nvdisasm has written (.sass), or a program, library, wheel or zip with the kernel K",
        )
    diff.add_argument(
        "--what",
        choices=("sass", "ptx", "source"),
        default="sass",
        help="what is compared: machine code (default), PTX, or the files as they are",
    )
    diff.add_argument(
        "--kernel",
        metavar="K",
        help="compare this kernel only, with its parameters and limits, and nothing else",
    )
    diff.add_argument(
        "--normalised",
        action="store_true",
        help="let names of registers and labels, addresses and control bits be no difference",
    )
    _add_settings(diff)
    diff.set_defaults(**_NOT_ASKED)
    _add_timeout(diff, "each build, and each reading")


def _add_check(commands: _Commands) -> None:
    """`jitstudio check`."""
    check = commands.add_parser(
        "check",
        help="check that kernels keep their budgets of registers, spills and more",
        description="Build what files of budgets name and check the conditions on its kernels, "
        "such as 'registers <= 64', 'no double' or 'LDG.128 >= 1'. No GPU is needed.",
        epilog=_CHECK_STATUS,
    )
    check.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="BUDGETS.toml, or a pyproject.toml with [[tool.jitstudio.check.budget]] (default: the "
        "one that is here)",
    )
    check.add_argument(
        "--only", metavar="NAME", help="check this budget only; * and ? stand for other letters"
    )
    check.add_argument(
        "--arch", metavar="ARCH", help="check for this target in the place of those in the file"
    )
    check.add_argument("--sarif", metavar="FILE", help="write what fails as SARIF 2.1.0")
    check.add_argument("--junit", metavar="FILE", help="write all verdicts as JUnit XML")
    check.add_argument(
        "--update",
        action="store_true",
        help="write the cubins that equal_to names before they are compared",
    )
    check.add_argument(
        "--trust",
        action="store_true",
        help="let the file send any option and name files outside its folder",
    )
    _add_timeout(check, "each build, reading and launch")
    _add_json(check)


def _add_lesson(commands: _Commands) -> None:
    lesson = commands.add_parser(
        "lesson",
        help="list lessons, open one, check what a pupil has made of it",
        description="Twelve lessons come with the program; others are folders like theirs.",
    )
    actions = lesson.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="list the lessons that come with the program")
    _add_json(listing)
    opening = actions.add_parser("open", help="copy a lesson for you to work on, print its text")
    opening.add_argument("lesson", metavar="LESSON", help="its number, its name or its folder")
    opening.add_argument(
        "-o", "--output", metavar="DIR", help="copy the lesson into this folder (default: ./NAME)"
    )
    check = actions.add_parser(
        "check",
        help="say what a pupil has reached and what not",
        epilog="Exit status: 0 the lesson is passed, 5 a goal is not reached, else as that of "
        "'jitstudio check'.",
    )
    check.add_argument("lesson", metavar="FOLDER", help="the pupil's copy")
    check.add_argument(
        "--by",
        metavar="LESSON",
        help="check by the conditions of this lesson, and not by those in the pupil's folder",
    )
    check.add_argument("--arch", metavar="ARCH", help="check for this target")
    check.add_argument(
        "--hint", type=_count_or_none, default=0, metavar="N", help="show the first N hints"
    )
    _add_timeout(check, "each build, reading and launch")
    _add_json(check)


def _add_mcp(commands: _Commands) -> None:
    mcp = commands.add_parser(
        "mcp",
        help="serve build, inspect, diff, check and explain to language models",
        description="Answer requests of the Model Context Protocol on stdin and stdout, until "
        "stdin is closed. Programs that work with language models start it themselves.",
        epilog="Exit status: 0 served, 2 usage, 3 the package 'mcp' is not installed.",
    )
    mcp.add_argument(
        "--folder",
        default=".",
        metavar="DIR",
        help="the folder whose files may be read (default: the current one)",
    )
    mcp.add_argument(
        "--allow-run", action="store_true", help="let kernels be launched on the GPU, too"
    )
    _add_timeout(mcp, "a build, a reading or a launch")


def _add_show(commands: _Commands) -> None:
    show = commands.add_parser(
        "show",
        help="open files in the window that is open",
        description="Open files in the window that was used last; where none is open, in a new "
        "one. In Python jitstudio.show(kernel) does so with kernels of Triton, Numba, CuPy and "
        "others.",
        epilog="Exit status: 0 opened, 1 the window has refused it, 2 usage, 3 no window is open "
        "and none can be opened.",
    )
    show.add_argument(
        "files", nargs="+", metavar="FILE", help="what File > Open takes, or the folder of a cache"
    )


def _add_options(commands: _Commands) -> None:
    options = commands.add_parser("options", help="list the options of all tools")
    options.add_argument("search", nargs="*", metavar="SEARCH", help="words to look for")
    options.add_argument(
        "--tool",
        type=str.lower,
        choices=sorted(ADDRESSES),
        help="list what this tool takes only",
    )
    _add_json(options)


def _add_help(commands: _Commands) -> None:
    page = commands.add_parser("help", help="print a page of the manual")
    page.add_argument("topic", nargs="*", metavar="TOPIC", help="a page or a command")


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print one JSON object")


def _seconds(text: str) -> float:
    """Returns a time limit."""
    value = _number(float, text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError("must be more than 0 seconds")
    return value


def _count(text: str) -> int:
    """Returns how often, once at least."""
    return _at_least(1, text)


def _count_or_none(text: str) -> int:
    """Returns how often, or which one counted from 0."""
    return _at_least(0, text)


def _device(text: str) -> int:
    """Returns a GPU, or the simulator."""
    return SIMULATOR if text == SIMULATED_DEVICE.uuid else _count_or_none(text)


def _tolerance(text: str) -> float:
    """Returns how far off a number may be."""
    value = _number(float, text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError("must be 0 or more")
    return value


def _devices(text: str) -> tuple[int, ...]:
    """Several GPUs, such as ``0,1``, or the simulator."""
    return tuple(_device(word.strip()) for word in text.split(","))


def _at_least(least: int, text: str) -> int:
    value = _number(int, text)
    if value < least:
        raise argparse.ArgumentTypeError(f"must be at least {least}")
    return value


def _number(kind: type[_Number], text: str) -> _Number:
    try:
        return kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no number") from None
