"""Accesses as the machine would show them to observers, without a machine."""

from __future__ import annotations

import numpy as np

from jitstudio.simulator.ptx.program import PtxInstruction, PtxSourceLine
from jitstudio.simulator.state.model import Access, AccessKind, Layout, Observer, StateSpace


def instruction(line: int, text: str = "ld.f32 %f1, [%rd1];") -> PtxInstruction:
    """Returns an instruction on this line of PTX and source."""
    opcode, *modifiers = text.split()[0].rstrip(";").split(".")
    place = PtxSourceLine("k.cu", line)
    return PtxInstruction(line, opcode, tuple(modifiers), (), (), None, line, place, text=text)


class Scene:
    """Threads of blocks that do what a test says, one step after another."""

    def __init__(self, observer: Observer, *, threads: int, blocks: int = 1) -> None:
        self.observer = observer
        self.layout = Layout((blocks, 1, 1), (threads, 1, 1), np.arange(blocks))
        observer.started(self.layout)

    @property
    def all(self) -> np.ndarray:
        """The numbers of all threads."""
        block = self.layout.warps_per_block * 32
        numbers = np.arange(self.layout.threads)
        return numbers[numbers % block < self.layout.threads_per_block]

    def access(
        self,
        line: int,
        kind: AccessKind,
        offsets: object,
        threads: object = None,
        *,
        size: int = 4,
        space: StateSpace = StateSpace.SHARED,
        strong: bool = False,
        before: object = 0,
        after: object = None,
        text: str = "ld.f32 %f1, [%rd1];",
    ) -> None:
        """Shows an access; `before` and `after` are 32-bit values."""
        numbers = self.all if threads is None else np.asarray(threads, np.int64)
        places = np.broadcast_to(np.asarray(offsets, np.int64), numbers.shape).copy()
        held = [
            None if value is None else _bytes(value, numbers.size, size)
            for value in (before, numbers if after is None else after)
        ]
        self.observer.accessed(
            Access(
                instruction(line, text),
                numbers,
                space,
                kind,
                places,
                places.astype(np.uint64),
                size,
                strong,
                *(held if kind is not AccessKind.READ else (None, None)),
            )
        )


def _bytes(value: object, count: int, size: int) -> np.ndarray:
    numbers = np.broadcast_to(np.asarray(value, np.uint32), (count,))
    return numbers.copy().view(np.uint8).reshape(count, 4)[:, [k % 4 for k in range(size)]].copy()
