"""The initial text of new tabs, which builds at once."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind


@dataclass(frozen=True)
class Template:
    """The name and the text of a new tab."""

    name: str
    kind: CodeKind
    text: str


_CUDA = """\
extern "C" __global__
void kernel(float* data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = 0.0f;
    }
}
"""
_HEADER = """\
#pragma once

__device__ inline float twice(float value)
{
    return value + value;
}
"""
_PTX = """\
.version 8.0
.target sm_75
.address_size 64

.visible .entry kernel (
    .param .u64 data
)
{
    .reg .b32 %i;
    .reg .b64 %base, %offset;

    ld.param.u64       %base, [data];
    cvta.to.global.u64 %base, %base;
    mov.u32            %i, %tid.x;
    mul.wide.u32       %offset, %i, 4;
    add.s64            %base, %base, %offset;
    st.global.u32      [%base], %i;
    ret;
}
"""
_LLVM = """\
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-\
f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @kernel(POINTER %data) {
  store i32 1, POINTER %data, align 4
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{FUNCTION @kernel, !"kernel", i32 1}
!nvvmir.version = !{!1}
!1 = !{i32 2, i32 0}
"""

_PYTHON = """\
import numpy as np
from numba import cuda


@cuda.jit
def kernel(data, n):
    i = cuda.grid(1)
    if i < n:
        data[i] = 0


if __name__ == "__main__":
    # The kernel is compiled for the types of these arguments. A build launches nothing.
    data = cuda.to_device(np.ones(1024, np.float32))
    kernel[8, 128](data, data.size)
"""

CUDA_TEMPLATE = Template("kernel.cu", CodeKind.CUDA, _CUDA)
HEADER_TEMPLATE = Template("header.cuh", CodeKind.CUDA, _HEADER)
PYTHON_TEMPLATE = Template("kernels.py", CodeKind.PYTHON, _PYTHON)
PTX_TEMPLATE = Template("kernel.ptx", CodeKind.PTX, _PTX)

_FIRST_OPAQUE = Arch(100)


def llvm_template(arch: Arch) -> Template:
    """LLVM IR in the dialect of the target: libNVVM reads opaque pointers from compute_100 on."""
    opaque = arch.number >= _FIRST_OPAQUE.number
    pointer = "ptr addrspace(1)" if opaque else "i32 addrspace(1)*"
    function = "ptr" if opaque else "void (i32 addrspace(1)*)*"
    text = _LLVM.replace("POINTER", pointer).replace("FUNCTION", function)
    return Template("kernel.ll", CodeKind.LLVM_IR, text)
