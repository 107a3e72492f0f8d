#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void power_iteration(const float* in, float* out, int steps) {
    auto index = ct::iota<ct::tile<int, ct::shape<256>>>() + int(ct::bid().x) * 256;
    auto x = ct::load(in + index);
    for (auto step : ct::irange(0, steps)) {
        x = ct::fma(x, x, x) * 0.5f;
    }
    ct::store(out + index, x);
}
