// Pairs of kernels: the first one has a race in shared memory, the second one is right.

template <bool RIGHT> __device__ void barrier() { if (RIGHT) __syncthreads(); }

template <bool RIGHT> __device__ void reduce(const int* x, int* sums) {
    __shared__ int held[128];
    held[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) held[threadIdx.x] += held[threadIdx.x + half];
        barrier<RIGHT>();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = held[0];
}

template <bool RIGHT> __device__ void reverse(const int* x, int* out) {
    __shared__ int held[128];
    held[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
    barrier<RIGHT>();
    out[blockIdx.x * 128 + threadIdx.x] = held[127 - threadIdx.x];
}

template <bool RIGHT> __device__ void shift(const int* x, int* out, int rounds) {
    __shared__ int held[128];
    held[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        int next = held[(threadIdx.x + 1) % 128];
        barrier<RIGHT>();
        held[threadIdx.x] = next + 1;
        __syncthreads();
    }
    out[blockIdx.x * 128 + threadIdx.x] = held[threadIdx.x];
}

template <bool RIGHT> __device__ void count(const int* x, int* bins) {
    __shared__ int held[16];
    if (threadIdx.x < 16) held[threadIdx.x] = 0;
    __syncthreads();
    int bin = x[blockIdx.x * 128 + threadIdx.x] & 15;
    if (RIGHT) atomicAdd(&held[bin], 1);
    else held[bin] = held[bin] + 1;
    __syncthreads();
    if (threadIdx.x < 16) bins[blockIdx.x * 16 + threadIdx.x] = held[threadIdx.x];
}

template <bool RIGHT> __device__ void tiles(const int* x, int* out, int count) {
    __shared__ int held[128];
    int sum = 0;
    for (int tile = 0; tile < count; ++tile) {
        held[threadIdx.x] = x[tile * 128 + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 4; ++k) sum = sum * 3 + held[(threadIdx.x * 5 + k * 33) % 128];
        barrier<RIGHT>();  // without it the next tile overwrites what others still read
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}

template <bool RIGHT> __device__ void flag(const int* x, int* out) {
    __shared__ int leader, total;
    if (threadIdx.x == 0) total = 0;
    if (RIGHT ? threadIdx.x == 5 : x[threadIdx.x] > 100) leader = threadIdx.x;
    __syncthreads();
    atomicAdd(&total, x[threadIdx.x]);
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = total + leader;
}

#define PAIR(name, parameters, arguments)                                          \
    extern "C" __global__ void name##_races parameters { name<false> arguments; }  \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }

PAIR(reduce, (const int* x, int* out), (x, out))
PAIR(reverse, (const int* x, int* out), (x, out))
PAIR(shift, (const int* x, int* out, int rounds), (x, out, rounds))
PAIR(count, (const int* x, int* out), (x, out))
PAIR(tiles, (const int* x, int* out, int count), (x, out, count))
PAIR(flag, (const int* x, int* out), (x, out))

// Blocks that share a word of global memory without an atomic.
extern "C" __global__ void global_races(const int* x, int* out) {
    out[threadIdx.x % 8] = x[blockIdx.x * 128 + threadIdx.x] + blockIdx.x;
}
