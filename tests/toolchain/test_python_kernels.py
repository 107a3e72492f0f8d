"""Kernels of Triton and Numba, held against what the packages themselves make of them."""

import importlib.util
import re
import textwrap

import pytest

from jitstudio.core.captured import LAUNCH, KernelLanguage, unpack
from jitstudio.core.code import CodeKind
from jitstudio.core.plan import Job, Ref
from jitstudio.core.scripts import kernel_names
from jitstudio.core.tools import Tool
from jitstudio.toolchain.python_scripts import run_script

pytestmark = [pytest.mark.python_kernels, pytest.mark.slow]

TRITON = """
import numpy as np
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask) + tl.load(y + at, mask), mask)


if __name__ == "__main__":
    x = np.ones(1000, np.float32)
    add[(4,)](x, x, x, x.size, BLOCK=256)
    add[(2,)](x, x, x, x.size, BLOCK=512, num_warps=8)
"""
NUMBA = """
import numpy as np
from numba import cuda


@cuda.jit
def axpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@cuda.jit("void(float32[::1])", fastmath=True)
def invert(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 1 / x[i]


if __name__ == "__main__":
    x = cuda.to_device(np.ones(100, np.float32))
    axpy[4, 128](np.float32(2), x, x)
    axpy[4, 128](2.0, x, x)
    cuda.synchronize()
    assert x.copy_to_host().shape == (100,)
"""


def ran(text, folder, arch="sm_90"):
    content = textwrap.dedent(text).encode()
    options = (f"-arch={arch}",)
    inputs = ((Ref(CodeKind.PYTHON, "kernels.py"), content),)
    made = (CodeKind.CAPTURED,)
    job = Job(Tool.PYTHON, "kernels.py", inputs, made, options, folder=str(folder))
    report = run_script(job)
    return report, [unpack(content) for content in report.captured]


