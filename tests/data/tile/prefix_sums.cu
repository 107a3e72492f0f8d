#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void prefix_sums(const int* in, int* out) {
    using Ints = ct::tile<int, ct::shape<512>>;
    auto index = ct::iota<Ints>() + int(ct::bid().x) * 512;
    ct::store(out + index, ct::partial_sum(ct::load(in + index), 0_ic));
}
