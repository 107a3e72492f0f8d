// Counting into bins.

extern "C" __global__ void histogram_global(const unsigned char* data, unsigned* bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1u);
}

extern "C" __global__ void histogram_shared(const uchar4* data, unsigned* bins, int quads) {
    __shared__ unsigned own[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        uchar4 four = data[i];
        atomicAdd(&own[four.x], 1u);
        atomicAdd(&own[four.y], 1u);
        atomicAdd(&own[four.z], 1u);
        atomicAdd(&own[four.w], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (own[i]) atomicAdd(&bins[i], own[i]);
}

// Lanes with the same bin are added up first: one atomic for each bin of a warp.
extern "C" __global__ void histogram_match(const unsigned char* data, unsigned* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned same = __match_any_sync(__activemask(), data[i] & 31);
    if (__ffs(same) - 1 == threadIdx.x % 32) atomicAdd(&bins[data[i] & 31], __popc(same));
}

// Each warp has bins of its own; packed counters of 16 bits.
extern "C" __global__ void histogram_private(const unsigned char* data, unsigned* bins, int each) {
    extern __shared__ unsigned packed[];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    for (int i = lane; i < 32; i += 32) packed[warp * 32 + i] = 0;
    __syncwarp();
    const unsigned char* own = data + (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (int i = 0; i < each; ++i) {
        int bin = own[i] & 63;
        atomicAdd(&packed[warp * 32 + bin / 2], 1u << (bin % 2 * 16));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 32; i += blockDim.x) {
        unsigned low = 0, high = 0;
        for (int w = 0; w < warps; ++w) {
            low += packed[w * 32 + i] & 0xffff;
            high += packed[w * 32 + i] >> 16;
        }
        atomicAdd(&bins[2 * i], low);
        atomicAdd(&bins[2 * i + 1], high);
    }
}
