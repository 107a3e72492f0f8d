// The block size is a template argument, chosen by a switch.
#include "include/check.h"

template <typename T>
struct SharedMemory {
    __device__ inline operator T *() { extern __shared__ int __smem[]; return (T *)__smem; }
    __device__ inline operator const T *() const { extern __shared__ int __smem[]; return (T *)__smem; }
};

template <class T, unsigned int blockSize, bool nIsPow2>
__global__ void reduce(T *g_idata, T *g_odata, unsigned int n)
{
    T *sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockSize * 2 + threadIdx.x;
    T mySum = i < n ? g_idata[i] : T(0);
    if (nIsPow2 || i + blockSize < n) mySum += g_idata[i + blockSize];
    sdata[tid] = mySum;
    __syncthreads();
    if (blockSize >= 256 && tid < 128) sdata[tid] += sdata[tid + 128];
    __syncthreads();
    if (blockSize >= 128 && tid < 64) sdata[tid] += sdata[tid + 64];
    __syncthreads();
    if (tid < 32)
        for (unsigned int s = blockSize < 64 ? blockSize / 2 : 32; s > 0; s >>= 1) {
            sdata[tid] += sdata[tid + s];
            __syncwarp();
        }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

bool isPow2(unsigned int x) { return (x & (x - 1)) == 0; }

template <class T>
void reduce(int size, int threads, int blocks, T *d_idata, T *d_odata)
{
    dim3 dimBlock(threads, 1, 1);
    dim3 dimGrid(blocks, 1, 1);
    int smemSize = threads <= 32 ? 2 * threads * sizeof(T) : threads * sizeof(T);
    if (isPow2(size)) {
        switch (threads) {
        case 256: reduce<T, 256, true><<<dimGrid, dimBlock, smemSize>>>(d_idata, d_odata, size); break;
        case 128: reduce<T, 128, true><<<dimGrid, dimBlock, smemSize>>>(d_idata, d_odata, size); break;
        case 64: reduce<T, 64, true><<<dimGrid, dimBlock, smemSize>>>(d_idata, d_odata, size); break;
        }
    } else {
        switch (threads) {
        case 256: reduce<T, 256, false><<<dimGrid, dimBlock, smemSize>>>(d_idata, d_odata, size); break;
        case 128: reduce<T, 128, false><<<dimGrid, dimBlock, smemSize>>>(d_idata, d_odata, size); break;
        case 64: reduce<T, 64, false><<<dimGrid, dimBlock, smemSize>>>(d_idata, d_odata, size); break;
        }
    }
}

template void reduce<int>(int size, int threads, int blocks, int *d_idata, int *d_odata);
template void reduce<float>(int size, int threads, int blocks, float *d_idata, float *d_odata);

int main()
{
    int size = 1 << 18, threads = 128, blocks = size / (threads * 2);
    float *in, *out;
    CHECK(cudaMalloc((void **)&in, size * sizeof(float)));
    CHECK(cudaMalloc((void **)&out, blocks * sizeof(float)));
    reduce<float>(size, threads, blocks, in, out);
    CHECK_LAUNCH();
    return 0;
}
