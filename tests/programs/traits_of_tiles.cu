#include <cstdint>

template <int M, int N, int K>
struct Tile {
    static constexpr int kM = M, kN = N, kK = K;
    static constexpr int kThreads = M / 4 * N / 4;
    static constexpr std::size_t shared_bytes() { return sizeof(float) * K * (M + N); }
    static dim3 grid(int m, int n) { return dim3(div_up(n, N), div_up(m, M)); }
    static constexpr int div_up(int a, int b) { return (a + b - 1) / b; }
};

using Small = Tile<32, 32, 8>;
typedef Tile<64, 32, 16> Large;

template <class T>
__global__ void __launch_bounds__(T::kThreads) outer(const float *a, const float *b, float *c, int m, int n)
{
    extern __shared__ float shared[];
    float *sa = shared, *sb = shared + T::kM;
    for (int i = threadIdx.x; i < T::kM; i += T::kThreads) sa[i] = blockIdx.y * T::kM + i < m ? a[blockIdx.y * T::kM + i] : 0;
    for (int i = threadIdx.x; i < T::kN; i += T::kThreads) sb[i] = blockIdx.x * T::kN + i < n ? b[blockIdx.x * T::kN + i] : 0;
    __syncthreads();
    for (int i = threadIdx.x; i < T::kM * T::kN; i += T::kThreads) {
        int r = blockIdx.y * T::kM + i / T::kN, col = blockIdx.x * T::kN + i % T::kN;
        if (r < m && col < n) c[r * n + col] = sa[i / T::kN] * sb[i % T::kN];
    }
}

template <class T>
cudaError_t run(const float *a, const float *b, float *c, int m, int n)
{
    constexpr auto bytes = T::shared_bytes();
    cudaFuncSetAttribute(outer<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    outer<T><<<T::grid(m, n), T::kThreads, bytes>>>(a, b, c, m, n);
    return cudaGetLastError();
}

int main()
{
    int m = 200, n = 100;
    float *a, *b, *c;
    cudaMalloc(&a, m * sizeof *a);
    cudaMalloc(&b, n * sizeof *b);
    cudaMalloc(&c, m * n * sizeof *c);
    if (run<Small>(a, b, c, m, n) != cudaSuccess) return 1;
    return run<Large>(a, b, c, m, n);
}
