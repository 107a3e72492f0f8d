/* Sum of integers, in seven steps from slow to fast. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

typedef void (*ReduceFunction)(const int *, int *, unsigned int, int, int);

// 0: interleaved addressing, divergent branches
__global__ void reduce0(const int *in, int *out, unsigned int n) {
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    sdata[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

// 1: no divergence, but bank conflicts
__global__ void reduce1(const int *in, int *out, unsigned int n) {
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    sdata[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        unsigned int index = 2 * s * tid;
        if (index < blockDim.x) sdata[index] += sdata[index + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

// 2: sequential addressing
__global__ void reduce2(const int *in, int *out, unsigned int n) {
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    sdata[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

// 3: first add during load
__global__ void reduce3(const int *in, int *out, unsigned int n) {
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + tid;
    int mine = i < n ? in[i] : 0;
    if (i + blockDim.x < n) mine += in[i + blockDim.x];
    sdata[tid] = mine;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] = mine = mine + sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = mine;
}

__device__ __forceinline__ int warpSum(int v) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

// 4: last warp by shuffles
__global__ void reduce4(const int *in, int *out, unsigned int n) {
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + tid;
    int mine = i < n ? in[i] : 0;
    if (i + blockDim.x < n) mine += in[i + blockDim.x];
    sdata[tid] = mine;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s) sdata[tid] = mine = mine + sdata[tid + s];
        __syncthreads();
    }
    if (tid < 32) {
        if (blockDim.x >= 64) mine += sdata[tid + 32];
        mine = warpSum(mine);
        if (tid == 0) out[blockIdx.x] = mine;
    }
}

// 5: completely unrolled, block size known to the compiler
template <unsigned int blockSize>
__global__ void reduce5(const int *in, int *out, unsigned int n) {
    __shared__ int sdata[blockSize];
    unsigned int tid = threadIdx.x, i = blockIdx.x * (blockSize * 2) + tid;
    int mine = i < n ? in[i] : 0;
    if (i + blockSize < n) mine += in[i + blockSize];
    sdata[tid] = mine;
    __syncthreads();
    if (blockSize >= 512) { if (tid < 256) sdata[tid] = mine = mine + sdata[tid + 256]; __syncthreads(); }
    if (blockSize >= 256) { if (tid < 128) sdata[tid] = mine = mine + sdata[tid + 128]; __syncthreads(); }
    if (blockSize >= 128) { if (tid <  64) sdata[tid] = mine = mine + sdata[tid +  64]; __syncthreads(); }
    if (tid < 32) {
        if (blockSize >= 64) mine += sdata[tid + 32];
        mine = warpSum(mine);
        if (tid == 0) out[blockIdx.x] = mine;
    }
}

// 6: many elements per thread
template <unsigned int blockSize, bool isPow2>
__global__ void reduce6(const int *in, int *out, unsigned int n) {
    __shared__ int sdata[blockSize / 32];
    unsigned int i = blockIdx.x * blockSize * 2 + threadIdx.x;
    int mine = 0;
    for (; i < n; i += blockSize * 2 * gridDim.x) {
        mine += in[i];
        if (isPow2 || i + blockSize < n) mine += in[i + blockSize];
    }
    mine = warpSum(mine);
    if (threadIdx.x % 32 == 0) sdata[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = threadIdx.x < blockSize / 32 ? sdata[threadIdx.x] : 0;
        mine = warpSum(mine);
        if (threadIdx.x == 0) out[blockIdx.x] = mine;
    }
}

static void launch(int which, int blocks, int threads, const int *in, int *out, unsigned int n) {
    size_t smem = threads * sizeof(int);
    switch (which) {
    case 0: reduce0<<<blocks, threads, smem>>>(in, out, n); break;
    case 1: reduce1<<<blocks, threads, smem>>>(in, out, n); break;
    case 2: reduce2<<<blocks, threads, smem>>>(in, out, n); break;
    case 3: reduce3<<<blocks, threads, smem>>>(in, out, n); break;
    case 4: reduce4<<<blocks, threads, smem>>>(in, out, n); break;
    case 5:
        if (threads == 512) reduce5<512><<<blocks, 512>>>(in, out, n);
        else reduce5<256><<<blocks, 256>>>(in, out, n);
        break;
    default:
        if ((n & (n - 1)) == 0) reduce6<256, true><<<blocks, 256>>>(in, out, n);
        else reduce6<256, false><<<blocks, 256>>>(in, out, n);
    }
}

int main() {
    const unsigned int n = 1 << 22;
    int *h = (int *)malloc(n * sizeof(int)), want = 0;
    for (unsigned int i = 0; i < n; i++) { h[i] = rand() & 0xff; want += h[i]; }
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, (n / 256) * sizeof(int));
    cudaMemcpy(in, h, n * sizeof(int), cudaMemcpyHostToDevice);
    for (int which = 0; which < 7; which++) {
        int threads = 256;
        int blocks = which < 3 ? n / threads : which < 6 ? n / (2 * threads) : 64;
        launch(which, blocks, threads, in, out, n);
        int *partial = (int *)malloc(blocks * sizeof(int)), sum = 0;
        cudaMemcpy(partial, out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
        for (int b = 0; b < blocks; b++) sum += partial[b];
        printf("reduce%d: %d %s\n", which, sum, sum == want ? "ok" : "WRONG");
        free(partial);
    }
    cudaFree(in); cudaFree(out); free(h);
    return 0;
}
