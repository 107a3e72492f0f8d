// Launchers that are templates call launchers that are templates.
#include <type_traits>
#include <cstddef>

template <typename T, int Width>
struct alignas(sizeof(T) * Width) Packed {
    T at[Width];
};

template <typename T, int Width, bool Accumulate>
__global__ void axpby(T a, const T* x, T b, T* y, std::size_t n) {
    using P = Packed<T, Width>;
    std::size_t i = (blockIdx.x * std::size_t(blockDim.x) + threadIdx.x) * Width;
    if (i + Width > n) return;
    P vx = *reinterpret_cast<const P*>(x + i), vy = *reinterpret_cast<P*>(y + i);
#pragma unroll
    for (int k = 0; k < Width; ++k) vy.at[k] = Accumulate ? vy.at[k] + a * vx.at[k] : a * vx.at[k] + b * vy.at[k];
    *reinterpret_cast<P*>(y + i) = vy;
}

template <typename T, int Width>
void launch_width(T a, const T* x, T b, T* y, std::size_t n, cudaStream_t s) {
    const unsigned threads = 128;
    const unsigned blocks = (unsigned)((n / Width + threads - 1) / threads);
    if (b == T(1))
        axpby<T, Width, true><<<blocks, threads, 0, s>>>(a, x, b, y, n);
    else
        axpby<T, Width, false><<<blocks, threads, 0, s>>>(a, x, b, y, n);
}

template <typename T>
void launch_any(T a, const T* x, T b, T* y, std::size_t n, cudaStream_t s = nullptr) {
    constexpr int widest = 16 / sizeof(T);
    if (n % widest == 0)
        launch_width<T, widest>(a, x, b, y, n, s);
    else
        launch_width<T, 1>(a, x, b, y, n, s);
}

int main() {
    float *x, *y;
    double *u, *v;
    cudaMalloc(&x, 4096 * sizeof(float));
    cudaMalloc(&y, 4096 * sizeof(float));
    cudaMalloc(&u, 999 * sizeof(double));
    cudaMalloc(&v, 999 * sizeof(double));
    launch_any(2.0f, x, 1.0f, y, 4096);
    launch_any<double>(2.0, u, 0.5, v, 999);
    return cudaDeviceSynchronize();
}
