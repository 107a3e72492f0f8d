#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

extern "C" __tile_global__ void clamped(const int* in, int* out, int low, int high) {
    auto index = ct::iota<ct::tile<int, ct::shape<64>>>() + int(ct::bid().x) * 64;
    auto x = ct::load(in + index);
    auto above = ct::select(x > high, ct::full<decltype(x)>(high), x);
    ct::store(out + index, ct::select(above < low, ct::full<decltype(x)>(low), above));
}
