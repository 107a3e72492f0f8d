// One launch for the type that is known at run time only.
#include <cstdint>
#include <stdexcept>
#include <type_traits>

enum class DType { i32, i64, f32, f64 };

#define FOR_TYPE(DTYPE, NAME, ...)                                                                \
    switch (DTYPE) {                                                                              \
    case DType::i32: { using NAME = std::int32_t; __VA_ARGS__(); break; }                         \
    case DType::i64: { using NAME = std::int64_t; __VA_ARGS__(); break; }                         \
    case DType::f32: { using NAME = float; __VA_ARGS__(); break; }                                \
    case DType::f64: { using NAME = double; __VA_ARGS__(); break; }                               \
    default: throw std::invalid_argument("type");                                                 \
    }

struct Tensor {
    void *data;
    std::int64_t size;
    DType dtype;
    template <typename T> T *data_ptr() const { return static_cast<T *>(data); }
};

template <typename scalar_t>
__global__ void negate_kernel(scalar_t *data, std::int64_t size)
{
    const std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
    if (i < size) data[i] = -data[i];
}

void negate(const Tensor &tensor)
{
    const int threads = 512;
    const std::int64_t blocks = (tensor.size + threads - 1) / threads;
    FOR_TYPE(tensor.dtype, scalar_t, [&] {
        negate_kernel<scalar_t><<<blocks, threads>>>(tensor.data_ptr<scalar_t>(), tensor.size);
    });
}

int main()
{
    Tensor t{nullptr, 2048, DType::f64};
    cudaMalloc(&t.data, t.size * sizeof(double));
    negate(t);
    return cudaDeviceSynchronize();
}
