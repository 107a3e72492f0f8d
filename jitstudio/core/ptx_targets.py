"""The targets of instructions of few targets, by the word of ptxas.

The table is measured: ptxas was asked for each target (`resources/reference/ptx_targets.toml`,
written and checked by `tests/ptx/targets.py`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import Any

from jitstudio.core.arch import Arch
from jitstudio.system.paths import resource

_LACKING = re.compile(r"'(?P<what>[^']*+)' not supported on \.target '(?P<target>sm_\d++[af]?+)'")
# An opcode with its modifiers.
_OPCODE = re.compile(r"(?<![\w.%$])[a-z]\w*+\.[\w:]++[\w:.]*+")


def targets_with(message: str, text: str) -> tuple[Arch, ...] | None:
    """Returns the targets with the feature that ptxas misses, and with all else in the text.

    Args:
        message: Of ptxas.
        text: The code, and the log of ptxas, which may name other instructions of few targets.

    Returns:
        In order; empty where no target has all of it, None where nothing is known.
    """
    lacking = _LACKING.search(message)
    if lacking is None or (rows := _table().get(lacking["what"])) is None:
        return None
    written = {match[0] for match in _OPCODE.finditer(text)}
    common = frozenset[Arch]().union(*rows.values())
    for name, by_opcode in _table().items():
        of_written = [
            targets
            for opcode, targets in by_opcode.items()
            if any(_has(word, opcode, name) for word in written)
        ]
        is_lacking = f"'{name}' not supported on" in text
        # Which of several instructions lacks it nobody says.
        for targets in of_written or [*by_opcode.values()] * (is_lacking and len(by_opcode) == 1):
            common = common & targets
    return tuple(sorted(common))


def _has(word: str, opcode: str, name: str) -> bool:
    """Returns whether an opcode with modifiers has all parts of a row's opcode and name.

    Of "cvt with .s2f6x2" the parts are words of PTX, of "mma with block scale" they are not.
    """
    parts = word.split(".")
    wanted = {*opcode.split("."), *re.split(r"[. ]+", name)} - {"", "with"}
    has = {*parts, *(part.partition("::")[0] for part in parts)}
    return opcode.split(".")[0] == parts[0] and wanted <= has


def nearest_target(message: str, text: str) -> str | None:
    """Returns the target to build for instead of the target that ptxas says lacks something.

    That is the same chip with its letter where that will do, and else the lowest.
    """
    targets = targets_with(message, text)
    lacking = _LACKING.search(message)
    if not targets or lacking is None:
        return None
    own = Arch.parse(lacking["target"])
    return min(targets, key=lambda target: (target.number != own.number, target)).sm


def chips_with(message: str, text: str) -> str | None:
    """Returns these targets as a phrase for a sentence; families go without saying."""
    names = [target.sm for target in targets_with(message, text) or () if target.suffix != "f"]
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:]))) or None


def phrase(targets: Iterable[Arch]) -> str:
    """Returns targets in short: ``sm_90``, where all later ones are there, too, or all by name.

    ``sm_100a/f`` is both the chip and its family.
    """
    chips = groupby(sorted(targets), key=attrgetter("number"))
    letters = {number: [target.suffix for target in chip] for number, chip in chips}
    plain = [number for number in letters if "" in letters[number]]
    if plain:
        return Arch(plain[0]).sm
    return ", ".join(f"sm_{number}{'/'.join(letters[number])}" for number in letters)


def targets_of_row(name: str) -> str:
    """Returns the targets of an instruction of the reference as a phrase; empty if not measured."""
    return phrase(tuple(map(Arch.parse, _content()["rows"].get(name, ()))))


@cache
def _content() -> Mapping[str, Any]:
    return tomllib.loads(resource("reference/ptx_targets.toml").read_text("utf-8"))


@cache
def _table() -> dict[str, dict[str, frozenset[Arch]]]:
    return {
        name: {opcode: frozenset(map(Arch.parse, targets)) for opcode, targets in by_opcode.items()}
        for name, by_opcode in _content()["targets"].items()
    }
