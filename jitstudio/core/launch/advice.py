"""Advice beside the messages about launches, from `resources/launch/advice.toml`."""

from __future__ import annotations

import tomllib

from jitstudio.system.paths import resource

# Read before a process is sealed, which then reaches no file.
_ADVICE: dict[str, str] = tomllib.loads(resource("launch/advice.toml").read_text("utf-8"))


def advice(*cases: str) -> str:
    """Returns the advice for each of these cases, one behind the other."""
    return " ".join(_ADVICE[case] for case in cases)
