#include <cstdio>
#include <chrono>

__global__ void naive(const float *a, float *b, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) b[x * n + y] = a[y * n + x];
}

template <int ROWS>
__global__ void strided(const float *a, float *b, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += ROWS)
        if (x < n && y + j < n) b[x * n + y + j] = a[(y + j) * n + x];
}

template <void (*Kernel)(const float *, float *, int)>
double time_of(dim3 grid, dim3 block, const float *a, float *b, int n) {
    auto begin = std::chrono::steady_clock::now();
    Kernel<<<grid, block>>>(a, b, n);
    cudaDeviceSynchronize();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

template <typename Kernel>
void benchmark(const char *name, Kernel kernel, dim3 grid, dim3 block, const float *a, float *b, int n) {
    kernel<<<grid, block>>>(a, b, n);
    std::printf("%s %s\n", name, cudaGetErrorName(cudaDeviceSynchronize()));
}

int main() {
    int n = 96;
    float *a, *b;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&b, n * n * sizeof(float));
    std::printf("%f\n", time_of<naive>(dim3(3, 3), dim3(32, 32), a, b, n));
    std::printf("%f\n", time_of<strided<8>>(dim3(3, 3), dim3(32, 8), a, b, n));
    benchmark("16 rows", strided<16>, dim3(3, 3), dim3(32, 16), a, b, n);
    return 0;
}
