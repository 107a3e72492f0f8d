// What the threads of a block and of a warp do together.
#define KERNEL extern "C" __global__ void

KERNEL histogram(const int* in, int* out, int n) {
  __shared__ int bins[32];
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i] & 31], 1);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
KERNEL histogram_miss(const int* in, int* out, int n) {
  __shared__ int bins[32];
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i] & 31], 1);
  if (threadIdx.x < 32) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
// The sums of warps by shuffles, and those of the block by the first warp.
template <bool BARRIER> __device__ void scan(const int* in, int* out) {
  __shared__ int sums[32];
  int t = threadIdx.x, lane = t % 32, warp = t / 32, v = in[t];
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += other;
  }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) {
    int s = lane < blockDim.x / 32 ? sums[lane] : 0;
    for (int d = 1; d < 32; d *= 2) {
      int other = __shfl_up_sync(~0u, s, d);
      if (lane >= d) s += other;
    }
    if (lane < blockDim.x / 32) sums[lane] = s;
  }
  if (BARRIER) __syncthreads();
  out[t] = v + (warp ? sums[warp - 1] : 0);
}
KERNEL scan_by_shuffles(const int* in, int* out, int n) { scan<true>(in, out); }
KERNEL scan_by_shuffles_miss(const int* in, int* out, int n) { scan<false>(in, out); }

template <bool BARRIER> __device__ void in_warp(const int* in, int* out) {
  __shared__ int s[128];
  int t = threadIdx.x, lane = t % 32;
  s[t] = in[t];
  if (BARRIER) __syncwarp();
  for (int d = 16; d; d /= 2) {
    int v = s[t ^ d];
    if (BARRIER) __syncwarp();
    s[t] += v;
    if (BARRIER) __syncwarp();
  }
  if (lane == 0) out[t / 32] = s[t];
}
KERNEL warp_sum(const int* in, int* out, int n) { in_warp<true>(in, out); }
KERNEL warp_sum_miss(const int* in, int* out, int n) { in_warp<false>(in, out); }

// Some lanes, named by a mask.
KERNEL half_warp(const int* in, int* out, int n) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t < 16) {
    s[t] = in[t];
    __syncwarp(0xffff);
    out[t] = s[15 - t];
  }
}
KERNEL half_warp_miss(const int* in, int* out, int n) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t < 16) {
    s[t] = in[t];
    out[t] = s[15 - t];
  }
}
template <bool BARRIER> __device__ void turned(const int* in, int* out) {
  __shared__ int tile[16][17];
  int x = threadIdx.x % 16, y = threadIdx.x / 16;
  for (int part = 0; part < 2; ++part) {
    tile[y][x] = in[part * 256 + threadIdx.x];
    __syncthreads();
    out[part * 256 + threadIdx.x] = tile[x][y];
    if (BARRIER) __syncthreads();
  }
}
KERNEL transpose(const int* in, int* out, int n) { turned<true>(in, out); }
KERNEL transpose_miss(const int* in, int* out, int n) { turned<false>(in, out); }

// Two tiles in turn need one barrier for each step; one tile needs two.
template <int TILES> __device__ void sums(const int* in, int* out) {
  __shared__ int tile[TILES][64];
  int t = threadIdx.x, sum = 0;
  for (int step = 0; step < 4; ++step) {
    tile[step % TILES][t] = in[step * 64 + t];
    __syncthreads();
    for (int i = 0; i < 64; ++i) sum += tile[step % TILES][(t + i) % 64] * (i % 3);
  }
  out[t] = sum;
}
KERNEL double_buffer(const int* in, int* out, int n) { sums<2>(in, out); }
KERNEL double_buffer_miss(const int* in, int* out, int n) { sums<1>(in, out); }

// Named barriers of PTX: producers arrive, consumers wait.
KERNEL named_barriers(const int* in, int* out, int n) {
  __shared__ int s[32];
  int t = threadIdx.x % 32;
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x < 32) {
      if (round) asm volatile("bar.sync 2, 64;" ::: "memory");
      s[t] = in[t] + round;
      __threadfence_block();
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      out[round * 32 + t] = s[31 - t];
      if (round < 2) asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
}
KERNEL named_barriers_miss(const int* in, int* out, int n) {
  __shared__ int s[32];
  int t = threadIdx.x % 32;
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x < 32) {
      s[t] = in[t] + round;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      out[round * 32 + t] = s[31 - t];
    }
  }
}
// A vote of the block decides whether another round is needed.
KERNEL relax(const int* in, int* out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (;;) {
    int least = t ? min(s[t], s[t - 1]) : s[0];
    __syncthreads();
    bool moved = least < s[t];
    s[t] = least;
    if (!__syncthreads_or(moved)) break;
  }
  out[t] = s[t];
}
KERNEL relax_miss(const int* in, int* out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (;;) {
    int least = t ? min(s[t], s[t - 1]) : s[0];
    bool moved = least < s[t];
    s[t] = least;
    if (!__syncthreads_or(moved)) break;
  }
  out[t] = s[t];
}
// Each thread leaves early that has nothing to do, and nobody waits for it.
KERNEL leaves_early(const int* in, int* out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t >= n) return;
  s[t] = in[t];
  __syncthreads();
  out[t] = s[n - 1 - t];
}
KERNEL leaves_early_miss(const int* in, int* out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  if (t < n) __syncthreads();
  out[t] = s[63 - t];
}
// A bitonic sort in shared memory.
template <bool BARRIER> __device__ void sorted(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  for (int k = 2; k <= 64; k *= 2)
    for (int j = k / 2; j; j /= 2) {
      if (BARRIER) __syncthreads();
      int other = t ^ j;
      if (other > t && (s[t] > s[other]) == ((t & k) == 0)) {
        int v = s[t]; s[t] = s[other]; s[other] = v;
      }
    }
  __syncthreads();
  out[t] = s[t];
}
KERNEL bitonic(const int* in, int* out, int n) { sorted<true>(in, out); }
KERNEL bitonic_miss(const int* in, int* out, int n) { sorted<false>(in, out); }
