extern "C" __global__ void transpose(const float* in, float* out, int size)
{
    __shared__ float tile[32][32];
    int column = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * size + column];
    }
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        out[(row + k) * size + column] = tile[threadIdx.x][threadIdx.y + k];
    }
}
