// For indices, addresses and what threads share what kernels.cu is for the other rules; built behind it.

extern "C" __global__ void division(int* b, int d)
{
    int i = PLACE;
    b[i] = i / d + i % d; // HERE
}

extern "C" __global__ void division_of_64_bits(long long* b, long long d)
{
    int i = PLACE;
    b[i] = b[i] % d; // HERE
}

extern "C" __global__ void division_of_16_bits(unsigned short* b, unsigned short d)
{
    ((unsigned*)b)[PLACE] = (unsigned short)((unsigned short)(PLACE + 3) / d); // HERE
}

extern "C" __global__ void division_of_an_index(const float* a, float* b, int n, int w)
{
    int i = PLACE;
    if (i < n) b[i] = a[i / w]; // HERE
}

template <typename T> __device__ T quotient(T a, T b) { return a / b; }

extern "C" __global__ void division_inlined(unsigned* b, unsigned d)
{
    int i = PLACE;
    b[i] = quotient(b[i], d);
}

extern "C" __global__ void quiet_division_by_a_literal(int* b)
{
    int i = PLACE;
    b[i] = b[i] / 7 + b[i] % 11;
}

template <int D> __device__ int part_of(int i) { return i / D + i % D; }

extern "C" __global__ void quiet_division_by_a_template_argument(int* b)
{
    int i = PLACE;
    b[i] = part_of<48>(i);
}

extern "C" __global__ void quiet_shift_and_mask(int* b, int bits)
{
    unsigned i = PLACE;
    b[i] = (i >> bits) + (i & ((1u << bits) - 1));
}

extern "C" __global__ void quiet_quotients_of_floats(const float* a, float* b, int n)
{
    int i = PLACE;
    b[i] = a[i] / n + (float)(int)(a[i] / __int2float_ru(n + 7));
}

extern "C" __global__ void wraps(float* b, long long n)
{
    long long i = blockIdx.x * blockDim.x + threadIdx.x; // HERE
    if (i < n) b[i] = 1;
}

extern "C" __global__ void wraps_by_literal(float* b, size_t n)
{
    size_t i = blockIdx.x * 256 + threadIdx.x; // HERE
    if (i < n) b[i] = 1;
}

extern "C" __global__ void wraps_with_a_sign(float* b, long long n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; // HERE
    if (i < n) b[i] = 1;
}

extern "C" __global__ void quiet_product_of_64_bits(float* b, long long n)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = 1;
}

extern "C" __global__ void quiet_count_of_32_bits(float* b, int n)
{
    long long i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = 1;
}

extern "C" __global__ void quiet_grid_stride_of_64_bits(float* b, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) b[i] = 1;
}

extern "C" __global__ void quiet_block_by_itself(float* b, long long n)
{
    long long i = threadIdx.x;
    if (i < n) b[i] = blockIdx.x;
}

extern "C" __global__ void aliased_sum(float* b, const float* a, int n)
{
    int i = PLACE;
    for (int k = 0; k < n; ++k) b[i] += a[k * n + i]; // HERE
}

extern "C" __global__ void aliased_sum_not_unrolled(float* b, const float* a, int n)
{
    int i = PLACE;
#pragma unroll 1
    for (int k = 0; k < n; ++k) b[i] += a[k * n + i]; // HERE
}

extern "C" __global__ void aliased_sum_of_eight(float* b, const float* a)
{
    int i = PLACE;
    for (int k = 0; k < 8; ++k) b[i] += a[k * 1024 + i]; // HERE
}

struct Arrays { float* sums; const float* values; int n; };

extern "C" __global__ void aliased_in_a_struct(Arrays x)
{
    int i = PLACE;
    for (int k = 0; k < x.n; ++k) x.sums[i] += x.values[k * x.n + i]; // HERE
}

extern "C" __global__ void aliased_scale(float* b, const float* a, const float* scale, int n)
{
    int i = PLACE;
    for (int k = 0; k < n; ++k) b[k * n + i] = a[k * n + i] * *scale; // HERE
}

