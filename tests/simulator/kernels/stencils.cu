// Neighbours in one, two and three dimensions.

#define REACH 3

__constant__ float weights[2 * REACH + 1] = {0.03125f, 0.109375f, 0.21875f, 0.28125f,
                                             0.21875f, 0.109375f, 0.03125f};
__device__ int generation = 41;

extern "C" __global__ void stencil_1d(const float* in, float* out, int n) {
    __shared__ float held[256 + 2 * REACH];
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + REACH;
    held[at] = i < n ? in[i] : 0;
    if (threadIdx.x < REACH) {
        held[at - REACH] = i >= REACH ? in[i - REACH] : 0;
        held[at + blockDim.x] = i + blockDim.x < n ? in[i + blockDim.x] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int d = -REACH; d <= REACH; ++d) sum += weights[d + REACH] * held[at + d];
    if (i < n) out[i] = sum;
}

extern "C" __global__ void stencil_3d(const double* in, double* out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    long long i = ((long long)z * ny + y) * nx + x;
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
        out[i] = in[i];
        return;
    }
    long long slice = (long long)nx * ny;
    out[i] = 0.5 * in[i] + (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]
                            + in[i - slice] + in[i + slice]) / 12.0;
}

// Many steps of heat on one tile that stays in shared memory.
extern "C" __global__ void heat_2d(float* plate, int steps) {
    __shared__ float held[2][18][18];
    int x = threadIdx.x + 1, y = threadIdx.y + 1, now = 0;
    int i = (blockIdx.x * 16 + threadIdx.y) * 16 + threadIdx.x;
    for (int cell = threadIdx.y * 16 + threadIdx.x; cell < 2 * 18 * 18; cell += 256)
        (&held[0][0][0])[cell] = 0;
    __syncthreads();
    held[0][y][x] = plate[i];
    __syncthreads();
    for (int step = 0; step < steps; ++step, now = 1 - now) {
        float (*h)[18] = held[now];
        float around = h[y - 1][x] + h[y + 1][x] + h[y][x - 1] + h[y][x + 1];
        held[1 - now][y][x] = fmaf(0.2f, around - 4 * h[y][x], h[y][x]);
        __syncthreads();
    }
    plate[i] = held[now][y][x];
}

extern "C" __global__ void life(
    const unsigned char* now, unsigned char* next, int width, int height, int* counter
) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 && y == 0) *counter = ++generation;
    if (x >= width || y >= height) return;
    int around = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx || dy)
                around += now[(y + dy + height) % height * width + (x + dx + width) % width];
    next[y * width + x] = around == 3 || (around == 2 && now[y * width + x]);
}
