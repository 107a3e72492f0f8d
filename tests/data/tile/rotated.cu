#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void rotated(const float* x, const float* angle, float* out) {
    auto index = ct::iota<ct::tile<int, ct::shape<128>>>() + int(ct::bid().x) * 128;
    auto even = ct::load(x + index * 2);
    auto odd = ct::load(x + (index * 2 + 1));
    auto turn = ct::load(angle + index);
    auto c = ct::cos(turn), s = ct::sin(turn);
    ct::store(out + index * 2, even * c - odd * s);
    ct::store(out + (index * 2 + 1), even * s + odd * c);
}
