// For each rule a kernel in which it finds something, on the line that ends with "// HERE", and
// near misses in which no rule does.

#define PLACE (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __device__ int printf(const char*, ...);

extern "C" __global__ void __launch_bounds__(1024) spills(const float* a, float* b, int n)
{
    float t[96];
#pragma unroll
    for (int k = 0; k < 96; ++k) t[k] = a[k * 1024 + threadIdx.x];
    for (int i = 0; i < n; ++i) {
#pragma unroll
        for (int k = 0; k < 96; ++k) t[k] = t[k] * t[(k * 7 + 5) % 96] + 1.0f;
    }
#pragma unroll
    for (int k = 0; k < 96; ++k) b[k * 1024 + threadIdx.x] = t[k];
}

extern "C" __global__ void __launch_bounds__(1024) quiet_enough_registers(
    const float* a, float* b, int n)
{
    float t[24];
#pragma unroll
    for (int k = 0; k < 24; ++k) t[k] = a[k * 1024 + threadIdx.x];
    for (int i = 0; i < n; ++i) {
#pragma unroll
        for (int k = 0; k < 24; ++k) t[k] = t[k] * t[(k * 7 + 5) % 24] + 1.0f;
    }
#pragma unroll
    for (int k = 0; k < 24; ++k) b[k * 1024 + threadIdx.x] = t[k];
}

extern "C" __global__ void local(const float* a, float* b, int n)
{
    float t[64];
    for (int k = 0; k < n; ++k) t[k * 7 & 63] = a[k * blockDim.x + threadIdx.x]; // HERE
    b[threadIdx.x] = t[n & 63] + t[n >> 5 & 63];
}

extern "C" __global__ void local_of_sines(const float* a, float* b, int n)
{
    float t[64];
    for (int k = 0; k < n; ++k) t[k * 7 & 63] = sinf(a[k * blockDim.x + threadIdx.x]); // HERE
    b[threadIdx.x] = t[n & 63] + t[n >> 5 & 63];
}

struct Sums { float a, b, c; };

__noinline__ __device__ void fill(float* t, int n) { for (int i = 0; i < n; ++i) t[i] = i * 2.0f; }

__noinline__ __device__ float sum_of(Sums* s) { s->a += s->b; return s->a * s->c; }

extern "C" __global__ void local_passed(float* b, int n)
{
    float t[16];
    fill(t, n);
    b[threadIdx.x] = t[0] + t[3];
}

__device__ float product_of(Sums* s) { return s->a * s->b; }

extern "C" __global__ void local_chosen(float* b, const float* a, int n)
{
    float (*function)(Sums*) = n > 1 ? sum_of : product_of;
    Sums one{a[0], a[1], a[2]}, other{a[3], a[4], a[5]};
    Sums* s = n ? &one : &other;
    s->a = 3; // HERE
    float first = one.a + other.a;
    b[threadIdx.x] = first + function(s);
}

extern "C" __global__ void local_address(float* b, const float* a, int n)
{
    float (*function)(Sums*) = n ? sum_of : product_of;
    Sums s{a[0], a[1], a[2]};
    float result = function(&s);
    b[threadIdx.x] = result + s.a;
}

extern "C" __global__ void local_volatile(float* b)
{
    volatile float x = b[1];
    x = x * 2;
    b[threadIdx.x] = x;
}

__forceinline__ __device__ float inlined_sum_of(Sums* s) { s->a += s->b; return s->a * s->c; }

extern "C" __global__ void quiet_address_inlined(float* b, const float* a)
{
    Sums s{a[0], a[1], a[2]};
    float result = inlined_sum_of(&s);
    b[threadIdx.x] = result + s.a;
}

extern "C" __global__ void quiet_values_chosen(float* b, const float* a, int n)
{
    Sums one{a[0], a[1], a[2]}, other{a[3], a[4], a[5]};
    Sums s = n ? one : other;
    s.a = 3;
    b[threadIdx.x] = s.a + inlined_sum_of(&s);
}

// What these do for large arguments has an array of its own, many choices and a loop.
extern "C" __global__ void quiet_sines(const float* a, float* b, int n)
{
    int i = PLACE;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += sinf(a[i] * k) * cosf(a[i] * k) + tanf(a[i] + k);
    b[i] = sum;
}

