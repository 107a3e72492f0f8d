#include <cstdio>
#include <functional>

__global__ void powers(double *x, int n, double base)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = pow(base, i);
}

__global__ void differences(const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) y[i] = x[i + 1] - x[i];
}

int main()
{
    constexpr int threads = 96;
    const auto blocks_for = [=](int n) { return (n + threads - 1) / threads; };
    int n = 1000;
    double *x, *y;
    cudaMalloc(&x, sizeof(double[1000]));
    cudaMalloc(&y, (n - 1) * sizeof(double));
    auto run = [&]() {
        powers<<<blocks_for(n), threads>>>(x, n, 1.001);
        differences<<<blocks_for(n - 1), threads>>>(x, y, n);
    };
    run();
    std::function<void(int)> again = [&](int m) { powers<<<1, m>>>(y, m, 0.5); };
    again(64);
    [] { std::puts(cudaGetErrorName(cudaDeviceSynchronize())); }();
}
