#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void transposed(const float* in, float* out, unsigned rows, unsigned columns) {
    using Size = ct::extents<unsigned, ct::dynamic_extent, ct::dynamic_extent>;
    auto from = ct::partition_view{ct::tensor_span{in, Size{rows, columns}}, ct::shape<32, 32>{}};
    auto to = ct::partition_view{ct::tensor_span{out, Size{columns, rows}}, ct::shape<32, 32>{}};
    to.store_masked(ct::transpose(from.load_masked(ct::bid().y, ct::bid().x)), ct::bid().x, ct::bid().y);
}
