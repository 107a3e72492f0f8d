"""What `jitstudio build` takes, and the part of it that all commands take that build."""

from __future__ import annotations

import argparse

from jitstudio.cli.numbers import count, seconds
from jitstudio.core.code import EMITTED_KINDS
from jitstudio.worker.builder import DEFAULT_TIMEOUT

_EPILOG = """\
Exit status: 0 built, 1 compile or link failed, 2 usage, 3 something is missing (library, driver,
GPU), 4 a tool crashed or ran past its time."""

NOT_ASKED: dict[str, object] = {
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
"""What only `build` can be told, as the others leave it."""


def add_build(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The command itself."""
    build = commands.add_parser(
        "build",
        help="compile, link and disassemble",
        description="Compile, link and disassemble. The kind of a file follows from its ending.",
        epilog=_EPILOG,
        # `--opt` for `--option` would not take a value that begins with a dash.
        allow_abbrev=False,
    )
    link = add_modules(build)
    link.add_argument(
        "--compare-links",
        action="store_true",
        help="link both ways and print registers, instructions, bytes and time of both",
    )
    _add_matrix(build)
    _add_outputs(build)
    _add_ways(build)


def add_modules(
    command: argparse.ArgumentParser,
) -> argparse._MutuallyExclusiveGroup:
    """What is built for which target, what the tools are given beside it, and how it is linked.

    Returns:
        The group of the ways to link.
    """
    command.add_argument(
        "sources",
        nargs="+",
        metavar="SRC",
        help=".cu .cuh .ll .bc .ptx .cubin .fatbin .ltoir .a .o",
    )
    return add_settings(command)


def add_settings(
    command: argparse.ArgumentParser,
) -> argparse._MutuallyExclusiveGroup:
    """All that `add_modules` takes but the modules."""
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
    command.add_argument("--json", action="store_true", help="print one JSON object")
    return link


def add_timeout(command: argparse.ArgumentParser, what: str) -> None:
    """How long something may take."""
    command.add_argument(
        "--timeout",
        type=seconds,
        default=DEFAULT_TIMEOUT,
        metavar="S",
        help=f"stop {what} after this many seconds (default {DEFAULT_TIMEOUT:g})",
    )


def _add_matrix(build: argparse.ArgumentParser) -> None:
    """The same code for several targets and with several sets of options."""
    build.add_argument(
        "--compare-targets",
        metavar="TARGETS",
        help="build for each of these, separated by commas, and print the figures of each kernel",
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
    add_timeout(build, "a build")
    build.add_argument(
        "--repeat",
        type=count,
        default=1,
        metavar="N",
        help="build N times without the cache, for the times",
    )
