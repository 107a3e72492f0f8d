"""Writes into the pages of the manual what tables in the code say: `python3 -m tests.manual`.

Between ``<!-- table NAME -->`` and ``<!-- end -->`` goes the table of that name, and each command
of the window gets its title and default keys. `tests/test_manual.py` finds pages that are not so.
"""

import json
import re
import tomllib
from collections.abc import Callable
from itertools import groupby

from jitstudio.analysis.occupancy.calculate import Limits, limits_of, warps_by_registers
from jitstudio.cache.store import LIMIT
from jitstudio.commands.exit_codes import MEANINGS
from jitstudio.core.arch import Arch
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.plain_files import LARGEST
from jitstudio.core.project.format import MOST
from jitstudio.core.request import DEFAULT_TIMEOUT
from jitstudio.export.formats import FORMATS
from jitstudio.gui.features.help.shortcuts import FIXED_KEYS
from jitstudio.gui.shell.commands.actions import ACTIONS
from jitstudio.gui.state.settings_table import SETTINGS, Setting
from jitstudio.help.lessons import lessons
from jitstudio.help.manual import COMMAND
from jitstudio.help.tables import TABLES, Rows, markdown_table
from jitstudio.system.paths import resource
from jitstudio.worker.limits import LARGEST_FILE, MOST_ON_DISK
from tests.support import ROOT

PAGES = ROOT / "resources" / "help"
SCHEMAS = ROOT / "resources" / "schema"
TABLE = re.compile(r"<!-- table ([\w-]+) -->\n.*?<!-- end -->", re.S)
_REGISTERS = (16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 168, 255)


def written(text: str) -> str:
    """A page with its tables and commands as the code has them."""
    text = COMMAND.sub(lambda found: f"[{_command(found[2])}](action:{found[2]})", text)
    return TABLE.sub(_table, text)


def _table(found: re.Match[str]) -> str:
    return f"<!-- table {found[1]} -->\n{markdown_table(_TABLES[found[1]]())}<!-- end -->"


def _command(name: str) -> str:
    (spec,) = (spec for spec in ACTIONS if spec.id == name)
    keys = f" ({spec.keys[0]})" if spec.keys else ""
    return re.sub(r"[][]", r"\\\g<0>", _title(spec.text) + keys)


def _title(text: str) -> str:
    return text.replace("&", "").rstrip("…")


def _exit_codes() -> Rows:
    yield "Status", "Meaning"
    for code, meaning in MEANINGS.items():
        yield str(code), meaning


def _settings() -> Rows:
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


def _keys() -> Rows:
    yield "Command", "Menu", "Keys"
    for spec in ACTIONS:
        if spec.keys:
            yield _title(spec.text), _title(spec.menu), ", ".join(f"`{key}`" for key in spec.keys)


def _fixed_keys() -> Rows:
    yield "Keys", "Where", "What they do"
    for row in FIXED_KEYS:
        yield ", ".join(f"`{key}`" for key in row.keys), row.place, row.text


def _exports() -> Rows:
    yield "Format", "What it is", "What it is good for"
    yield from ((f"`{one.name}`", one.title, one.summary) for one in FORMATS)


def _limits() -> Rows:
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


def _json() -> Rows:
    """The topics with the fields of schemas."""
    yield "Command", "Topic"
    for name in (name for name in TABLES if name.startswith("json-")):
        schema = json.loads((SCHEMAS / f"{name.removeprefix('json-')}.json").read_text("utf-8"))
        yield schema["title"], f"`jitstudio help {name}`"


def _lessons() -> Rows:
    yield "Number", "Lesson", "Effort"
    yield from ((str(one.number), one.title, one.effort) for one in lessons())


def _targets() -> Rows:
    yield (
        "Target",
        "Warps",
        "Blocks",
        "Shared",
        "Of a block",
        "Reserved",
        "Barriers",
    )
    for targets, limits in _limits_by_targets():
        yield (
            targets,
            str(limits.warps),
            str(limits.blocks),
            f"{limits.shared >> 10} KiB",
            f"{limits.shared_per_block >> 10} KiB",
            f"{limits.shared_reserved >> 10} KiB",
            "16 a block" if limits.barriers is None else str(limits.barriers),
        )


def _warps() -> Rows:
    """The warps with room for so many registers, by the most warps of a multiprocessor."""
    by_warps = {limits.warps: limits for _, limits in _limits_by_targets()}
    columns = sorted(by_warps.items())
    yield "Registers of a thread", *(f"of {warps} warps" for warps, _ in columns)
    for registers in _REGISTERS:
        counts = ((warps_by_registers(limits, registers), warps) for warps, limits in columns)
        yield f"up to {registers}", *(f"{count} ({count / most:.0%})" for count, most in counts)


def _limits_by_targets() -> list[tuple[str, Limits]]:
    """The limits of targets, with the names of neighbours that have the same."""
    content = tomllib.loads(resource("analysis/limits.toml").read_text("utf-8"))
    names = (f"sm_{capability.replace('.', '')}" for capability in content["capabilities"])
    pairs = [(name, limits) for name in names if (limits := limits_of(Arch.parse(name)))]
    runs = groupby(pairs, key=lambda pair: pair[1])
    return [(", ".join(f"`{name}`" for name, _ in run), limits) for limits, run in runs]


_TABLES: dict[str, Callable[[], Rows]] = {
    "exit-codes": _exit_codes,
    "settings": _settings,
    "keys": _keys,
    "fixed-keys": _fixed_keys,
    "exports": _exports,
    "limits": _limits,
    "json": _json,
    "lessons": _lessons,
    "targets": _targets,
    "warps": _warps,
}


def main() -> None:
    """Bring all pages up to date."""
    for path in PAGES.glob("*.md"):
        text = path.read_text("utf-8")
        path.write_text(written(text), "utf-8")


if __name__ == "__main__":
    main()
