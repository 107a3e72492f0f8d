#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;

__tile_global__ void histogram(const unsigned* in, unsigned* counts) {
    auto index = ct::iota<ct::tile<int, ct::shape<128>>>() + int(ct::bid().x) * 128;
    auto bin = ct::load(in + index) & 15u;
    ct::atomic_add(counts + bin, ct::ones<ct::tile<unsigned, ct::shape<128>>>(),
                   ct::memory_order_constant<ct::memory_order::relaxed>{},
                   ct::thread_scope_constant<ct::thread_scope::device>{});
}
