from jitstudio.core.code import CodeKind
from jitstudio.core.job import Job
from jitstudio.core.plan import Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import cubin, nvrtc

TWO_KERNELS = """\
extern "C" __device__ __noinline__ int helper(int x) { return x * 3; }
extern "C" __global__ void first(int* p) { *p = helper(*p); }
extern "C" __global__ void second() {}
"""


def test_kernels_are_found_and_device_functions_are_not():
    source = ((Ref(CodeKind.CUDA, "k.cu"), TWO_KERNELS.encode()),)
    job = Job(Tool.NVRTC, "k.cu", source, (CodeKind.CUBIN,), ("-arch=sm_90",))
    made = nvrtc.compile_cuda(job).made[CodeKind.CUBIN]
    assert set(cubin.kernels(made)) == {"first", "second"}
    assert cubin.has_code(made)


def test_other_bytes_have_no_kernels():
    assert not cubin.has_code(b"hello")
    assert cubin.kernels(b"") == cubin.kernels(b"hello") == cubin.kernels(b"\x7fELF") == ()
