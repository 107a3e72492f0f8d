"""Which option goes to which tool.

The user writes options as one list, in any tool's spelling. Each option in the table reaches
every tool of the build that takes it, in that tool's spelling. An option that the table does not
know goes to the compilers of the modules (or to nvJitLink where there is none), so that the tool
itself can accept or refuse it. `nvjitlink:-O0` addresses one tool.
"""

from __future__ import annotations

from collections.abc import Iterable

from jitstudio.core.options.words import Given, read
from jitstudio.core.tools import Tool


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
    """Whether one of the options would change later builds in the same process."""
    return any(given.spec and given.spec.outlasts_build for given in read(options))


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
