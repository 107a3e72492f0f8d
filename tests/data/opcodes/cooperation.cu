// Warps, blocks and control: shuffles, votes, barriers, calls, indirect branches, timers, traps.
extern "C" __device__ __noinline__ int called(int x) { return x * x + 3; }
extern "C" __device__ __noinline__ int recursive(int x) { return x < 2 ? x : recursive(x - 1) + x; }
extern "C" __device__ int printf(const char*, ...);

extern "C" __global__ void warps(int* p, unsigned* q, float* f) {
    int i = threadIdx.x;
    int x = p[i];
    x += __shfl_sync(~0u, x, 3) + __shfl_xor_sync(~0u, x, 1) + __shfl_down_sync(~0u, x, 2);
    q[i] = __ballot_sync(~0u, x > 3) + __any_sync(~0u, x > 1) + __all_sync(~0u, x > 2);
    q[i] += __match_any_sync(~0u, x) + __activemask() + __popc(__match_all_sync(~0u, x, p));
#if __CUDA_ARCH__ >= 800
    q[i] += __reduce_add_sync(~0u, q[i]) + __reduce_max_sync(~0u, x) + __reduce_xor_sync(~0u, q[i]);
#endif
#if __CUDA_ARCH_FEAT_SM100_ALL || __CUDA_ARCH_FEAT_SM103_ALL
    asm("redux.sync.max.f32 %0, %0, 0xffffffff;" : "+f"(f[i]));
#endif
    __syncwarp();
    __syncwarp(0xff);
    f[i] = __shfl_sync(~0u, f[i], 4);
}

extern "C" __global__ void blocks(int* p, int n) {
    __syncthreads();
    p[0] = __syncthreads_count(p[1]) + __syncthreads_and(p[2]) + __syncthreads_or(p[3]);
    asm volatile("bar.sync %0, 64;" ::"r"(n));
    asm volatile("bar.arrive 2, 128;");
    asm volatile("barrier.sync 3;");
    asm volatile("pmevent 1;");
    p[4] = clock() + int(clock64());
}

extern "C" __global__ void control(int* p, int n, int (**f)(int)) {
    int x = called(n) + recursive(n) + f[n](n);
    switch (n) {
        case 0: x += p[0] * 3; break;
        case 1: x -= p[1] / 7; break;
        case 2: x ^= p[2] << 2; break;
        case 3: x |= p[3] >> 1; break;
        case 4: x *= p[4]; __nanosleep(50); break;
        case 5: x += called(p[5]); break;
        case 6: x %= p[6]; __threadfence(); break;
        default: if (p[7] > x) return;
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (p[i] == 9) break;
        if (p[i] & 1) x += called(p[i]);
        while (p[i + 1] > x) x += p[x] * 3;
    }
    if (x == 5) __trap();
    if (x == 6) __brkpt();
    if (x == 7) asm volatile("exit;");
    p[n] = x;
    unsigned lane, smid, mask;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    p[n + 1] = lane + smid + mask + int(time);
    if (x == 8) printf("%d\n", x);
}
