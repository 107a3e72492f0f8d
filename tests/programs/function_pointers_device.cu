#include <cstdio>

typedef float (*unary_t)(float);

__device__ float twice(float x) { return 2 * x; }
__device__ float squared(float x) { return x * x; }
__device__ unary_t p_twice = twice;
__device__ unary_t p_squared = squared;
__device__ unary_t table_of_all[] = {twice, squared};

__global__ void map(unary_t f, float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = f(x[i]);
}

__global__ void choose(int which, float *x)
{
    x[threadIdx.x] = table_of_all[which](x[threadIdx.x]);
}

int main()
{
    unary_t h_f;
    float *x;
    const int n = 321;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
    cudaMemcpyFromSymbol(&h_f, p_squared, sizeof(unary_t));
    map<<<(n + 31) / 32, 32>>>(h_f, x, n);
    choose<<<1, 64>>>(1, x);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
