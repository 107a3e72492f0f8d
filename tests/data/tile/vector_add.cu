#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void add(const float* a, const float* b, float* c, int n) {
    using Ints = ct::tile<int, ct::shape<1024>>;
    auto index = ct::iota<Ints>() + int(ct::bid().x) * 1024;
    auto inside = index < n;
    ct::store_masked(c + index, ct::load_masked(a + index, inside) + ct::load_masked(b + index, inside), inside);
}
