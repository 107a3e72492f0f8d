#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void running_products(const double* in, double* out) {
    auto index = ct::iota<ct::tile<int, ct::shape<64>>>() + int(ct::bid().x) * 64;
    ct::store(out + index, ct::partial_prod(ct::load(in + index), 0_ic));
}
