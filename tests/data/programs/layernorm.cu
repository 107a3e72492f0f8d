/*
LayerNorm forward and backward, as in a transformer.

Compile example:
nvcc -O3 --use_fast_math layernorm.cu -o layernorm
./layernorm 2
*/

#include <stdio.h>
#include <stdlib.h>
#include <assert.h>
#include <math.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

template<class T>
__host__ __device__ T ceil_div(T dividend, T divisor) {
    return (dividend + divisor-1) / divisor;
}

// ----------------------------------------------------------------------------
// CPU code reference

void layernorm_forward_cpu(float* out, float* mean, float* rstd,
                       const float* inp, const float* weight, const float* bias,
                       int N, int C) {
    float eps = 1e-5f;
    for (int i = 0; i < N; i++) {
        const float* x = inp + i * C;
        float m = 0.0f;
        for (int c = 0; c < C; c++) m += x[c];
        m = m/C;
        float v = 0.0f;
        for (int c = 0; c < C; c++) { float d = x[c] - m; v += d * d; }
        v = v/C;
        float s = 1.0f / sqrtf(v + eps);
        for (int c = 0; c < C; c++) out[i * C + c] = s * (x[c] - m) * weight[c] + bias[c];
        mean[i] = m;
        rstd[i] = s;
    }
}

// ----------------------------------------------------------------------------
// GPU kernels

__global__ void layernorm_forward_kernel(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd,
                                    const float* __restrict__ inp, const float* __restrict__ weight,
                                    const float* __restrict__ bias, int N, int C) {
    namespace cg = cooperative_groups;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (idx >= N) return;
    const float* x = inp + idx * C;

    float sum = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) sum += x[i];
    sum = cg::reduce(warp, sum, cg::plus<float>{});
    float m = sum / C;
    if (warp.thread_rank() == 0 && mean != nullptr) __stcs(mean + idx, m);

    sum = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) {
        float diff = x[i] - m;
        sum += diff * diff;
    }
    sum = cg::reduce(warp, sum, cg::plus<float>{});
    float s = rsqrtf(sum / C + 1e-5f);
    if (warp.thread_rank() == 0 && rstd != nullptr) __stcs(rstd + idx, s);

    float* o = out + idx * C;
    for (int c = warp.thread_rank(); c < C; c += warp.size()) {
        float n = s * (__ldcs(x + c) - m);
        __stcs(o + c, n * weight[c] + bias[c]);
    }
}

__global__ void layernorm_backward_weights(float* dweight, float* dbias, const float* dout, const float* inp,
                                           const float* mean, const float* rstd, int N, int C) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= C) return;
    float dw = 0.0f, db = 0.0f;
    for (int i = 0; i < N; i++) {
        float g = dout[i * C + c];
        dw += g * (inp[i * C + c] - mean[i]) * rstd[i];
        db += g;
    }
    dweight[c] += dw;
    dbias[c] += db;
}

// ----------------------------------------------------------------------------
// kernel launcher

void layernorm_forward(float* out, float* mean, float* rstd, const float* inp, const float* weight,
                       const float* bias, int N, int C, const int block_size) {
    assert(block_size % 32 == 0);
    const int grid_size = ceil_div(N * 32, block_size);
    layernorm_forward_kernel<<<grid_size, block_size>>>(out, mean, rstd, inp, weight, bias, N, C);
    if (cudaGetLastError() != cudaSuccess) exit(1);
}

float* make_random_float(size_t n) {
    float* arr = (float*)malloc(n * sizeof(float));
    for (size_t i = 0; i < n; i++) arr[i] = ((float)rand() / RAND_MAX) * 2.0f - 1.0f;
    return arr;
}

float* to_device(const float* host, size_t n) {
    float* d;
    if (cudaMalloc(&d, n * sizeof(float)) != cudaSuccess) exit(1);
    cudaMemcpy(d, host, n * sizeof(float), cudaMemcpyHostToDevice);
    return d;
}

int main(int argc, char **argv) {
    srand(0);
    int N = 8 * 1024, C = 768, errors = 0;
    float *inp = make_random_float(N * C), *weight = make_random_float(C), *bias = make_random_float(C);
    float *out = (float*)malloc(N * C * sizeof(float)), *got = (float*)malloc(N * C * sizeof(float));
    float *mean = (float*)malloc(N * sizeof(float)), *rstd = (float*)malloc(N * sizeof(float));
    float *d_inp = to_device(inp, N * C), *d_weight = to_device(weight, C), *d_bias = to_device(bias, C);
    float *d_out = to_device(inp, N * C), *d_mean = to_device(inp, N), *d_rstd = to_device(inp, N);

    layernorm_forward_cpu(out, mean, rstd, inp, weight, bias, N, C);
    int block_sizes[] = {32, 64, 128, 256, 512, 1024};
    for (int j = 0; j < sizeof(block_sizes) / sizeof(int); j++) {
        layernorm_forward(d_out, d_mean, d_rstd, d_inp, d_weight, d_bias, N, C, block_sizes[j]);
        cudaMemcpy(got, d_out, N * C * sizeof(float), cudaMemcpyDeviceToHost);
        for (int i = 0; i < N * C; i++) errors += fabsf(got[i] - out[i]) > 1e-4f;
        printf("block_size %4d: %d errors\n", block_sizes[j], errors);
    }
    layernorm_backward_weights<<<ceil_div(C, 128), 128>>>(d_weight, d_bias, d_out, d_inp, d_mean, d_rstd, N, C);
    cudaDeviceSynchronize();
    return errors != 0;
}
