// For loops what kernels.cu is for the other rules; built behind it.

extern "C" __global__ void divergent(const int* a, int* b)
{
    int i = PLACE;
    int value = a[i], count = 0;
    while (value != 1) { value = value & 1 ? 3 * value + 1 : value >> 1; ++count; } // HERE
    b[i] = count;
}

extern "C" __global__ void divergent_by_floats(int* out, int most)
{
    int i = PLACE;
    float c = i * 0.01f, x = 0;
    int k = 0;
    while (k < most && x < 4) { x = x * x + c; ++k; } // HERE
    out[i] = k;
}

extern "C" __global__ void divergent_by_rows(const int* starts, const float* a, float* b)
{
    int i = PLACE;
    float sum = 0;
    for (int k = starts[i]; k < starts[i + 1]; ++k) sum = sum * a[i] + k; // HERE
    b[i] = sum;
}

extern "C" __global__ void divergent_by_retries(const float* a, float* most)
{
    int* bits = (int*)most;
    int old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, __float_as_int(fmaxf(a[PLACE], __int_as_float(seen))));
    } while (old != seen); // HERE
}

extern "C" __global__ void quiet_shared_float_atomics(const float* a, const int* at, float* b, int n)
{
    __shared__ float sums[64];
    if (threadIdx.x < 64) sums[threadIdx.x] = 0;
    __syncthreads();
    for (int i = PLACE; i < n; i += gridDim.x * blockDim.x) atomicAdd(&sums[at[i] & 63], a[i]);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&b[threadIdx.x], sums[threadIdx.x]);
}

extern "C" __global__ void quiet_halving(const float* a, const float* wanted, int* b, int n)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] < wanted[PLACE]) low = middle + 1;
        else high = middle;
    }
    b[PLACE] = low;
}

extern "C" __global__ void divergent_below(const float* a, float* b)
{
    float sum = 0;
    for (int j = 0; j < threadIdx.x; ++j) sum += a[j]; // HERE
    b[PLACE] = sum;
}

extern "C" __global__ void divergent_triangle(const float* a, float* b, int n)
{
    int i = PLACE;
    float sum = 0;
    for (int j = i + 1; j < n; ++j) sum += a[j] * a[i]; // HERE
    b[i] = sum;
}

extern "C" __global__ void divergent_triangle_not_unrolled(const float* a, float* b, int n)
{
    int i = PLACE;
    float sum = 0;
#pragma unroll 1
    for (int j = i + 1; j < n; ++j) sum += a[j] * a[i]; // HERE
    b[i] = sum;
}

extern "C" __global__ void divergent_downwards(const float* a, float* b)
{
    float sum = 0;
    for (unsigned j = threadIdx.x; j-- > 0;) sum = sum * 0.5f + a[j]; // HERE
    b[PLACE] = sum;
}

extern "C" __global__ void divergent_of_64_bits(const float* a, float* b, long long n)
{
    float sum = 0;
    for (long long j = PLACE; j < n; ++j) sum = sum * 0.5f + a[j]; // HERE
    b[PLACE] = sum;
}

extern "C" __global__ void divergent_short_stride(const float* a, float* b, int n)
{
    float sum = 0;
    for (int j = threadIdx.x; j < n; j += 8) sum = sum * 0.5f + a[j]; // HERE
    b[PLACE] = sum;
}

extern "C" __global__ void divergent_inside(float* a, int n)
{
    int i = PLACE;
    for (int row = 0; row < n; ++row) {
        float sum = 0;
        for (int j = 0; j < i; ++j) sum += a[row * n + j]; // HERE
        a[row * n + i] = sum;
    }
}

extern "C" __global__ void quiet_half_warp_stride(const float* a, float* b, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 16) sum += a[i];
    b[PLACE] = sum;
}

extern "C" __global__ void quiet_below_the_half_warp(const float* a, float* b)
{
    float sum = 0;
    for (int i = 0; i < threadIdx.x / 16; ++i) sum += a[i];
    b[PLACE] = sum;
}

