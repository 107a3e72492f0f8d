"""Options of what comes after the compilers: nvJitLink and nvFatbin."""

from __future__ import annotations

from jitstudio.core.options.spec import (
    TRUTH,
    Effect,
    Group,
    OptionSpec,
    choice,
    handed_on,
    option,
    text,
)

_OF_NVVM = r"-(g|opt=[03]|(ftz|prec-div|prec-sqrt|fma)=[01])"

_LINK: tuple[OptionSpec, ...] = (
    option(
        Group.LINK,
        "Optimisation of the link",
        "How hard nvJitLink optimises: 0 not at all, 3 fully.",
        link="-O",
        value=choice("0", "3"),
        default="3",
        glued=True,
    ),
    option(
        Group.LINK,
        "Resources in the log",
        "Registers, spills and time per kernel in the log of the link.",
        link="-verbose",
    ),
    option(
        Group.LINK,
        "Kernels to keep",
        "A kernel to keep; all that are not named are dropped.",
        link="-kernels-used",
        value=text("saxpy"),
        repeated=True,
    ),
    option(
        Group.LINK,
        "Variables to keep",
        "A variable to keep; all that are not named are dropped.",
        link="-variables-used",
        value=text("table"),
        repeated=True,
    ),
    option(
        Group.LINK,
        "Drop unused variables",
        "Drops the variables that no kernel uses.",
        link="-optimize-unused-variables",
    ),
    option(
        Group.LINK,
        "Option for libNVVM",
        "An option for libNVVM inside an LTO link.",
        link="-Xnvvm",
        value=handed_on("-opt=3", _OF_NVVM),
        repeated=True,
        effect=Effect.RUNS,
    ),
    option(
        Group.LINK,
        "Optimised LTO-IR",
        "Runs the optimiser before LTO-IR is written.",
        nvrtc="--gen-opt-lto",
        also="-gen-opt-lto",
    ),
)

_FATBIN: tuple[OptionSpec, ...] = (
    option(
        Group.FATBIN,
        "Compression",
        "Compresses what is packed, where that pays.",
        fatbin="-compress",
        value=TRUTH,
        default="true",
        worded=True,
    ),
    option(
        Group.FATBIN,
        "Compress everything",
        "Compresses small contents, too.",
        fatbin="-compress-all",
    ),
    option(
        Group.FATBIN,
        "Aim of the compression",
        "Whether a small file or fast unpacking counts more.",
        fatbin="-compress-mode",
        value=choice("default", "size", "speed", "balance", "none"),
        default="default",
    ),
    option(
        Group.FATBIN,
        "Relocatable contents",
        "Marks the contents as relocatable code, to be linked later.",
        fatbin="-c",
    ),
    option(
        Group.FATBIN,
        "64-bit contents",
        "Marks the contents as 64-bit code, which is what nvFatbin does anyway.",
        fatbin="-64",
    ),
    option(
        Group.FATBIN,
        "32-bit contents",
        "Marks the contents as 32-bit code, which no compiler of CUDA 13 makes.",
        fatbin="-32",
    ),
    option(
        Group.FATBIN,
        "Host system",
        "The operating system that the fatbin is for.",
        fatbin="-host",
        value=choice("linux", "windows", "mac"),
    ),
    option(
        Group.FATBIN,
        "Contents for CUDA",
        "Marks the contents as CUDA code, which is what nvFatbin does anyway.",
        fatbin="-cuda",
    ),
    option(
        Group.FATBIN,
        "Contents for OpenCL",
        "Marks the contents as OpenCL code.",
        fatbin="-opencl",
    ),
)

ROWS = (*_LINK, *_FATBIN)
