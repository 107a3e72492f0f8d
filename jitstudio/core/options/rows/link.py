"""Options of the tools behind the compilers: nvJitLink and nvFatbin."""

from __future__ import annotations

from jitstudio.core.options.spec import (
    TRUTH,
    OptionEffect,
    OptionGroup,
    OptionSpec,
    choice,
    handed_on,
    option,
    text,
)

_OF_NVVM = r"-(g|opt=[03]|(ftz|prec-div|prec-sqrt|fma)=[01])"

_LINK: tuple[OptionSpec, ...] = (
    option(
        OptionGroup.LINK,
        "Optimisation of the link",
        "How hard nvJitLink optimises: 0 not at all, 3 fully.",
        link="-O",
        value=choice("0", "3"),
        default="3",
        glued=True,
    ),
    option(
        OptionGroup.LINK,
        "Resources in the log",
        "Registers, spills and time per kernel in the log of the link.",
        link="-verbose",
    ),
    option(
        OptionGroup.LINK,
        "Kernels to keep",
        "A kernel to keep; all that are not named are dropped.",
        link="-kernels-used",
        value=text("saxpy"),
        repeated=True,
    ),
    option(
        OptionGroup.LINK,
        "Variables to keep",
        "A variable to keep; all that are not named are dropped.",
        link="-variables-used",
        value=text("table"),
        repeated=True,
    ),
    option(
        OptionGroup.LINK,
        "Drop unused variables",
        "Drops the variables that no kernel uses.",
        link="-optimize-unused-variables",
    ),
    option(
        OptionGroup.LINK,
        "Option for libNVVM",
        "An option for libNVVM inside an LTO link.",
        link="-Xnvvm",
        value=handed_on("-opt=3", _OF_NVVM),
        repeated=True,
        effect=OptionEffect.RUNS,
    ),
    option(
        OptionGroup.LINK,
        "Optimised LTO-IR",
        "Runs the optimiser before LTO-IR is written.",
        nvrtc="--gen-opt-lto",
        also="-gen-opt-lto",
    ),
)

_FATBIN: tuple[OptionSpec, ...] = (
    option(
        OptionGroup.FATBIN,
        "Compression",
        "Compresses what is packed, if that pays.",
        fatbin="-compress",
        value=TRUTH,
        default="true",
        worded=True,
    ),
    option(
        OptionGroup.FATBIN,
        "Compress everything",
        "Compresses small contents, too.",
        fatbin="-compress-all",
    ),
    option(
        OptionGroup.FATBIN,
        "Aim of the compression",
        "Whether a small file or fast unpacking counts more.",
        fatbin="-compress-mode",
        value=choice("default", "size", "speed", "balance", "none"),
        default="default",
    ),
    option(
        OptionGroup.FATBIN,
        "Relocatable contents",
        "Marks the contents as relocatable code, to be linked later.",
        fatbin="-c",
    ),
    option(
        OptionGroup.FATBIN,
        "64-bit contents",
        "Marks the contents as 64-bit code, which is what nvFatbin does anyway.",
        fatbin="-64",
    ),
    option(
        OptionGroup.FATBIN,
        "32-bit contents",
        "Marks the contents as 32-bit code, which no compiler of CUDA 13 makes.",
        fatbin="-32",
    ),
    option(
        OptionGroup.FATBIN,
        "Host system",
        "The operating system that the fatbin is for.",
        fatbin="-host",
        value=choice("linux", "windows", "mac"),
    ),
    option(
        OptionGroup.FATBIN,
        "Contents for CUDA",
        "Marks the contents as CUDA code, which is what nvFatbin does anyway.",
        fatbin="-cuda",
    ),
    option(
        OptionGroup.FATBIN,
        "Contents for OpenCL",
        "Marks the contents as OpenCL code.",
        fatbin="-opencl",
    ),
)

ROWS = (*_LINK, *_FATBIN)
