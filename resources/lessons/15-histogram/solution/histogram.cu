extern "C" __global__ void histogram(const int* x, int* counts, int n)
{
    __shared__ int own[64];
    if (threadIdx.x < 64) {
        own[threadIdx.x] = 0;
    }
    __syncthreads();
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        atomicAdd(&own[x[i]], 1);
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
    }
}
