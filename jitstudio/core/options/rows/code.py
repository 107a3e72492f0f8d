"""Options of code generation, floating point, debugging, and the time all that takes."""

from __future__ import annotations

from jitstudio.core.options.spec import (
    TRUTH,
    OptionEffect,
    OptionGroup,
    OptionSpec,
    choice,
    handed_on,
    number,
    option,
    path,
    text,
)
from jitstudio.core.tools import Tool

_MANY_REGISTERS = 255
_MANY_THREADS = 256
_NO_JUMP_TABLES = 101
# Of `ptxas --help`: none of them takes a file.
_OF_PTXAS = (
    r"--?(v|verbose|g|device-debug|lineinfo|generate-line-info|w|disable-warnings"
    r"|Werror|warning-as-error|warn-(on-)?(spills|lmem-usage|local-memory-usage"
    r"|double-precision-use)|ret-end|return-at-end|O[0-4]|(O|opt-level)=[0-4]"
    r"|(dlcm|def-load-cache|dscm|def-store-cache|flcm|force-load-cache|fscm|force-store-cache)"
    r"=[a-z]{2}|(maxrregcount|maxntid|minnctapersm|device-function-maxrregcount|rul"
    r"|register-usage-level|split-compile)=[0-9]+"
    r"|(fmad|allow-expensive-optimizations)=(true|false))"
)

_CODE: tuple[OptionSpec, ...] = (
    option(
        OptionGroup.CODE,
        "Register limit",
        "The most registers that a thread may use; fewer let more threads run at once.",
        nvrtc="--maxrregcount",
        link="-maxrregcount",
        value=number(0, _MANY_REGISTERS, 64),
    ),
    option(
        OptionGroup.CODE,
        "Optimisation of libNVVM",
        "How hard libNVVM optimises: 0 not at all, 3 fully.",
        nvvm="-opt",
        value=choice("0", "3"),
        default="3",
    ),
    option(
        OptionGroup.CODE,
        "Optimised debug code",
        "Optimises in spite of -G; line numbers are then all that is left of debug information.",
        nvrtc="--dopt",
        also="-dopt",
        value=choice("on"),
    ),
    option(
        OptionGroup.CODE,
        "More vectorisation",
        "Lets the optimiser of NVRTC try harder to use vector instructions.",
        nvrtc="--extra-device-vectorization",
        also="-extra-device-vectorization",
    ),
    option(
        OptionGroup.CODE,
        "Restrict pointers",
        "Promises that no two pointer parameters of a kernel reach the same memory.",
        nvrtc="--restrict",
        also="-restrict",
    ),
    option(
        OptionGroup.CODE,
        "Jump table density",
        "How full, in percent, the cases of a switch must be for a jump table; 101 means never.",
        nvrtc="--jump-table-density",
        nvvm="-jump-table-density",
        link="-jump-table-density",
        also="-jtd",
        value=number(0, _NO_JUMP_TABLES, 50),
        default=str(_NO_JUMP_TABLES),
    ),
    option(
        OptionGroup.CODE,
        "Stack protector",
        "Guards the stack frames of functions that look open to buffer overruns.",
        nvrtc="--device-stack-protector",
        link="--device-stack-protector",
        also="-device-stack-protector",
        value=TRUTH,
        default="false",
        worded=True,
    ),
    option(
        OptionGroup.CODE,
        "Stack protector threshold",
        "The frame size in bytes from which on a function gets a stack guard.",
        link="--device-stack-protector-frame-size-threshold",
        value=number(0, 1 << 20, 64),
    ),
    option(
        OptionGroup.CODE,
        "Relocatable code",
        "Code that can call, and be called from, modules it is linked with later.",
        nvrtc="-rdc",
        also="--relocatable-device-code",
        value=TRUTH,
        default="false",
    ),
    option(
        OptionGroup.CODE,
        "Relocatable code (short form)",
        "The same as --relocatable-device-code=true.",
        nvrtc="--device-c",
        also="-dc",
    ),
    option(
        OptionGroup.CODE,
        "Whole-program code (short form)",
        "The same as --relocatable-device-code=false.",
        nvrtc="--device-w",
        also="-dw",
    ),
    option(
        OptionGroup.CODE,
        "Extensible whole program",
        "Code that is optimised as a whole program and may still call the device runtime.",
        nvrtc="--extensible-whole-program",
        also="-ewp",
    ),
    option(
        OptionGroup.CODE,
        "Seed of generated names",
        "Replaces the random part of generated names, so that equal sources give equal output.",
        nvrtc="--frandom-seed",
        also="-frandom-seed",
        value=text("42"),
    ),
    option(
        OptionGroup.CODE,
        "Option for ptxas",
        "An option for ptxas, which makes the machine code in NVRTC and in nvJitLink.",
        nvrtc="--ptxas-options",
        link="-Xptxas",
        value=handed_on("-v", _OF_PTXAS),
        repeated=True,
        effect=OptionEffect.WRITES,
    ),
)

