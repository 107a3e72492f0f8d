"""The texts of findings by their names in the resources, for tests of which one is told."""

import tomllib

from tests.support import ROOT

_TEXTS = tomllib.loads((ROOT / "resources/analysis/findings.toml").read_text("utf-8"))


def finding_text(case: str, part: str) -> str:
    """The title, reason or remedy of a case for authors of C++."""
    return _TEXTS[case][part]
