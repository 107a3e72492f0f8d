// Blocks of a cluster that read and write each other's shared memory.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// A histogram of more bins than one block holds: each block of the cluster has a part of it.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
cluster_histogram(const int* data, int* bins, int each) {
    __shared__ int own[64];
    auto cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < 64; i += blockDim.x) own[i] = 0;
    cluster.sync();
    int start = blockIdx.x * each;
    for (int i = start + threadIdx.x; i < start + each; i += blockDim.x) {
        int bin = data[i] & 255;
        atomicAdd(cluster.map_shared_rank(own, bin / 64) + bin % 64, 1);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        atomicAdd(&bins[cluster.block_rank() * 64 + i], own[i]);
}

// Each block hands its numbers to the next one of the cluster, by PTX.
extern "C" __global__ void cluster_ring(const float* in, float* out, int* ranks) {
    __shared__ float held[64];
    unsigned rank, count, remote, cluster;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(cluster));
    int at = blockIdx.x * 64 + threadIdx.x;
    float own = in[at];
    unsigned address = (unsigned)__cvta_generic_to_shared(&held[threadIdx.x ^ 3]);
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address),
        "r"((rank + 1) % count));
    for (unsigned round = 0; round < count; ++round) {
        asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
        asm volatile("st.shared::cluster.f32 [%0], %1;" :: "r"(remote), "f"(own) : "memory");
        asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
        own = own * 0.5f + held[threadIdx.x];
    }
    out[at] = own;
    if (threadIdx.x == 0) ranks[blockIdx.x] = rank + 10 * count + 100 * cluster;
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

// The sum of all blocks of a cluster, read from each other's memory.
extern "C" __global__ void cluster_sum(const int* in, int* sums) {
    __shared__ int held;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) held = 0;
    __syncthreads();
    atomicAdd(&held, in[blockIdx.x * blockDim.x + threadIdx.x]);
    cluster.sync();
    int sum = 0;
    for (unsigned rank = threadIdx.x; rank < cluster.num_blocks(); rank += blockDim.x)
        sum += *cluster.map_shared_rank(&held, rank) * (rank + 1);
    sum = __reduce_add_sync(~0u, sum);
    cluster.sync();
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
