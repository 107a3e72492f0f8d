"""Which option goes to which tool, from one table.

The user writes options as one list, in any tool's spelling. Each option in the table reaches
every tool of the build that takes it, in that tool's spelling. An option that the table does not
know goes to the compilers of the modules (or to nvJitLink where there is none), so that the tool
itself can accept or refuse it. `nvjitlink:-O2` addresses one tool.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from jitstudio.core.tools import Tool

_COMPILERS = (Tool.NVRTC, Tool.NVVM)
_ADDRESSES = {tool.value.lower(): tool for tool in Tool} | {"nvvm": Tool.NVVM}


@dataclass(frozen=True)
class OptionSpec:
    """One option under all its names.

    Attributes:
        spellings: Per tool, the flag to send. No entry: the tool does not take it.
        aliases: Further flags that a user may write for it.
        takes_value: Whether `=VALUE` follows.
        help: One sentence.
    """

    spellings: dict[Tool, str]
    aliases: tuple[str, ...] = ()
    takes_value: bool = False
    help: str = ""

    @property
    def flags(self) -> frozenset[str]:
        """Every flag that means this option."""
        return frozenset((*self.spellings.values(), *self.aliases))


def _row(
    help_text: str,
    *aliases: str,
    nvrtc: str = "",
    nvvm: str = "",
    link: str = "",
    value: bool = False,
) -> OptionSpec:
    spellings = {Tool.NVRTC: nvrtc, Tool.NVVM: nvvm, Tool.NVJITLINK: link}
    taken = {tool: flag for tool, flag in spellings.items() if flag}
    return OptionSpec(taken, aliases, value, help_text)


# Options that only NVRTC or only libNVVM takes need no row: they reach it as unknown ones do.
OPTIONS: tuple[OptionSpec, ...] = (
    _row(
        "Line information for tools, without changing the code.",
        "--generate-line-info",
        nvrtc="-lineinfo",
        link="-lineinfo",
    ),
    _row(
        "Debug information; switches optimisation off.",
        "--device-debug",
        "-g",
        nvrtc="-G",
        nvvm="-g",
        link="-g",
    ),
    _row(
        "Most registers a thread may use.",
        "-maxrregcount",
        nvrtc="--maxrregcount",
        link="-maxrregcount",
        value=True,
    ),
    _row(
        "Flush denormal floats to zero.",
        "--ftz",
        nvrtc="-ftz",
        nvvm="-ftz",
        link="-ftz",
        value=True,
    ),
    _row(
        "IEEE square root instead of the fast one.",
        "--prec-sqrt",
        nvrtc="-prec-sqrt",
        nvvm="-prec-sqrt",
        link="-prec-sqrt",
        value=True,
    ),
    _row(
        "IEEE division instead of the fast one.",
        "--prec-div",
        nvrtc="-prec-div",
        nvvm="-prec-div",
        link="-prec-div",
        value=True,
    ),
    _row(
        "Contract multiply and add to fused operations.",
        "--fmad",
        "-fmad",
        "-fma",
        nvrtc="-fmad",
        nvvm="-fma",
        link="-fma",
        value=True,
    ),
    _row("Optimisation level of the link.", link="-O", value=True),
    _row("Registers, spills and time per kernel in the link's log.", link="-verbose"),
    _row("Kernels to keep; all others are dropped.", link="-kernels-used", value=True),
    _row("Variables to keep; all others are dropped.", link="-variables-used", value=True),
    _row("Drop unused variables.", link="-optimize-unused-variables"),
    _row("An option for ptxas inside the link.", link="-Xptxas", value=True),
    _row("An option for libNVVM inside an LTO link.", link="-Xnvvm", value=True),
    _row("Threads to compile an LTO link with.", link="-split-compile", value=True),
)

_BY_FLAG = {flag: spec for spec in OPTIONS for flag in spec.flags}
# Once sent, NVRTC heeds these in every later compile of the same process.
_STICKY = ("--optimization-info", "-opt-info")
# `-O3` and `-O=3` are the same to nvJitLink; both are the row `-O`.
_GLUED = ("-O",)


def split_options(text: str) -> tuple[str, ...]:
    """Split what was typed into an options field, with the quoting of a shell.

    Raises:
        ValueError: A quote is not closed; the message is fit for a person.
    """
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise ValueError(f"The options cannot be read: {error}. Check the quotes.") from None


def options_for(tool: Tool, options: Iterable[str], front_end: Tool) -> tuple[str, ...]:
    """The options that `tool` gets out of those the user gave.

    Args:
        tool: The tool to be run.
        options: One option an entry.
        front_end: The tool that unknown options are meant for in this chain of tools.
    """
    return tuple(
        sent for option in options if (sent := _spelled(tool, option, front_end)) is not None
    )


def leave_traces(options: Iterable[str]) -> bool:
    """Whether one of the options would change later builds in the same process."""
    return any(option.rpartition(":")[2].startswith(_STICKY) for option in options)


def _spelled(tool: Tool, option: str, front_end: Tool) -> str | None:
    address, colon, rest = option.partition(":")
    if colon and address.lower() in _ADDRESSES:
        return rest if _ADDRESSES[address.lower()] is tool else None
    flag, equals, value = _flag_and_value(option)
    spec = _BY_FLAG.get(flag)
    if spec is None:
        return option if tool is front_end else None
    if tool not in spec.spellings:
        return None
    return f"{spec.spellings[tool]}{equals}{_value_for(tool, value)}"


def _flag_and_value(option: str) -> tuple[str, str, str]:
    for glued in _GLUED:
        if option.startswith(glued) and option[len(glued) :].isdigit():
            return glued, "", option[len(glued) :]
    return option.partition("=")


_SPELLED_TRUTH = {"true": "1", "false": "0"}


def _value_for(tool: Tool, value: str) -> str:
    """Truth is written 1 and 0 for libNVVM and nvJitLink, true and false for NVRTC."""
    return value if tool is Tool.NVRTC else _SPELLED_TRUTH.get(value, value)
