namespace math {
struct Half { unsigned short bits; };
template <typename T> __global__ void scale(T *p, T by, int n);
template <int N> __global__ void repeat(int *p);
template <typename T> void scale_all(T *p, T by, int n);
__global__ void plain(int *p);
namespace inner {
template <class T, int Block> __global__ void deep(T *p, int n);
}
void halves(void *p, int n);
}

template <typename T> __global__ void math::scale(T *p, T by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= by;
}
template <int N> __global__ void math::repeat(int *p) { p[threadIdx.x] = N; }
template <class T, int Block>
__global__ void __launch_bounds__(Block) math::inner::deep(T *p, int n)
{
    if (n > (int)threadIdx.x) p[threadIdx.x] = T();
}
__global__ void math::plain(int *p) { *p = 1; }

template <typename T> void math::scale_all(T *p, T by, int n)
{
    scale<<<(n + 255) / 256, 256>>>(p, by, n);
    inner::deep<T, 64><<<1, 64>>>(p, n);
}

void math::halves(void *p, int n) { inner::deep<Half, 96><<<2, 96>>>(static_cast<Half *>(p), n); }

int main()
{
    float *f;
    double *d;
    int *p;
    cudaMalloc(&f, 4000);
    cudaMalloc(&d, 1600);
    cudaMalloc(&p, 400);
    math::scale_all(f, 2.0f, 1000);
    math::scale<double><<<2, 100>>>(d, 3.0, 200);
    math::repeat<7><<<1, 100>>>(p);
    math::plain<<<1, 1>>>(p);
    math::halves(p, 200);
    return cudaDeviceSynchronize();
}
