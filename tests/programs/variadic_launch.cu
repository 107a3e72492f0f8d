#include <cuda_runtime.h>
#include <stdexcept>
#include <utility>

struct Shape {
    dim3 grid, block;
    std::size_t shared = 0;
};

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), const Shape& shape, Arguments&&... arguments) {
    kernel<<<shape.grid, shape.block, shape.shared>>>(static_cast<Parameters>(std::forward<Arguments>(arguments))...);
    if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("launch");
}

__global__ void iota(unsigned* out, unsigned first) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = first + blockIdx.x * blockDim.x + threadIdx.x;
}

template <typename T, int Shift>
__global__ void shifted(T* out) {
    extern __shared__ unsigned char raw[];
    T* tile = reinterpret_cast<T*>(raw);
    tile[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[(threadIdx.x + Shift) % blockDim.x];
}

int main() {
    unsigned* out;
    cudaMalloc(&out, 1024 * sizeof(unsigned));
    launch(iota, Shape{8, 128}, out, 5);
    launch(shifted<unsigned, 3>, Shape{1, 512, 512 * sizeof(unsigned)}, out);
    launch(&shifted<unsigned, 7>, {1, 256, 1024}, out);
    return cudaDeviceSynchronize();
}
