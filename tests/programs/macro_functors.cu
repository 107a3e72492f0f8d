#include <cstdio>

// Each is a functor for the device with a name for the host.
#define DEFINE_OPERATION(NAME, EXPRESSION)                                                  \
    struct NAME {                                                                           \
        __device__ float operator()(float a, float b) const { return EXPRESSION; }          \
        static const char *name() { return #NAME; }                                         \
    };
DEFINE_OPERATION(Sum, a + b)
DEFINE_OPERATION(Product, a * b)
#undef DEFINE_OPERATION

template <class Operation>
__global__ void zip(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = Operation()(a[i], b[i]);
}

template <class Operation>
void run(const float *a, float *b, int n)
{
    std::printf("%s\n", Operation::name());
    zip<Operation><<<(n + 63) / 64, 64>>>(a, b, n);
}

int main()
{
    float *a, *b;
    cudaMalloc(&a, 500 * sizeof(float));
    cudaMalloc(&b, 500 * sizeof(float));
    run<Sum>(a, b, 500);
    run<Product>(a, b, 500);
    return cudaDeviceSynchronize();
}
