// Sums, extremes and products of many numbers, by every usual way of bringing threads together.

extern "C" __global__ void reduce_shared(const float* x, float* sums, int n) {
    __shared__ float held[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    held[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) held[threadIdx.x] += held[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = held[0];
}

__device__ float warp_sum(float value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
    return value;
}

extern "C" __global__ void reduce_shuffle(const float* x, float* sums, int n) {
    __shared__ float held[32];
    float own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += x[i];
    own = warp_sum(own);
    if (threadIdx.x % 32 == 0) held[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x < 32) {
        own = threadIdx.x < blockDim.x / 32 ? held[threadIdx.x] : 0.0f;
        own = warp_sum(own);
        if (threadIdx.x == 0) sums[blockIdx.x] = own;
    }
}

extern "C" __global__ void reduce_last_block(
    const int* x, int* sums, unsigned* arrived, int* total, int n
) {
    __shared__ bool is_last;
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += x[i];
    own = __reduce_add_sync(~0u, own);
    if (threadIdx.x % 32 == 0) atomicAdd(&sums[blockIdx.x], own);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    own = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        own += *(volatile int*)(sums + i);
    own = __reduce_add_sync(~0u, own);
    if (threadIdx.x % 32 == 0) atomicAdd(total, own);
}

// Whole numbers in floats: any order of the additions gives the same bits.
extern "C" __global__ void reduce_atomics(
    const int* x, int* ints, unsigned* bits, float* whole, double* wide, unsigned long long* longs,
    int n
) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = x[i];
    atomicAdd(&ints[0], v);
    atomicSub(&ints[1], v);
    atomicMin(&ints[2], v);
    atomicMax(&ints[3], v);
    atomicAnd(&bits[0], (unsigned)v | 0x80000001u);
    atomicOr(&bits[1], (unsigned)v & 0xff00ffu);
    atomicXor(&bits[2], (unsigned)v);
    atomicInc(&bits[3], 100u);
    atomicDec(&bits[4], 77u);
    atomicMin(&bits[5], (unsigned)v);
    atomicAdd(&whole[v & 7], 1.0f);
    atomicAdd(&wide[v & 3], (double)(v >> 2));
    atomicAdd(&longs[0], (unsigned long long)v << 20);
    atomicMax(&longs[1], (unsigned long long)(unsigned)v * 0x10001ull);
}

extern "C" __global__ void reduce_vectors(const float4* x, double* sums, int quads) {
    double own = 0;
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
        float4 v = x[blockIdx.x * quads + i];
        own += (double)v.x * v.y + (double)v.z * v.w;
    }
    for (int lane = 16; lane > 0; lane /= 2) own += __shfl_xor_sync(~0u, own, lane);
    if (threadIdx.x % 32 == 0) sums[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = own;
}

// The place of the smallest number: value and index in one 64-bit word.
extern "C" __global__ void find_smallest(const unsigned* x, unsigned long long* found, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long best = ~0ull;
    if (i < n) best = (unsigned long long)x[i] << 32 | (unsigned)i;
    for (int lane = 16; lane > 0; lane /= 2) {
        unsigned long long other = __shfl_xor_sync(~0u, best, lane);
        best = other < best ? other : best;
    }
    if (threadIdx.x % 32 == 0) atomicMin(found, best);
}
