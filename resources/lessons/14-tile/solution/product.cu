extern "C" __global__ void product(const float* a, const float* b, float* c, int size)
{
    __shared__ float tile_a[16][16];
    __shared__ float tile_b[16][16];
    int column = blockIdx.x * 16 + threadIdx.x;
    int row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int first = 0; first < size; first += 16) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * size + first + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * size + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * size + column] = sum;
}