def imported(text, folder):
    """The script as a module of this process, from the file that it was run as."""
    path = folder / "kernels.py"
    path.write_text(textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location("kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def content(kernel, language):
    return kernel.representation(language).content


@pytest.mark.filterwarnings("default")
def test_triton(tmp_path, monkeypatch):
    triton = pytest.importorskip("triton")
    report, kernels = ran(TRITON, tmp_path)
    assert (report.diagnostics, report.ok) == ([], True)
    assert [(k.name, k.facts["BLOCK"], k.facts["num_warps"]) for k in kernels] == [
        ("add", "256", "4"),
        ("add", "512", "8"),
    ]
    source = kernels[0].source
    assert (source.file, source.text) == (str(tmp_path / "kernels.py"), TRITON)
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    compiler = importlib.import_module("triton.compiler")
    target = importlib.import_module("triton.backends.compiler").GPUTarget("cuda", 90, 32)
    pointer = dict.fromkeys(("x", "y", "out"), "*fp32")
    divisible = [["tt.divisibility", 16]]
    own = triton.compile(
        compiler.ASTSource(
            imported(TRITON, tmp_path).add,
            pointer | {"n": "i32", "BLOCK": "constexpr"},
            {(4,): 256},
            {(i,): divisible for i in range(3)},
        ),
        target=target,
    )
    for key, language in (("ttgir", "TTGIR"), ("llir", "LLVM_IR"), ("ptx", "PTX")):
        assert content(kernels[0], KernelLanguage[language]).decode() == own.asm[key], key
    assert content(kernels[0], KernelLanguage.CUBIN) == own.asm["cubin"]


@pytest.mark.filterwarnings("default")
def test_numba(tmp_path):
    numba = pytest.importorskip("numba")
    cuda = pytest.importorskip("numba.cuda")
    report, kernels = ran(NUMBA, tmp_path)
    assert (report.diagnostics, report.ok) == ([], True)
    arrays = {"x": "array(float32, 1d, C)", "y": "array(float32, 1d, C)"}
    launch = {
        "launch grid": "4,1,1",
        "launch block": "128,1,1",
        "launch shared": "0",
        "launch array x": "100,4",
        "launch array y": "100,4",
        "launch number a": "2.0",
    }
    # The first compilation of a kernel that is launched says how.
    assert [(k.name, k.facts) for k in kernels] == [
        ("invert", {"x": "array(float32, 1d, C)"}),
        ("axpy", {"a": "float32"} | arrays | launch | {"launch line": "22"}),
        ("axpy", {"a": "float64"} | arrays | launch | {"launch line": "23"}),
    ]
    assert kernels[1].source.text == NUMBA
    own = tmp_path / "kernels.py"
    own.write_text(
        NUMBA.replace("if __name__", "if False and __name__").replace(
            '@cuda.jit("void(float32[::1])", fastmath=True)', "@cuda.jit"
        )
    )
    code = compile(own.read_text(), str(own), "exec")
    names = {"__name__": "__main__"}
    exec(code, names)
    array = numba.float32[::1]
    given = {"lineinfo": True, "cc": (9, 0)}
    asked = (
        ("invert", (array,), {"fastmath": True}),
        ("axpy", (numba.float32, array, array), {}),
        ("axpy", (numba.float64, array, array), {}),
    )
    for kernel, (name, types, more) in zip(kernels, asked, strict=True):
        ptx, _ = cuda.compile_ptx(names[name].py_func, types, **given, **more)
        assert content(kernel, KernelLanguage.PTX).decode() == ptx, name


def test_an_error_in_a_kernel_has_its_line(tmp_path):
    pytest.importorskip("triton")
    pytest.importorskip("numba")
    report, kernels = ran(TRITON.replace("mask = at < n", "mask = at < m"), tmp_path)
    (said,) = report.diagnostics
    assert (said.line, said.column, kernels) == (10, 17, [])
    assert said.message == "CompilationError: NameError('m is not defined')"
    report, kernels = ran(NUMBA.replace("a * x[i]", "a * x.name"), tmp_path)
    (said,) = report.diagnostics
    assert said.line == 10
    assert "Unknown attribute 'name' of type array(float32, 1d, C)" in said.message
    assert [kernel.name for kernel in kernels] == ["invert"]


TUNED = """
import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.autotune(
    configs=[triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 256}, num_warps=8)], key=["n"]
)
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def scale(x, n, a, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, at < n) * a, at < n)


@triton.jit
def one(x):
    tl.store(x, 1.0)


x = np.ones(1024, np.float32)
scale[lambda meta: (triton.cdiv(1024, meta["BLOCK"]),)](x, 1024, 2.0)
triton.compile(ASTSource(one, {"x": "*fp32"}), target=GPUTarget("cuda", 80, 32))
one.warmup(np.ones(3, np.float16), grid=(1,))
print(triton.runtime.driver.active.utils.get_device_properties(0)["warpSize"])
"""
OF_DEVICE = """
import numpy as np
from numba import cuda, float32


@cuda.jit(device=True)
def twice(x):
    return x * 2


@cuda.jit((float32[:],))
def turn(x):
    s = cuda.shared.array(32, float32)
    s[cuda.threadIdx.x] = twice(x[cuda.grid(1)])
    cuda.syncthreads()
    x[cuda.grid(1)] = s[31 - cuda.threadIdx.x]


@cuda.jit
def set_first(x):
    x[0] = 1


x = cuda.device_array(10, np.int32)
stream = cuda.stream()
set_first[1, 1, stream](x)
stream.synchronize()
print(cuda.get_current_device().compute_capability)
"""


def test_what_scripts_do_around_their_kernels(tmp_path):
    pytest.importorskip("triton")
    pytest.importorskip("numba")
    report, kernels = ran(TUNED, tmp_path)
    assert report.diagnostics == []
    assert kernel_names(kernels) == (
        "scale[BLOCK=128,num_warps=4]",
        "scale[BLOCK=256,num_warps=8]",
        "one[x=fp32]",
        "one[x=fp16]",
    )
    assert [str(kernel.target) for kernel in kernels] == ["sm_90a", "sm_90a", "sm_80", "sm_90a"]
    assert "the answer was 100 multiprocessors" in report.log
    report, kernels = ran(OF_DEVICE, tmp_path)
    assert report.diagnostics == []
    assert kernel_names(kernels) == ("turn", "set_first")
    assert report.log.startswith("(9, 0)\n")


def test_numba_compiles_for_a_target_with_a_letter(tmp_path):
    pytest.importorskip("numba")
    for arch in ("sm_90a", "sm_100f"):
        report, kernels = ran(OF_DEVICE, tmp_path, arch)
        assert report.diagnostics == []
        assert [str(kernel.target) for kernel in kernels] == [arch, arch]


CALLED_AS_FACTS = """
import numpy as np
import triton
import triton.language as tl


@triton.jit
def add(x, shared: tl.constexpr, num_stages: tl.constexpr):
    tl.store(x + tl.arange(0, shared), num_stages)


x = np.ones(1024, np.float32)
add[(1,)](x, 128, 2)
add[(1,)](x, 256, 2)
add[(1,)](x, 256, 5)
"""


def test_parameters_may_be_called_as_facts_of_the_compiler(tmp_path):
    pytest.importorskip("triton")
    report, kernels = ran(CALLED_AS_FACTS, tmp_path)
    assert report.diagnostics == []
    assert kernel_names(kernels) == (
        "add[shared=128,num_stages=2]",
        "add[shared=256,num_stages=2]",
        "add[shared=256,num_stages=5]",
    )
    assert kernels[0].facts["shared"] == "0"


CUTE = """
import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import make_fake_compact_tensor


@cute.kernel
def twice(a: cute.Tensor):
    at, _, _ = cute.arch.thread_idx()
    a[at] = a[at] + a[at]


@cute.jit
def launch(a: cute.Tensor):
    twice(a).launch(grid=(1, 1, 1), block=(32, 1, 1))


compiled = cute.compile(launch, make_fake_compact_tensor(cutlass.Float32, (32,)))
compiled(None)
"""


def test_cute_dsl(tmp_path):
    pytest.importorskip("cutlass.cute")
    report, kernels = ran(CUTE, tmp_path)
    assert report.diagnostics == []
    (kernel,) = kernels
    assert kernel.name.startswith("kernel_cutlass_twice_")
    assert kernel.origin.startswith("CuTe DSL ")
    ptx = kernel.representation(KernelLanguage.PTX).text
    assert f".entry {kernel.name}" in ptx
    assert ".loc" in ptx
    assert str(kernel.target) == "sm_90"


TRITON_LAUNCHED = """
import numpy as np
import triton
import triton.language as tl


@triton.jit
def add(x, out, n, scale, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, scale * tl.load(x + at, mask=at < n), mask=at < n)


x = np.ones(1000, np.float32)
add[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](
    x, np.zeros(1000, np.float64), 1000, scale=2.5, BLOCK=256)
add[(7,)](x, np.zeros(10, np.float64), 10, 1.5, BLOCK=256)
"""


def test_the_first_launch_of_a_kernel_of_triton_is_kept(tmp_path):
    pytest.importorskip("triton")
    report, kernels = ran(TRITON_LAUNCHED, tmp_path)
    assert report.diagnostics == []
    told = {k.removeprefix(LAUNCH): v for k, v in kernels[0].facts.items() if k.startswith(LAUNCH)}
    assert told["grid"] == "4"
    assert told["block"] == "128"
    assert told["line"] == "14"
    assert (told["bytes x"], told["bytes out"]) == ("4000", "8000")
    assert (told["number n"], told["number scale"]) == ("1000", "2.5")


CUPY_LAUNCHED = """
import cupy as cp

code = '''
extern "C" __global__ void scale(float *x, float a, int n) { }
template <class T> __global__ void fill(T *out, T v) { *out = v; }
'''
x = cp.arange(1000, dtype=cp.float32)
cp.RawKernel(code, "scale")((4,), (256,), (x, cp.float32(2.5), 1000), shared_mem=64)
module = cp.RawModule(code=code, name_expressions=["fill<double>"])
cp.ElementwiseKernel("float32 x", "float32 y", "y = x", "same")(x)
with cp.cuda.Stream():
    module.get_function("fill<double>")((2, 1), (128,), (cp.zeros((10, 20)), 3.0))
print(cp.asnumpy(x).sum(), x.get()[3])
"""


CUPY_WRITTEN = """
import cupy as cp

x = cp.zeros((10, 100), cp.float32)
add = cp.ElementwiseKernel("T x, T y, float32 s", "T z", "z = x + y * s", "add", loop_prep="int q;")
print(add(x, x, 2).shape, add(x, x[0], 2).dtype, add(x.astype("f8"), x.astype("f8"), 2).dtype)
add(x.T, x.T, 2)
add(x[:, ::2].reshape(5, 2, 50), x[:, ::2].reshape(5, 2, 50), 2)
add(x, x, 3)
cp.ElementwiseKernel("raw T x, int32 n", "raw T y", "y[i] = x[n - i]", "turn")(
    x, 999, x, size=1000, block_size=64)
l2 = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2")
print(l2(x, axis=1).shape, l2(x), l2(x.T, axis=0, keepdims=True).shape)
add(x[0, :3].astype("f2"), x[0, :3].astype("f2"), 2)
print(add(x[:0], x[:0], 2).shape, l2(x[:, :0], axis=0).shape)
"""


def test_cupy_writes_its_kernels_for_the_arrays_that_they_are_called_with(tmp_path):
    pytest.importorskip("cupy", "14")
    report, kernels = ran(CUPY_WRITTEN, tmp_path)
    assert report.diagnostics == []
    assert "(10, 100) float32 float64" in report.log
    assert "(10,) 0.0 (1, 10)" in report.log
    assert "CUPY_ACCELERATORS" in report.log
    seen = [
        (kernel.name, *re.findall(r"(?:CArray|CIndexer)<([^<>]*), 1>", kernel.source.text))
        for kernel in kernels
    ]
    # Of an array the type, the number of axes, and whether its elements lie one behind the other.
    assert seen == [
        ("add", "float, 1, 1", "float, 1, 1", "float, 1, 1", "1"),
        ("add", "float, 2, 1", "float, 2, 0", "float, 2, 1", "2"),
        ("add", "double, 1, 1", "double, 1, 1", "double, 1, 1", "1"),
        ("add", "float, 2, 0", "float, 2, 0", "float, 2, 1", "2"),
        ("add", "float, 1, 0", "float, 1, 0", "float, 1, 1", "1"),
        ("turn", "float, 2, 1", "float, 2, 1", "1"),
        ("l2", "float, 2, 0", "float, 1, 1", "2", "1"),
        ("l2", "float, 1, 1", "float, 0, 1", "1", "0"),
        ("add", "float16, 1, 1", "float16, 1, 1", "float16, 1, 1", "1"),
    ]
    # Without elements nothing is launched.
    assert "(0, 100) (0,)" in report.log
    launches = [{k.removeprefix(LAUNCH): v for k, v in each.facts.items()} for each in kernels]
    assert (launches[5]["turn: grid"], launches[5]["turn: block"]) == ("16", "64")
    assert (launches[6]["l2: grid"], launches[6]["l2: block"]) == ("3", "512")
    # No more threads than elements.
    assert (launches[8]["add: grid"], launches[8]["add: block"]) == ("1", "3")


def test_the_launches_of_kernels_of_cupy_are_kept(tmp_path):
    pytest.importorskip("cupy")
    report, kernels = ran(CUPY_LAUNCHED, tmp_path)
    assert report.diagnostics == []
    assert "499500.0 3.0" in report.log
    own, module, same = (
        {k.removeprefix(LAUNCH): v for k, v in kernel.facts.items() if k.startswith(LAUNCH)}
        for kernel in kernels
    )
    assert own == {
        "scale: grid": "4",
        "scale: block": "256",
        "scale: shared": "64",
        "scale: line": "9",
        "scale: bytes 0": "4000",
        "scale: number 1": "2.5",
        "scale: number 2": "1000",
    }
    assert (same["same: grid"], same["same: block"], same["same: line"]) == ("8", "128", "11")
    assert module["fill<double>: grid"] == "2,1"
    assert module["fill<double>: bytes 0"] == "1600"
    assert module["fill<double>: number 1"] == "3.0"
