"""Graphs that tests of the Graph pane draw."""

from jitstudio.analysis.diagrams.captions import TextMetrics
from jitstudio.gui.features.graph.model import GraphPicture, ptx_picture
from jitstudio.listing.functions import Function

LETTERS = TextMetrics(7, 15, 11)

LOOPS = """\
.visible .entry loops()
{
 mov.u32 %r1, 0;
OUTER:
 add.u32 %r1, %r1, 1;
INNER:
 @%p1 bra INNER;
 @%p2 bra OUTER;
 @%p3 bra LAST;
 ret;
LAST:
 brx.idx %r1, unknown;
}""".splitlines()


def loops_picture() -> GraphPicture:
    """A loop in a loop, then two ends: six blocks in all."""
    return ptx_picture(LOOPS, Function("loops", 0, len(LOOPS), is_kernel=True), LETTERS)


def row_picture(count: int) -> GraphPicture:
    """So many blocks below each other."""
    lines = [".entry row()", "{"]
    for at in range(count - 1):
        lines += [f"L{at}:", f" add.u32 %r{at}, %r{at}, {at};", f" @%p bra L{at};"]
    lines += [" ret;", "}"]
    return ptx_picture(lines, Function("row", 0, len(lines), is_kernel=True), LETTERS)
