// Online softmax over rows: one block per row, warp shuffles, float4 loads
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include <cuda_runtime.h>

#ifndef ROWS
#define ROWS 1024
#endif
#ifndef COLS
#define COLS 4096
#endif

#define FULL_MASK 0xffffffff

struct __align__(8) MD {
    float m;   // running maximum
    float d;   // running denominator
};

__device__ __forceinline__ MD combine(MD a, MD b) {
    bool a_bigger = (a.m > b.m);
    MD bigger = a_bigger ? a : b;
    MD smaller = a_bigger ? b : a;
    MD res;
    res.d = bigger.d + smaller.d * __expf(smaller.m - bigger.m);
    res.m = bigger.m;
    return res;
}

template <int THREADS>
__global__ void online_softmax(const float* __restrict__ x, float* __restrict__ y, int cols) {
    static_assert(THREADS % 32 == 0, "whole warps");
    __shared__ MD partial[THREADS / 32];
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;

    MD md{-FLT_MAX, 0.f};
    const float4* x4 = reinterpret_cast<const float4*>(x);
    for (int i = threadIdx.x; i < cols / 4; i += THREADS) {
        float4 v = x4[i];
        md = combine(md, MD{v.x, 1.f});
        md = combine(md, MD{v.y, 1.f});
        md = combine(md, MD{v.z, 1.f});
        md = combine(md, MD{v.w, 1.f});
    }
    for (int offset = 16; offset > 0; offset >>= 1) {
        MD other{__shfl_xor_sync(FULL_MASK, md.m, offset), __shfl_xor_sync(FULL_MASK, md.d, offset)};
        md = combine(md, other);
    }
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = md;
    __syncthreads();
    md = partial[0];
    for (int w = 1; w < THREADS / 32; ++w) md = combine(md, partial[w]);

    const float scale = 1.f / md.d;
    for (int i = threadIdx.x; i < cols; i += THREADS) y[i] = __expf(x[i] - md.m) * scale;
}

double benchmark(const std::function<void()>& f, int repeats = 20) {
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    f();
    cudaEventRecord(start);
    for (int i = 0; i < repeats; ++i) f();
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float ms = 0;
    cudaEventElapsedTime(&ms, start, stop);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return ms / repeats;
}

int main() {
    std::vector<float> x((size_t)ROWS * COLS), y(x.size());
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.37f * i) * 5;
    float *dx, *dy;
    cudaMalloc(&dx, x.size() * sizeof(float));
    cudaMalloc(&dy, x.size() * sizeof(float));
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);

    double ms = benchmark([&] { online_softmax<256><<<ROWS, 256>>>(dx, dy, COLS); });
    cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double worst = 0;
    for (int r = 0; r < ROWS; ++r) {
        double sum = 0;
        for (int c = 0; c < COLS; ++c) sum += y[(size_t)r * COLS + c];
        worst = std::max(worst, std::abs(sum - 1));
    }
    printf("%.3f ms, %.1f GB/s, rows sum to 1 within %g\n", ms, 2e-6 * x.size() * sizeof(float) / ms, worst);
    cudaFree(dx);
    cudaFree(dy);
    return worst < 1e-3 ? 0 : 1;
}
