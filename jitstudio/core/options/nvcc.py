"""Which options nvcc takes: those of NVRTC and, unlike it, those of its own that the table lacks.

The front end and the optimiser are the same, and so are the names of nearly all options. Here are
the others; found by sending every row of the table to nvcc 13.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from jitstudio.core.options.parsing import find, read

_RENAMED = {
    "--warning-as-error": "-Werror",
    "--device-c": "-rdc=true",
    "--device-w": "-rdc=false",
}
_UNKNOWN = frozenset(
    (
        "--builtin-initializer-list",
        "--builtin-move-forward",
        "--device-as-default-execution-space",
        "--device-float128",
        "--device-int128",
        "--fdevice-time-trace",
        "--fmax-errors",
        "--instantiate-templates-in-pch",
        "--minimal",
        "--modify-stack-limit",
        "--no-cache",
        "--no-source-include",
        "--numba-debug",
        "--pch-messages",
        "--pch-verbose",
        "--time",
        "--use-bundled-headers",
        "--Wconversion",
    )
)
# What it makes, where, and with which programs.
_DECIDED = re.compile(
    r"--?(?:cuda|cubin|fatbin|ptx|optix-ir|ltoir|preprocess|E|M{1,2}D?|MF|generate-[\w-]*depend\w*"
    r"|compile|c|device-link|dlink|link|lib|run|output-file|o|objdir-as-tempdir|objtemp"
    r"|output-directory|odir|compiler-bindir|ccbin|dryrun|keep|keep-dir|save-temps|clean-targets"
    r"|clean|gpu-code|code|generate-code|gencode|options-file|optf|run-args|help|h|version|V|x)"
    r"(?:=.*)?"
)


def nvcc_objection(options: Iterable[str]) -> str:
    """Why nvcc cannot be sent these options of a user's, a sentence; empty if it can."""
    for given in read(options):
        word = " ".join(given.words)
        if given.spec is not None and given.spec.flag in _UNKNOWN:
            return (
                f"nvcc has no counterpart of '{word}', an option of NVRTC. Take it out, or compile "
                "with NVRTC."
            )
        if given.spec is None and _DECIDED.fullmatch(given.option):
            return f"Take '{word}' out of the options: jitstudio says what nvcc makes, and where."
    return ""


def nvcc_spelling(option: str) -> str:
    """Returns an option that NVRTC would be sent as nvcc reads it."""
    spec, value = find(option)
    renamed = _RENAMED.get(spec.flag) if spec else None
    if renamed:
        return f"{renamed}={value}" if value is not None else renamed
    if spec and spec.repeated and value is not None:
        # To nvcc a comma begins another value.
        head = option.removesuffix(value)
        return head + value.replace(",", "\\,")
    return option
