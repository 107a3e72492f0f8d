"""Recordings of simulated runs: the states of one block in a stretch of steps, and their files.

A *frame* is the state before a step that the block takes part in; after the first frame only
changes are kept. Registers, local and shared memory are those of the block, with all its warps;
global memory is kept up to `MOST_GLOBAL`. Nothing has to run to show a recording.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from jitstudio.core.bounds.unpacking import Oversized, inflated
from jitstudio.core.codec import Codec, CodecError
from jitstudio.core.launch.device import Dim3
from jitstudio.core.launch.simulation import Fault
from jitstudio.simulator.stepping.requests import RecordingAbout

MOST_GLOBAL = 4 << 20
"""Bytes of global memory that are kept; of larger buffers only the beginning."""

MOST_FRAMES = 20_000
"""Most steps of a recording; half of them are before the step at which it is made."""

MOST_CHANGES = 24 << 20
"""Bytes that all changes together may take."""

MOST_PACKED = 4 << 20
"""Bytes of a recording in a file."""

MOST_PTX = 4 << 20
"""Characters of the PTX of a run that is recorded, as it is read again to show the recording."""

MOST_SOURCE_BYTES = 4 << 20
"""Bytes of all sources together that are recorded."""

MOST_SOURCE_LINES = 100_000
"""Lines that they have together at most, as the window shows them."""

BLOCK_ENDED = "All threads of the block have ended."
"""How the block of a recording ended where the run goes on."""

_MOST_PTX_LINES = 500_000
_LONGEST_NAME = 1 << 16
# Bytes of an unpacked recording: a small file may inflate to any size.
_LARGEST = 128 << 20
_HEAD = b"jitstudio recording "
_VERSION = 1


class RecordingError(ValueError):
    """Bytes that are no recording; the message is a sentence."""


class GlobalRegion(NamedTuple):
    """Global memory that is kept.

    Attributes:
        name: Of the buffer or variable.
        offset: Its offset in global memory.
        size: The number of bytes that are kept.
        whole: The number of all its bytes; of the heap, at least those that were used.
    """

    name: str
    offset: int
    size: int
    whole: int


class RecordedArray(NamedTuple):
    """Bytes of the block.

    Attributes:
        name: Kind and place, such as ``("register", "0", "k", "%r1")``.
        data: The bytes in the first frame.
    """

    name: tuple[str, ...]
    data: bytes


class RecordedChange(NamedTuple):
    """Bytes that have changed since the frame before."""

    array: int
    offset: int
    data: bytes


@dataclass
class RecordedFrame:
    """The state before a step.

    Attributes:
        step: The number of the step.
        depth: Of the call of the threads that are next; -1 where none of the block is.
        at: Their instruction.
        local_stride: Bytes of local memory of a thread.
        printed: The number of pieces printed so far.
        faults: The number of faults so far that do not end the launch.
        changes: The bytes that have changed since the frame before.
    """

    step: int
    depth: int
    at: int
    local_stride: int
    printed: int
    faults: int
    changes: tuple[RecordedChange, ...] = ()


@dataclass(frozen=True)
class Recording:
    """The states of a block in a stretch of steps.

    Attributes:
        about: Title, module and sources, as the window knows them.
        kernel: The kernel by its name in the PTX.
        ptx: The PTX that was executed.
        grid: Blocks.
        block: Threads of a block.
        index: The block.
        thread: The thread that was looked at.
        position: The step that was looked at.
        shared_stride: Bytes of shared memory with padding.
        base: The address of the first byte of global memory.
        regions: The regions of global memory that are kept, in the order of their bytes.
        spaces: The spaces of variables of the PTX.
        addresses: Their addresses.
        locals: Offsets of local variables by function.
        frame_bytes: Bytes of the stack frame by function.
        shared_size: Bytes of shared memory.
        special: Special registers, with the number of bytes of each value.
        arrays: All bytes that change.
        frames: The steps, in order.
        printed: The output, in pieces.
        faults: The faults meanwhile.
        ended: How the block or the run ended behind the last frame; empty where it goes on.
    """

    about: RecordingAbout
    kernel: str
    ptx: str
    grid: Dim3
    block: Dim3
    index: Dim3
    thread: Dim3
    position: int
    shared_stride: int
    base: int
    regions: tuple[GlobalRegion, ...]
    spaces: dict[str, str]
    addresses: dict[str, int]
    locals: dict[str, dict[str, int]]
    frame_bytes: dict[str, int]
    shared_size: int
    special: dict[str, tuple[int, bytes]]
    arrays: tuple[RecordedArray, ...]
    frames: tuple[RecordedFrame, ...]
    printed: tuple[str, ...]
    faults: tuple[Fault, ...]
    ended: str

    @property
    def cut(self) -> tuple[GlobalRegion, ...]:
        """The buffers of which only the beginning is kept."""
        return tuple(region for region in self.regions if region.size < region.whole)


def pack(recording: Recording) -> bytes:
    """Returns a recording as the bytes of a file, with fewer steps if too large otherwise.

    Raises:
        RecordingError: A single step is too large.
    """
    if len(recording.ptx) > MOST_PTX:
        raise RecordingError(
            f"The PTX has {len(recording.ptx):,} characters, and at most {MOST_PTX:,} are recorded."
        )
    if not _fits_window(recording):
        raise RecordingError(
            f"The sources have more than {MOST_SOURCE_BYTES >> 20} MiB or "
            f"{MOST_SOURCE_LINES:,} lines, or the PTX more than {_MOST_PTX_LINES:,}. "
            "Nothing larger is recorded."
        )
    packed = zlib.compress(b"".join(_codec().dump(recording)), 6)
    # Nobody knows beforehand how well the states pack.
    while len(packed) > MOST_PACKED and len(recording.frames) > 1:
        recording = _shorter(recording)
        packed = zlib.compress(b"".join(_codec().dump(recording)), 6)
    if len(packed) > MOST_PACKED:
        raise RecordingError(
            f"The recording takes {len(packed) >> 20} MiB, and at most {MOST_PACKED >> 20} MiB are "
            "kept. Launch fewer threads in a block, or smaller buffers."
        )
    return _HEAD + f"{_VERSION}\n".encode() + packed


def _shorter(recording: Recording) -> Recording:
    """Returns the half of a recording that is around its position."""
    frames = recording.frames
    here = max(0, bisect_right(frames, recording.position, key=lambda frame: frame.step) - 1)
    first, last = (here + 1) // 2, here + (len(frames) - here) // 2
    # The first frame that stays becomes the initial state: all changes up to it are applied.
    arrays = [bytearray(array.data) for array in recording.arrays]
    for frame in frames[1 : first + 1]:
        for change in frame.changes:
            end = change.offset + len(change.data)
            arrays[change.array][change.offset : end] = change.data
    remaining = (replace(frames[first], changes=()), *frames[first + 1 : max(last, first + 1)])
    return replace(
        recording,
        arrays=tuple(
            array._replace(data=bytes(data))
            for array, data in zip(recording.arrays, arrays, strict=True)
        ),
        frames=remaining,
        ended=recording.ended if remaining[-1] is frames[-1] else "",
    )


def unpack(data: bytes) -> Recording:
    """Returns the recording in a file.

    Raises:
        RecordingError: The data are no recording, are damaged or too large, or of a later version.
    """
    head = re.match(re.escape(_HEAD) + rb"(\d{1,6})\n", data)
    if head is None:
        raise RecordingError("This is not a recording of a simulated run.")
    if int(head[1]) != _VERSION:
        raise RecordingError(
            f"A later jitstudio has made this recording (version {int(head[1])}). Update jitstudio."
        )
    if len(data) > MOST_PACKED + len(head[0]):
        raise RecordingError(
            f"The recording is larger than the {MOST_PACKED >> 20} MiB that are read."
        )
    try:
        recording = _codec().load(inflated(data[head.end() :], _LARGEST))
    except Oversized as error:
        raise RecordingError(f"The recording is too large: {error}.") from None
    except (zlib.error, CodecError) as error:
        raise RecordingError(f"The recording is damaged: {error}.") from None
    _check(recording)
    return recording


def _codec() -> Codec[Recording]:
    return Codec(Recording)


def _fits_window(recording: Recording) -> bool:
    """Returns whether the texts are small enough for the window."""
    sources = recording.about.sources
    return (
        len(recording.ptx) <= MOST_PTX
        and sum(len(name) + len(content) for name, content in sources) <= MOST_SOURCE_BYTES
        and len(recording.ptx.splitlines()) <= _MOST_PTX_LINES
        and sum(1 + len(_text(content).splitlines()) for _, content in sources) <= MOST_SOURCE_LINES
    )


def _names(recording: Recording) -> Iterator[str]:
    """Yields the texts that the window shows in a line."""
    yield from (recording.about.title, recording.about.module, recording.kernel, recording.ended)
    yield from (name for name, _content in recording.about.sources)
    yield from (region.name for region in recording.regions)
    yield from recording.spaces


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _check(recording: Recording) -> None:
    """Checks that all parts of a recording fit together.

    Raises:
        RecordingError: They do not fit.
    """
    # Files come from anywhere: all that indexes arrays in `playback` is checked here, once.
    steps = [frame.step for frame in recording.frames]
    sizes = [len(array.data) for array in recording.arrays]
    threads = recording.block[0] * recording.block[1] * recording.block[2]
    changes = (change for frame in recording.frames for change in frame.changes)
    fits = (
        steps
        and _fits_window(recording)
        and min(*recording.grid, *recording.block) > 0
        and threads <= 1024
        and max(recording.grid) < 1 << 31
        and all(0 <= at < size for at, size in zip(recording.index, recording.grid, strict=True))
        and all(0 <= at < size for at, size in zip(recording.thread, recording.block, strict=True))
        and all(len(name) <= _LONGEST_NAME for name in _names(recording))
        and steps[0] >= 0
        and all(earlier < later for earlier, later in pairwise(steps))
        and steps[-1] < 1 << 62
        and all(
            0 <= c.array < len(sizes) and 0 <= c.offset <= sizes[c.array] - len(c.data)
            for c in changes
        )
        and all(0 <= region.size <= region.whole < 1 << 62 for region in recording.regions)
        and all(0 <= frame.local_stride < 1 << 32 for frame in recording.frames)
    )
    if not fits:
        raise RecordingError("The recording is damaged: its parts do not fit together.")
