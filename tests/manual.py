"""Writes into the pages of the manual what tables in the code say: `python3 -m tests.manual`.

Between ``<!-- table NAME -->`` and ``<!-- end -->`` goes the table of that name, and each command
of the window gets its title and default keys. `tests/test_manual.py` finds pages that are not so.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from jitstudio.cache.store import LIMIT
from jitstudio.checks.forms import FORMS
from jitstudio.cli.arguments import command_parsers
from jitstudio.commands.exit_codes import MEANINGS
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.options import OPTIONS
from jitstudio.core.plain_files import LARGEST
from jitstudio.core.project.format import MOST
from jitstudio.core.request import DEFAULT_TIMEOUT
from jitstudio.export.formats import FORMATS
from jitstudio.gui.features.help.shortcuts import FIXED_KEYS
from jitstudio.gui.shell.commands.actions import ACTIONS
from jitstudio.gui.state.settings_table import SETTINGS, Setting
from jitstudio.help.manual import COMMAND
from jitstudio.worker.limits import LARGEST_FILE, MOST_ON_DISK
from tests.support import ROOT

PAGES = ROOT / "resources" / "help"
SCHEMAS = ROOT / "resources" / "schema"
_TABLE = re.compile(r"<!-- table ([\w# -]+) -->\n.*?<!-- end -->", re.S)
# What Markdown takes for HTML or for emphasis.
_SPECIAL = re.compile(r"[<*]|\b_|_\b|_(?=_)|(?<=_)_")
_BUILDING = ("build", "inspect", "diff", "run", "sweep", "export")

Rows = Iterator[tuple[str, ...]]


def written(text: str) -> str:
    """A page with its tables and commands as the code has them."""
    text = COMMAND.sub(lambda found: f"[{_command(found[1])}](action:{found[1]})", text)
    return _TABLE.sub(
        lambda found: f"<!-- table {found[1]} -->\n{_table(found[1])}<!-- end -->", text
    )


def _command(name: str) -> str:
    (spec,) = (spec for spec in ACTIONS if spec.id == name)
    keys = f" ({spec.keys[0]})" if spec.keys else ""
    return re.sub(r"[][]", r"\\\g<0>", _title(spec.text) + keys)


def _title(text: str) -> str:
    return text.replace("&", "").rstrip("…")


def _table(name: str) -> str:
    kind, _, rest = name.partition(" ")
    heading, *rows = _TABLES[kind](rest)
    lines = (heading, ("---",) * len(heading), *rows)
    return "".join(f"| {' | '.join(map(_escaped, row))} |\n" for row in lines)


def _escaped(cell: str) -> str:
    """Text as a cell of Markdown; what is between backticks stays."""
    parts = cell.replace("|", r"\|").replace("\n", " ").split("`")
    parts[::2] = (_SPECIAL.sub(r"\\\g<0>", part) for part in parts[::2])
    return "`".join(parts)


def _exit_codes(_: str) -> Rows:
    yield "Status", "Meaning"
    for code, meaning in MEANINGS.items():
        yield str(code), meaning


def _conditions(_: str) -> Rows:
    """What conditions can be about; words of one meaning share a row."""
    yield "Written", "Value"
    words: dict[str, list[str]] = {}
    for form in FORMS.values():
        launch = " (needs `launch`)" if form.of_launch else ""
        words.setdefault(f"{form.meaning}{launch}", []).append(f"`{form.usage}`")
    for meaning, written in words.items():
        yield ", ".join(written), meaning


def _flags(command: str) -> Rows:
    """What a command takes; without a name, what all commands take that build."""
    commands = command_parsers()
    shared = [_options(commands[name]) for name in _BUILDING]
    common = {f for f, row in shared[0].items() if all(each.get(f) == row for each in shared)}
    yield "Flag", "What it does"
    if not command:
        yield from (row for flag, row in shared[0].items() if flag in common)
        return
    if command in ("sweep", "export"):
        common |= set(_options(commands["run"]))
    own = _options(commands[command])
    yield from (row for flag, row in own.items() if flag not in common or command not in _BUILDING)


def _options(command: argparse.ArgumentParser) -> dict[str, tuple[str, str]]:
    made = {}
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                made |= _options(each)
        if not action.option_strings or action.dest == "help":
            continue
        metavar = action.metavar or ("" if action.nargs == 0 else _choices(action))
        value = metavar if isinstance(metavar, str) else " ".join(metavar)
        flags = ", ".join(action.option_strings)
        made[flags] = (f"`{f'{flags} {value}'.strip()}`", action.help or "")
    return made


def _choices(action: argparse.Action) -> str:
    return f"{{{','.join(map(str, action.choices or ()))}}}"


def _settings(_: str) -> Rows:
    yield "Setting", "Default", "What it does"
    for one in SETTINGS:
        yield f"{one.group}: {one.title}", _default(one), _sentence(one)


def _sentence(one: Setting) -> str:
    """What a setting does, with the keys that its command has at first."""
    keys = [spec.keys[0] for spec in ACTIONS if spec.id == one.command and spec.keys]
    return one.sentence.format(keys=keys[0]) if one.command else one.sentence


def _default(one: Setting) -> str:
    if isinstance(one.default, bool):
        return "on" if one.default else "off"
    titles = {choice.value: choice.title for choice in one.choices}
    return titles.get(str(one.default), f"{one.default} {one.unit}".strip())


def _keys(_: str) -> Rows:
    yield "Command", "Menu", "Keys"
    for spec in ACTIONS:
        if spec.keys:
            yield _title(spec.text), _title(spec.menu), ", ".join(f"`{key}`" for key in spec.keys)


def _fixed_keys(_: str) -> Rows:
    yield "Keys", "Where", "What they do"
    for row in FIXED_KEYS:
        yield ", ".join(f"`{key}`" for key in row.keys), row.place, row.text


def _exports(_: str) -> Rows:
    yield "Format", "What it is", "What it is good for"
    yield from ((f"`{one.name}`", one.title, one.summary) for one in FORMATS)


def _limits(_: str) -> Rows:
    memory = next(one for one in SETTINGS if one.key == "build.memory")
    yield "What", "Limit"
    yield "A file that is read", f"{LARGEST >> 20} MiB"
    yield "Modules, headers, launches or sweeps of a project", f"{MOST:,} of each"
    yield "A build on the command line", f"{DEFAULT_TIMEOUT:g} s; `--timeout` changes it"
    yield "A launch", f"{LaunchSpec().timeout:g} s; `--timeout` or the form changes it"
    yield "Memory of a compiler", f"{memory.default} % of this machine or container; a setting"
    yield (
        "Disk of a compiler",
        f"{MOST_ON_DISK >> 30} GiB in its temporary folder, {LARGEST_FILE >> 30} GiB a file",
    )
    yield "The cache", f"{LIMIT >> 20} MiB; a setting"


def _tool_options(group: str) -> Rows:
    yield "Option", "Tools", "What it does"
    for spec in OPTIONS:
        if spec.group.value == group:
            tools = ", ".join(tool.value for tool in spec.spellings)
            yield f"`{spec.usage}`", tools, f"{spec.name}. {spec.help}"


def _json(name: str) -> Rows:
    """The fields of a schema, or of one of its definitions: ``common#stage``."""
    file, _, definition = name.partition("#")
    content = json.loads((SCHEMAS / f"{file}.json").read_text("utf-8"))
    yield "Field", "Content"
    yield from _fields(content["$defs"][definition] if definition else content)