extern "C" __global__ void quiet_constant_indices(const float* a, float* b)
{
    float t[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) t[k] = a[k * blockDim.x + threadIdx.x];
#pragma unroll
    for (int k = 0; k < 8; ++k) b[k * blockDim.x + threadIdx.x] = t[7 - k];
}

extern "C" __global__ void quiet_printf(const float* a)
{
    if (threadIdx.x == 0) printf("%f %d\n", a[0], 3);
}

extern "C" __global__ void strided(const float* a, float* b, int n)
{
    int i = PLACE;
    if (i < n) b[i] = a[i * 32]; // HERE
}

extern "C" __global__ void strided_behind_an_offset(const float* a, float* b, int size, int t)
{
    int i = PLACE;
    if (i < size - 1 - t) b[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] * 2; // HERE
}

extern "C" __global__ void strided_by_rows(const float* a, float* b, int n)
{
    int i = PLACE;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[i * n + k]; // HERE
    b[i] = sum;
}

extern "C" __global__ void strided_blocks(const float* a, float* b, int n)
{
    int i = PLACE * 64;
    float sum = 0;
    for (int k = i; k < i + 64 && k < n; ++k) sum = sum * 0.5f + a[k]; // HERE
    b[PLACE] = sum;
}

extern "C" __global__ void strided_unrolled_blocks(const float* a, float* b)
{
    int i = PLACE;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 32; ++k) sum += a[i * 32 + k]; // HERE
    b[i] = sum;
}

extern "C" __global__ void strided_rows_of_an_index(const float* a, float* b, int n, int rows, int columns)
{
    int i = PLACE;
    if (i >= n) return;
    const float* row = a + (i / rows * rows + i % rows) * columns;
    float sum = 0;
    for (int k = 0; k < columns; ++k) sum += row[k]; // HERE
    b[i] = sum;
}

extern "C" __global__ void strided_rows_read_from_memory(const int* rows, const float* a, float* b, int columns)
{
    const float* row = a + rows[PLACE] * columns;
    float sum = 0;
    for (int k = 0; k < columns; ++k) sum += row[k]; // HERE
    b[PLACE] = sum;
}

extern "C" __global__ void division_of_a_matrix_index(
    const float* a, const float* b, float* c, int rows, int columns, int depth)
{
    int i = PLACE;
    if (i >= rows * columns) return;
    float sum = 0;
    for (int k = 0; k < depth; ++k) sum += a[i / columns * depth + k] * b[k * columns + i % columns];
    c[i] = sum;
}

extern "C" __global__ void quiet_columns(const float* a, float* b, int n)
{
    int i = PLACE;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[k * n + i];
    b[i] = sum;
}

extern "C" __global__ void quiet_whole_structs(const float* a, float* b, int n)
{
    int i = PLACE;
    if (i < n) b[i] = a[3 * i] * a[3 * i] + a[3 * i + 1] * a[3 * i + 2];
}

extern "C" __global__ void quiet_structs_written_by_and_by(const float* a, float* b, int n)
{
    int i = PLACE;
    if (i >= n) return;
    float value = a[i];
    b[4 * i] = value;
    b[4 * i + 1] = value > 0 ? powf(value, 1.7f) : 0;
    b[4 * i + 2] = sqrtf(value);
    b[4 * i + 3] = 1 / value;
}

extern "C" __global__ void quiet_backwards(const float* a, float* b, int n)
{
    int i = PLACE;
    if (i < n) b[n - 1 - i] = a[i];
}

extern "C" __global__ void quiet_gather(const int* at, const float* a, float* b, int n)
{
    int i = PLACE;
    if (i < n) b[i] = a[at[i]];
}

