#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void gelu(const float* in, float* out) {
    auto index = ct::iota<ct::tile<int, ct::shape<256>>>() + int(ct::bid().x) * 256;
    auto x = ct::load(in + index);
    auto inner = 0.7978845608f * (x + 0.044715f * x * x * x);
    ct::store(out + index, 0.5f * x * (1.0f + ct::tanh(inner)));
}
