"""Random control flow."""

from jitstudio.analysis.control_flow import EdgeKind, FlowEffect, FlowGraph, divide, loops

_LONGEST = 40


def random_graph(chance, count, entries=1) -> FlowGraph:
    """Blocks of one instruction and more, with jumps anywhere, as in code full of `goto`."""
    leaps = []
    for at in range(count - 1):
        if chance.random() < 0.7:
            kind = chance.choice([EdgeKind.BRANCH] * 6 + [EdgeKind.TABLE])
            targets = chance.choices(range(count), k=4 if kind is EdgeKind.TABLE else 1)
            leaps.append(FlowEffect(at, tuple(targets), kind, goes_on=chance.random() < 0.8))
    starts = {at: f"f{at}" for at in chance.sample(range(count), entries)}
    return graph_of(count, leaps, {0: "k"} | starts)


def structured_graph(chance, count) -> FlowGraph:
    """About as many blocks, of loops, choices and early ends inside each other."""
    leaps = [FlowEffect(count - 2, (1,), goes_on=True)]
    _fill(chance, 2, count - 2, (count - 1,), leaps)
    return graph_of(count, sorted(leaps), {0: "k"})


def graph_of(count, leaps, entries) -> FlowGraph:
    """A graph with its loops."""
    blocks, edges = divide(count, leaps, entries, {})
    return FlowGraph("k", blocks, edges, loops(blocks, edges))


def _fill(chance, start, end, exits, leaps):
    while end - start >= 4:
        middle = chance.randint(start + 3, min(end, start + _LONGEST))
        last = middle - 1
        match chance.choice(["loop", "loop", "if", "switch", "break"]):
            case "loop":
                leaps.append(FlowEffect(last, (start,), goes_on=True))
                _fill(chance, start + 1, last, (middle,), leaps)
            case "if":
                leaps.append(FlowEffect(start, (last,), goes_on=True))
                _fill(chance, start + 1, last, exits, leaps)
            case "switch":
                cases = tuple(sorted(chance.sample(range(start + 1, middle), 2)))
                leaps.append(FlowEffect(start, cases, EdgeKind.TABLE))
            case "break":
                leaps.append(FlowEffect(start, tuple(exits[:1]), goes_on=True))
        start = middle


# ---- Graphs as short words, to be compared

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
