// Barriers and semaphores of one's own over the whole grid, and other ways to spell what locks do.
#include <cuda_pipeline.h>
#include <cuda/semaphore>
#include <cuda/latch>
#include <cuda/atomic>
#define KERNEL extern "C" __global__ void

// All threads write, and one of them tells: as stream-K and split-K kernels hand tiles on.
template <bool BARRIER> __device__ void tiles_in_turn(const int* in, int* out, int* lock) {
  int t = threadIdx.x, b = blockIdx.x;
  if (t == 0) {
    while (((volatile int*)lock)[0] != b) __nanosleep(20);
    __threadfence();
  }
  __syncthreads();
  int before = out[t];
  out[t] = before + in[b * 64 + t];
  if (BARRIER) __syncthreads();
  if (t == 0) {
    __threadfence();
    ((volatile int*)lock)[0] = b + 1;
  }
}
KERNEL in_turn(const int* in, int* out, int* lock) { tiles_in_turn<true>(in, out, lock); }
KERNEL in_turn_miss(const int* in, int* out, int* lock) { tiles_in_turn<false>(in, out, lock); }

// The same with the words of PTX: acquire, release, and a vote of the block that waits.
KERNEL semaphore(const int* in, int* out, int* lock) {
  int t = threadIdx.x, b = blockIdx.x, state = -1;
  while (__syncthreads_and(state != b)) {
    if (t == 0) asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(state) : "l"(lock) : "memory");
  }
  __syncthreads();
  out[t] = out[t] + in[b * 64 + t];
  __syncthreads();
  if (t == 0) asm volatile("st.release.gpu.global.b32 [%0], %1;" :: "l"(lock), "r"(b + 1) : "memory");
}
KERNEL semaphore_miss(const int* in, int* out, int* lock) {
  int t = threadIdx.x, b = blockIdx.x, state = -1;
  while (__syncthreads_and(state != b)) {
    if (t == 0) asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(state) : "l"(lock) : "memory");
  }
  out[t] = out[t] + in[b * 64 + t];
  __syncthreads();
  if (t == 0) asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" :: "l"(lock), "r"(b + 1) : "memory");
}
// A barrier of the grid by a counter, launched cooperatively.
__device__ void meet(int* count, int goal) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < goal) { }
    __threadfence();
  }
  __syncthreads();
}
KERNEL own_barrier(const int* in, int* out, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int round = 1; round < 4; ++round) {
    out[(round & 1) * n + i] = in[i] * round + out[(~round & 1) * n + n - 1 - i];
    meet(count, round * gridDim.x);
  }
}
KERNEL own_barrier_miss(const int* in, int* out, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int round = 1; round < 4; ++round) {
    out[(round & 1) * n + i] = in[i] * round + out[(~round & 1) * n + n - 1 - i];
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(count, 1);
  }
}
// A sense that turns round: who comes last lets the others go.
__device__ void sense(volatile int* state, int n) {
  __syncthreads();
  if (threadIdx.x == 0) {
    int now = state[1];
    __threadfence();
    if (atomicAdd((int*)state, 1) == n - 1) {
      state[0] = 0;
      __threadfence();
      state[1] = !now;
    } else {
      while (state[1] == now) { }
    }
    __threadfence();
  }
  __syncthreads();
}
KERNEL sense_barrier(const int* in, int* out, int* state) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int round = 1; round < 4; ++round) {
    out[(round & 1) * n + i] = in[i] * round + out[(~round & 1) * n + n - 1 - i];
    sense(state, gridDim.x);
  }
}
KERNEL sense_barrier_miss(const int* in, int* out, int* state) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int round = 1; round < 4; ++round) {
    out[(round & 1) * n + i] = in[i] * round + out[(~round & 1) * n + n - 1 - i];
    if (round != 2) sense(state, gridDim.x);
  }
}
// A list to which all threads add, before anybody reads it.
struct Node { int value, next; };
KERNEL push(const int* in, int* out, int* head) {
  Node* nodes = (Node*)out;
  int mine = threadIdx.x, old;
  nodes[mine].value = in[mine];
  do {
    old = *head;
    nodes[mine].next = old;
    __threadfence();
  } while (atomicCAS(head, old, mine + 1) != old);
}
KERNEL push_miss(const int* in, int* out, int* head) {
  Node* nodes = (Node*)out;
  int mine = threadIdx.x;
  nodes[mine].value = in[mine];
  nodes[mine].next = *head;
  *head = mine + 1;
}
__device__ __noinline__ double added(double* address, double value) {
  unsigned long long *bits = (unsigned long long*)address, old = *bits, assumed;
  do old = atomicCAS(bits, assumed = old, __double_as_longlong(value + __longlong_as_double(assumed)));
  while (assumed != old);
  return __longlong_as_double(old);
}
KERNEL add_in_shared(const int* in, int* out, int* unused) {
  __shared__ double sums[2];
  if (threadIdx.x < 2) sums[threadIdx.x] = 0;
  __syncthreads();
  added(&sums[threadIdx.x % 2], in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < 2) out[threadIdx.x] = (int)sums[threadIdx.x];
}
KERNEL add_in_shared_miss(const int* in, int* out, int* unused) {
  __shared__ double sums[2];
  if (threadIdx.x < 2) sums[threadIdx.x] = 0;
  added(&sums[threadIdx.x % 2], in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < 2) out[threadIdx.x] = (int)sums[threadIdx.x];
}
// Lanes with the same key elect who adds for all of them.
KERNEL by_key(const int* in, int* out, int* unused) {
  int key = in[threadIdx.x] % 8;
  unsigned same = __match_any_sync(~0u, key);
  if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&out[key], __popc(same));
}
KERNEL by_key_miss(const int* in, int* out, int* unused) {
  int key = in[threadIdx.x] % 8;
  unsigned same = __match_any_sync(~0u, key);
  if (threadIdx.x % 32 == __ffs(same) - 1) out[key] += __popc(same);
}
KERNEL primitives(const int* in, int* out, int* unused) {
  __shared__ alignas(16) int s[2][256];
  int t = threadIdx.x, sum = 0;
  __pipeline_memcpy_async(&s[0][t * 4], &in[t * 4], 16);
  __pipeline_commit();
  for (int step = 0; step < 2; ++step) {
    if (step == 0) __pipeline_memcpy_async(&s[1][t * 4], &in[256 + t * 4], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[step][255 - t * 4];
  }
  out[t] = sum;
}
KERNEL primitives_miss(const int* in, int* out, int* unused) {
  __shared__ alignas(16) int s[2][256];
  int t = threadIdx.x, sum = 0;
  for (int step = 0; step < 2; ++step) {
    __pipeline_memcpy_async(&s[step][t * 4], &in[step * 256 + t * 4], 16);
    __pipeline_commit();
    __syncthreads();
    sum += s[step][255 - t * 4];
  }
  out[t] = sum;
}
// Semaphores and latches of libcu++, among the warps of a block.
KERNEL guarded(const int* in, int* out, int* unused) {
  __shared__ alignas(16) char held[sizeof(cuda::binary_semaphore<cuda::thread_scope_block>)];
  auto& lock = *(cuda::binary_semaphore<cuda::thread_scope_block>*)held;
  __shared__ int sum;
  if (threadIdx.x == 0) { new (held) cuda::binary_semaphore<cuda::thread_scope_block>(1); sum = 0; }
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    lock.acquire();
    sum += in[threadIdx.x];
    lock.release();
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}
KERNEL guarded_miss(const int* in, int* out, int* unused) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) sum += in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}
KERNEL latch(const int* in, int* out, int* unused) {
  __shared__ alignas(16) char held[sizeof(cuda::latch<cuda::thread_scope_block>)];
  auto& done = *(cuda::latch<cuda::thread_scope_block>*)held;
  __shared__ int s[64];
  if (threadIdx.x == 0) new (held) cuda::latch<cuda::thread_scope_block>(32);
  __syncthreads();
  if (threadIdx.x < 32) { s[threadIdx.x] = in[threadIdx.x]; done.count_down(); }
  else { done.wait(); out[threadIdx.x - 32] = s[63 - threadIdx.x]; }
}
KERNEL latch_miss(const int* in, int* out, int* unused) {
  __shared__ int s[64];
  if (threadIdx.x < 32) s[threadIdx.x] = in[threadIdx.x];
  else out[threadIdx.x - 32] = s[63 - threadIdx.x];
}
// A flag of C++ in shared memory.
KERNEL shared_atomic(const int* in, int* out, int* unused) {
  __shared__ int ready, value;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> flag(ready);
  if (threadIdx.x == 0) { value = in[0]; flag.store(1, cuda::memory_order_release); flag.notify_all(); }
  if (threadIdx.x == 32) { flag.wait(0, cuda::memory_order_acquire); out[0] = value; }
}
KERNEL shared_atomic_miss(const int* in, int* out, int* unused) {
  __shared__ int ready, value;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> flag(ready);
  if (threadIdx.x == 0) { flag.store(1, cuda::memory_order_release); value = in[0]; }
  if (threadIdx.x == 32) { flag.wait(0, cuda::memory_order_acquire); out[0] = value; }
}