def _fields(part: dict[str, Any], prefix: str = "") -> Rows:
    for key, value in part["properties"].items():
        name, inner = f"{prefix}{key}", value
        while inner.get("type") == "array":
            name, inner = f"{name}[]", inner["items"]
        references = [one["$ref"] for one in (inner, *inner.get("anyOf", ())) if "$ref" in one]
        words = [value.get("description", "")]
        if references:
            target = _definition(references[0])
            inner = inner if "properties" in target else target
            name_of_it = references[0].rpartition("/")[2].replace("_", " ")
            words += [f"see *{name_of_it}*"] if "properties" in target else []
        if len(inner.get("enum", ())) > 1:
            words.append(", ".join(f"`{word}`" for word in inner["enum"] if word is not None))
        can_be_null = "null" in inner.get("type", ()) or {"type": "null"} in inner.get("anyOf", ())
        if can_be_null and "null" not in words[0]:
            words[0] += ", or null"
        yield f"`{name}`", ": ".join(filter(None, words))
        if "properties" in inner:
            yield from _fields(inner, f"{name}.")
        of_each = inner.get("additionalProperties")
        if isinstance(of_each, dict) and "properties" in of_each:
            yield from _fields(of_each, f"{name}.*.")


def _definition(reference: str) -> dict[str, Any]:
    """What a reference of a schema leads to; one within the same file is an object."""
    file, _, name = reference.rpartition("#/$defs/")
    if not file:
        return {"properties": {}}
    return json.loads((SCHEMAS / file).read_text("utf-8"))["$defs"][name]


_TABLES: dict[str, Callable[[str], Rows]] = {
    "conditions": _conditions,
    "exit-codes": _exit_codes,
    "flags": _flags,
    "settings": _settings,
    "keys": _keys,
    "fixed-keys": _fixed_keys,
    "exports": _exports,
    "limits": _limits,
    "options": _tool_options,
    "json": _json,
}


def main() -> None:
    """Bring all pages up to date."""
    for path in PAGES.glob("*.md"):
        text = path.read_text("utf-8")
        path.write_text(written(text), "utf-8")


if __name__ == "__main__":
    main()
