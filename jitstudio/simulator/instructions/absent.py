"""Instructions that the simulator refuses, and why."""

from __future__ import annotations

from jitstudio.simulator.instructions.table import Binding, Step, form
from jitstudio.simulator.types import TYPES
from jitstudio.simulator.wave import UnsupportedInstruction

_TEXTURE = (
    "a launch in the simulator has no texture or surface to bind. Read the data through a pointer"
)
_TENSOR_CORE = "is not simulated. Use mma.sync, or launch on a GPU"
_REASONS = {
    **dict.fromkeys(("tex", "tld4", "txq", "suld", "sust", "sured", "suq", "istypep"), _TEXTURE),
    "wgmma": f"wgmma {_TENSOR_CORE}",
    "tcgen05": f"tcgen05 {_TENSOR_CORE}",
    "multimem": "memory of several GPUs is not simulated",
    "tensormap": "tensor maps are not simulated",
    "alloca": "the stack cannot grow while a function runs",
    "stacksave": "the stack cannot grow while a function runs",
    "stackrestore": "the stack cannot grow while a function runs",
    "clusterlaunchcontrol": "launches cannot be cancelled in the simulator",
    "wmma": "wmma is not simulated. Use mma.sync, ldmatrix and stmatrix",
}


def _refused(b: Binding) -> Step:
    raise UnsupportedInstruction(_REASONS[b.instruction.opcode])


for _opcode in _REASONS:
    for _count in range(6):
        form(_opcode, *([" ".join(TYPES)] * _count), words=None)(_refused)
