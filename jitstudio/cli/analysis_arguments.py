"""What the commands take that read machine code: a build or a file, and what to tell of it."""

from __future__ import annotations

import argparse

from jitstudio.cli.build_arguments import NOT_ASKED, add_modules, add_settings, add_timeout
from jitstudio.cli.numbers import count, count_or_none

_STATUS = """\
Exit status: 0 read, 1 compile, link or reading failed, 2 usage, 3 something is missing, 4 a tool
crashed or ran past its time."""


def add_inspect(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`jitstudio inspect`."""
    inspect = commands.add_parser(
        "inspect",
        help="read machine code: lines, registers, control flow, occupancy, findings",
        description="Read machine code: what it needs, where it comes from, what may cost time. "
        "Files that hold no machine code are built first; of a fatbin the code for --arch is read.",
        epilog=_STATUS,
        allow_abbrev=False,
    )
    add_modules(inspect)
    inspect.set_defaults(**NOT_ASKED)
    add_timeout(inspect, "the build, and the reading")
    inspect.add_argument("--kernel", metavar="K", help="tell of this kernel or function only")
    inspect.add_argument("--code", action="store_true", help="print the instructions, too")
    inspect.add_argument(
        "--block",
        type=count,
        metavar="N",
        help="threads per block to calculate the occupancy with (default: 256, or what the kernel "
        "is bounded to)",
    )
    inspect.add_argument(
        "--shared",
        type=count_or_none,
        default=0,
        metavar="BYTES",
        help="dynamic shared memory per block to calculate the occupancy with",
    )


_DIFF = """\
Both are built for the same target with the same options, and their machine code is compared: also
of PTX files, so that two texts that become the same program are equal. --what compares the texts
themselves. The address in front of an instruction never counts, as one more instruction moves all
behind it."""
_DIFF_STATUS = """\
The data are compared, too, where both sides tell them in the same way: what nvdisasm -c has written
tells none, and a full listing is compared with another one only. A .cu file and the .ptx file of
the same program may differ: NVRTC and nvJitLink each bring a ptxas of their own, and the two need
not make the same code. Exit status: 0 equal, 1 different, 2 usage, or one of them cannot be built,
3 something is missing, 4 a tool crashed or ran past its time."""


def add_diff(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
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
            metavar=place,
            help=".cu .cuh .ll .bc .ptx .cubin .fatbin .ltoir .a .o, a project, or the text that "
            "nvdisasm has written (.sass)",
        )
    diff.add_argument(
        "--what",
        choices=("sass", "ptx", "source"),
        default="sass",
        help="what is compared: machine code (default), PTX, or the files as they are",
    )
    diff.add_argument(
        "--normalised",
        action="store_true",
        help="let names of registers and labels, addresses and control bits be no difference",
    )
    add_settings(diff)
    diff.set_defaults(**NOT_ASKED)
    add_timeout(diff, "each build, and each reading")
