"""The keys that belong to one kind of view and cannot be changed, for the list of keys."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

_CONTEXT = "FixedKeys"
_EDITORS = QT_TRANSLATE_NOOP("FixedKeys", "Editors")
_OFFERS = QT_TRANSLATE_NOOP("FixedKeys", "Offered words")
_LISTINGS = QT_TRANSLATE_NOOP("FixedKeys", "PTX and SASS")
_CODE = QT_TRANSLATE_NOOP("FixedKeys", "Editors, PTX and SASS")
_FINDING = QT_TRANSLATE_NOOP("FixedKeys", "Find bar")
_PICTURES = QT_TRANSLATE_NOOP("FixedKeys", "Pipeline and graph")
_ALL = QT_TRANSLATE_NOOP("FixedKeys", "Everywhere")
_CTRL_CLICK = QT_TRANSLATE_NOOP("FixedKeys", "Ctrl+click")


class FixedKey(NamedTuple):
    """One row: what keys do in one kind of view, or keys with the mouse, as text."""

    text: str
    place: str
    keys: tuple[str, ...]


FIXED_KEYS = (
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Indent, or unindent, the selected lines"),
        _EDITORS,
        ("Tab", "Shift+Tab"),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Begin a line as deep as the one before"),
        _EDITORS,
        ("Return",),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Go to the first letter of the line, then to its beginning"),
        _EDITORS,
        ("Home",),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Take the word that is offered"),
        _OFFERS,
        ("Return", "Tab"),
    ),
    FixedKey(QT_TRANSLATE_NOOP("FixedKeys", "Close the list"), _OFFERS, ("Esc",)),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Put another caret; select columns"),
        _EDITORS,
        (
            QT_TRANSLATE_NOOP("FixedKeys", "Alt+click"),
            QT_TRANSLATE_NOOP("FixedKeys", "Ctrl+Alt+click"),
            QT_TRANSLATE_NOOP("FixedKeys", "Alt+Shift+drag"),
        ),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Go to the definition of the name"),
        _EDITORS,
        (_CTRL_CLICK,),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Make code larger or smaller"),
        _CODE,
        (QT_TRANSLATE_NOOP("FixedKeys", "Ctrl+wheel"),),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Go where the name leads"),
        _LISTINGS,
        ("Return", _CTRL_CLICK),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Next match; previous match"),
        _FINDING,
        ("Return", "Shift+Return"),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Match case; whole words; regular expression"),
        _FINDING,
        ("Alt+C", "Alt+W", "Alt+R"),
    ),
    FixedKey(QT_TRANSLATE_NOOP("FixedKeys", "Close the find bar"), _FINDING, ("Esc",)),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Go from one node to the next"),
        _PICTURES,
        ("Left", "Right", "Up", "Down", "Home", "End"),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Open what the node stands for"),
        _PICTURES,
        ("Return", "Space"),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Zoom in; zoom out; show all of it"),
        _PICTURES,
        ("+", "-", "0"),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Open the context menu"),
        _ALL,
        ("Menu", "Shift+F10"),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Bring the other panes back, or go to the editor"),
        _ALL,
        ("Esc",),
    ),
)


def fixed_keys() -> tuple[FixedKey, ...]:
    """All of them in the language of the user, with the keys as the system writes them."""
    translate = QCoreApplication.translate
    return tuple(
        FixedKey(
            translate(_CONTEXT, row.text),
            translate(_CONTEXT, row.place),
            tuple(map(_told, row.keys)),
        )
        for row in FIXED_KEYS
    )


def _told(key: str) -> str:
    sequence = QKeySequence(key)
    is_key = sequence.toString(QKeySequence.SequenceFormat.PortableText) == key
    if is_key:
        return sequence.toString(QKeySequence.SequenceFormat.NativeText)
    return QCoreApplication.translate(_CONTEXT, key)
