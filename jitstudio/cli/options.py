"""`jitstudio options`: rows of the table of options."""

from __future__ import annotations

import json
import shutil
import textwrap
from itertools import groupby

from jitstudio.command_options.other import OptionListOptions
from jitstudio.commands import exit_codes
from jitstudio.commands.json_output import options_object
from jitstudio.core.options import ADDRESSES, OPTIONS, OptionEffect, OptionSpec
from jitstudio.core.tools import Tool
from jitstudio.core.wrapping import filled
from jitstudio.system.terminal import print_error, say

_MOST_COLUMNS = 100
_INDENT = "    "


def run(options: OptionListOptions) -> int:
    """Lists the options that match a search; the exit status is `USAGE` where none does."""
    tool = ADDRESSES.get(options.tool or "")
    search = " ".join(options.search)
    specs = [
        spec for spec in OPTIONS if (not tool or tool in spec.spellings) and spec.matches(search)
    ]
    if options.json:
        say(json.dumps(options_object(specs), indent=2))
    elif specs:
        _show(specs)
    if not specs:
        print_error(f"jitstudio: no option is described by '{search}'.")
    return exit_codes.BUILT if specs else exit_codes.USAGE


def _show(matches: list[OptionSpec]) -> None:
    for group, specs in groupby(matches, key=lambda spec: spec.group):
        say(f"{group.value}\n")
        for spec in specs:
            say(f"  {spec.usage}")
            for sentence in (f"{spec.name}: {spec.help}", _takers(spec)):
                say(_wrapped(sentence))
        say("")


def _takers(spec: OptionSpec) -> str:
    tools = ", ".join(
        f"{tool.value} {flag}{_since(spec, tool)}" for tool, flag in spec.spellings.items()
    )
    parts = [
        f"Sent to {tools}.",
        f"Also written {', '.join(spec.aliases)}." if spec.aliases else "",
        f"Without it: {spec.default}." if spec.default else "",
        f"Cannot be given: {spec.managed}." if spec.managed else _condition(spec),
    ]
    return " ".join(part for part in parts if part)


def _condition(spec: OptionSpec) -> str:
    """Returns the limits of an option in a project that is not trusted."""
    match spec.effect:
        case OptionEffect.NOTHING:
            return ""
        case OptionEffect.READS | OptionEffect.INCLUDES:
            return "Until a project is trusted, within its folder only."
        case _ if spec.value.harmless:
            return "Until a project is trusted, with values only that are known as harmless."
        case _:
            return "Not before a project is trusted."


def _since(spec: OptionSpec, tool: Tool) -> str:
    return f" (from {spec.since[tool]} on)" if tool in spec.since else ""


def _wrapped(sentence: str) -> str:
    columns = min(shutil.get_terminal_size().columns, _MOST_COLUMNS)
    return textwrap.indent(filled(sentence, columns - len(_INDENT)), _INDENT)