extern "C" __global__ void aliased_scale_read_twice(float* b, float* c, const float* scale)
{
    int i = PLACE;
    b[i] = *scale * 2;
    c[i] = *scale * 3; // HERE
}

extern "C" __global__ void quiet_restrict(
    float* __restrict__ b, const float* __restrict__ a, const float* __restrict__ scale, int n)
{
    int i = PLACE;
    for (int k = 0; k < n; ++k) b[i] += a[k * n + i] * *scale;
}

extern "C" __global__ void quiet_sum_in_a_variable(float* b, const float* a, const float* scale, int n)
{
    int i = PLACE;
    float sum = b[i], factor = *scale;
    for (int k = 0; k < n; ++k) sum += a[k * n + i] * factor;
    b[i] = sum;
}

extern "C" __global__ void quiet_own_array(float* b, int n)
{
    int i = PLACE;
    for (int k = 1; k < n; ++k) b[k * n + i] = b[(k - 1) * n + i] * b[i];
}

extern "C" __global__ void quiet_volatile(volatile float* b, const float* a, int n)
{
    int i = PLACE;
    for (int k = 0; k < n; ++k) b[i] += a[k * n + i];
}

extern "C" __global__ void quiet_steps_with_barriers(float* b, int n)
{
    __shared__ float s[256];
    for (int k = 0; k < n; ++k) {
        s[threadIdx.x] = b[k];
        __syncthreads();
        b[threadIdx.x] += s[(threadIdx.x + 1) & 255];
        __syncthreads();
    }
}

extern "C" __global__ void quiet_progress(int* flag, int* b, int n)
{
    for (int k = 0; k < n; ++k) {
        *flag = k;
        __threadfence();
        b[k * n + PLACE] = k;
    }
}

struct Row { float* values; int length; };

__noinline__ __device__ float element(const float* a, int i) { return a[i] * a[i + 32]; }

extern "C" __global__ void generic_in_a_function(const float* a, float* b)
{
    __shared__ float s[64];
    s[threadIdx.x] = a[PLACE];
    b[PLACE] = element(a, threadIdx.x) + element(s, 3);
}

// Only where the address of something shared is passed on may a pointer lead there.
extern "C" __global__ void generic_pointers_read_from_memory(const Row* rows, float* b)
{
    __shared__ float s[64];
    s[threadIdx.x] = b[PLACE];
    float other = element(s, 3);
    b[PLACE] = rows[blockIdx.x].values[threadIdx.x] + other; // HERE
}

__forceinline__ __device__ float inlined_element(const float* a, int i) { return a[i] * a[i + 32]; }

extern "C" __global__ void quiet_function_inlined(const float* a, float* b)
{
    __shared__ float s[64];
    s[threadIdx.x] = a[PLACE];
    b[PLACE] = inlined_element(a, threadIdx.x) + inlined_element(s, 3);
}

extern "C" __global__ void quiet_pointers_read_from_memory(const Row* rows, float* b)
{
    __shared__ float s[256];
    s[threadIdx.x] = b[PLACE];
    __syncthreads();
    b[PLACE] = rows[blockIdx.x].values[threadIdx.x] + s[255 - threadIdx.x];
}

extern "C" __global__ void quiet_either_memory(const float* a, float* b, int n)
{
    __shared__ float s[64];
    s[threadIdx.x] = b[PLACE];
    __syncthreads();
    const float* from = n ? a : s;
    b[PLACE] = from[threadIdx.x ^ 1];
}

extern "C" __global__ void atomics(float* b, const float* a)
{
    atomicAdd(b, a[PLACE]); // HERE
}

extern "C" __global__ void atomics_on_a_shared_counter(float* b, const int* a, int n)
{
    __shared__ unsigned count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    unsigned mine = PLACE < n ? atomicInc(&count, 1000) : 0; // HERE
    b[PLACE] = mine;
}

extern "C" __global__ void quiet_atomic_of_one_thread(float* b, const float* a, int n)
{
    float sum = a[PLACE];
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(b, sum);
}

