#include <cstdint>
#include "include/check.h"

struct Layout {
    int keys, values;
    __host__ __device__ constexpr size_t keys_at() const { return 0; }
    __host__ __device__ constexpr size_t values_at() const { return keys * sizeof(uint32_t); }
    __host__ __device__ constexpr size_t bytes() const { return values_at() + values * sizeof(double); }
};

extern __shared__ __align__(16) unsigned char arena[];

__global__ void gather(const uint32_t *keys, const double *values, double *out, Layout layout, int n)
{
    uint32_t *k = reinterpret_cast<uint32_t *>(arena + layout.keys_at());
    double *v = reinterpret_cast<double *>(arena + layout.values_at());
    for (int i = threadIdx.x; i < layout.values; i += blockDim.x) v[i] = values[i];
    for (int i = threadIdx.x; i < layout.keys; i += blockDim.x) k[i] = keys[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = v[k[i % layout.keys] % layout.values];
}

int main()
{
    Layout layout{256, 1024};
    int n = 1024;
    uint32_t *keys;
    double *values, *out;
    CHECK(cudaMalloc(&keys, layout.keys * sizeof(uint32_t)));
    CHECK(cudaMalloc(&values, layout.values * sizeof(double)));
    CHECK(cudaMalloc(&out, n * sizeof(double)));
    CHECK(cudaFuncSetAttribute(gather, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    gather<<<n / 256, 256, layout.bytes()>>>(keys, values, out, layout, n);
    CHECK_LAUNCH();
}
