"""The grammar of the command line."""

from __future__ import annotations

import argparse
from typing import TypeVar

from jitstudio import __version__
from jitstudio.core.code import EMITTED_KINDS
from jitstudio.core.options import ADDRESSES
from jitstudio.worker.builder import DEFAULT_TIMEOUT

_Number = TypeVar("_Number", int, float)

COMMANDS = ("build", "cache", "doctor", "options")

_BUILD_EPILOG = """\
Exit status: 0 built, 1 compile or link failed, 2 usage, 3 something is missing (library, driver,
GPU), 4 a tool crashed or ran past its time."""


def parser() -> argparse.ArgumentParser:
    """The parser of all commands; without a command the arguments are files for the window."""
    root = argparse.ArgumentParser(
        prog="jitstudio",
        description="See what NVRTC, libNVVM and nvJitLink make of CUDA C++, LLVM IR and PTX.",
        epilog="jitstudio [FILE...] opens the window with these files.",
    )
    root.add_argument("--version", action="version", version=f"jitstudio {__version__}")
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_build(commands)
    doctor = commands.add_parser("doctor", help="tell which tools, driver and GPUs are here")
    doctor.add_argument("--json", action="store_true", help="print one JSON object")
    _add_options(commands)
    cache = commands.add_parser("cache", help="tell how much earlier builds have left in the cache")
    cache.add_argument("--clear", action="store_true", help="empty it")
    cache.add_argument("--json", action="store_true", help="print one JSON object")
    return root


def _add_build(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    build = commands.add_parser(
        "build",
        help="compile, link and disassemble",
        description="Compile, link and disassemble. The kind of a file follows from its ending.",
        epilog=_BUILD_EPILOG,
        # `--opt` for `--option` would not take a value that begins with a dash.
        allow_abbrev=False,
    )
    build.add_argument(
        "sources",
        nargs="+",
        metavar="SRC",
        help=".cu .cuh .ll .bc .ptx .cubin .fatbin .ltoir .a .o",
    )
    _add_outputs(build)
    _add_tools(build)
    _add_ways(build)


def _add_outputs(build: argparse.ArgumentParser) -> None:
    """What is to be made, and where it goes."""
    build.add_argument("--arch", metavar="ARCH", help="target architecture, such as sm_90")
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
    link = build.add_mutually_exclusive_group()
    link.add_argument("--link", action="store_true", help="link all modules by PTX")
    link.add_argument("--lto", action="store_true", help="link all modules by LTO-IR")
    link.add_argument(
        "--compare-links",
        action="store_true",
        help="link both ways and print registers, instructions, bytes and time of both",
    )
    build.add_argument("-o", "--output", metavar="DIR", help="write the results into this folder")
    build.add_argument("--json", action="store_true", help="print one JSON object")


def _add_tools(build: argparse.ArgumentParser) -> None:
    """What the tools are given beside the modules."""
    build.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="OPT",
        help="an option for the tools that take it, written --option=OPT; "
        "nvjitlink:OPT and the like address one tool; 'jitstudio options' lists them",
    )
    build.add_argument(
        "--header", action="append", default=[], metavar="NAME=PATH", help="an in-memory header"
    )
    build.add_argument(
        "--name-expression",
        action="append",
        default=[],
        metavar="EXPR",
        help="ask for a lowered name, such as 'saxpy<float>'",
    )
    build.add_argument(
        "--libdevice", action="store_true", help="let libNVVM take functions from libdevice"
    )
    build.add_argument(
        "--library",
        action="append",
        default=[],
        metavar="FILE",
        help="LLVM IR of which libNVVM takes only what is called",
    )
    build.add_argument(
        "--join-ir", action="store_true", help="give all LLVM IR to libNVVM as one program"
    )
    build.add_argument(
        "--driver-jit",
        action="store_true",
        help="let the driver assemble PTX, in the place of nvJitLink",
    )


def _add_ways(build: argparse.ArgumentParser) -> None:
    """How the work is done."""
    build.add_argument(
        "--no-cache", action="store_true", help="compile anew what was compiled before"
    )
    build.add_argument(
        "--no-pch", action="store_true", help="make and use no precompiled headers with --repeat"
    )
    build.add_argument(
        "--timeout",
        type=_seconds,
        default=DEFAULT_TIMEOUT,
        metavar="S",
        help=f"stop a build after this many seconds (default {DEFAULT_TIMEOUT:g})",
    )
    build.add_argument(
        "--repeat",
        type=_count,
        default=1,
        metavar="N",
        help="build N times without the cache, for the times",
    )


def _add_options(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    options = commands.add_parser("options", help="list the options of all tools")
    options.add_argument("search", nargs="*", metavar="SEARCH", help="words to look for")
    options.add_argument(
        "--tool",
        type=str.lower,
        choices=sorted(ADDRESSES),
        help="list what this tool takes only",
    )
    options.add_argument("--json", action="store_true", help="print one JSON object")


def _seconds(text: str) -> float:
    value = _number(float, text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError("must be more than 0 seconds")
    return value


def _count(text: str) -> int:
    value = _number(int, text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _number(kind: type[_Number], text: str) -> _Number:
    try:
        return kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no number") from None
