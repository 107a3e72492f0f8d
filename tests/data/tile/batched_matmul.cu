#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

#include <cuda_bf16.h>

__tile_global__ void batched(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
    using A = ct::extents<unsigned, 8, 32, 64>;
    using B = ct::extents<unsigned, 8, 64, 32>;
    using C = ct::extents<unsigned, 8, 32, 32>;
    auto left = ct::partition_view{ct::tensor_span{a, A{}}, ct::shape<1, 32, 64>{}};
    auto right = ct::partition_view{ct::tensor_span{b, B{}}, ct::shape<1, 64, 32>{}};
    auto result = ct::partition_view{ct::tensor_span{c, C{}}, ct::shape<1, 32, 32>{}};
    auto batch = ct::bid().x;
    result.store(ct::mma(left.load(batch, 0, 0), right.load(batch, 0, 0),
                         ct::zeros<ct::tile<float, ct::shape<1, 32, 32>>>()), batch, 0, 0);
}
