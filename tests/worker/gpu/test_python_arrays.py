"""Arrays of NumPy, CuPy, Numba and by DLPack alone go to a GPU and come back from there."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import jitstudio

pytestmark = pytest.mark.gpu

SAXPY = """extern "C" __global__ void saxpy(float a, const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""
HALF = """#include <cuda_fp16.h>
extern "C" __global__ void twice(__half* h) { h[threadIdx.x] = h[threadIdx.x] + h[threadIdx.x]; }
"""
X = np.arange(4096, dtype=np.float32).reshape(64, 64)
Y = np.linspace(1, 2, 4096, dtype=np.float32).reshape(64, 64)
EXPECTED = 2.5 * X.astype(np.float64) + Y


class OnlyDlpack:
    """An array of which nothing is known but DLPack."""

    def __init__(self, array):
        self.__dlpack__ = array.__dlpack__
        self.__dlpack_device__ = array.__dlpack_device__


class OnlyInterface:
    """An array of which nothing is known but the interface of Numba and CuPy."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


@pytest.fixture(scope="module")
def cupy():
    return pytest.importorskip("cupy", exc_type=ImportError)


def saxpy(x, y, **more):
    return jitstudio.run(
        SAXPY,
        arguments={"a": np.float32(2.5), "x": x, "y": y, "n": X.size},
        cover="n",
        block=128,
        **more,
    )


def test_arrays_of_numpy_go_to_a_gpu_and_come_back(bench):
    report = saxpy(X, Y, expect={"y": lambda x, y, a: a * x + y}, repeats=3)
    assert report.ok, report.messages
    assert report.median_ms > 0
    assert report.buffers["y"].shape == (64, 64)
    np.testing.assert_allclose(report.buffers["y"], EXPECTED, rtol=1e-6)


def test_a_gpu_and_the_simulator_leave_the_same_arrays(bench):
    x = np.array([1, 2, 0.5, 4], np.float16)
    sides = [
        jitstudio.run(HALF, arguments={"h": x}, grid=1, block=4, device=device)
        for device in (0, "sim")
    ]
    for side in sides:
        assert side.buffers["h"].dtype == np.float16
        np.testing.assert_array_equal(side.buffers["h"], x * 2)
    assert jitstudio.run(HALF, arguments={"h": x}, grid=1, block=4, both=True).ok


@pytest.mark.parametrize("form", [lambda array: array, OnlyDlpack, OnlyInterface])
@pytest.mark.parametrize("device", [0, "sim"])
def test_arrays_of_a_gpu_are_taken(bench, cupy, form, device):
    on_gpu = cupy.asarray(Y)
    x, y = form(cupy.asarray(X)), form(on_gpu)
    report = saxpy(x, y, expect=form(cupy.asarray(EXPECTED.astype(np.float32))), device=device)
    assert report.ok, report.messages
    np.testing.assert_allclose(report.buffers["y"], EXPECTED, rtol=1e-6)
    np.testing.assert_array_equal(cupy.asnumpy(on_gpu), Y)


@pytest.mark.parametrize("memory", ["stream-ordered pool", "managed"])
def test_memory_without_a_context_is_copied(bench, cupy, memory):
    pool = cupy.cuda.MemoryAsyncPool()
    allocate = cupy.cuda.malloc_managed if memory == "managed" else pool.malloc
    with cupy.cuda.using_allocator(allocate):
        x, y = cupy.asarray(X), cupy.asarray(Y)
        report = saxpy(x, y, expect=EXPECTED, device="sim")
        assert report.ok, report.messages
        del x, y


def test_an_array_is_complete_before_it_is_copied(bench, cupy):
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        large = cupy.zeros((4096, 4096), cupy.float32)
        for _ in range(50):
            large = large @ large * 0 + 1
        x = (large - 1).ravel()[: X.size] + cupy.asarray(X.ravel())
        report = saxpy(x, Y, expect=EXPECTED)
    assert report.ok, report.messages


def test_types_and_orders_of_a_gpu_are_checked(bench, cupy):
    x = cupy.asarray(X)
    for wrong, words in (
        (x.astype(cupy.float64), r"arguments\['x'\]: it holds float64"),
        (x.T, r"arguments\['x'\]: .*order of C"),
        (x[:, ::2], r"arguments\['x'\]: .*order of C"),
        (OnlyDlpack(x.T), r"arguments\['x'\]: .*order of C"),
        (x[:0], r"arguments\['x'\]: it has no elements"),
    ):
        with pytest.raises(ValueError, match=words):
            saxpy(wrong, Y)


def test_other_packages_share_their_arrays(bench):
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(X.copy()).cuda()
    assert saxpy(x, torch.from_numpy(Y.copy()), expect=EXPECTED).ok
    half = torch.ones(4, dtype=torch.bfloat16, device="cuda")
    code = HALF.replace("cuda_fp16", "cuda_bf16").replace("__half", "__nv_bfloat16")
    report = jitstudio.run(code, arguments={"h": half}, grid=1, block=4)
    np.testing.assert_array_equal(report.buffers["h"].astype(float), 2)


def test_threads_of_a_program_launch_on_a_gpu(bench):
    with ThreadPoolExecutor(3) as pool:
        reports = list(pool.map(lambda _: saxpy(X, Y, expect=EXPECTED), range(6)))
    assert all(report.ok for report in reports)
