// Matrices: products, transpositions, sparse rows.

extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

template <int TILE>
__global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int tile = 0; tile < n; tile += TILE) {
        left[y][x] = a[row * n + tile + x];
        right[y][x] = b[(tile + y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
template __global__ void matmul_tiled<16>(const float*, const float*, float*, int);

// 64 x 64 of the result for each block, 4 x 4 for each thread.
extern "C" __global__ void matmul_blocked(const float* a, const float* b, float* c, int n) {
    __shared__ float left[8][64], right[8][64];
    int t = threadIdx.x, row = t / 16 * 4, column = t % 16 * 4;
    float sums[4][4] = {};
    a += blockIdx.y * 64 * n;
    b += blockIdx.x * 64;
    for (int tile = 0; tile < n; tile += 8) {
        for (int i = t; i < 512; i += 256) {
            left[i % 8][i / 8] = a[i / 8 * n + tile + i % 8];
            right[i / 64][i % 64] = b[(tile + i / 64) * n + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float4 l = *(float4*)&left[k][row], r = *(float4*)&right[k][column];
            float u[4] = {l.x, l.y, l.z, l.w}, v[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) sums[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        *(float4*)&c[(blockIdx.y * 64 + row + i) * n + blockIdx.x * 64 + column] =
            make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}

extern "C" __global__ void transpose_naive(const float* in, float* out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[x * n + y + j] = in[(y + j) * n + x];
}

template <int PITCH>
__device__ void transpose_by_tile(const float* in, float* out, int n) {
    __shared__ float tile[32][PITCH];
    int x = threadIdx.x, y = threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[y + j][x] = in[(blockIdx.y * 32 + y + j) * n + blockIdx.x * 32 + x];
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
        out[(blockIdx.x * 32 + y + j) * n + blockIdx.y * 32 + x] = tile[x][y + j];
}

extern "C" __global__ void transpose_tile(const float* in, float* out, int n) {
    transpose_by_tile<32>(in, out, n);
}

extern "C" __global__ void transpose_padded(const float* in, float* out, int n) {
    transpose_by_tile<33>(in, out, n);
}

extern "C" __global__ void spmv_rows(
    const int* starts, const int* columns, const float* values, const float* x, float* y, int rows
) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * x[columns[i]];
    y[row] = sum;
}

extern "C" __global__ void spmv_warps(
    const int* starts, const int* columns, const float* values, const float* x, float* y, int rows
) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 32)
        sum += values[i] * __ldg(&x[columns[i]]);
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0) y[row] = sum;
}

// Elimination without pivots, one matrix for each block.
extern "C" __global__ void solve(double* matrices, double* rights, int n) {
    double* m = matrices + blockIdx.x * n * n;
    double* r = rights + blockIdx.x * n;
    int row = threadIdx.x;
    for (int pivot = 0; pivot < n; ++pivot) {
        __syncthreads();
        double factor = row == pivot ? 0 : m[row * n + pivot] / m[pivot * n + pivot];
        double right = r[pivot];
        __syncthreads();
        if (row != pivot) {
            for (int k = pivot; k < n; ++k) m[row * n + k] -= factor * m[pivot * n + k];
            r[row] -= factor * right;
        }
    }
    __syncthreads();
    r[row] /= m[row * n + row];
}