_FLOAT: tuple[OptionSpec, ...] = (
    option(
        OptionGroup.FLOAT,
        "Fast math",
        "Sets -ftz=true, -prec-div=false, -prec-sqrt=false and -fmad=true, and calls fast "
        "intrinsics for the functions of math.h.",
        nvrtc="--use_fast_math",
        also="-use_fast_math",
    ),
    option(
        OptionGroup.FLOAT,
        "Flush denormals to zero",
        "Takes denormal 32-bit floats for zero.",
        nvrtc="-ftz",
        nvvm="-ftz",
        link="-ftz",
        also="--ftz",
        value=TRUTH,
        default="false",
    ),
    option(
        OptionGroup.FLOAT,
        "Precise division",
        "IEEE division and reciprocals of 32-bit floats instead of faster approximations.",
        nvrtc="-prec-div",
        nvvm="-prec-div",
        link="-prec-div",
        also="--prec-div",
        value=TRUTH,
        default="true",
    ),
    option(
        OptionGroup.FLOAT,
        "Precise square root",
        "IEEE square roots of 32-bit floats instead of a faster approximation.",
        nvrtc="-prec-sqrt",
        nvvm="-prec-sqrt",
        link="-prec-sqrt",
        also="--prec-sqrt",
        value=TRUTH,
        default="true",
    ),
    option(
        OptionGroup.FLOAT,
        "Fused multiply-add",
        "Contracts a multiplication and an addition into one operation with one rounding.",
        nvrtc="-fmad",
        nvvm="-fma",
        link="-fma",
        also="--fmad",
        value=TRUTH,
        default="true",
    ),
    option(
        OptionGroup.FLOAT,
        "Associative math",
        "Lets sums and products of floats be done in another order.",
        nvrtc="--fassociative-math",
        also="-fassociative-math",
    ),
    option(
        OptionGroup.FLOAT,
        "No signed zeros",
        "Lets the optimiser ignore the sign of a zero.",
        nvrtc="--fno-signed-zeros",
        also="-fno-signed-zeros",
        since={Tool.NVRTC: "13.4"},
    ),
    option(
        OptionGroup.FLOAT,
        "Finite math only",
        "Lets the optimiser assume that no value is infinite or NaN.",
        nvrtc="--ffinite-math-only",
        also="-ffinite-math-only",
        since={Tool.NVRTC: "13.4"},
    ),
)

_DEBUG: tuple[OptionSpec, ...] = (
    option(
        OptionGroup.DEBUG,
        "Line information",
        "Line information for tools, without changing the code. It is always asked for, unless "
        "debug information is.",
        nvrtc="-lineinfo",
        link="-lineinfo",
        tileiras="--lineinfo",
        also="--generate-line-info",
    ),
    option(
        OptionGroup.DEBUG,
        "Lines of callees only",
        "Leaves out of the line information where an inlined function was called from.",
        nvrtc="--no-lineinfo-inlined-at",
        also="-no-lineinfo-ia",
    ),
    option(
        OptionGroup.DEBUG,
        "Debug information",
        "Debug information; switches optimisation off.",
        nvrtc="-G",
        nvvm="-g",
        link="-g",
        fatbin="-g",
        tileiras="--device-debug",
        also="--device-debug",
    ),
    option(
        OptionGroup.DEBUG,
        "Debug information for Numba",
        "Debug information in the form that Numba wants; goes together with -G.",
        nvrtc="--numba-debug",
        nvvm="-numba-debug",
        since={Tool.NVRTC: "13.2"},
    ),
)

_SPEED: tuple[OptionSpec, ...] = (
    option(
        OptionGroup.SPEED,
        "Fast compile",
        "Skips optimisations to compile sooner: min a few of them, max most.",
        nvrtc="--Ofast-compile",
        link="--Ofast-compile",
        also="-Ofast-compile -Ofc",
        value=choice("0", "min", "mid", "max"),
        default="0",
    ),
    option(
        OptionGroup.SPEED,
        "Split compile",
        "The threads to optimise one module with; 0 takes as many as there are cores.",
        nvrtc="--split-compile",
        nvvm="-split-compile",
        link="-split-compile",
        value=number(0, _MANY_THREADS, 2),
        default="1",
    ),
    option(
        OptionGroup.SPEED,
        "Split compile of an LTO link",
        "The threads for an LTO link, which then also makes the machine code in parallel.",
        link="-split-compile-extended",
        value=number(0, _MANY_THREADS, 2),
        default="1",
    ),
    option(
        OptionGroup.SPEED,
        "No cache of the tools",
        "Keeps NVRTC and nvJitLink from taking code out of the cache of the driver.",
        nvrtc="--no-cache",
        link="-no-cache",
    ),
    option(
        OptionGroup.SPEED,
        "Minimal language",
        "Leaves out built-in declarations, such as those of textures, to compile small sources "
        "sooner.",
        nvrtc="--minimal",
        also="-minimal",
    ),
    option(
        OptionGroup.SPEED,
        "Check the syntax only",
        "Stops after the front end; nothing that could run is made.",
        nvrtc="--fdevice-syntax-only",
        also="-fdevice-syntax-only",
    ),
    option(
        OptionGroup.SPEED,
        "Raise the stack limit",
        "Lets NVRTC raise the stack limit of its process while it compiles.",
        nvrtc="--modify-stack-limit",
        also="-modify-stack-limit",
        value=TRUTH,
        default="true",
    ),
    option(
        OptionGroup.SPEED,
        "Table of phases",
        "Writes the time that each phase took into a CSV file, or into the log for '-'.",
        nvrtc="--time",
        value=path("-", harmless="-"),
        effect=OptionEffect.WRITES,
    ),
    option(
        OptionGroup.SPEED,
        "Trace of phases",
        "Writes a trace for a flame graph; NVRTC adds .json to the name of the file.",
        nvrtc="--fdevice-time-trace",
        also="-fdevice-time-trace",
        value=path("trace"),
        since={Tool.NVRTC: "12.5"},
        effect=OptionEffect.WRITES,
    ),
    option(
        OptionGroup.SPEED,
        "Times of the link",
        "Logs how long each step of the link took.",
        link="-time",
    ),
)

ROWS = (*_CODE, *_FLOAT, *_DEBUG, *_SPEED)
