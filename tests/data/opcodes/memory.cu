// Every space and width of memory, atomics, fences, cache hints, textures and surfaces.
extern __shared__ int dynamic[];
__constant__ int table[256];
__device__ int chosen(int* p, int i) { return p[i]; }

extern "C" __global__ void widths(char* a, short* b, int* c, int2* d, int4* e, const int4* __restrict__ f) {
    __shared__ int4 tile[128];
    int i = threadIdx.x;
    tile[i] = f[i];
    __syncthreads();
    a[i] = a[i + 1];
    b[i] = b[i + 1];
    c[i] = c[i + 1] + table[i] + table[3];
    d[i] = d[i + 1];
    e[i] = tile[127 - i];
    reinterpret_cast<short*>(dynamic)[i] = b[i + 2];
    reinterpret_cast<char*>(dynamic)[i + 512] = a[i + 2];
    reinterpret_cast<int2*>(dynamic)[i + 512] = d[i + 3];
    __syncthreads();
    d[i + 7].x = reinterpret_cast<short*>(dynamic)[511 - i] + reinterpret_cast<char*>(dynamic)[1 ^ i];
    d[i + 8] = reinterpret_cast<int2*>(dynamic)[511 ^ i];
}

extern "C" __global__ void spaces(int* p, int* q, int n) {
    int mine[32];
    for (int i = 0; i < n; ++i) mine[i & 31] = p[i];
    for (int i = 0; i < n; ++i) q[i] = mine[(i * 7) & 31];
    int* any = n & 1 ? p : dynamic;
    any[threadIdx.x] = *(n & 2 ? q : dynamic + 1);
    q[1] = __isShared(any) + __isLocal(any) + __isGlobal(any);
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
#if __CUDA_ARCH__ >= 800
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(p));
#endif
    q[2] = __ldg(p) + __ldcg(p + 1) + __ldcs(p + 2) + __ldca(p + 3);
    __stcs(p + 4, n);
    __stwt(p + 5, n);
    volatile int* v = p;
    q[3] = v[threadIdx.x];
}

extern "C" __global__ void atomics(
    int* i, unsigned* u, unsigned long long* l, float* f, double* d, float2* f2
) {
    __shared__ int s[4];
    __shared__ unsigned long long t[4];
    __shared__ float x[4];
    int* any = i[9] ? i : s;
    i[0] += atomicAdd(i, 1) + atomicMax(i + 1, 2) + atomicExch(i + 2, 3) + atomicCAS(i + 3, 4, 5);
    atomicAnd(u, 3);
    atomicXor(u + 1, atomicInc(u + 2, 4));
    atomicAdd(l, 3ull);
    l[1] = atomicCAS(l + 2, l[3], l[4]) + atomicMax(l + 3, 2ull);
    atomicAdd(f, 1.0f);
    atomicAdd(d, 1.0);
    d[1] = atomicAdd(d + 2, 2.0);
    atomicAdd(s, 1);
    i[8] = atomicCAS(s + 1, 2, 3) + atomicExch(s + 2, 1) + atomicMin(s + 3, 6) + atomicAdd(any, 3);
    atomicMax(any, 2);
    t[0] = atomicCAS(t + 1, 2ull, 3ull);
    atomicAdd(x, 2.0f);
    f[1] = atomicAdd(f + 2, 3.0f) + x[1];
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(u + 8));
    asm volatile("red.global.add.f64 [%0], 1.0;" ::"l"(d + 8));
    asm volatile("red.relaxed.gpu.global.add.noftz.f16x2 [%0], %1;" ::"l"(u + 9), "r"(u[3]));
#if __CUDA_ARCH__ >= 900
    atomicAdd(f2, make_float2(1, 2));
    asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(f + 16), "f"(f[1]));
    asm volatile("multimem.red.global.add.u32 [%0], 1;" ::"l"(u + 8));
    asm volatile("multimem.st.global.u32 [%0], 1;" ::"l"(u + 8));
#endif
#if __CUDA_ARCH__ >= 1000
    asm volatile("{ .reg .b32 a, b, c, d, e, f, g, h;"
                 "  ld.global.v8.b32 {a, b, c, d, e, f, g, h}, [%0];"
                 "  st.global.v8.b32 [%0], {b, a, c, d, e, f, g, h}; }" ::"l"(u + 32));
#endif
    __threadfence();
    __threadfence_block();
    __threadfence_system();
}

extern "C" __global__ void textures(
    cudaTextureObject_t a, cudaSurfaceObject_t b, float4* out, int n
) {
    float x = threadIdx.x;
    float4 sum = tex2D<float4>(a, x, x);
    float one = tex1Dfetch<float>(a, n) + tex3D<float>(a, x, x, x) + tex2DLod<float>(a, x, x, 1.0f);
    float4 four = tex2Dgather<float4>(a, x, x, 1);
    float grad = tex2DGrad<float>(a, x, x, make_float2(x, x), make_float2(x, x));
    int width = 0;
    asm("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(a));
    int wide = 0;
    asm("suq.width.b32 %0, [%1];" : "=r"(wide) : "l"(b));
    float4 old = surf2Dread<float4>(b, n, n);
    surf2Dwrite(old, b, n + 1, n);
    surf1Dwrite(one, b, n);
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(b), "r"(n), "r"(n), "r"(n));
    out[n] = make_float4(sum.x + old.y, one + grad, four.z + width, four.w + wide);
}
