"""The targets that have an instruction that ptxas says another target lacks.

The table is measured: ptxas was asked for each target (`resources/reference/ptx_targets.toml`,
written and checked by `tests/ptx/targets.py`).
"""

from __future__ import annotations

import re
import tomllib
from functools import cache

from jitstudio.core.arch import Arch
from jitstudio.system.paths import resource

_LACKING = re.compile(r"'(?P<what>[^']*+)' not supported on \.target '(?P<target>sm_\d++[af]?+)'")
# Names of instructions and modifiers, unlike "mma with block scale", which no text contains.
_WRITTEN = re.compile(r"\.?[a-z]\w*+(?>::\w++|\.\w++)*+")


def targets_with(message: str, text: str) -> tuple[Arch, ...] | None:
    """Returns the targets with the feature that ptxas misses, and with all else in the text.

    Args:
        message: Of ptxas.
        text: The code, and the log of ptxas, which may name other instructions of few targets.

    Returns:
        In order; empty where no target has all of it, None where nothing is known.
    """
    lacking = _LACKING.search(message)
    if lacking is None or (common := _table().get(lacking["what"])) is None:
        return None
    for name, targets in _table().items():
        is_lacking = f"'{name}' not supported on" in text
        # A modifier follows a word: cta_group::1.kind::i8.
        before = "" if name.startswith(".") else r"(?<!\w)"
        is_written = _WRITTEN.fullmatch(name) and re.search(
            rf"{before}{re.escape(name)}(?!\w)", text
        )
        if is_lacking or is_written:
            common = common & targets
    return tuple(sorted(common))


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


@cache
def _table() -> dict[str, frozenset[Arch]]:
    listed = tomllib.loads(resource("reference/ptx_targets.toml").read_text("utf-8"))
    return {
        name: frozenset(map(Arch.parse, targets)) for name, targets in listed["targets"].items()
    }
