// Prefix sums and what is made of them.

extern "C" __global__ void scan_hillis_steele(const int* x, int* sums) {
    __shared__ int held[2][256];
    int from = 0, i = threadIdx.x, at = blockIdx.x * 256 + i;
    held[0][i] = x[at];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        held[1 - from][i] = i >= step ? held[from][i] + held[from][i - step] : held[from][i];
        from = 1 - from;
        __syncthreads();
    }
    sums[at] = held[from][i];
}

extern "C" __global__ void scan_blelloch(const float* x, float* sums, int n) {
    extern __shared__ float tree[];
    int i = threadIdx.x, step = 1;
    x += blockIdx.x * n;
    sums += blockIdx.x * n;
    tree[2 * i] = x[2 * i];
    tree[2 * i + 1] = x[2 * i + 1];
    for (int count = n / 2; count > 0; count /= 2, step *= 2) {
        __syncthreads();
        if (i < count) tree[step * (2 * i + 2) - 1] += tree[step * (2 * i + 1) - 1];
    }
    if (i == 0) tree[n - 1] = 0;
    for (int count = 1; count < n; count *= 2) {
        step /= 2;
        __syncthreads();
        if (i < count) {
            int left = step * (2 * i + 1) - 1, right = step * (2 * i + 2) - 1;
            float kept = tree[left];
            tree[left] = tree[right];
            tree[right] += kept;
        }
    }
    __syncthreads();
    sums[2 * i] = tree[2 * i];
    sums[2 * i + 1] = tree[2 * i + 1];
}

__device__ int warp_scan(int value) {
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_up_sync(~0u, value, step);
        if (threadIdx.x % 32 >= step) value += other;
    }
    return value;
}

__device__ int block_scan(int value, int* warps) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_scan(value);
    if (lane == 31) warps[warp] = value;
    __syncthreads();
    if (warp == 0) warps[lane] = warp_scan(lane < blockDim.x / 32 ? warps[lane] : 0);
    __syncthreads();
    return value + (warp ? warps[warp - 1] : 0);
}

// One pass over the data: each block waits for what the blocks before it publish.
extern "C" __global__ void scan_lookback(
    const int* x, int* sums, unsigned* next, volatile unsigned long long* states, int n
) {
    __shared__ int warps[32];
    __shared__ int tile, before;
    if (threadIdx.x == 0) tile = atomicAdd(next, 1u);
    __syncthreads();
    int at = tile * blockDim.x + threadIdx.x;
    int own = block_scan(at < n ? x[at] : 0, warps);
    if (threadIdx.x == blockDim.x - 1) {
        const unsigned long long partial = 1ull << 32, whole = 2ull << 32;
        states[tile] = (tile ? partial : whole) | (unsigned)own;
        int sum = 0;
        for (int previous = tile - 1; previous >= 0;) {
            unsigned long long state = states[previous];
            if (state >> 32 == 0) continue;
            sum += (int)(unsigned)state;
            if (state >> 32 == 2) break;
            --previous;
        }
        if (tile) states[tile] = whole | (unsigned)(sum + own);
        before = sum;
    }
    __syncthreads();
    if (at < n) sums[at] = before + own;
}

// Keeps what passes, in order, one block for each row.
extern "C" __global__ void compact(const int* x, int* kept, int* counts, int width, int least) {
    __shared__ int warps[32];
    __shared__ int base;
    if (threadIdx.x == 0) base = 0;
    for (int start = 0; start < width; start += blockDim.x) {
        __syncthreads();
        int at = start + threadIdx.x;
        int value = at < width ? x[blockIdx.x * width + at] : -1;
        int passes = at < width && value >= least;
        int end = block_scan(passes, warps);
        if (passes) kept[blockIdx.x * width + base + end - 1] = value;
        __syncthreads();
        if (threadIdx.x == blockDim.x - 1) base += end;
    }
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = base;
}

// Sums start again at each flag.
extern "C" __global__ void scan_segments(const int* x, const unsigned char* heads, int* sums) {
    int lane = threadIdx.x % 32, at = blockIdx.x * blockDim.x + threadIdx.x;
    int value = x[at];
    unsigned starts = __ballot_sync(~0u, heads[at] || lane == 0);
    int first = 31 - __clz(starts & (~0u >> (31 - lane)));
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_up_sync(~0u, value, step);
        if (lane - step >= first) value += other;
    }
    sums[at] = value;
}
