#include <cstdint>
#include <cstdio>

__device__ __forceinline__ uint32_t lane_id()
{
    uint32_t lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

__device__ __forceinline__ uint64_t clock_ns()
{
    uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
}

__device__ __forceinline__ float fma_rz(float a, float b, float c)
{
    float r;
    asm("fma.rz.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c));
    return r;
}

__global__ void measure(uint64_t *elapsed, float *out, float x)
{
    uint64_t begin = clock_ns();
    float v = lane_id();
#pragma unroll 16
    for (int i = 0; i < 64; i++) v = fma_rz(v, x, 1.0f);
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
    if (lane_id() == 0) elapsed[(blockIdx.x * blockDim.x + threadIdx.x) / warpSize] = clock_ns() - begin;
}

int main()
{
    constexpr auto blocks = 4, threads = 96;
    constexpr auto warps = blocks * threads / 32;
    uint64_t *elapsed;
    float *out;
    cudaMalloc(&elapsed, warps * sizeof(uint64_t));
    cudaMalloc(&out, blocks * threads * sizeof(float));
    measure<<<blocks, threads>>>(elapsed, out, 0.999f);
    uint64_t host[warps];
    cudaMemcpy(host, elapsed, sizeof host, cudaMemcpyDeviceToHost);
    for (auto ns : host) printf("%llu ", (unsigned long long)ns);
}
