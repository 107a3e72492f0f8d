// nvcc: --extended-lambda
#include <cstdio>

template <typename F>
__global__ void for_each_index(int n, F f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) f(i);
}

template <typename F>
void parallel_for(int n, F f) {
    int block = 256, grid = (n + block - 1) / block;
    for_each_index<<<grid, block>>>(n, f);
}

struct Add {
    float *x;
    float by;
    __device__ void operator()(int i) const { x[i] += by; }
};

int main() {
    const int n = 3000;
    float *x;
    cudaMallocManaged(&x, n * sizeof(float));
    parallel_for(n, Add{x, 1.5f});
    cudaDeviceSynchronize();
    std::printf("%g\n", x[n - 1]);
    cudaFree(x);
}
