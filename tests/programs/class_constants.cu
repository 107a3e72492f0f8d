#include <cstdio>

struct Config {
    static const int threads = 128;
    static constexpr int tile = 16;
    enum { warps = 4 };
    enum class Size : int { small = 64 };
};

class Filter {
    static const int kThreads;
    static unsigned blocks_;

public:
    static constexpr dim3 kBlock{32, 8};
    enum { WarpSize = 32, kRows = 4 * WarpSize };
    static void run(float *data, int n);
};

const int Filter::kThreads = 192;
unsigned Filter::blocks_ = 24;

template <typename T> struct Traits;
template <> struct Traits<float> {
    static const int threads = 256;
    enum { per_thread = 4 };
};
template <> struct Traits<double> {
    static const int threads = 64;
    enum { per_thread = 2 };
};

template <typename T> struct Policy {
    static constexpr int items = 16 / sizeof(T);
    static constexpr int threads = items * 32;
};

namespace detail {
struct Limits {
    static constexpr unsigned max_blocks = 40;
    static const int half;
};
const int Limits::half = max_blocks / 2;
}

__global__ void scale(float *p, int n, float by) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= by; }
__global__ void tiles(float *p, int n) { if (n > (int)threadIdx.x) p[threadIdx.x] = 1; }
__global__ void warps(float *p, int n) { if (n > (int)threadIdx.x) p[threadIdx.x] = 2; }
__global__ void smooth(float *p, int n) { if (n > (int)threadIdx.x) p[threadIdx.x] = 3; }
__global__ void wide(float *p, int n) { if (n > (int)threadIdx.x) p[threadIdx.x] = 3; }
__global__ void rows(float *p, int n) { if (n > (int)threadIdx.x) p[threadIdx.x] = 3; }
__global__ void limited(float *p, int n) { if (n > (int)threadIdx.x) p[threadIdx.x] = 4; }
__global__ void half_of(float *p, int n) { if (n > (int)threadIdx.x) p[threadIdx.x] = 4; }
template <typename T> __global__ void fill(T *p, int n) { if (n > (int)threadIdx.x) p[threadIdx.x] = 5; }
template <typename T> __global__ void load(T *p, int n) { if (n > (int)threadIdx.x) p[threadIdx.x] = 5; }

void Filter::run(float *data, int n)
{
    smooth<<<blocks_, kThreads>>>(data, n);
    wide<<<n / kBlock.x, kBlock>>>(data, n);
    rows<<<1, kRows>>>(data, n);
}

template <typename T> void fill_all(T *p, int n)
{
    constexpr int per_block = Traits<T>::threads * Traits<T>::per_thread;
    fill<<<(n + per_block - 1) / per_block, Traits<T>::threads>>>(p, n);
    using P = Policy<T>;
    load<T><<<n / P::threads, P::threads, P::items * sizeof(T)>>>(p, n);
}

int main()
{
    const int n = 6144;
    float *a;
    double *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(double));
    scale<<<n / Config::threads, Config::threads>>>(a, n, 2);
    tiles<<<dim3(n / Config::tile, 1), dim3(Config::tile, Config::tile)>>>(a, n);
    warps<<<Config::warps, Config::warps * 32, static_cast<int>(Config::Size::small)>>>(a, n);
    Filter::run(a, n);
    limited<<<detail::Limits::max_blocks, 32>>>(a, n);
    half_of<<<detail::Limits::half, 32>>>(a, n);
    fill_all(a, n);
    fill_all(b, n);
    return cudaDeviceSynchronize();
}
