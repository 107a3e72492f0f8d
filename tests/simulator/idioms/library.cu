// The same by cooperative groups and libcu++.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
#define KERNEL extern "C" __global__ void

KERNEL atomic_ref(const int* in, int* out, int* flag) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[1] = in[0];
    ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) { }
    out[0] = out[1];
  }
}
KERNEL atomic_ref_miss(const int* in, int* out, int* flag) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[1] = in[0];
    ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) { }
    out[0] = out[1];
  }
}
KERNEL fences(const int* in, int* out, int* flag) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[1] = in[0];
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) { }
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    out[0] = out[1];
  }
}
KERNEL fences_miss(const int* in, int* out, int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[1] = in[0];
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    *flag = 1;
  } else {
    out[0] = out[1] + *flag;
  }
}
KERNEL fetch_max(const int* in, int* out, int* unused) {
  cuda::atomic_ref<float, cuda::thread_scope_device> most(*(float*)out);
  float mine = in[threadIdx.x], old = most.load(cuda::memory_order_relaxed);
  while (old < mine && !most.compare_exchange_weak(old, mine, cuda::memory_order_relaxed)) { }
}
KERNEL fetch_max_miss(const int* in, int* out, int* unused) {
  float mine = in[threadIdx.x];
  if (*(float*)out < mine) *(float*)out = mine;
}
// Launched cooperatively.
KERNEL grid_sync(const int* in, int* out, int* unused) {
  auto grid = cg::this_grid();
  int i = grid.thread_rank(), n = grid.size();
  out[i] = in[i];
  grid.sync();
  int v = out[n - 1 - i];
  grid.sync();
  out[i] = v * 2;
}
KERNEL grid_sync_miss(const int* in, int* out, int* unused) {
  auto grid = cg::this_grid();
  int i = grid.thread_rank(), n = grid.size();
  out[i] = in[i];
  grid.sync();
  int v = out[n - 1 - i];
  out[i] = v * 2;
}
KERNEL tiles(const int* in, int* out, int* unused) {
  __shared__ int s[64];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int t = threadIdx.x;
  s[t] = in[t];
  tile.sync();
  int v = s[t ^ 15];
  int sum = cg::reduce(tile, v, cg::plus<int>());
  if (tile.thread_rank() == 0) out[t / 16] = sum;
}
KERNEL tiles_miss(const int* in, int* out, int* unused) {
  __shared__ int s[64];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int t = threadIdx.x;
  s[t] = in[t];
  tile.sync();
  int sum = cg::reduce(tile, s[t ^ 16], cg::plus<int>());
  if (tile.thread_rank() == 0) out[t / 16] = sum;
}
// One atomic for all lanes that are here.
KERNEL aggregated(const int* in, int* out, int* unused) {
  int v = in[threadIdx.x];
  if (v % 3 == 0) {
    auto active = cg::coalesced_threads();
    int first;
    if (active.thread_rank() == 0) first = atomicAdd(out, active.size());
    out[1 + active.shfl(first, 0) + active.thread_rank()] = v;
  }
}
KERNEL aggregated_miss(const int* in, int* out, int* unused) {
  int v = in[threadIdx.x];
  if (v % 3 == 0) {
    auto active = cg::coalesced_threads();
    int first = *out;
    if (active.thread_rank() == 0) atomicAdd(out, active.size());
    out[1 + first + active.thread_rank()] = v;
  }
}
// Warps that produce and warps that consume, with two places and two barriers for each.
using barrier = cuda::barrier<cuda::thread_scope_block>;
template <bool WAITS> __device__ void handed_on(const int* in, int* out) {
  #pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier full[2], empty[2];
  __shared__ int place[2][32];
  if (threadIdx.x < 2) { init(&full[threadIdx.x], 64); init(&empty[threadIdx.x], 64); }
  __syncthreads();
  int t = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int i = 0; i < 6; ++i) {
      if (WAITS) empty[i % 2].arrive_and_wait();
      place[i % 2][t] = in[i * 32 + t];
      auto token = full[i % 2].arrive();
    }
  } else {
    auto first = empty[0].arrive(), second = empty[1].arrive();
    for (int i = 0; i < 6; ++i) {
      full[i % 2].arrive_and_wait();
      out[i * 32 + t] = place[i % 2][31 - t];
      auto token = empty[i % 2].arrive();
    }
  }
}
KERNEL producer(const int* in, int* out, int* unused) { handed_on<true>(in, out); }
KERNEL producer_miss(const int* in, int* out, int* unused) { handed_on<false>(in, out); }

// Copies that run while the tile before is used.
template <bool WAITS> __device__ void staged(const int* in, int* out) {
  __shared__ alignas(16) int tile[2][64];
  auto pipe = cuda::make_pipeline();
  int t = threadIdx.x, sum = 0;
  auto fetch = [&](int step) {
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[step % 2][t], &in[step * 64 + t], sizeof(int), pipe);
    pipe.producer_commit();
  };
  fetch(0);
  for (int step = 0; step < 4; ++step) {
    if (step < 3) fetch(step + 1);
    if (step < 3) cuda::pipeline_consumer_wait_prior<1>(pipe);
    else cuda::pipeline_consumer_wait_prior<0>(pipe);
    if (WAITS) __syncthreads();
    sum += tile[step % 2][63 - t] * (step + 1);
    pipe.consumer_release();
    __syncthreads();
  }
  out[t] = sum;
}
KERNEL pipeline(const int* in, int* out, int* unused) { staged<true>(in, out); }
KERNEL pipeline_miss(const int* in, int* out, int* unused) { staged<false>(in, out); }

KERNEL block_copy(const int* in, int* out, int* unused) {
  __shared__ alignas(16) int s[64];
  auto block = cg::this_thread_block();
  int t = threadIdx.x;
  #pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier arrived;
  if (t == 0) init(&arrived, 64);
  block.sync();
  cuda::memcpy_async(block, s, in, sizeof(int) * 64, arrived);
  arrived.arrive_and_wait();
  out[t] = s[63 - t];
}
KERNEL block_copy_miss(const int* in, int* out, int* unused) {
  __shared__ alignas(16) int s[64];
  auto block = cg::this_thread_block();
  int t = threadIdx.x;
  #pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier arrived;
  if (t == 0) init(&arrived, 64);
  block.sync();
  cuda::memcpy_async(block, s, in, sizeof(int) * 64, arrived);
  out[t] = s[63 - t];
}
