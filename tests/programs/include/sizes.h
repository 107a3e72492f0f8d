#ifndef SIZES_H
#define SIZES_H
#include <cuda_runtime.h>
#include "launch_shapes.cuh"

#define ROUND_UP(n, m) (((n) + (m) - 1) / (m) * (m))

typedef struct Extent {
    int width, height;
    dim3 blocks(dim3 block) const
    {
        return dim3(ceil_div<int>(width, block.x), ceil_div<int>(height, block.y));
    }
} Extent;

class Launcher {
    unsigned threads_;
    size_t count_;

public:
    Launcher(size_t count, unsigned threads = 160) : threads_(threads), count_(count) {}
    dim3 grid() const { return blocks_for(count_, threads_); }
    unsigned threads() const { return threads_; }
};

static inline int padded(int n) { return ROUND_UP(n, 32); }
static inline void choose(int n, int *blocks, int *threads)
{
    *threads = n < 1024 ? padded(n) : 256;
    *blocks = ceil_div(n, *threads);
}
#endif
