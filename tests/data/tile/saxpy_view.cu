#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void saxpy(float alpha, const float* x, float* y, unsigned n) {
    auto size = ct::extents<unsigned, ct::dynamic_extent>{n};
    auto from = ct::partition_view{ct::tensor_span{x, size}, ct::shape<256>{}};
    auto to = ct::partition_view{ct::tensor_span{y, size}, ct::shape<256>{}};
    auto block = ct::bid().x;
    to.store_masked(alpha * from.load_masked(block) + to.load_masked(block), block);
}
