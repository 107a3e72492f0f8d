"""The options of commands that launch a kernel: `run`, `sweep` and `export`."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.command_options.build import ModuleOptions
from jitstudio.command_options.fields import flag, ways, word
from jitstudio.command_options.values import (
    ANY_TEXT,
    ANY_TEXTS,
    ARGUMENTS,
    COUNT,
    COUNT_OR_NONE,
    DEVICE,
    DEVICES,
    PATH,
    PATHS,
    SECONDS,
    SIZE,
    TEXTS,
    TOLERANCE,
    VARIABLES,
    ArgumentKind,
    Pairs,
    UsageError,
    WrongValueError,
    choice,
)
from jitstudio.core.launch.device import SIMULATOR
from jitstudio.core.launch.spec import LaunchSpec, LoadMode, Sanitizer

_DEFAULT = LaunchSpec()


def _certificates(value: object) -> tuple[str, ...]:
    paths: tuple[str, ...] = PATHS.check(value)
    if len(paths) != 3:
        raise ValueError("takes three files: CA, CERT and KEY.")
    return paths


def ordinal_of(device: int | str) -> int:
    """Returns the number of a GPU, or `SIMULATOR`."""
    return SIMULATOR if isinstance(device, str) else device


@dataclass(frozen=True, kw_only=True)
class LaunchOptions(ModuleOptions):
    """The options of a build and a launch; None stands for the project's value or the default."""

    kernel: str | None = word(
        "--kernel K",
        ANY_TEXT,
        "its name or, for a template, a name expression such as 'saxpy<float>'",
    )
    grid: str | None = word("--grid X[,Y[,Z]]", SIZE, "blocks")
    cover: str | None = word(
        "--cover N[,N[,N]]", SIZE, "instead of --grid: this many threads at least, such as 'n'"
    )
    block: str | None = word(
        "--block X[,Y[,Z]]", SIZE, f"threads per block (default {_DEFAULT.block})"
    )
    cluster: str | None = word("--cluster X[,Y[,Z]]", SIZE, "blocks per cluster")
    shared: str | None = word("--shared BYTES", SIZE, "dynamic shared memory per block")
    cooperative: bool | None = flag(
        "--cooperative",
        "have all blocks resident at the same time",
        default=None,
        has_opposite=True,
    )
    load: LoadMode | None = ways(
        choice(LoadMode),
        {
            "--driver-jit": (
                LoadMode.DRIVER_JIT,
                "load the PTX by the driver's compiler, instead of the cubin",
            )
        },
    )
    arguments: Pairs = word(
        "--arg NAME=TEXT",
        ARGUMENTS,
        "a value such as 2.5 or {x=1, y=2}, or a buffer LENGTH[@START][:FILL][:in|out|inout] "
        "such as 'n:random(7)', of which the kernel gets the address of element START; fills are "
        "zeros, constant(V), range, random, file(PATH), expr(NUMPY), unfilled; same(NAME) or "
        "same(NAME+N) is the memory of another buffer; a texture "
        "TYPE[W,H][:FILL][:SAMPLING] such as 'uchar4[w,h]:random:linear,clamp', or a surface "
        "TYPE[W,H][:FILL][:in|out|inout]; a pointer in a struct by its path, such as "
        "view.data=n:range, what a pointer to pointers leads to as 'rows[]=n:range'",
    )
    set: Pairs = word(
        "--set NAME=FILL",
        VARIABLES,
        "what a module variable (__constant__, __device__, __managed__) holds before the "
        "launch: a value such as 0 or '{1, 2, 1}', or a fill; NAME=FILL:out or NAME:out to read it "
        "back",
    )
    expect: tuple[str, ...] = word(
        "--expect EXPR",
        TEXTS,
        "what a buffer shall hold, in NumPy: 'out = a * x + y'; or a part of it: "
        "'out[1:-1] = x[i - 1] + x[i + 1]'",
        takes_dash=True,
    )
    relative: float | None = word(
        "--rtol R", TOLERANCE, f"relative tolerance of floats (default {_DEFAULT.relative:g})"
    )
    absolute: float | None = word(
        "--atol A", TOLERANCE, f"absolute tolerance of floats (default {_DEFAULT.absolute:g})"
    )
    integer_tolerance: int | None = word(
        "--itol N",
        COUNT_OR_NONE,
        "how far integers may be apart (default 0: they are compared exactly, and --rtol and "
        "--atol are about floats)",
    )
    poison: bool | None = flag(
        "--no-poison", "do not look for what is never written", default=None, const=False
    )
    guards: bool | None = flag(
        "--no-guards", "do not look for writes out of bounds", default=None, const=False
    )
    repeats: int | None = word(
        "--repeat N", COUNT_OR_NONE, f"launches that are timed (default {_DEFAULT.repeats})"
    )
    warmup: int | None = word(
        "--warmup N", COUNT_OR_NONE, f"launches before those (default {_DEFAULT.warmup})"
    )
    flush_l2: bool | None = flag(
        "--flush-l2", "overwrite the L2 cache before each timed launch", default=None
    )
    sanitizer: Sanitizer | None = word(
        "--sanitize TOOL",
        choice(Sanitizer),
        f"run under compute-sanitizer: {', '.join(tool.value for tool in Sanitizer)}",
    )
    timeout: float | None = word(
        "--timeout S",
        SECONDS,
        f"end a launch after this many seconds (default {_DEFAULT.timeout:g})",
    )
    blocks: int | None = word(
        "--blocks N", COUNT, "simulate the first N blocks only; with --device sim"
    )
    seed: int | None = word(
        "--seed N",
        COUNT_OR_NONE,
        "simulate blocks and warps in another order (default 0, the natural one)",
    )
    seeds: int | None = word(
        "--seeds N", COUNT, "simulate N orders, from --seed on, and compare their buffers"
    )

    def check_together(self) -> None:
        """Refuses an argument and a module variable of the same name."""
        for name, _ in self.set:
            if name in dict(self.arguments):
                raise WrongValueError("set", dict(self.set), f"gives '{name}' twice.")

    @property
    def texts(self) -> dict[str, str]:
        """The arguments of the kernel and the module variables, by name."""
        return dict(self.arguments) | dict(self.set)


