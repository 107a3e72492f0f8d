"""The grammar of the command line."""

from __future__ import annotations

import argparse
import itertools
from typing import Any, NoReturn

from jitstudio import __version__
from jitstudio.cli import terminal
from jitstudio.cli.analysis_arguments import add_diff, add_inspect
from jitstudio.cli.build_arguments import add_build
from jitstudio.cli.launch_arguments import add_run, add_sweep
from jitstudio.core.options import ADDRESSES


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
    root: argparse.ArgumentParser = _Parser(
        prog="jitstudio",
        description="See what NVRTC, libNVVM and nvJitLink make of CUDA C++, LLVM IR and PTX.",
        epilog="jitstudio [FILE...] opens the window with these files.",
    )
    root.add_argument("--version", action="version", version=f"jitstudio {__version__}")
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_build(commands)
    add_run(commands)
    add_sweep(commands)
    add_inspect(commands)
    add_diff(commands)
    doctor = commands.add_parser("doctor", help="tell which tools, driver and GPUs are here")
    doctor.add_argument("--json", action="store_true", help="print one JSON object")
    devices = commands.add_parser("devices", help="list the GPUs that can be launched on")
    devices.add_argument("--json", action="store_true", help="print one JSON object")
    _add_options(commands)
    cache = commands.add_parser("cache", help="tell how much earlier builds have left in the cache")
    cache.add_argument("--clear", action="store_true", help="empty it")
    cache.add_argument("--json", action="store_true", help="print one JSON object")
    return root


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
