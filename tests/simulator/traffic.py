"""What launches cost in the simulator, and why some of it is not what an H100 counts.

`h100_traffic.json` has for each launch of `launches`, and of the samples that have buffers and
numbers only, the counts that are not 0: a number, or two where ptxas optimises and where it does
not. `traffic_on_gpu` has measured them on an H100 80GB HBM3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum

from jitstudio.core.launch.simulation import AccessKind, StateSpace
from jitstudio.simulator.observers.accesses import traffic_of
from jitstudio.simulator.state.model import Access, Layout, Observer

KINDS = (
    *(f"shared {kind}" for kind in ("read", "write", "atomic", "copy")),
    *(f"global {kind}" for kind in ("read", "write", "atomic")),
    *(f"local {kind}" for kind in ("read", "write")),
)
"""What is compared: passes of shared memory, sectors of the other ones."""

Measured = Mapping[str, int | list[int]]
"""The counts of a launch; of two the first one is with optimisation, the other one without."""


class Why(Enum):
    """Why a count of the simulator is not that of an H100."""

    MERGED = "as ptxas optimises, it merges, drops, hoists or splits accesses; else it is equal"
    TIMING = "it depends on timing: waiting for a lock or flag, or trying once more"
    ARBITRATION = "the counter adds passes where several warps access at once, to stores too"
    GENERIC = "the counter takes a generic atomic on global memory for a pass of shared memory, too"
    JOINS = "where lanes that have parted go on together is ptxas's choice: here later than it may"
    FRAMES = "functions save registers in local memory, which PTX does not show"
    PRINTS = "vprintf has code of its own, which is not simulated"
    LOOPS = "an atomic of 16 bits is a loop, which reads the word first"
    PAST_L1 = "of copies past L1 the counter has 0, 1 or 2 passes for a line"


class Sums(Observer):
    """Adds up passes of shared memory and sectors of the other ones, over a launch."""

    def __init__(self) -> None:
        self.sums: Counter[str] = Counter()
        self._layout: Layout | None = None

    def started(self, layout: Layout) -> None:
        """See `Observer`."""
        self._layout = layout

    def accessed(self, access: Access) -> None:
        """See `Observer`."""
        assert self._layout is not None
        kind, cost = access.kind.value, traffic_of(access, self._layout)
        if access.instruction.opcode == "cp" and access.space is StateSpace.SHARED:
            kind = "copy" if access.kind is AccessKind.WRITE else kind
        self.sums[f"{access.space.value} {kind}"] += cost.wavefronts or cost.sectors


def unlike(ours: Mapping[str, int], theirs: Measured) -> Iterator[tuple[str, int, list[int]]]:
    """Yields what is not the same on both sides: its kind, and the counts of both."""
    for kind in KINDS:
        counts = theirs.get(kind, 0)
        both = counts if isinstance(counts, list) else [counts, counts]
        if any(count != ours.get(kind, 0) for count in both):
            yield kind, ours.get(kind, 0), both


UNLIKE: dict[str, dict[str, Why]] = {
    "reductions.cu reduce_shuffle": {"shared write": Why.ARBITRATION},
    "reductions.cu reduce_atomics": {"global atomic": Why.MERGED},
    "scans.cu scan_lookback": {"global read": Why.TIMING},
    "histograms.cu histogram_shared": {"shared atomic": Why.MERGED},
    "histograms.cu histogram_match": {"global read": Why.MERGED},
    "sorting.cu sort_bitonic": {"shared read": Why.MERGED, "shared write": Why.ARBITRATION},
    "sorting.cu sort_radix": {"shared write": Why.ARBITRATION},
    "linear.cu matmul_tiled": {"shared read": Why.MERGED},
    "linear.cu spmv_rows": {"global read": Why.MERGED},
    "linear.cu spmv_warps": {"global read": Why.MERGED},
    "networks.cu softmax": {"shared write": Why.ARBITRATION},
    "warps.cu matches": {"global read": Why.MERGED},
    "warps.cu diverge": {"global write": Why.JOINS},
    "matrix_units.cu mma_tile": {"shared read": Why.MERGED},
    "asynchronous.cu copy_ragged": {"shared copy": Why.PAST_L1},
    "asynchronous.cu produce_consume": {"shared write": Why.ARBITRATION},
    "clusters.cu cluster_histogram": {"shared atomic": Why.ARBITRATION},
    "clusters.cu cluster_sum": {"shared atomic": Why.MERGED},
    "cooperative.cu relax": {"shared atomic": Why.GENERIC},
    "cooperative.cu grid_sum": {"shared atomic": Why.GENERIC},
    "cooperative.cu tiles": {"global read": Why.MERGED},
    "control.cu recursion": {
        "global write": Why.JOINS,
        "local read": Why.FRAMES,
        "local write": Why.FRAMES,
    },
    "control.cu shapes": {
        "global write": Why.JOINS,
        "local read": Why.FRAMES,
        "local write": Why.FRAMES,
    },
    "control.cu spin_lock": {"global atomic": Why.TIMING},
    "control.cu ticket_lock": {"global read": Why.TIMING},
    "control.cu print": {
        "shared atomic": Why.PRINTS,
        "global read": Why.PRINTS,
        "global write": Why.PRINTS,
        "global atomic": Why.PRINTS,
        "local read": Why.PRINTS,
        "local write": Why.PRINTS,
    },
    "science.cu bfs_step": {"global atomic": Why.MERGED},
    "science.cu find_text": {"global atomic": Why.MERGED},
    "by_hand.ptx by_hand": {"global write": Why.MERGED},
    "by_hand.ptx atomics_by_hand": {
        "shared read": Why.TIMING,
        "shared atomic": Why.TIMING,
        "global read": Why.LOOPS,
        "global atomic": Why.MERGED,
    },
    "races.cu count_right": {"shared atomic": Why.MERGED},
    "races.cu flag_races": {"shared read": Why.MERGED, "shared atomic": Why.MERGED},
    "races.cu flag_right": {"shared read": Why.MERGED, "shared atomic": Why.MERGED},
    "sample Histogram with an in-memory header": {
        "shared read": Why.ARBITRATION,
        "shared write": Why.ARBITRATION,
        "shared atomic": Why.ARBITRATION,
    },
}
"""What is not the same of which launch, and why."""
