"""Which option goes to which tool.

The user writes options as one list, in any tool's spelling. Each option in the table reaches
every tool of the build that takes it, in that tool's spelling. An option that the table does not
know goes to the compilers of the modules (or to nvJitLink where there is none), so that the tool
itself can accept or refuse it. `nvjitlink:-O0` addresses one tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from jitstudio.core.options.spec import Kind, OptionSpec
from jitstudio.core.options.words import Given, read
from jitstudio.core.tools import Tool

_HEADERS = {"-I", "--pre-include"}
# They tell times, keep precompiled headers, or ask for no cache at all.
_MORE = {"--time", "-time", "--pch", "--no-cache", "-no-cache"}
# What ptxas forgets after a build: each program of the libraries starts it anew.
_HARMLESS = re.compile(
    r"--?(?:v|verbose|O[0-4]|opt-level=[0-4]|warn-[a-z-]+|w|disable-warnings|lineinfo|g"
    r"|maxrregcount=\d+|(?:d|f)(?:l|s)cm=[a-z]{2}|fmad=(?:true|false))"
)


def options_for(tool: Tool, options: Iterable[str], front_end: Tool) -> tuple[str, ...]:
    """The options that `tool` gets out of those the user gave.

    Args:
        tool: The tool to be run.
        options: One option an entry, or a flag and its value in two.
        front_end: The tool that unknown options are meant for in this chain of tools.
    """
    sent = (_sent(tool, given, front_end) for given in read(options))
    return tuple(option for option in sent if option is not None)


def refusal(options: Iterable[str]) -> str:
    """Why these options cannot be sent: jitstudio sends one of them itself. Empty if they can."""
    for given in read(options):
        spec = given.spec
        if spec and spec.managed and (given.tool is None or given.tool in spec.spellings):
            word = " ".join(given.words)
            return f"Take '{word}' out of the options: {spec.managed}."
    return ""


def leave_traces(options: Iterable[str]) -> bool:
    """Whether one of the options may change later builds in the same process.

    What is no row of the table may, and so may what is handed on to a tool further on: LLVM keeps
    the values of its options as long as the process lives.
    """
    return any(given.spec is None or _stays(given.spec, given.value) for given in read(options))


def have_effects(options: Iterable[str]) -> bool:
    """Whether the options do or ask more than what a result and its text tell.

    They leave traces, read or write files other than headers, or measure times.
    """
    return leave_traces(options) or any(
        (given.spec.value.kind is Kind.PATH and not given.spec.flags & _HEADERS)
        or given.spec.flags & _MORE
        for given in read(options)
        if given.spec
    )


def _stays(spec: OptionSpec, value: str | None) -> bool:
    handed_on = spec.value.kind is Kind.OPTION and not _HARMLESS.fullmatch(value or "")
    return spec.outlasts_build or handed_on


def takers(given: Given, front_end: Tool) -> tuple[Tool, ...]:
    """The tools that an option is for; see `options_for`."""
    if given.tool is not None:
        return (given.tool,)
    return tuple(given.spec.spellings) if given.spec else (front_end,)


def _sent(tool: Tool, given: Given, front_end: Tool) -> str | None:
    if tool not in takers(given, front_end):
        return None
    if given.tool is not None or given.spec is None:
        return given.option
    return given.spec.sent(tool, given.value)
