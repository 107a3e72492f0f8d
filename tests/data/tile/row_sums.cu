#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void row_sums(const float* in, float* out, unsigned rows) {
    auto size = ct::extents<unsigned, ct::dynamic_extent, 256>{rows};
    auto from = ct::partition_view{ct::tensor_span{in, size}, ct::shape<8, 256>{}};
    auto to = ct::partition_view{ct::tensor_span{out, ct::extents<unsigned, ct::dynamic_extent, 1>{rows}}, ct::shape<8, 1>{}};
    to.store_masked(ct::sum(from.load_masked(ct::bid().x, 0), 1_ic), ct::bid().x, 0);
}
