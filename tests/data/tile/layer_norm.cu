#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void layer_norm(const float* in, const float* weight, const float* bias, float* out,
                                float epsilon) {
    using Row = ct::tile<int, ct::shape<1024>>;
    auto column = ct::iota<Row>();
    auto place = column + int(ct::bid().x) * 1024;
    auto x = ct::load(in + place);
    auto centred = x - ct::sum(x, 0_ic) / 1024.0f;
    auto variance = ct::sum(centred * centred, 0_ic) / 1024.0f;
    auto scaled = centred * ct::rsqrt(variance + epsilon);
    ct::store(out + place, scaled * ct::load(weight + column) + ct::load(bias + column));
}
