#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <vector>
#include <cstdio>

__global__ void hscale(__half2 *x, __half2 a, int pairs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs) x[i] = __hmul2(x[i], a);
}

template <typename T> __device__ inline float widen(T v) { return static_cast<float>(v); }
template <> __device__ inline float widen(__nv_bfloat16 v) { return __bfloat162float(v); }

template <typename T>
__global__ void norms(const T *x, float *out, int rows, int cols) {
    int row = blockIdx.x;
    float s = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float v = widen(x[row * cols + c]);
        s += v * v;
    }
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x == 0) out[row] = sqrtf(s);
}

int main() {
    const int rows = 128, cols = 512;
    std::vector<__half> h(rows * cols, __float2half(0.5f));
    std::vector<__nv_bfloat16> b(rows * cols, __float2bfloat16(0.25f));
    __half *d_h;
    __nv_bfloat16 *d_b;
    float *d_n;
    cudaMalloc(&d_h, h.size() * sizeof(__half));
    cudaMalloc(&d_b, b.size() * sizeof(__nv_bfloat16));
    cudaMalloc(&d_n, rows * sizeof(float));
    cudaMemcpy(d_h, h.data(), h.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), b.size() * sizeof(__nv_bfloat16), cudaMemcpyHostToDevice);
    int pairs = rows * cols / 2;
    hscale<<<(pairs + 255) / 256, 256>>>(reinterpret_cast<__half2 *>(d_h), __float2half2_rn(2.0f), pairs);
    norms<half><<<rows, 32>>>(d_h, d_n, rows, cols);
    norms<<<rows, 32>>>(d_b, d_n, rows, cols);
    printf("%d\n", cudaDeviceSynchronize());
}
