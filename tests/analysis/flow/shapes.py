"""Graphs as short words, to be compared."""

from jitstudio.analysis.control_flow import EdgeKind

_MARKS = {EdgeKind.NEXT: "", EdgeKind.BRANCH: "!", EdgeKind.TABLE: "*"}


def shape(graph):
    """Spelt as `block -> where it leads`."""
    return [
        f"{block.start}-{block.end}:"
        + "".join(
            f" {graph.blocks[edge.target].start}{_MARKS[edge.kind]}"
            for edge in graph.edges
            if edge.source == block.id
        )
        + (" ?" if block.leads_away else "")
        for block in graph.blocks
    ]
