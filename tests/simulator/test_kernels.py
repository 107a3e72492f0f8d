"""Classic kernels, compiled by NVRTC, give what NumPy gives."""

import numpy as np
import pytest

from tests.simulator.running import ptx_of, run

KERNELS = """
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void multiply(const float* a, const float* b, float* c, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}
extern "C" __global__ void multiply_tiles(const float* a, const float* b, float* c, int n) {
  __shared__ float s[16][16], t[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    s[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
    t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += s[threadIdx.y][i] * t[i][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
extern "C" __global__ void transpose(const float* a, float* b, int n) {
  __shared__ float t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) t[threadIdx.y + i][threadIdx.x] = a[(y + i) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) b[(y + i) * n + x] = t[threadIdx.x][threadIdx.y + i];
}
"""

pytestmark = pytest.mark.tools


@pytest.fixture(scope="module")
def kernels(tools):
    return ptx_of(tools, KERNELS)


@pytest.fixture
def random():
    return np.random.default_rng(1)


def test_vector_add_with_a_last_block_that_is_not_full(kernels, random):
    a, b = random.random(1000, np.float32), random.random(1000, np.float32)
    out = np.zeros(1000, np.float32)
    done = run(kernels, "vector_add", (8, 1, 1), (128, 1, 1), a, b, out, np.int32(990))
    assert (done.arrays[2][:990] == a[:990] + b[:990]).all()
    assert not done.arrays[2][990:].any()


def test_a_block_that_fills_no_warp(kernels, random):
    a, b = random.random(100, np.float32), random.random(100, np.float32)
    done = run(kernels, "vector_add", (4, 1, 1), (25, 1, 1), a, b, np.zeros_like(a), np.int32(100))
    assert (done.arrays[2] == a + b).all()


@pytest.mark.parametrize("name", ["multiply", "multiply_tiles"])
def test_matrix_multiplication_fuses_each_product(kernels, random, name):
    n = 32
    a, b = random.random((n, n), np.float32), random.random((n, n), np.float32)
    done = run(kernels, name, (2, 2, 1), (16, 16, 1), a, b, np.zeros_like(a), np.int32(n))
    wanted = np.zeros((n, n), np.float32)
    for k in range(n):  # the product of two floats is exact in a double, and the sum nearly so
        wanted = (a[:, k : k + 1].astype(float) * b[k].astype(float) + wanted).astype(np.float32)
    assert (done.arrays[2] == wanted).all()


@pytest.mark.parametrize("seed", [None, 7])
def test_transposition_through_shared_memory(kernels, random, seed):
    a = random.random((96, 96), np.float32)
    done = run(
        kernels, "transpose", (3, 3, 1), (32, 8, 1), a, np.zeros_like(a), np.int32(96), seed=seed
    )
    assert (done.arrays[1] == a.T).all()
