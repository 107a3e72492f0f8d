"""Where on disk the lines of a line table are, for those that are in no tab."""

from __future__ import annotations

import os
from enum import Enum, auto
from pathlib import Path

from jitstudio.analysis.correlation.modules import spellings
from jitstudio.core.line_table_paths import BUILT_IN_HEADER
from jitstudio.core.request import BuildRequest


class FileAbsence(Enum):
    """Why there is no file to open."""

    BUILT_IN = auto()
    """It is a header inside NVRTC itself."""
    CLOSED = auto()
    """It was in a tab that is closed."""
    MISSING = auto()
    """It is gone, a `#line` directive named it, or the code was built elsewhere."""


def located(file: str, request: BuildRequest) -> Path | FileAbsence:
    """Returns the file that a line table of a build means, or why there is none."""
    if os.path.basename(file) == BUILT_IN_HEADER:
        return FileAbsence.BUILT_IN
    spelt = os.path.normpath(file)
    folders = {header.name: "" for header in request.headers}
    folders |= {source.name: source.folder for source in request.sources}
    for name, folder in folders.items():
        if spelt in map(os.path.normpath, spellings(name, folder)):
            # A file of the working directory may have the name by chance.
            path = os.path.join(folder, name)
            return Path(path) if folder and os.path.isfile(path) else FileAbsence.CLOSED
    # Not pathlib's, which fails at what can be no name: `#line` takes any text.
    return Path(file) if os.path.isfile(file) else FileAbsence.MISSING


def followed(file: str) -> str:
    """Returns a path with its links followed, as documents have it."""
    try:
        return os.path.realpath(file)
    except (OSError, ValueError):
        return file
