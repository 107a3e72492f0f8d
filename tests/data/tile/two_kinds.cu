#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void filled(float* out, float value) {
    auto index = ct::iota<ct::tile<int, ct::shape<128>>>() + int(ct::bid().x) * 128;
    ct::store(out + index, ct::full<ct::tile<float, ct::shape<128>>>(value));
}

__global__ void doubled(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
