"""Instructions that the simulator refuses, and why."""

from __future__ import annotations

from collections.abc import Callable

from jitstudio.simulator.instructions.table import Binding, Step, form
from jitstudio.simulator.state.faults import UnsupportedInstruction

_TEXTURE = (
    "of textures, those of one to three axes with one level are simulated, without layers, faces, "
    "samples and comparisons; of queries, extents and normalized_coords"
)
_SURFACE = (
    "of surfaces, reads, writes, reductions and the extents are simulated, on one to three axes"
)
_VIDEO = "video instructions are not simulated. Use add, sub, min, max, prmt or dp4a"
_VIDEO_OPCODES = (
    *("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad", "vset"),
    *(
        f"{opcode}{lanes}"
        for opcode in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset")
        for lanes in (2, 4)
    ),
)
_REASONS = {
    **dict.fromkeys(_VIDEO_OPCODES, _VIDEO),
    **dict.fromkeys(("tex", "tld4", "txq"), _TEXTURE),
    **dict.fromkeys(("suld", "sust", "sured", "suq"), _SURFACE),
    "istypep": "references to textures, samplers and surfaces are not bound by a launch",
    "tcgen05": "tcgen05 is not simulated. Use mma.sync or wgmma, or launch on a GPU",
    "multimem": "memory of several GPUs is not simulated",
    "tensormap": "tensor maps are not simulated",
    "fabric": "memory of other GPUs is not simulated",
    "clmad": "products without carries are not simulated. Use shifts and xor, or launch on a GPU",
    "spcompress": "sparse elements are not simulated",
    "spdecompress": "sparse elements are not simulated",
    "alloca": "the stack cannot grow while a function runs",
    "stacksave": "the stack cannot grow while a function runs",
    "stackrestore": "the stack cannot grow while a function runs",
    "clusterlaunchcontrol": "launches cannot be cancelled in the simulator",
}


_ASYNCHRONOUS = "only asynchronous stores that an mbarrier tracks are simulated. Use st or red"
_WIDE = "values of 128 bits are not simulated. Use two of .b64"
_RANDOM = "rounding by random bits is not simulated. Use .rn"
_NARROW = (
    "of conversions from and to floats of 8 bits those of sm_89 are simulated, of 6 and 4 bits "
    "none. Build for sm_90, where NVIDIA's headers do without them"
)
_FLOAT_REDUCTION = "redux of floats is not simulated. Use shfl and min or max"


def _refuses(why: str) -> Callable[[Binding], Step]:
    def refused(_b: Binding) -> Step:
        raise UnsupportedInstruction(why)

    return refused


for _opcode in ("st.async", "red.async"):
    form(_opcode, words=None, any_types=True)(_refuses(_ASYNCHRONOUS))
for _opcode in ("mov", "atom"):
    form(_opcode, "b128", words=None)(_refuses(_WIDE))
form("cvt", words=None, needs="rs", any_types=True)(_refuses(_RANDOM))
_NEW, _FORMER, _HALVES = "e2m1x2 e2m3x2 e3m2x2 ue8m0x2", "e4m3x2 e5m2x2", "f16x2 bf16x2"
for _types in ((_NEW, f"f32 {_HALVES}"), (_HALVES, _NEW), (_FORMER, "bf16x2"), ("bf16x2", _FORMER)):
    form("cvt", *_types, words=None)(_refuses(_NARROW))
form("redux", "f32", words=None)(_refuses(_FLOAT_REDUCTION))
# Four products at once, each by 8 lanes, whose fragments have another layout.
form(
    "mma",
    "f32 f16",
    "f16",
    "f16",
    "f32 f16",
    words="row/col",
    needs="sync aligned m8n8k4",
    flow=True,
)(_refuses("the shape m8n8k4 of f16 is of Volta and not simulated. Use m16n8k8 or m16n8k16"))
for _opcode, _needs in (
    ("mma", "sp/sp::ordered_metadata/block_scale"),
    ("wgmma", "sp/sp::ordered_metadata"),
):
    form(_opcode, words=None, any_types=True, needs=_needs)(
        _refuses("only dense matrices without scales are simulated")
    )
form("cp.async.bulk", needs="cp_mask", words=None)(
    _refuses("copies of chosen bytes are not simulated")
)
for _opcode in ("ldmatrix", "stmatrix"):
    form(_opcode, "b8", words=None)(
        _refuses("only matrices of 8 by 8 elements of 16 bits are simulated")
    )
for _opcode, _why in _REASONS.items():
    form(_opcode, words=None, any_types=True)(_refuses(_why))
