"""What tests of several packages need: sources, requests, and code that misbehaves."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Header, Source, kind_of
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer
from jitstudio.listing.lexers.mlir import MlirLexer
from jitstudio.listing.lexers.nvvm_ir import NvvmIrLexer
from jitstudio.listing.lexers.ptx import PtxLexer
from jitstudio.listing.lexers.python import PythonLexer
from jitstudio.listing.lexers.sass import SassLexer

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "resources" / "samples"
LEXERS = (CudaCxxLexer, MlirLexer, NvvmIrLexer, PtxLexer, PythonLexer, SassLexer)

QUICK_ARCH = Arch(75)
"""What commands and windows of tests build for unless told otherwise.

nvdisasm takes twice as long to start for sm_90, the program's own default.
"""

KERNEL = 'extern "C" __global__ void fine(int* p) { p[threadIdx.x] = 1; }\n'

_LAYOUT = (
    "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64"
    "-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
)
# Passes the verifier; then libNVVM dies of SIGILL for targets from compute_100 on.
CRASHING_IR = f"""\
target triple = "nvptx64-nvidia-cuda"
target datalayout = "{_LAYOUT}"

define void @k(ptr addrspace(9) %p) {{
  store i32 1, ptr addrspace(9) %p
  ret void
}}

!nvvm.annotations = !{{!0}}
!0 = !{{ptr @k, !"kernel", i32 1}}
!nvvmir.version = !{{!1}}
!1 = !{{i32 2, i32 0}}
"""
CRASHING_ARCH = Arch(100)

# Some 150 different loops of two million steps, all run by the front end: takes minutes.
SLOW_CUDA = """\
using number = unsigned long long;
constexpr number sum(number n) {
    number total = 0;
    for (number i = 0; i < n; ++i) total += i * i;
    return total;
}
template <number N> struct Slow { static constexpr number value = sum(2000000 + N); };
template <int N> struct All {
    static constexpr number value = Slow<N>::value + All<N - 1>::value;
};
template <> struct All<0> { static constexpr number value = 0; };
__global__ void slow(number* p) { *p = All<150>::value; }
"""

ENDLESS_TEMPLATES = """\
template <int N> struct Deep { static const int value = Deep<N + 1>::value; };
__global__ void deep(int* p) { *p = Deep<0>::value; }
"""

# More than a thousand live values in one block: the optimiser wants far more than 200 MiB.
HUNGRY_CUDA = (
    'extern "C" __global__ void hungry(int* p) {\n'
    + "".join(f"p[{i * 7 % 997}] += p[{i * 13 % 991}] * {i};\n" for i in range(30_000))
    + "}\n"
)
HUNGRY_LIMIT = 160 << 20
"""Bytes; with fewer NVRTC comes to an end by itself, with an error."""


def sample(name: str, *name_expressions: str) -> Source:
    """One of the shipped samples as a module."""
    kind = kind_of(name)
    assert kind is not None
    content = (SAMPLES / name).read_bytes()
    return Source(name, kind, content, name_expressions=name_expressions)


def cuda(text: str, name: str = "kernel.cu", *name_expressions: str) -> Source:
    """CUDA C++ that is in no file."""
    return Source(name, CodeKind.CUDA, text.encode(), name_expressions=name_expressions)


def ptx(name: str, body: str) -> Source:
    """A PTX module around a few lines."""
    text = f".version 8.0\n.target sm_75\n.address_size 64\n{body}\n"
    return Source(name, CodeKind.PTX, text.encode())


def sample_header(name: str) -> Header:
    """One of the shipped samples as an in-memory header."""
    return Header(name, (SAMPLES / name).read_bytes())


def request(
    *sources: Source,
    emit: str = "ptx",
    arch: str = "sm_90",
    link: str = "none",
    options: tuple[str, ...] = (),
    headers: tuple[Header, ...] = (),
) -> BuildRequest:
    """A request in the words of the command line."""
    return BuildRequest(
        sources=sources,
        arch=Arch.parse(arch),
        emit=frozenset(CodeKind(word) for word in emit.split(",") if word),
        link=LinkMode(link),
        options=options,
        headers=headers,
    )


def typed_ir(body: str) -> str:
    """A module of LLVM IR with typed pointers around a few lines."""
    head = (SAMPLES / "fill_typed.ll").read_text().partition("define")[0]
    return f"{head}\n{body}\n!nvvmir.version = !{{!9}}\n!9 = !{{i32 2, i32 0}}\n"


# A kernel that calls libdevice and another module, and that module.
IR_CALLER = typed_ir("""\
declare float @__nv_sinf(float)
declare float @twice(float)
define void @k(float* %p) {
  %x = load float, float* %p
  %y = call float @__nv_sinf(float %x)
  %z = call float @twice(float %y)
  store float %z, float* %p
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (float*)* @k, !"kernel", i32 1}""")
IR_CALLED = typed_ir("""\
define float @twice(float %x) {
  %r = fadd float %x, %x
  ret float %r
}
define float @other(float %x) {
  %r = fmul float %x, %x
  ret float %r
}""")

CRASHING = request(
    Source("crash.ll", CodeKind.LLVM_IR, CRASHING_IR.encode()), arch=str(CRASHING_ARCH)
)
SLOW = request(cuda(SLOW_CUDA, "slow.cu"))
GOOD = request(cuda(KERNEL, "good.cu"))


def refusal(call: Callable[..., object], *arguments: object) -> str:
    """The words with which a call refuses its arguments, for tests of those that pass them on.

    The wording itself is asserted at one place, by the test of the call.
    """
    try:
        call(*arguments)
    except OSError as error:
        return error.strerror or str(error)
    except (RuntimeError, ValueError) as error:
        return str(error)
    pytest.fail(f"{arguments} are not refused")


def one_in(step: int, values: Iterable[Any]) -> list[Any]:
    """Returns the parameters of a test, of which bench tries all and every run each `step`th."""
    made = []
    for number, value in enumerate(values):
        if number % step:
            known = ParameterSet.extract_from(value, force_tuple=not isinstance(value, tuple))
            made.append(known._replace(marks=(*known.marks, pytest.mark.bench)))
        else:
            made.append(value)
    return made
