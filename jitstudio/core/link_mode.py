"""Whether and how modules are linked: all that an open window needs to know of a build."""

from __future__ import annotations

from enum import Enum


class LinkMode(Enum):
    """Whether the modules are linked, and by which kind of code."""

    NONE = "none"
    PTX = "ptx"
    LTO = "lto"