extern "C" __global__ void quiet_atomic_of_the_first_thread(float* b, const float* a)
{
    if (threadIdx.x == 0) atomicAdd(b, a[blockIdx.x]);
}

extern "C" __global__ void quiet_atomic_for_each(float* b, const float* a)
{
    atomicAdd(b + PLACE, a[PLACE]);
}

extern "C" __global__ void quiet_combined_by_the_compiler(int* count)
{
    atomicAdd(count, 1);
}

extern "C" __global__ void parted(const float* a, float* b)
{
    __shared__ float s[256];
    int i = threadIdx.x;
    s[i] = a[PLACE];
    for (int k = 1; k < 256; k *= 2) {
        __syncthreads();
        if (i % (2 * k) == 0) s[i] += s[i + k]; // HERE
    }
    if (i == 0) b[blockIdx.x] = s[0];
}

extern "C" __global__ void parted_by_a_mask(const float* a, float* b)
{
    extern __shared__ float s[];
    unsigned i = threadIdx.x;
    s[i] = a[PLACE];
    for (int k = 1; k < blockDim.x; k *= 2) {
        __syncthreads();
        if ((i & (2 * k - 1)) == 0) s[i] += s[i + k]; // HERE
    }
    if (i == 0) b[blockIdx.x] = s[0];
}

extern "C" __global__ void quiet_leaders_of_four(const float* a, float* b)
{
    float sum = a[PLACE];
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    if (threadIdx.x % 4 == 0) b[PLACE / 4] = sum;
}

extern "C" __global__ void banks(const float* a, float* b)
{
    __shared__ float tile[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = a[y * 32 + x];
    __syncthreads();
    b[y * 32 + x] = tile[x][y]; // HERE
}

extern "C" __global__ void banks_by_pairs(const float* a, float* b)
{
    __shared__ float s[512];
    s[threadIdx.x] = a[PLACE];
    s[threadIdx.x + 256] = a[PLACE + 256];
    __syncthreads();
    b[PLACE] = s[2 * threadIdx.x] * 3 - s[(2 * threadIdx.x + 64) % 512]; // HERE
}

extern "C" __global__ void banks_of_vectors(const float* a, float4* b)
{
    __shared__ __align__(16) float s[32][32];
    for (int k = 0; k < 32; k++)
        s[k][threadIdx.x] = a[k * 32 + threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = *(float4*)&s[threadIdx.x][4]; // HERE
}

extern "C" __global__ void quiet_padded_tile(const float* a, float* b)
{
    __shared__ float tile[32][33];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = a[y * 32 + x];
    __syncthreads();
    b[y * 32 + x] = tile[x][y];
}

extern "C" __global__ void quiet_doubles_side_by_side(const double* a, double* b)
{
    __shared__ double s[256];
    s[threadIdx.x] = a[PLACE];
    __syncthreads();
    b[PLACE] = s[255 - threadIdx.x];
}

extern "C" __global__ void quiet_vectors_in_shared_memory(const float4* a, float4* b)
{
    __shared__ float4 s[256];
    s[threadIdx.x] = a[PLACE];
    __syncthreads();
    b[PLACE] = s[255 - threadIdx.x];
}

extern "C" __global__ void quiet_one_word_for_all(const float* a, float* b)
{
    __shared__ float s[256];
    s[threadIdx.x] = a[PLACE];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 256; ++k) sum = sum * 0.5f + s[k];
    b[PLACE] = sum;
}

// A sum of three of which one is 1 may be added by a carry that is always there: IMAD.X, IADD3.X.
extern "C" __global__ void strided_by_a_carry(
    float* __restrict__ b, float* __restrict__ c, const float* __restrict__ a,
    const int* __restrict__ counts, int n, int w)
{
    int i = PLACE;
    float sum = 0;
    for (int k = 0; k < counts[blockIdx.x]; ++k) sum = sum * 0.5f + k;
    b[i] = sum;
    for (int k = 0; k < n; ++k) sum = sum * 0.5f + a[(i + n + 1) * w + k]; // HERE
    c[i] = sum;
}
