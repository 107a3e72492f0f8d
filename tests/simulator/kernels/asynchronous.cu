// Copies that run by themselves, and barriers in shared memory.

__device__ unsigned shared_address(const void* p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

// Sums of rows; the next tile is on its way while one is added up.
extern "C" __global__ void pipeline(const float* in, float* sums, int tiles) {
    __shared__ __align__(16) float held[2][128 * 4];
    const float* own = in + (size_t)blockIdx.x * tiles * 512 + threadIdx.x * 4;
    auto fetch = [&](int tile) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                     :: "r"(shared_address(&held[tile % 2][threadIdx.x * 4])),
                        "l"(own + tile * 512) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(0);
    float sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles) {
            fetch(tile + 1);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_all;" ::: "memory");
        }
        __syncthreads();
        for (int i = 0; i < 4; ++i) sum += held[tile % 2][i * 128 + (threadIdx.x ^ 1)];
        __syncthreads();
    }
    sums[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Copies of 4 and 8 bytes, with fewer bytes read than written at the end.
extern "C" __global__ void copy_ragged(const int* in, int* out, int n) {
    __shared__ __align__(16) int held[64 * 4];
    int t = threadIdx.x, left = n - t * 4;
    int bytes = left >= 4 ? 16 : left > 0 ? left * 4 : 0;
    for (int i = t; i < 256; i += 64) held[i] = -1;
    __syncthreads();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :: "r"(shared_address(&held[t * 4])), "l"(in + t * 4), "r"(bytes) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int i = t; i < 256; i += 64) out[i] = held[i];
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 :: "r"(shared_address(&held[t])), "l"(in + t) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;"
                 :: "r"(shared_address(&held[64 + t * 2])), "l"(in + t * 2) : "memory");
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    if (t) out[256 + t] = held[63 - t] + held[64 + 2 * t + 1];
}

__device__ void wait(unsigned barrier, unsigned phase) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(barrier), "r"(phase) : "memory");
}

// Half of the warps fill tiles, the other half reads them; two barriers for each tile.
extern "C" __global__ void produce_consume(const int* in, int* out, int tiles) {
    __shared__ int held[2][64];
    __shared__ unsigned long long full[2], empty[2];
    int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 2; ++i) {
            asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "r"(shared_address(&full[i])));
            asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "r"(shared_address(&empty[i])));
        }
    __syncthreads();
    int sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        int slot = tile % 2, phase = tile / 2 % 2;
        unsigned f = shared_address(&full[slot]), e = shared_address(&empty[slot]);
        if (t < 64) {
            if (tile >= 2) wait(e, phase ^ 1);
            held[slot][t] = in[(blockIdx.x * tiles + tile) * 64 + t];
            asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" :: "r"(f) : "memory");
        } else {
            wait(f, phase);
            sum = sum * 3 + held[slot][127 - t] + held[slot][(t * 5 + 1) % 64];
            asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" :: "r"(e) : "memory");
        }
    }
    if (t >= 64) out[blockIdx.x * 64 + t - 64] = sum;
}

// The barrier knows when the copies of all threads have come.
extern "C" __global__ void copy_with_barrier(const float4* in, float4* out) {
    __shared__ __align__(16) float4 held[64];
    __shared__ unsigned long long arrived;
    unsigned barrier = shared_address(&arrived);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(barrier), "r"(blockDim.x));
    __syncthreads();
    for (int round = 0; round < 3; ++round) {
        int at = (blockIdx.x * 3 + round) * 64 + threadIdx.x;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;"
                     :: "r"(shared_address(&held[threadIdx.x])), "l"(in + at) : "memory");
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(barrier) : "memory");
        wait(barrier, round & 1);
        float4 v = held[63 - threadIdx.x];
        out[at] = make_float4(v.w, v.z, v.y, v.x);
        __syncthreads();
    }
}

// Named barriers of some of the warps: the first two hand over to the last two.
extern "C" __global__ void named_barriers(const int* in, int* out, int rounds) {
    __shared__ int held[64];
    int t = threadIdx.x, sum = 0;
    for (int round = 0; round < rounds; ++round) {
        if (t < 64) {
            if (round) asm volatile("barrier.sync 2, 128;" ::: "memory");
            held[t] = in[blockIdx.x * 64 + t] * (round + 1);
            asm volatile("barrier.arrive 1, 128;" ::: "memory");
        } else {
            asm volatile("barrier.sync 1, 128;" ::: "memory");
            sum = sum * 7 + held[(t * 3) % 64];
            if (round + 1 < rounds) asm volatile("barrier.arrive 2, 128;" ::: "memory");
        }
    }
    if (t >= 64) out[blockIdx.x * 64 + t - 64] = sum;
    int odd = __syncthreads_count(sum & 1), any = __syncthreads_or(sum > 1000);
    int all = __syncthreads_and(t < 64 || sum != 0);
    if (t < 64) out[(gridDim.x + blockIdx.x) * 64 + t] = odd * 4 + (any != 0) * 2 + (all != 0);
}
