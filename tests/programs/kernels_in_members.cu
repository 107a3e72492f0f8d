#include <stdio.h>
#include <string.h>

typedef void (*gemm_kernel)(const float *, const float *, float *, int, int, int);

template <int T>
__global__ void gemm(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    if (row >= m || col >= n) return;
    float s = 0;
    for (int i = 0; i < k; i++) s += a[row * k + i] * b[i * n + col];
    c[row * n + col] = s;
}

__global__ void gemm_rows(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n) return;
    float s = 0;
    for (int i = 0; i < k; i++) s += a[row * k + i] * b[i * n + col];
    c[row * n + col] = s;
}

struct Version {
    const char *name;
    gemm_kernel kernel;
    dim3 block;
};

static const Version versions[] = {
    {"tiles of 8", gemm<8>, dim3(8, 8)},
    {"tiles of 16", gemm<16>, dim3(16, 16)},
    {"rows", gemm_rows, dim3(64)},
};

class Runner {
    gemm_kernel kernels_[2];

public:
    Runner() : kernels_{gemm<4>, gemm<32>} {}
    void run(int which, const float *a, const float *b, float *c, int n)
    {
        int t = which ? 32 : 4;
        kernels_[which]<<<dim3(n / t, n / t), dim3(t, t)>>>(a, b, c, n, n, n);
    }
};

int main(void)
{
    int m = 64, n = 128, k = 32;
    float *a, *b, *c;
    cudaMalloc((void **)&a, 128 * 128 * sizeof(float));
    cudaMalloc((void **)&b, 128 * 128 * sizeof(float));
    cudaMalloc((void **)&c, 128 * 128 * sizeof(float));
    for (const Version *v = versions; v < versions + 3; v++) {
        dim3 grid((n + v->block.x - 1) / v->block.x, (m + v->block.y - 1) / v->block.y);
        v->kernel<<<grid, v->block>>>(a, b, c, m, n, k);
        printf("%s: %s\n", v->name, cudaGetErrorString(cudaDeviceSynchronize()));
    }
    Runner runner;
    runner.run(1, a, b, c, 128);
    return cudaDeviceSynchronize();
}