extern "C" __global__ void quiet_block_stride(const float* a, float* b, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += a[i];
    b[PLACE] = sum;
}

extern "C" __global__ void quiet_warp_stride(const float* a, float* b, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) sum += a[i];
    b[PLACE] = sum;
}

extern "C" __global__ void quiet_long_stride(const float* a, float* b, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += 256) sum += a[i];
    b[PLACE] = sum;
}

extern "C" __global__ void quiet_rows_of_eight(const float* a, float* b, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 8) sum += a[threadIdx.y * n + i];
    b[threadIdx.y * 8 + threadIdx.x] = sum;
}

extern "C" __global__ void quiet_reduction(const float* a, float* b)
{
    __shared__ float part[256];
    part[threadIdx.x] = a[PLACE];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) b[blockIdx.x] = part[0];
}

extern "C" __global__ void quiet_doubling(const float* a, float* b)
{
    float sum = 0;
    for (int s = 1; s <= threadIdx.x; s *= 2) sum += a[threadIdx.x - s];
    b[PLACE] = sum;
}

extern "C" __global__ void quiet_below_the_warp(const float* a, float* b)
{
    float sum = 0;
    for (int i = 0; i < threadIdx.x / 32; ++i) sum += a[i];
    b[PLACE] = sum;
}

extern "C" __global__ void quiet_below_the_block(const float* a, float* b)
{
    float sum = 0;
    for (int i = 0; i < blockIdx.x; ++i) sum += a[i];
    b[PLACE] = sum;
}

extern "C" __global__ void quiet_part_of_each(const float* a, float* b)
{
    float sum = 0;
#pragma unroll 1
    for (int i = threadIdx.x; i < threadIdx.x + 512; i += 32) sum = sum * 0.5f + a[i];
    b[PLACE] = sum;
}

extern "C" __global__ void quiet_grid_stride(const float* a, float* b, int n)
{
    for (int i = PLACE; i < n; i += gridDim.x * blockDim.x) b[i] = a[i] * 3.0f;
}

extern "C" __global__ void quiet_same_count(const int* count, float* b)
{
    float sum = 0;
    for (int k = 0; k < *count; ++k) sum = sum * 0.5f + k;
    b[PLACE] = sum;
}

extern "C" __global__ void divergent_by_lock(int* lock, float* sum, const float* a)
{
    while (atomicCAS(lock, 0, 1) != 0); // HERE
    *sum += a[PLACE];
    __threadfence();
    atomicExch(lock, 0);
}

extern "C" __global__ void divergent_by_probing(unsigned* keys, const unsigned* wanted, unsigned mask)
{
    unsigned key = wanted[PLACE], slot = key & mask;
    while (true) {
        unsigned old = atomicCAS(&keys[slot], 0xffffffffu, key);
        if (old == 0xffffffffu || old == key) return; // HERE
        slot = (slot + 1) & mask;
    }
}

extern "C" __global__ void divergent_by_shared_retries(const int* a, int* b)
{
    __shared__ int most;
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    int old = most, seen;
    do {
        seen = old;
        old = atomicCAS(&most, seen, max(seen, a[PLACE]));
    } while (old != seen); // HERE
    __syncthreads();
    b[PLACE] = most;
}

extern "C" __global__ void quiet_swap_that_nobody_reads(int* a)
{
    for (int i = 0; i < 500; ++i) atomicCAS(a + PLACE, (int)threadIdx.x - 1, (int)threadIdx.x);
}

extern "C" __global__ void quiet_swap_that_is_added_up(int* a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += atomicCAS(&a[PLACE], i - 1, i);
    a[PLACE] = sum;
}

extern "C" __global__ void quiet_swaps_that_are_counted(int* a, int n)
{
    int count = 0;
    for (int i = 0; i < n; ++i) count += atomicCAS(&a[i * n + PLACE], 0, 1) == 0;
    a[PLACE] = count;
}
