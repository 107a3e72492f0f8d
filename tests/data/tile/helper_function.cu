#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

template <ct::tile_like T>
__tile__ T relu(T x) {
    return ct::max(x, ct::zeros<T>());
}

__tile_global__ void activated(const float* in, float* out) {
    auto index = ct::iota<ct::tile<int, ct::shape<256>>>() + int(ct::bid().x) * 256;
    ct::store(out + index, relu(ct::load(in + index)));
}
