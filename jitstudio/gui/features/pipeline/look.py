"""How a state looks: its colour, its mark, and how much of both."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from jitstudio.core.code import CodeKind
from jitstudio.gui.code.languages import icon_name
from jitstudio.gui.features.pipeline.graph import Node, Role, State
from jitstudio.gui.kit.diagrams.canvas import mixed
from jitstudio.gui.kit.theme import Theme

_SOLID, _DASHED = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine


@dataclass(frozen=True)
class _Style:
    """One row: a colour of the theme, how strongly it fills a node, and what marks it."""

    color: str
    tint: float
    line: Qt.PenStyle
    width: float
    mark: str


_STYLES = {
    State.GIVEN: _Style("ui.muted_text", 0.07, _SOLID, 1.0, ""),
    State.WAITING: _Style("ui.muted_text", 0.0, _DASHED, 1.0, "waiting"),
    State.RUNNING: _Style("ui.link", 0.14, _SOLID, 2.0, ""),
    State.DONE: _Style("marks.success", 0.12, _SOLID, 1.4, "success"),
    State.CACHED: _Style("marks.success", 0.12, _SOLID, 1.4, "cached"),
    State.STALE: _Style("marks.warning", 0.08, _DASHED, 1.2, "reset"),
    State.FAILED: _Style("marks.error", 0.14, _SOLID, 2.2, "error"),
    State.STOPPED: _Style("marks.warning", 0.08, _SOLID, 1.2, "stop"),
    State.SKIPPED: _Style("ui.muted_text", 0.0, _DASHED, 1.0, "skipped"),
}
# Nodes that something has come of, or that are at work; the others stand back.
_FAINT = frozenset({State.WAITING, State.SKIPPED})
_TOOL_ICONS = {Role.TOOL: "build", Role.LINK: "link", Role.LAUNCH: "run"}


@dataclass(frozen=True)
class Look:
    """What a node is drawn with.

    Attributes:
        line: The colour of its frame and its mark.
        fill: Its ground.
        title: The colour of its first line.
        facts: The colour of its second line.
        style: How the frame is drawn.
        width: How thick the frame is.
        mark: The icon of the state; empty for none.
        icon: The icon of what the node is.
    """

    line: QColor
    fill: QColor
    title: QColor
    facts: QColor
    style: Qt.PenStyle
    width: float
    mark: str
    icon: str


def look_of(node: Node, theme: Theme) -> Look:
    """How this node looks in this theme."""
    style = _STYLES[node.state]
    color = _color(theme, style.color)
    faint = node.state in _FAINT
    return Look(
        line=color,
        fill=mixed(theme.ui.base, color, style.tint),
        title=theme.ui.muted_text if faint else theme.ui.text,
        facts=color if node.state in (State.FAILED, State.RUNNING) else theme.ui.muted_text,
        style=style.line,
        width=style.width,
        mark=style.mark,
        icon=_icon(node),
    )


def flow_of(end: Node, theme: Theme) -> tuple[QColor, Qt.PenStyle, float]:
    """How what flows into a node is drawn: colour, style and width of the line."""
    style = _STYLES[end.state]
    still = end.state in _FAINT
    color = theme.ui.muted_text if still else _color(theme, style.color)
    return mixed(theme.ui.base, color, 0.5 if still else 0.8), style.line, style.width + 0.2


def mark_of(state: State, theme: Theme) -> tuple[str, QColor]:
    """The icon of a state, empty for none, and its colour."""
    style = _STYLES[state]
    return style.mark, _color(theme, style.color)


def _color(theme: Theme, name: str) -> QColor:
    table, _, key = name.partition(".")
    color: QColor = getattr(getattr(theme, table), key)
    return color


def _icon(node: Node) -> str:
    if node.runs:
        return _TOOL_ICONS[node.role]
    return icon_name(node.code or CodeKind.HEADER, node.role is Role.HEADER)
