"""Where on disk the lines of a line table are, for those that are in no tab."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from jitstudio.analysis.correlation.modules import spellings
from jitstudio.analysis.sass.model import SourceLocation
from jitstudio.core.request import BuildRequest

# What NVRTC calls the declarations that it knows without any file.
_BUILT_IN = "__nv_nvrtc_builtin_header.h"


class FileAbsence(Enum):
    """Why there is no file to open."""

    BUILT_IN = QT_TRANSLATE_NOOP(
        "LineFiles", "{line} is in a header inside NVRTC itself, which is no file to open"
    )
    CLOSED = QT_TRANSLATE_NOOP(
        "LineFiles", "{line} was in a tab that is closed: open it again to see the line"
    )
    MISSING = QT_TRANSLATE_NOOP(
        "LineFiles",
        "{line} is in no file here: the file is gone, a #line directive named it, or the code was "
        "built elsewhere",
    )

    def message_about(self, place: SourceLocation) -> str:
        """Returns the words, with the line they are about."""
        line = f"{_without_folder(place.file)}:{place.line}"
        return QCoreApplication.translate("LineFiles", str(self.value)).format(line=line)


def located(file: str, request: BuildRequest) -> Path | FileAbsence:
    """Returns the file that a line table of a build means, or why there is none."""
    if os.path.basename(file) == _BUILT_IN:
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


def _without_folder(file: str) -> str:
    """Returns a name as it was written: NVRTC puts the working directory before it."""
    try:
        return file.removeprefix(os.path.join(os.getcwd(), ""))
    except OSError:
        # The working directory is gone.
        return file
