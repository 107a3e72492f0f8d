// What blocks and warps tell each other through memory: flags, tickets, look-back.
#define KERNEL extern "C" __global__ void

KERNEL flag(const int* in, int* out, volatile int* ready) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      out[0] = in[0] * 2;
      __threadfence();
      *ready = 1;
    }
  } else {
    if (threadIdx.x == 0) {
      while (*ready == 0) { }
      __threadfence();
      out[blockIdx.x] = ((volatile int*)out)[0] + in[blockIdx.x];
    }
  }
}
KERNEL flag_miss(const int* in, int* out, volatile int* ready) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      out[0] = in[0] * 2;
      *ready = 1;
    }
  } else {
    if (threadIdx.x == 0) {
      while (*ready == 0) { }
      out[blockIdx.x] = out[0] + in[blockIdx.x];
    }
  }
}
// Between warps of a block, with a flag in shared memory.
KERNEL flag_of_warp(const int* in, int* out, int* unused) {
  __shared__ int value;
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = in[0];
    __threadfence_block();
    ready = 1;
  }
  if (threadIdx.x == 32) {
    while (!ready) { }
    __threadfence_block();
    out[0] = value;
  }
}
KERNEL flag_of_warp_miss(const int* in, int* out, int* unused) {
  __shared__ int value;
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = in[0];
    ready = 1;
  }
  if (threadIdx.x == 32) {
    while (!ready) { }
    out[0] = value;
  }
}
// The sum of all blocks by the last one that is done: `__threadfence()` of the Programming Guide.
template <bool FENCE> __device__ void total(const int* in, int* out, unsigned* count) {
  __shared__ bool is_last;
  __shared__ int part[64];
  int t = threadIdx.x;
  part[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int d = 32; d; d /= 2) { if (t < d) part[t] += part[t + d]; __syncthreads(); }
  if (t == 0) {
    out[1 + blockIdx.x] = part[0];
    if (FENCE) __threadfence();
    is_last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && t == 0) {
    int sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += ((volatile int*)out)[1 + i];
    out[0] = sum;
    *count = 0;
  }
}
KERNEL last_block(const int* in, int* out, unsigned* count) { total<true>(in, out, count); }
KERNEL last_block_miss(const int* in, int* out, unsigned* count) { total<false>(in, out, count); }

// A chained scan: each block waits for the sum of those before it.
template <bool FENCE> __device__ void chain(const int* in, int* out, volatile int* state) {
  __shared__ int before, part[64];
  __shared__ unsigned turn;
  int t = threadIdx.x, n = gridDim.x;
  if (t == 0) turn = atomicAdd((unsigned*)state, 1u);
  __syncthreads();
  int b = turn;
  volatile int* flags = state + 1;
  volatile int* sums = state + 1 + n;
  part[t] = in[b * 64 + t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    int v = t >= d ? part[t - d] : 0;
    __syncthreads();
    part[t] += v;
    __syncthreads();
  }
  if (t == 0) {
    int sum = 0;
    if (b > 0) {
      while (flags[b - 1] == 0) { }
      if (FENCE) __threadfence();
      sum = FENCE ? sums[b - 1] : *(int*)&sums[b - 1];
    }
    if (FENCE) sums[b] = sum + part[63]; else *(int*)&sums[b] = sum + part[63];
    if (FENCE) __threadfence();
    flags[b] = 1;
    before = sum;
  }
  __syncthreads();
  out[b * 64 + t] = before + part[t];
}
KERNEL chained_scan(const int* in, int* out, volatile int* state) { chain<true>(in, out, state); }
KERNEL chained_scan_miss(const int* in, int* out, volatile int* state) {
  chain<false>(in, out, state);
}

// Look-back over descriptors of value and status in one word of 64 bits, as single pass scans have.
__device__ unsigned long long descriptor(unsigned status, int value) {
  return (unsigned long long)status << 32 | (unsigned)value;
}
KERNEL look_back(const int* in, int* out, volatile unsigned long long* state) {
  int t = threadIdx.x, b = blockIdx.x;
  int v = in[b * 32 + t], own = v;
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(~0u, v, d);
    if (t >= d) v += other;
  }
  int sum = __shfl_sync(~0u, v, 31), before = 0;
  if (t == 0) state[b] = descriptor(b == 0 ? 2 : 1, sum);
  if (b > 0) {
    for (int first = b - 1;;) {
      int mine = first - t;
      unsigned long long word = descriptor(2, 0);
      if (mine >= 0) do word = state[mine]; while (word >> 32 == 0);
      unsigned ends = __ballot_sync(~0u, word >> 32 == 2);
      int last = ends ? __ffs(ends) - 1 : 31;
      int value = t <= last ? (int)(unsigned)word : 0;
      for (int d = 16; d; d /= 2) value += __shfl_down_sync(~0u, value, d);
      before += __shfl_sync(~0u, value, 0);
      if (ends) break;
      first -= 32;
    }
    if (t == 0) state[b] = descriptor(2, before + sum);
  }
  out[b * 32 + t] = before + v - own;
}
// The same with status and value apart, and no fence between them.
KERNEL look_back_miss(const int* in, int* out, volatile unsigned long long* state) {
  int t = threadIdx.x, b = blockIdx.x;
  volatile int* flags = (volatile int*)state;
  int* sums = (int*)state + gridDim.x;
  if (t == 0) {
    int before = 0;
    if (b > 0) {
      while (flags[b - 1] == 0) { }
      before = sums[b - 1];
    }
    sums[b] = before + in[b * 32];
    flags[b] = 1;
    out[b * 32] = before;
  }
}
// One value goes round through an exchange.
KERNEL mailbox(const int* in, int* out, int* box) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[1] = in[0];
    __threadfence();
    atomicExch(box, 7);
  } else {
    int letter;
    while ((letter = atomicExch(box, 0)) == 0) { }
    __threadfence();
    out[0] = letter + out[1];
  }
}
KERNEL mailbox_miss(const int* in, int* out, int* box) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[1] = in[0];
    atomicExch(box, 7);
  } else {
    int letter;
    while ((letter = atomicExch(box, 0)) == 0) { }
    out[0] = letter + out[1];
  }
}
// Many write the same: told as such, no alarm. That they read it is ordered by the end of the launch.
KERNEL changed(const int* in, int* out, int* flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > out[i]) { out[i] = in[i]; *flag = 1; }
}
KERNEL changed_miss(const int* in, int* out, int* flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > out[i]) { out[i] = in[i]; *flag = i; }
}
