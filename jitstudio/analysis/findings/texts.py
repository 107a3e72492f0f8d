"""The words of findings, from `resources/analysis/findings.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from jitstudio.analysis.findings.model import Finding, RuleHit
from jitstudio.core.diagnostics import Severity
from jitstudio.paths import resource


def text_of(rule: str, hit: RuleHit) -> Finding:
    """Returns what a rule has found in its words, without a place."""
    text = _texts()[f"{rule}.{hit.form}" if hit.form else rule]
    return Finding(
        rule,
        text.severity,
        text.title.format_map(hit.words),
        text.reason.format_map(hit.words),
        text.remedy.format_map(hit.words),
        (),
        0,
        hit.indices,
    )


class _Text(NamedTuple):
    severity: Severity
    title: str
    reason: str
    remedy: str


@cache
def _texts() -> Mapping[str, _Text]:
    content = tomllib.loads(resource("analysis/findings.toml").read_text("utf-8"))
    return {
        name: _Text(Severity(row["severity"]), row["title"], row["reason"], row["remedy"])
        for name, row in content.items()
    }
