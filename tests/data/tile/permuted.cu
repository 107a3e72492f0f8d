#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void permuted(const float* in, float* out) {
    using Size = ct::extents<unsigned, 4, 8, 16>;
    using Turned = ct::extents<unsigned, 16, 4, 8>;
    auto from = ct::partition_view{ct::tensor_span{in, Size{}}, ct::shape<4, 8, 16>{}};
    auto to = ct::partition_view{ct::tensor_span{out, Turned{}}, ct::shape<16, 4, 8>{}};
    to.store(ct::permute(from.load(0, 0, 0), ct::dimension_map<2, 0, 1>{}), 0, 0, 0);
}
