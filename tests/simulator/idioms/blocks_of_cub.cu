// Algorithms of CUB for a block and a warp.
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_scan.cuh>
#define KERNEL extern "C" __global__ void

KERNEL reduce(const int* in, int* out, int n) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ Reduce::TempStorage storage;
  int sum = Reduce(storage).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) out[0] = sum;
}
template <bool BARRIER> __device__ void twice(const int* in, int* out) {
  using Scan = cub::BlockScan<int, 128, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ Scan::TempStorage storage;
  int first, second;
  Scan(storage).InclusiveSum(in[threadIdx.x], first);
  if (BARRIER) __syncthreads();
  Scan(storage).InclusiveSum(first % 100, second);
  out[threadIdx.x] = second;
}
KERNEL scan_twice(const int* in, int* out, int n) { twice<true>(in, out); }
KERNEL scan_twice_miss(const int* in, int* out, int n) { twice<false>(in, out); }
KERNEL raking(const int* in, int* out, int n) {
  using Scan = cub::BlockScan<int, 128, cub::BLOCK_SCAN_RAKING>;
  __shared__ Scan::TempStorage storage;
  int v;
  Scan(storage).InclusiveSum(in[threadIdx.x], v);
  out[threadIdx.x] = v;
}
KERNEL radix_sort(const int* in, int* out, int n) {
  using Sort = cub::BlockRadixSort<int, 128, 2>;
  __shared__ Sort::TempStorage storage;
  int keys[2] = {in[threadIdx.x * 2], in[threadIdx.x * 2 + 1]};
  Sort(storage).Sort(keys);
  out[threadIdx.x * 2] = keys[0];
  out[threadIdx.x * 2 + 1] = keys[1];
}
KERNEL counted(const int* in, int* out, int n) {
  using Histogram = cub::BlockHistogram<unsigned char, 128, 2, 64, cub::BLOCK_HISTO_ATOMIC>;
  __shared__ Histogram::TempStorage storage;
  __shared__ int bins[64];
  unsigned char items[2] = {(unsigned char)(in[threadIdx.x * 2] & 63), (unsigned char)(in[threadIdx.x * 2 + 1] & 63)};
  Histogram(storage).Histogram(items, bins);
  __syncthreads();
  if (threadIdx.x < 64) out[threadIdx.x] = bins[threadIdx.x];
}
KERNEL transposed(const int* in, int* out, int n) {
  using Load = cub::BlockLoad<int, 128, 2, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  __shared__ Load::TempStorage storage;
  int items[2];
  Load(storage).Load(in, items);
  out[threadIdx.x * 2] = items[1];
  out[threadIdx.x * 2 + 1] = items[0];
}
KERNEL of_warp(const int* in, int* out, int n) {
  using Scan = cub::WarpScan<int, 16>;
  __shared__ Scan::TempStorage storage[8];
  int v;
  Scan(storage[threadIdx.x / 16]).InclusiveSum(in[threadIdx.x], v);
  out[threadIdx.x] = v;
}