extern "C" __global__ void quiet_transposed_tiles(const float* a, float* b, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) b[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void narrow(const unsigned char* a, unsigned char* b, int n)
{
    int i = PLACE;
    if (i < n) b[i] = a[i] + 1; // HERE
}

extern "C" __global__ void quiet_four_bytes(const uchar4* a, uchar4* b, int n)
{
    int i = PLACE;
    if (i < n) b[i] = make_uchar4(a[i].w, a[i].z, a[i].y, a[i].x);
}

extern "C" __global__ void quiet_bytes_left_over(const unsigned char* a, unsigned char* b, int n)
{
    int count = gridDim.x * blockDim.x;
    for (int i = PLACE; i < n / 4; i += count) {
        uchar4 v = ((const uchar4*)a)[i];
        ((uchar4*)b)[i] = make_uchar4(v.w, v.z, v.y, v.x);
    }
    for (int i = n / 4 * 4 + PLACE; i < n; i += count) b[i] = a[i];
}

extern "C" __global__ void narrow_to_words(const unsigned char* a, int* b, int n)
{
    int i = PLACE;
    if (i < n) b[i] = a[i]; // HERE
}

extern "C" __global__ void quiet_byte_after_words(const float* a, unsigned char* b, int n)
{
    int i = PLACE;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[k * n + i];
    b[i] = sum > 1;
}

extern "C" __global__ void quiet_one_byte_for_all(const unsigned char* flag, float* b, int n)
{
    int i = PLACE;
    if (*flag && i < n) b[i] = 1;
}

extern "C" __global__ void scalar(const float* a, float* b, int n)
{
    int i = PLACE;
    if (i < n) b[i] = a[4 * i] + a[4 * i + 1] + a[4 * i + 2] + a[4 * i + 3]; // HERE
}

extern "C" __global__ void quiet_guarded_one_by_one(const float* a, float* b, int n)
{
    int i = 4 * PLACE;
    float sum = 0;
    if (i < n) sum += a[i];
    if (i + 1 < n) sum += a[i + 1];
    if (i + 2 < n) sum += a[i + 2];
    if (i + 3 < n) sum += a[i + 3];
    b[PLACE] = sum;
}

extern "C" __global__ void quiet_vectors(const float4* a, float4* b, int n)
{
    int i = PLACE;
    if (i >= n) return;
    float4 v = a[i];
    v.x *= 2.0f;
    b[i] = v;
}

extern "C" __global__ void predicated(const float* a, float* b, int n)
{
    float t[32];
#pragma unroll
    for (int k = 0; k < 32; ++k) t[k] = a[k * blockDim.x + threadIdx.x];
    b[threadIdx.x] = t[n & 31] + t[n >> 5 & 31]; // HERE
}

extern "C" __global__ void quiet_counting(const int* a, int* b, int n)
{
    __shared__ int digits[256];
    digits[threadIdx.x] = a[PLACE];
    __syncthreads();
    int rank = 0;
    for (int t = 0; t < 256; ++t) rank += digits[t] == n;
    b[PLACE] = rank;
}

extern "C" __global__ void quiet_choice(const float* a, const float* b, float* c, int n)
{
    int i = PLACE;
    if (i < n) c[i] = a[i] > b[i] ? a[i] : -b[i];
}

extern "C" __global__ void unfused(const float* a, float* b, int n)
{
    int i = PLACE;
    if (i < n) b[i] = __fadd_rn(__fmul_rn(a[i], 3.0f), 1.0f); // HERE
}

extern "C" __global__ void quiet_fused(const float* a, float* b, int n)
{
    int i = PLACE;
    if (i < n) b[i] = a[i] * 3.0f + 1.0f;
}

extern "C" __global__ void quiet_absolute_product(const float* a, float* b, int n)
{
    int i = PLACE;
    if (i < n) b[i] = fabsf(a[i] * 3.0f) + 1.0f;
}

extern "C" __global__ void quiet_product_used_twice(const float* a, float* b, int n)
{
    int i = PLACE;
    if (i >= n) return;
    float product = __fmul_rn(a[i], 3.0f);
    b[i] = __fadd_rn(product, 1.0f);
    b[i + n] = product;
}

extern "C" __global__ void quiet_library(const float* a, float* b, int n)
{
    int i = PLACE;
    if (i < n) b[i] = expf(a[i]) + logf(a[i]) / sqrtf(a[i]) + powf(a[i], 1.7f) + erff(a[i]) + sinf(a[i]);
}
