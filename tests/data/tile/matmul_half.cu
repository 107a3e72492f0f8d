#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

#include <cuda_fp16.h>

__tile_global__ void matmul(const __half* a, const __half* b, float* c, unsigned m, unsigned n,
                            unsigned k) {
    using Size = ct::extents<unsigned, ct::dynamic_extent, ct::dynamic_extent>;
    auto left = ct::partition_view{ct::tensor_span{a, Size{m, k}}, ct::shape<64, 32>{}};
    auto right = ct::partition_view{ct::tensor_span{b, Size{k, n}}, ct::shape<32, 64>{}};
    auto result = ct::partition_view{ct::tensor_span{c, Size{m, n}}, ct::shape<64, 64>{}};
    auto sums = ct::zeros<ct::tile<float, ct::shape<64, 64>>>();
    for (auto step : ct::irange(0u, k / 32)) {
        sums = ct::mma(left.load_masked(ct::bid().x, step), right.load_masked(step, ct::bid().y), sums);
    }
    result.store_masked(sums, ct::bid().x, ct::bid().y);
}
