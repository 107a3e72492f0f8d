"""What the program itself can do about a diagnostic.

A fix only says what to do. Whoever owns the text and the settings carries it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class FixKind(Enum):
    """What is changed; says what `Fix.value` holds. The value of a kind is its name in JSON.

    `SET_ARCH` holds a target, `SET_LINK_MODE` a `LinkMode`, `ADD_OPTION` and `REMOVE_OPTION` one
    option, `ADD_NAME_EXPRESSION` an expression for `Fix.file`, in the place of `Fix.replaces` if
    that is there. `REPLACE_TEXT` holds what shall stand in `Fix.file` instead of `Fix.replaces`,
    `INSERT_TEXT` whole lines for that file.
    `USE_LIBDEVICE`, `USE_NVJITLINK`, `TRUST_PROJECT`, `ADD_INCLUDE_FOLDER` and `OPEN_FILES` hold
    nothing that is needed to carry them out; the last two leave the choice to the user. `LINK_WITH`
    holds the open module to link `Fix.file` with; only the window, which has tabs, makes it.
    """

    SET_ARCH = "set-arch"
    SET_LINK_MODE = "set-link-mode"
    ADD_OPTION = "add-option"
    REMOVE_OPTION = "remove-option"
    ADD_NAME_EXPRESSION = "add-name-expression"
    REPLACE_TEXT = "replace-text"
    INSERT_TEXT = "insert-text"
    USE_LIBDEVICE = "use-libdevice"
    USE_NVJITLINK = "use-nvjitlink"
    TRUST_PROJECT = "trust-project"
    ADD_INCLUDE_FOLDER = "add-include-folder"
    OPEN_FILES = "open-files"
    LINK_WITH = "link-with"


TEXT_FIXES = frozenset({FixKind.REPLACE_TEXT, FixKind.INSERT_TEXT})
"""The kinds that change the text of `Fix.file`."""
FILE_FIXES = TEXT_FIXES | {FixKind.ADD_NAME_EXPRESSION}
"""The kinds that are about one file; all others are about the build."""


@dataclass(frozen=True)
class Fix:
    """One thing to do.

    Attributes:
        label: What a button says.
        kind: What is changed.
        value: To what; see `FixKind`.
        file: The module or header it is about; empty for a setting.
        line: The line of the text, counted from 1. None: the first place that fits for a
            replacement, the end of the text for an insertion.
        replaces: What goes where the value comes; empty for nothing.
    """

    label: str
    kind: FixKind
    value: str = ""
    file: str = ""
    line: int | None = None
    replaces: str = ""


@dataclass(frozen=True)
class Edit:
    """Put `text` in the place of the characters from `start` to `end`."""

    start: int
    end: int
    text: str


def edit_for(fix: Fix, text: str) -> Edit | None:
    """Where and how a fix changes this text; None where what it replaces is not there."""
    start = start_of_line(text, fix.line) if fix.line else 0
    if fix.kind is FixKind.INSERT_TEXT:
        at = start if fix.line else len(text)
        newline = "" if fix.line or not text or text.endswith("\n") else "\n"
        return Edit(at, at, f"{newline}{fix.value}\n")
    end = text.find("\n", start) if fix.line and "\n" not in fix.replaces else -1
    found = text.find(fix.replaces, start, len(text) if end < 0 else end)
    return None if found < 0 else Edit(found, found + len(fix.replaces), fix.value)


def start_of_line(text: str, line: int) -> int:
    """Where a line begins, counted from 1; the end of a text that has fewer lines."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1 or len(text)
    return start
