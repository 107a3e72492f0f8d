"""Instructions that the simulator refuses, and why."""

from __future__ import annotations

from jitstudio.simulator.instructions.table import Binding, Step, form
from jitstudio.simulator.state.faults import UnsupportedInstruction

_TEXTURE = (
    "of textures, those of one to three axes with one level are simulated, without layers, faces, "
    "samples and comparisons; of queries, extents and normalized_coords"
)
_SURFACE = (
    "of surfaces, reads, writes, reductions and the extents are simulated, on one to three axes"
)
_REASONS = {
    **dict.fromkeys(("tex", "tld4", "txq"), _TEXTURE),
    **dict.fromkeys(("suld", "sust", "sured", "suq"), _SURFACE),
    "istypep": "references to textures, samplers and surfaces are not bound by a launch",
    "tcgen05": "tcgen05 is not simulated. Use mma.sync or wgmma, or launch on a GPU",
    "multimem": "memory of several GPUs is not simulated",
    "tensormap": "tensor maps are not simulated",
    "alloca": "the stack cannot grow while a function runs",
    "stacksave": "the stack cannot grow while a function runs",
    "stackrestore": "the stack cannot grow while a function runs",
    "clusterlaunchcontrol": "launches cannot be cancelled in the simulator",
}


_ASYNCHRONOUS = "only asynchronous stores that an mbarrier tracks are simulated. Use st or red"


def _refused_form(_b: Binding) -> Step:
    raise UnsupportedInstruction(_ASYNCHRONOUS)


for _opcode in ("st", "red"):
    form(_opcode, words=None, needs="async", any_types=True)(_refused_form)


def _refused(b: Binding) -> Step:
    raise UnsupportedInstruction(_REASONS[b.instruction.opcode])


for _opcode in _REASONS:
    form(_opcode, words=None, any_types=True)(_refused)
