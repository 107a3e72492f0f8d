"""What `jitstudio run` and `jitstudio sweep` take: a build, a launch, and what to do with them."""

from __future__ import annotations

import argparse

from jitstudio.cli.build_arguments import NOT_ASKED, add_modules
from jitstudio.cli.numbers import count, count_or_none, counts, seconds, tolerance
from jitstudio.core.launch.spec import LaunchSpec, LoadMode, Sanitizer

_STATUS = """\
Exit status: 0 ran and every check passed, 1 compile, link or launch failed, 2 usage, 3 something is
missing (library, driver, GPU), 4 a tool or the launch crashed or ran past its time, 5 a check
failed."""
_SWEEP_STATUS = f"""\
{_STATUS} A sweep in which some variant ran is a success, unless a check failed."""


def add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`jitstudio run`."""
    run = commands.add_parser(
        "run",
        help="build, launch a kernel on a GPU, time it and check it",
        description="Build, launch a kernel on a GPU, time it and check what it has written.",
        epilog=_STATUS,
        allow_abbrev=False,
    )
    _add_launch(run)
    run.add_argument(
        "--device",
        type=count_or_none,
        default=0,
        metavar="N",
        help="the GPU, as 'jitstudio devices' counts them (default 0)",
    )
    run.add_argument(
        "--save", metavar="DIR", help="write each buffer as NAME.npy into this folder afterwards"
    )


def add_sweep(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
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
        "-DMACRO, T for {T} in the kernel's name, or an argument; can be given several times",
    )
    sweep.add_argument(
        "--jobs", type=count, metavar="N", help="build N variants at a time (default: one a core)"
    )
    sweep.add_argument(
        "--devices",
        type=counts,
        metavar="N,N",
        help="the GPUs that share the work (default: all)",
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
    add_modules(command)
    command.set_defaults(**NOT_ASKED)
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
        action="store_true",
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
        help="a value such as 2.5 or {x=1, y=2}, or a buffer LENGTH[:FILL][:in|out|inout] such as "
        "'n:random(7)'; fills are zeros, constant(V), range, random, file(PATH), expr(NUMPY)",
    )
    command.add_argument(
        "--expect",
        dest="expectations",
        action="append",
        metavar="EXPR",
        help="what a buffer shall hold, in NumPy: 'out = a * x + y'",
    )
    command.add_argument(
        "--rtol",
        dest="relative",
        type=tolerance,
        metavar="R",
        help=f"relative tolerance (default {default.relative:g})",
    )
    command.add_argument(
        "--atol",
        dest="absolute",
        type=tolerance,
        metavar="A",
        help=f"absolute tolerance (default {default.absolute:g})",
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
        type=count_or_none,
        metavar="N",
        help=f"launches that are timed (default {default.repeats})",
    )
    command.add_argument(
        "--warmup",
        type=count_or_none,
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
        type=seconds,
        metavar="S",
        help=f"end a launch after this many seconds (default {default.timeout:g})",
    )
