"""The colours of a flow graph."""

from __future__ import annotations

from dataclasses import dataclass

from pygments.token import Keyword, Name
from PySide6.QtGui import QColor

from jitstudio.analysis.control_flow import EdgeKind
from jitstudio.analysis.flow.routes import Route
from jitstudio.analysis.flow.svg import Colors
from jitstudio.gui.kit.diagrams.canvas import mixed
from jitstudio.gui.kit.fonts import CODE_FAMILY
from jitstudio.gui.kit.theme import Theme

SVG_FONT = f"{CODE_FAMILY}, DejaVu Sans Mono, Consolas, Menlo, monospace"
# How strongly the colour of a loop fills its blocks.
_TINT = 0.14
_PLAIN_TINT = 0.05
# How far along the colours of registers it stands.
_ORANGE = 0.7


@dataclass(frozen=True)
class Look:
    """What a graph is drawn with in a theme.

    Attributes:
        ground: Behind everything.
        text: Of code.
        title: Of names.
        frame: Around blocks in no loop.
        fill: Of those blocks.
        current: Around the block that the keyboard or the caret is at.
        edges: By kind.
        back: Of edges that lead to the head of their loop.
        loops: By depth, from 1.
        loop_fills: Likewise.
    """

    ground: QColor
    text: QColor
    title: QColor
    frame: QColor
    fill: QColor
    current: QColor
    edges: dict[EdgeKind, QColor]
    back: QColor
    loops: tuple[QColor, ...]
    loop_fills: tuple[QColor, ...]

    def block(self, depth: int) -> tuple[QColor, QColor]:
        """The fill and the frame of a block in so many loops."""
        if not depth:
            return self.fill, self.frame
        at = (depth - 1) % len(self.loops)
        return self.loop_fills[at], self.loops[at]

    def edge(self, route: Route) -> QColor:
        """The colour of an edge."""
        return self.back if route.is_back else self.edges[route.edge.kind]

    @property
    def svg(self) -> Colors:
        """The same as SVG writes it."""
        return Colors(
            ground=self.ground.name(),
            text=self.text.name(),
            title=self.title.name(),
            frame=self.frame.name(),
            fill=self.fill.name(),
            edges={kind: color.name() for kind, color in self.edges.items()},
            back=self.back.name(),
            loops=tuple(color.name() for color in self.loops),
            loop_fills=tuple(color.name() for color in self.loop_fills),
        )


def look_of(theme: Theme) -> Look:
    """How graphs look in this theme."""
    ground, muted = theme.code.background, theme.ui.muted_text
    loops = (
        theme.marks.info,
        theme.step(_ORANGE),
        theme.token_style(Keyword).color,
        theme.token_style(Name.Class).color,
    )
    return Look(
        ground=ground,
        text=theme.code.text,
        title=theme.ui.text,
        frame=mixed(ground, muted, 0.6),
        fill=mixed(ground, muted, _PLAIN_TINT),
        current=theme.ui.accent,
        edges={
            EdgeKind.NEXT: muted,
            EdgeKind.BRANCH: theme.marks.success,
            EdgeKind.TABLE: theme.token_style(Keyword).color,
        },
        back=theme.marks.error,
        loops=loops,
        loop_fills=tuple(mixed(ground, color, _TINT) for color in loops),
    )
