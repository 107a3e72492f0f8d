#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void softmax(const float* in, float* out, unsigned rows) {
    auto size = ct::extents<unsigned, ct::dynamic_extent, 1024>{rows};
    auto from = ct::partition_view{ct::tensor_span{in, size}, ct::shape<1, 1024>{}};
    auto to = ct::partition_view{ct::tensor_span{out, size}, ct::shape<1, 1024>{}};
    auto row = from.load(ct::bid().x, 0);
    auto powers = ct::exp(row - ct::reduce_max(row, 1_ic));
    to.store(powers / ct::sum(powers, 1_ic), ct::bid().x, 0);
}
