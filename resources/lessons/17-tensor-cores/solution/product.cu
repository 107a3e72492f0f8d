#include <mma.h>

using namespace nvcuda;

// A warp multiplies two matrices of 16 x 16 numbers of 16 bits, and adds up in 32 bits.
extern "C" __global__ void product(const half* a, const half* b, float* c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::fill_fragment(sums, 0.0f);
    wmma::mma_sync(sums, left, right, sums);
    wmma::store_matrix_sync(c, sums, 16, wmma::mem_row_major);
}
