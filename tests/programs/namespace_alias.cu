// A long namespace has a short alias, at file scope and within a function.
#include <cuda_runtime.h>

namespace company { namespace imaging {
namespace detail {
constexpr int block = 96;
enum Mode { nearest, linear };
}

template <typename T, int MODE>
__global__ void resize(T* to, const T* from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = MODE == detail::nearest ? from[i / 2] : (from[i / 2] + from[(i + 1) / 2]) / 2;
}

template <typename T>
void run(T* to, const T* from, int n)
{
    resize<T, detail::linear><<<(n + detail::block - 1) / detail::block, detail::block>>>(to, from, n);
}
}}

namespace img = company::imaging;

int main()
{
    const int n = 1000;
    float *to, *from;
    double *wide, *narrow;
    cudaMalloc(&to, n * sizeof(float));
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&wide, n * sizeof(double));
    cudaMalloc(&narrow, n * sizeof(double));
    img::resize<float, img::detail::nearest><<<8, 128>>>(to, from, n);
    namespace d = img::detail;
    img::resize<float, d::linear><<<(n + d::block - 1) / d::block, d::block>>>(to, from, n);
    img::run(wide, narrow, n);
    cudaDeviceSynchronize();
    return 0;
}
