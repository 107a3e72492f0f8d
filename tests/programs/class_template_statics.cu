// The shape of a launch is in static members of a class inside a class template.
#include <cuda_runtime.h>

template <typename T, int LOG>
struct Plan {
    struct Shape {
        static constexpr int threads = 1 << LOG;
        static constexpr int items = 16 / sizeof(T);
        static int blocks(int n) { return (n + threads * items - 1) / (threads * items); }
    };
    enum { tile = Shape::threads * Shape::items };
    static const int bytes = tile * sizeof(T);
};

template <typename T, int THREADS, int ITEMS>
__global__ void negate(T* data, int n)
{
    extern __shared__ char tile[];
    int at = blockIdx.x * THREADS * ITEMS + threadIdx.x;
    T* staged = reinterpret_cast<T*>(tile);
    for (int i = 0; i < ITEMS; ++i, at += THREADS) {
        staged[threadIdx.x + i * THREADS] = at < n ? data[at] : T();
        if (at < n) data[at] = -staged[threadIdx.x + i * THREADS];
    }
}

template <typename T>
void negate_all(T* data, int n)
{
    using Chosen = Plan<T, 7>;
    using Shape = typename Chosen::Shape;
    negate<T, Shape::threads, Shape::items><<<Shape::blocks(n), Shape::threads, Chosen::bytes>>>(data, n);
}

int main()
{
    const int n = 10000;
    float* data;
    double* wide;
    cudaMalloc(&data, n * sizeof(float));
    cudaMalloc(&wide, n * sizeof(double));
    negate_all(data, n);
    negate_all(wide, n);
    negate<float, Plan<float, 5>::Shape::threads, Plan<float, 5>::Shape::items>
        <<<Plan<float, 5>::Shape::blocks(n), Plan<float, 5>::Shape::threads, Plan<float, 5>::bytes>>>(data, n);
    cudaDeviceSynchronize();
    return 0;
}
