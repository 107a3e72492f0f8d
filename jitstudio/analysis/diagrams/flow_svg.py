"""A flow graph as an SVG picture without references, with text, in any colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from jitstudio.analysis.control_flow import BasicBlock, EdgeKind, FlowGraph
from jitstudio.analysis.diagrams.captions import Caption, TextMetrics
from jitstudio.analysis.diagrams.flow_layout import Box, EdgeRoute, GraphLayout

_MARGIN = 24
_RADIUS = 4
# Characters that XML cannot hold.
_UNFIT = dict.fromkeys(
    (*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF),
    "\N{REPLACEMENT CHARACTER}",
)


@dataclass(frozen=True)
class Colors:
    """The colours of a picture, as SVG writes them.

    Attributes:
        ground: The background.
        text: Code.
        title: Names of blocks.
        frame: Frames of blocks.
        fill: Blocks outside of loops.
        edges: Edges by kind.
        back: Edges to the head of their loop.
        loops: Frames of blocks in loops, by depth from 1; deeper loops begin anew.
        loop_fills: Blocks in loops, likewise.
    """

    ground: str
    text: str
    title: str
    frame: str
    fill: str
    edges: dict[EdgeKind, str]
    back: str
    loops: tuple[str, ...]
    loop_fills: tuple[str, ...]


def svg(
    graph: FlowGraph,
    layout: GraphLayout,
    captions: Sequence[Caption],
    letters: TextMetrics,
    colors: Colors,
    font: str = "monospace",
) -> str:
    """Returns the picture of a graph.

    Args:
        graph: The graph.
        layout: The places of the blocks.
        captions: The texts of the blocks.
        letters: The text metrics of the layout.
        colors: The colours of all parts.
        font: The family of all letters, with others to fall back on.
    """
    return "\n".join(_Drawing(graph, layout, letters, colors, font).lines(captions)) + "\n"


@dataclass(frozen=True)
class _Drawing:
    graph: FlowGraph
    layout: GraphLayout
    letters: TextMetrics
    colors: Colors
    font: str

    def lines(self, captions: Sequence[Caption]) -> Iterator[str]:
        layout, colors = self.layout, self.colors
        width, height = layout.width + 2 * _MARGIN, layout.height + 2 * _MARGIN
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="{-_MARGIN} {-_MARGIN} {width:.0f} {height:.0f}">'
        )
        yield f"<title>{_text(self.graph.name)}</title>"
        heads = {colors.back, *colors.edges.values()}
        yield "<defs>"
        for color in sorted(heads):
            yield (
                f'<marker id="head-{_id(color)}" viewBox="0 0 8 8" refX="7" refY="4" '
                'markerWidth="7" markerHeight="7" orient="auto">'
                f'<path d="M0 0.5L8 4L0 7.5z" fill="{color}"/></marker>'
            )
        yield "</defs>"
        yield (
            f'<rect x="{-_MARGIN}" y="{-_MARGIN}" width="100%" height="100%" '
            f'fill="{colors.ground}"/>'
        )
        for route in layout.routes:
            yield self._edge(route)
        size = self.letters.width / 0.6
        yield f'<g font-family={quoteattr(self.font)} font-size="{size:.1f}" xml:space="preserve">'
        for block, box, caption in zip(self.graph.blocks, layout.boxes, captions, strict=True):
            yield from self._block(block, box, caption)
        yield "</g>"
        yield "</svg>"

    def _edge(self, route: EdgeRoute) -> str:
        color = self.colors.back if route.is_back else self.colors.edges[route.edge.kind]
        return (
            f'<path d="{path_of(route)}" fill="none" stroke="{color}" stroke-width="1.4" '
            f'marker-end="url(#head-{_id(color)})"/>'
        )

    def _block(self, block: BasicBlock, box: Box, caption: Caption) -> Iterator[str]:
        colors, letters = self.colors, self.letters
        depth = self.graph.depth(block.id)
        fill, frame = colors.fill, colors.frame
        if depth:
            fill = colors.loop_fills[(depth - 1) % len(colors.loop_fills)]
            frame = colors.loops[(depth - 1) % len(colors.loops)]
        yield (
            f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" '
            f'height="{box.height:.1f}" rx="{_RADIUS}" fill="{fill}" stroke="{frame}"/>'
        )
        left = box.x + letters.margin
        for row, words in enumerate((caption.title, *caption.rows)):
            base = box.y + letters.row_top(row) + letters.above
            style = f'fill="{colors.text}"' if row else f'fill="{colors.title}" font-weight="bold"'
            yield f'<text x="{left:.1f}" y="{base:.1f}" {style}>{_text(words)}</text>'


def path_of(route: EdgeRoute) -> str:
    """Returns an edge as an SVG path."""
    marks = ["M", *("L" if len(step) == 2 else "C" for step in route.steps)]
    return "".join(
        mark + " ".join(f"{at:.1f}" for at in step)
        for mark, step in zip(marks, (route.start, *route.steps), strict=True)
    )


def _text(words: str) -> str:
    return escape(words.translate(_UNFIT))


def _id(color: str) -> str:
    return color.strip("#")
