"""Grid, block, cluster and shared memory, out of what the user has written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.request import Dim3, LaunchConfig
from jitstudio.core.launch.resolving.faults import Faults
from jitstudio.core.launch.signature import KernelForm
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.launch.texts.arithmetic import Number, integer
from jitstudio.core.launch.texts.phrases import TextError, parts

_AXES = 3


@dataclass(frozen=True)
class Geometry:
    """How many threads, and what they share.

    Attributes:
        config: With a single block, or a single thread, where nobody knows how many.
        complete: Whether all of it is known.
        has_block: Whether the threads of a block and their shared memory are.
    """

    config: LaunchConfig
    complete: bool
    has_block: bool


def geometry(
    spec: LaunchSpec, form: KernelForm, names: Mapping[str, Number], faults: Faults
) -> Geometry:
    """The configuration of a launch, as far as it makes sense.

    A cluster that the kernel itself declares is not repeated in it.

    Args:
        spec: What the user has written.
        form: The kernel.
        names: The arguments that may occur in expressions.
        faults: Takes what is wrong.
    """
    block = faults.attempt("block", lambda: dims("block", spec.block, names))
    cluster = faults.attempt("cluster", lambda: _cluster(spec, form, names))
    shared = faults.attempt("shared", lambda: integer(spec.shared or "0", names))
    grid = _grid(spec, block, form.cluster or cluster or (1, 1, 1), names, faults)
    known = LaunchConfig(
        grid or (1, 1, 1), block or (1, 1, 1), cluster, shared or 0, spec.cooperative
    )
    has_block = None not in (block, shared)
    return Geometry(known, has_block and grid is not None, has_block)


def dims(what: str, text: str, names: Mapping[str, Number]) -> Dim3:
    """Read ``x``, ``x,y`` or ``x,y,z``.

    Raises:
        TextError: It is none of these, or one of the numbers is below 1.
    """
    numbers = [integer(part, names) for part in parts(text)]
    if not 1 <= len(numbers) <= _AXES:
        raise TextError(
            f"A {what} has one to three numbers, '{text.strip()}' has {len(numbers)}.",
            "Write x or x,y or x,y,z, such as 256 or 16,16.",
        )
    if min(numbers) < 1:
        raise TextError(f"A {what} of {min(numbers):,} makes no sense; the least is 1.")
    x, y, z = (*numbers, 1, 1)[:_AXES]
    return x, y, z


def _cluster(spec: LaunchSpec, form: KernelForm, names: Mapping[str, Number]) -> Dim3 | None:
    if not spec.cluster.strip():
        return None
    given = dims("cluster", spec.cluster, names)
    if form.cluster is None:
        return given
    if given != form.cluster:
        declared = ",".join(map(str, form.cluster))
        raise TextError(
            f"The kernel declares clusters of {declared}, which a launch cannot change.",
            f"Write {declared} or nothing, or change __cluster_dims__.",
        )
    return None


def _grid(
    spec: LaunchSpec,
    block: Dim3 | None,
    cluster: Dim3,
    names: Mapping[str, Number],
    faults: Faults,
) -> Dim3 | None:
    grid, cover = spec.grid.strip(), spec.cover.strip()
    if grid and cover:
        faults.add(
            SpecProblem(
                "grid", f"Both a grid of {grid} and a cover of {cover} are given.", "Empty one."
            )
        )
    elif grid:
        return faults.attempt("grid", lambda: dims("grid", grid, names))
    elif not cover:
        faults.add(
            SpecProblem(
                "grid",
                "Nothing says how many blocks there are.",
                "Write a grid such as 128, or a cover such as n for one thread per element.",
            )
        )
    covered = faults.attempt("cover", lambda: dims("cover", cover, names)) if cover else None
    if grid or covered is None or block is None:
        return None
    x, y, z = map(_blocks, covered, block, cluster)
    return x, y, z


def _blocks(covered: int, threads: int, cluster: int) -> int:
    """As many blocks as cover so many elements, in whole clusters."""
    blocks = -(-covered // threads)
    return -(-blocks // cluster) * cluster
