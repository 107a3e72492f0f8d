"""How bad a finding is."""

from __future__ import annotations

from enum import Enum


class Severity(Enum):
    """From what forbids a build to what is only worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
