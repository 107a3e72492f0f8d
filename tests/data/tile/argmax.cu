#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void argmax(const float* in, unsigned* out) {
    auto column = ct::iota<ct::tile<int, ct::shape<512>>>();
    auto row = ct::load(in + (column + int(ct::bid().x) * 512));
    ct::store(out + (ct::iota<ct::tile<int, ct::shape<1>>>() + int(ct::bid().x)), ct::max_element(row, 0_ic));
}
