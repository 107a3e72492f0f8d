#include <cstdlib>
enum class Mode { fast, exact };
template <Mode M> __global__ void solve(float *p, int n) { if (n > (int)threadIdx.x) p[threadIdx.x] = (int)M; }
template <class Op, typename T> __global__ void apply(T *p, int n, Op op) { if (n > (int)threadIdx.x) p[threadIdx.x] = op(p[threadIdx.x]); }
template <unsigned Size> __global__ void reduce(const int *in, int *out) { if (threadIdx.x < Size) out[0] += in[threadIdx.x]; }
template <typename T = float> __global__ void clear(T *p, int n) { if (n > (int)threadIdx.x) p[threadIdx.x] = 0; }
template <int W, bool Tail = false> __global__ void copy(int *p, int n) { p[threadIdx.x] = W + Tail; }

namespace grid {
enum Border { clamp, wrap = 3, mirror };
struct Kind { enum class Of : char { real, complex_ }; };
template <Border B, int Shift> __global__ void shifted(int *p, int n) { p[threadIdx.x] = B + Shift; }
template <Kind::Of K> __global__ void convert(int *p, int n) { p[threadIdx.x] = (int)K; }

void run(int *p)
{
    shifted<Border::wrap, -1><<<6, 32>>>(p, 1);
    shifted<Border::mirror, -1><<<7, 64>>>(p, 2);
    shifted<Border::mirror, 1><<<9, 96>>>(p, 3);
    convert<Kind::Of::real><<<10, 32>>>(p, 4);
    convert<Kind::Of::complex_><<<11, 64>>>(p, 5);
}
}

struct Twice { template <typename T> __device__ T operator()(T x) const { return 2 * x; } };
struct Square { template <typename T> __device__ T operator()(T x) const { return x * x; } };

void reduce_all(const int *in, int *out, int size, int threads)
{
    switch (threads) {
    case 512: reduce<512><<<size / 512, 512, 512 * sizeof(int)>>>(in, out); break;
    case 256: reduce<256><<<size / 256, 256, 256 * sizeof(int)>>>(in, out); break;
    case 128: reduce<128><<<size / 128, 128, 128 * sizeof(int)>>>(in, out); break;
    }
}

int main()
{
    int n = 4096;
    int *in, *out;
    float *p;
    double *q;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMalloc(&p, n * sizeof(float));
    cudaMalloc(&q, n * sizeof(double));
    solve<Mode::fast><<<16, 64>>>(p, n);
    solve<Mode::exact><<<32, 128>>>(p, n);
    apply<<<n / 64, 64>>>(p, n, Twice());
    apply<<<n / 32, 32>>>(p, n / 2, Square{});
    apply<Square><<<1, 96>>>(q, n, Square());
    reduce_all(in, out, n, 512);
    reduce_all(in, out, n, 128);
    clear<<<4, 64>>>(p, n);
    clear<double><<<8, 32>>>(q, n);
    grid::run(in);
    grid::shifted<grid::clamp, 2><<<12, 128>>>(in, 6);
    auto plain = copy<4>;
    plain<<<2, 32>>>(in, 1);
    void (*tail)(int *, int) = copy<4, true>;
    tail<<<3, 64>>>(in, 2);
    void *arguments[] = {&in, &n};
    cudaLaunchKernel((const void *)copy<2>, dim3(5), dim3(96), arguments, 0, 0);
    return cudaDeviceSynchronize();
}
