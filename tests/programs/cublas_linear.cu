#include <cublas_v2.h>
#include <cstdio>
#include <cstdlib>

#define CUBLAS_OK(x)                                                              \
    if ((x) != CUBLAS_STATUS_SUCCESS) {                                           \
        std::fprintf(stderr, "cuBLAS fails at line %d\n", __LINE__);              \
        std::exit(1);                                                             \
    }

__global__ void add_bias(float *c, const float *bias, int rows, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) c[i] += bias[i % rows];
}

void linear(cublasHandle_t handle, const float *w, const float *x, const float *bias, float *y, int m, int n, int k)
{
    const float one = 1.f, zero = 0.f;
    CUBLAS_OK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, w, m, x, k, &zero, y, m));
    add_bias<<<(m * n + 255) / 256, 256>>>(y, bias, m, n);
}

int main()
{
    int m = 64, n = 32, k = 128;
    float *w, *x, *bias, *y;
    cudaMalloc(&w, m * k * sizeof(float));
    cudaMalloc(&x, k * n * sizeof(float));
    cudaMalloc(&bias, m * sizeof(float));
    cudaMalloc(&y, m * n * sizeof(float));
    cublasHandle_t handle;
    CUBLAS_OK(cublasCreate(&handle));
    linear(handle, w, x, bias, y, m, n, k);
    CUBLAS_OK(cublasDestroy(handle));
    return cudaDeviceSynchronize();
}
