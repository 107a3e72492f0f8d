#pragma once
inline dim3 blocks_for(size_t n, unsigned per_block) { return dim3((unsigned)((n + per_block - 1) / per_block)); }
template <typename T> constexpr T ceil_div(T a, T b) { return (a + b - 1) / b; }
namespace shapes {
constexpr int kThreads = 192;
struct Shape { dim3 grid, block; size_t shared; };
inline Shape image(int width, int height)
{
    Shape s;
    s.block = dim3(16, 8);
    s.grid = dim3(ceil_div(width, 16), ceil_div(height, 8));
    s.shared = 16 * 8 * sizeof(float);
    return s;
}
static unsigned capped(unsigned n) { unsigned blocks = ceil_div<unsigned>(n, kThreads); return blocks > 60 ? 60 : blocks; }
}
