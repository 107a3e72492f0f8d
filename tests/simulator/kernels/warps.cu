// What the lanes of a warp tell each other.

extern "C" __global__ void votes(const int* x, unsigned* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = x[i];
    unsigned made = __ballot_sync(~0u, v & 1);
    made ^= __any_sync(~0u, v > 900) << 3 ^ __all_sync(~0u, v >= 0) << 5;
    made ^= (unsigned)__uni_sync(~0u, v & 64) << 7;
    if (v & 2) made += __ballot_sync(__activemask(), v & 4);
    else made -= __ballot_sync(__activemask(), v & 8) + __popc(__activemask());
    out[i] = made;
}

extern "C" __global__ void matches(const int* x, unsigned* any, unsigned* all, int* agrees) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    any[i] = __match_any_sync(~0u, x[i] & 3) ^ __match_any_sync(~0u, (long long)x[i] << 33);
    int is_same = 0;
    all[i] = __match_all_sync(~0u, x[i - i % 32], &is_same);
    agrees[i] = is_same;
    all[i] += __match_all_sync(~0u, (unsigned long long)x[i], &is_same);
    agrees[i] += 2 * is_same;
}

extern "C" __global__ void reductions_of_lanes(const int* x, int* sums, unsigned* bits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned mask = lane < 20 ? 0xfffffu : ~0xfffffu;
    int v = x[i] - 500;
    if (lane < 20) {
        sums[i] = __reduce_add_sync(mask, v) + __reduce_min_sync(mask, v);
        bits[i] = __reduce_and_sync(mask, v | 7);
    } else {
        sums[i] = __reduce_max_sync(mask, v) - __reduce_min_sync(mask, (unsigned)v);
        bits[i] = __reduce_or_sync(mask, v & 0x55) ^ __reduce_xor_sync(mask, v);
    }
}

extern "C" __global__ void shuffles(const int* x, int* out, double* wide) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int v = x[i];
    out[i] = __shfl_sync(~0u, v, v & 31) + 3 * __shfl_up_sync(~0u, v, 5)
        + 5 * __shfl_down_sync(~0u, v, 7) + 7 * __shfl_xor_sync(~0u, v, 9)
        + 11 * __shfl_sync(~0u, v, lane + 3, 8) + 13 * __shfl_up_sync(~0u, v, 3, 16)
        + 17 * __shfl_down_sync(~0u, v, 2, 4) + 19 * __shfl_xor_sync(~0u, v, 12, 8);
    wide[i] = __shfl_xor_sync(~0u, (double)v * 0.1, 21);
    if (lane % 3 == 0) out[i] += __shfl_sync(0x49249249u, v, lane >= 3 ? lane - 3 : 0);
}

// Lanes leave a loop one after another, and meet again.
extern "C" __global__ void diverge(const int* x, unsigned* out, int* rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long n = x[i] + 1;
    unsigned seen = 0;
    int count = 0;
    while (n != 1) {
        seen = seen * 31 + (unsigned)n;
        n = n & 1 ? 3 * n + 1 : n / 2;
        if (++count % 5 == 0 && (n & 2)) seen ^= count << 8;
    }
    __syncwarp();
    rounds[i] = __reduce_max_sync(~0u, count);
    out[i] = seen;
    switch (x[i] % 11) {
        case 0: out[i] += 1; break;
        case 1: out[i] *= 3;
        case 2: out[i] ^= 0xff; break;
        case 3: out[i] = ~out[i]; break;
        case 4: out[i] = __brev(out[i]); break;
        case 5: out[i] -= 77; break;
        case 6: out[i] = __popc(out[i]); break;
        case 7: return;
        case 8: out[i] <<= 5;
        default: out[i] += 9;
    }
}

// Special registers that say where a thread is.
extern "C" __global__ void places(unsigned* out) {
    unsigned lane, at_least, at_most, below, above, equal, warp;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(at_least));
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(at_most));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(above));
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(equal));
    unsigned tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    warp = tid / 32;
    unsigned* own = out + (block * blockDim.x * blockDim.y * blockDim.z + tid) * 8;
    own[0] = lane + 100 * warp;
    own[1] = at_least;
    own[2] = at_most;
    own[3] = below;
    own[4] = above;
    own[5] = equal;
    own[6] = threadIdx.x | threadIdx.y << 8 | threadIdx.z << 16;
    own[7] = blockIdx.x | blockIdx.y << 8 | blockIdx.z << 16 | gridDim.x << 24;
}

// Lanes of a warp elect one; what it finds is given to the others.
extern "C" __global__ void elected(const int* x, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned leader, is_leader;
    asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p; }"
                 : "=r"(leader), "=r"(is_leader));
    int value = is_leader ? x[i] * 2 : -1;
    out[i] = __shfl_sync(~0u, value, leader) + is_leader;
}
