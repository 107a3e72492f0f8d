"""A SwiGLU gate in Triton: out = silu(gate) * up, element by element.

The pointers are multiples of 16 bytes, as `tt.divisibility` in Triton IR says. See what follows:
four elements for each thread in TritonGPU IR (`sizePerThread`), and 128-bit loads in SASS.
"""

import triton
import triton.language as tl


@triton.jit
def swiglu(gate_ptr, up_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    gate = tl.load(gate_ptr + offsets, mask=inside)
    up = tl.load(up_ptr + offsets, mask=inside)
    silu = gate / (1.0 + tl.exp(-gate))
    tl.store(out_ptr + offsets, silu * up, mask=inside)


if __name__ == "__main__":
    import torch

    gate, up = torch.rand(2, 1 << 20, device="cuda")
    out = torch.empty_like(gate)
    swiglu[(triton.cdiv(gate.numel(), 1024),)](gate, up, out, gate.numel(), BLOCK=1024)
    print((out - torch.nn.functional.silu(gate) * up).abs().max())