@dataclass(frozen=True, kw_only=True)
class RunOptions(LaunchOptions):
    """The options of `jitstudio run`."""

    device: int | str = word(
        "--device N",
        DEVICE,
        "the GPU, as 'jitstudio devices' counts them (default 0), or 'sim': the simulator, "
        "which needs no GPU and counts what each line does instead of times",
        default=0,
    )
    both: bool | None = flag(
        "--both",
        "run it on a GPU and in the simulator, and compare what both leave in the buffers; "
        "where floats differ, build and run both with --fmad=false, too",
        default=None,
    )
    compare_options: tuple[str, ...] = word(
        "--compare-option OPT",
        ANY_TEXTS,
        "build a second time with this option, too, run that on the same device, and compare "
        "what both leave in the buffers",
        takes_dash=True,
    )
    save: str | None = word(
        "--save DIR", PATH, "write each buffer as NAME.npy into this folder afterwards"
    )

    def check_together(self) -> None:
        """Refuses two comparisons at once."""
        super().check_together()
        if self.compare_options and self.both:
            raise UsageError("--both and --compare-option are two comparisons: give one of them.")

    @property
    def ordinal(self) -> int:
        """The number of the GPU, or `SIMULATOR`."""
        return ordinal_of(self.device)


@dataclass(frozen=True, kw_only=True)
class SweepOptions(LaunchOptions):
    """The options of `jitstudio sweep`."""

    axes: tuple[str, ...] = word(
        "--axis NAME=VALUES",
        ANY_TEXTS,
        "what to vary, with its values between commas, or semicolons if a value has "
        "commas: block, grid, cover, cluster, shared, target, options (sets between semicolons), "
        "link (none, ptx, lto), toolchain (own, a version that was added, a folder), -DMACRO, T "
        "for {T} in the kernel's name, or an argument; can be given several times",
        takes_dash=True,
    )
    jobs: int | None = word("--jobs N", COUNT, "build N variants at a time (default: one a core)")
    devices: tuple[int | str, ...] | None = word(
        "--devices N,N",
        DEVICES,
        "the GPUs that share the work (default: all), or 'sim': the simulator, which gives "
        "counts instead of times",
    )
    dask: str | None = word(
        "--dask ADDRESS",
        ANY_TEXT,
        "let the workers of this Dask cluster do the work, such as tls://host:8786; Dask runs "
        "what it is sent, so this trusts whoever answers, and the workers trust your project",
    )
    dask_tls: tuple[str, ...] | None = word(
        "--dask-tls CA CERT KEY",
        ArgumentKind(_certificates),
        "PEM files for tls:// (default: what Dask's own configuration names)",
        nargs=3,
    )
    dask_insecure: bool = flag(
        "--dask-insecure",
        "accept an address beyond this machine without TLS: whoever answers can run code here",
    )
    csv: str | None = word("--csv FILE", PATH, "write the table into this file")

    @property
    def ordinals(self) -> tuple[int, ...] | None:
        """The numbers of the GPUs, or `SIMULATOR`; None for all GPUs."""
        return None if self.devices is None else tuple(map(ordinal_of, self.devices))
