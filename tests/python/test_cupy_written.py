"""Axes of arrays as CuPy joins them before it writes a kernel."""

import os
import random
import subprocess
import sys
from types import SimpleNamespace

import pytest

from jitstudio.core.captured import unpack
from jitstudio.core.code import CodeKind
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.python.cupy_written import _joined, _split_axes, _View, replace_written_kernels
from jitstudio.toolchain.python_scripts import run_script


def view(*axes, is_raw=False):
    shape, strides = zip(*axes, strict=True)
    return _View(4, shape, strides, is_raw)


ROWS = view((10, 400), (100, 4))
COLUMNS = view((100, 4), (10, 400))


@pytest.mark.parametrize(
    ("views", "shape", "joined"),
    [
        ([ROWS], (1000,), [view((1000, 4))]),
        ([ROWS, None, ROWS], (1000,), [view((1000, 4)), None, view((1000, 4))]),
        # What is raw is none of them.
        ([ROWS, COLUMNS._replace(is_raw=True)], (1000,), [view((1000, 4)), None]),
        ([COLUMNS], (100, 10), [COLUMNS]),
        # Every other element of rows: one axis, which is not contiguous.
        ([view((5, 800), (2, 400), (50, 8))], (500,), [view((500, 8))]),
        # With another argument two axes stay two.
        ([view((10, 400), (50, 8)), None], (10, 50), [view((10, 400), (50, 8)), None]),
        ([view((1, 4), (1, 4))], (1,), [view((1, 4))]),
    ],
)
def test_axes_that_go_on_alike_are_one(views, shape, joined):
    own = [view for view in views if view and not view.is_raw]
    assert _joined(views, own[0].shape) == shape
    plain = [None if view is None or view.is_raw else view for view in views]
    assert plain == joined


def test_axes_are_joined_as_cupy_joins_them():
    cupy = pytest.importorskip("cupy")
    numpy = pytest.importorskip("numpy")
    memory = cupy.cuda.memory.UnownedMemory(4096, 1 << 30, None, 0)
    nowhere = cupy.cuda.memory.MemoryPointer(memory, 0)
    chance, contiguous = random.Random(1), 0
    for _ in range(500):
        shape = [chance.choice([1, 2, 3, 4]) for _ in range(chance.randint(2, 4))]
        steps = [chance.choice([1, 1, 2]) for _ in shape]
        whole = numpy.zeros([n * step for n, step in zip(shape, steps, strict=True)], "f4")
        part = whole[tuple(slice(None, None, step) for step in steps)]
        part = part.transpose(chance.sample(range(len(shape)), len(shape)))
        theirs = cupy.ndarray(part.shape, "f4", nowhere, strides=part.strides).reduced_view()
        views = [_View(4, part.shape, part.strides)]
        assert _joined(views, part.shape) == theirs.shape
        assert (views[0].shape, views[0].strides) == (theirs.shape, theirs.strides)
        assert views[0].is_contiguous == theirs.flags.c_contiguous
        contiguous += views[0].is_contiguous
    assert 50 < contiguous < 450


@pytest.mark.parametrize(
    ("views", "axis", "split"),
    [
        ([view((4, 4), (5, 16), (6, 80))], None, ([2, 1, 0], [])),
        ([view((4, 4), (5, 16), (6, 80))], (0, 2), ([2, 0], [1])),
        ([view((4, 4), (5, 16), (6, 80))], (-1, 1), ([2, 1], [0])),
        # With two axes left, CuPy leaves the order; contiguous arrays and several ones, too.
        ([view((4, 4), (5, 16), (6, 80), (7, 480))], (0, 1), ([0, 1], [2, 3])),
        ([view((4, 120), (5, 24), (6, 4))], (2, 0), ([0, 2], [1])),
        ([view((4, 4), (5, 16), (6, 80)), None], (0, 2), ([0, 2], [1])),
    ],
)
def test_reduced_axes_are_sorted_where_cupy_sorts_them(views, axis, split):
    """By `_AbstractReductionKernel._call` in cupy/_core/_reduction.pyx."""
    shape = views[0].shape
    assert _split_axes(axis, shape, views) == split


def test_kernels_of_a_cupy_that_cannot_be_asked_are_left_out_and_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy._core._kernel", SimpleNamespace())
    cupy, said, array = SimpleNamespace(__version__="9.0"), [], memoryview(b"x")
    replace_written_kernels(cupy, said.append, print)
    assert cupy.ElementwiseKernel("T x", "T y", "y = x", "k")(array, 3) is array
    assert cupy.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")(array) is array
    assert said[0].startswith("CuPy 9.0 writes elementwise kernels and reductions on a GPU only")


WRITTEN_ON_A_GPU = """\
import random
import cupy

chance = random.Random(7)
add = cupy.ElementwiseKernel("T x, T y, float32 s", "T z", "z = x + y * s", "add")
mixed = cupy.ElementwiseKernel("T x, U y", "V z, int64 n", "z = x; n = i + (y > 0)", "mixed")
turned = cupy.ElementwiseKernel("raw T x, int32 n", "T y", "y = x[n - i]", "turned")
length = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt((double)a)", "0", "length")
most = cupy.ReductionKernel("T x, T y", "float64 z", "x - y", "max(a, b)", "z = a", "-1e30", "most")


def array(shape, kind):
    steps = [chance.choice([1, 1, 2]) for _ in shape]
    part = cupy.zeros([n * step for n, step in zip(shape, steps)], kind)
    return part[tuple(slice(None, None, step) for step in steps)]


for _ in range(40):
    shape = [chance.choice([1, 3, 4, 64]) for _ in range(chance.randint(1, 3))]
    kinds = [chance.choice(["float32", "float64", "int32"]) for _ in range(2)]
    x, y = array(shape, kinds[0]), array(shape, kinds[0])
    if chance.random() < 0.5:
        x, y = x.T, y.T
    add(x, y, 2)
    add(x, y[:1], 2)
    mixed(x, array(x.shape, kinds[1]), cupy.zeros(x.shape, "float32"), cupy.zeros(x.shape, "int64"))
    turned(x, x.size - 1, y)
    length(x)
    length(x, axis=chance.randrange(x.ndim), keepdims=chance.random() < 0.5)
    most(x, y, axis=chance.randrange(x.ndim))
"""


@pytest.mark.gpu
def test_kernels_are_written_as_cupy_writes_them_on_a_gpu(tmp_path):
    pytest.importorskip("cupy", "14")
    program, cache = tmp_path / "kernels.py", tmp_path / "cache"
    program.write_text(WRITTEN_ON_A_GPU)
    surroundings = {
        "CUPY_CACHE_SAVE_CUDA_SOURCE": "1", "CUPY_CACHE_DIR": str(cache), "CUPY_ACCELERATORS": ""
    }  # fmt: skip
    subprocess.run([sys.executable, program], env=os.environ | surroundings, check=True)
    theirs = {path.read_text() for path in cache.rglob("*.cu")}
    inputs = ((Ref(CodeKind.PYTHON, "kernels.py"), program.read_bytes()),)
    job = Job(
        Tool.PYTHON,
        "kernels.py",
        inputs,
        (CodeKind.CAPTURED,),
        ("-arch=sm_90",),
        folder=str(tmp_path),
    )
    report = run_script(job)
    assert report.diagnostics == []
    kernels = [unpack(content) for content in report.captured]
    texts = {kernel.source.text for kernel in kernels}
    written = {text for text in theirs if any(f"{name}(" in text for name in NAMES)}
    assert len(written) > 20
    assert texts == written


NAMES = ("add", "mixed", "turned", "length", "most")
