extern "C" __global__ void histogram(const int* x, int* counts, int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        atomicAdd(&counts[x[i]], 1);
    }
}
