"""Options that jitstudio sends itself.

Twice in one command they mislead or fail: NVRTC takes the last with a warning, nvJitLink warns of
a gpu-name that nobody wrote, libNVVM calls -arch "defined more than once".
"""

from __future__ import annotations

from jitstudio.core.options.spec import OptionEffect, OptionGroup, OptionSpec, option, path, text

_TARGET = "the target says it (the Target field, or --arch on the command line)"
_LTO = "the kind of link says it (Link LTO in the Link panel, or --lto on the command line)"
_OUTPUT = "the output asked for says it (--emit on the command line)"
_PCH = "the worker keeps precompiled headers by itself"

ROWS: tuple[OptionSpec, ...] = (
    option(
        OptionGroup.ELSEWHERE,
        "Target architecture",
        "The GPU architecture to compile for.",
        nvrtc="-arch",
        nvvm="-arch",
        link="-arch",
        tileiras="--gpu-name",
        also="--gpu-architecture",
        value=text("sm_90"),
        managed=_TARGET,
    ),
    option(
        OptionGroup.ELSEWHERE,
        "Link-time optimisation",
        "LTO-IR out of the compilers, and optimisation across modules in the link.",
        nvrtc="-dlto",
        nvvm="-gen-lto",
        link="-lto",
        also="--dlink-time-opt",
        managed=_LTO,
    ),
    option(
        OptionGroup.ELSEWHERE,
        "PTX out of the link",
        "Makes PTX instead of a cubin in an LTO link.",
        link="-ptx",
        managed=_OUTPUT,
    ),
    option(
        OptionGroup.ELSEWHERE,
        "OptiX IR",
        "Makes OptiX IR instead of PTX.",
        nvrtc="--optix-ir",
        also="-optix-ir",
        managed=_OUTPUT,
    ),
    option(
        OptionGroup.ELSEWHERE,
        "Automatic precompiled headers",
        "Keeps the headers of a source precompiled for the next compile in the same process.",
        nvrtc="--pch",
        also="-pch",
        managed=_PCH,
        effect=OptionEffect.WRITES,
    ),
    option(
        OptionGroup.ELSEWHERE,
        "Make a precompiled header",
        "Writes the headers of a source into this file, precompiled.",
        nvrtc="--create-pch",
        also="-create-pch",
        value=path("headers.pch"),
        managed=_PCH,
        effect=OptionEffect.WRITES,
    ),
    option(
        OptionGroup.ELSEWHERE,
        "Use a precompiled header",
        "Takes the headers of a source from this file.",
        nvrtc="--use-pch",
        also="-use-pch",
        value=path("headers.pch"),
        managed=_PCH,
        effect=OptionEffect.RUNS,
    ),
    option(
        OptionGroup.ELSEWHERE,
        "Folder of precompiled headers",
        "The folder that precompiled headers are written to.",
        nvrtc="--pch-dir",
        also="-pch-dir",
        value=path("headers"),
        managed=_PCH,
        effect=OptionEffect.WRITES,
    ),
)
