#include <cuda_runtime.h>

template <typename T> struct Sum { __device__ static T apply(T a, T b) { return a + b; } };
template <typename T> struct Product { __device__ static T apply(T a, T b) { return a * b; } };

enum class Layout { row_major, column_major };

template <template <typename> class Op, typename T, Layout L = Layout::row_major>
__global__ void combine(const T *a, const T *b, T *c, int rows, int cols)
{
    int r = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;
    int at = L == Layout::row_major ? r * cols + col : col * rows + r;
    c[at] = Op<T>::apply(a[at], b[at]);
}

template <template <typename> class Op, typename T>
struct Combiner {
    template <Layout L>
    static void run(const T *a, const T *b, T *c, int rows, int cols)
    {
        dim3 grid((cols + 127) / 128, rows);
        combine<Op, T, L><<<grid, 128>>>(a, b, c, rows, cols);
    }
};

int main()
{
    float *a, *b, *c;
    int rows = 20, cols = 300;
    cudaMalloc(&a, rows * cols * sizeof(float));
    cudaMalloc(&b, rows * cols * sizeof(float));
    cudaMalloc(&c, rows * cols * sizeof(float));
    Combiner<Sum, float>::run<Layout::column_major>(a, b, c, rows, cols);
    combine<Product, float><<<dim3(3, rows), 128>>>(a, b, c, rows, cols);
    return cudaDeviceSynchronize();
}
