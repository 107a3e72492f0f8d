// Numbers of 16 and 8 bits.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void half_axpy(const __half2* x, __half2* y, __half factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma2(__half2half2(factor), x[i], y[i]);
}

extern "C" __global__ void half_math(const __half* a, const __half* b, __half* out, int* flags) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half x = a[i], y = b[i];
    __half* own = out + i * 12;
    own[0] = __hadd(x, y);
    own[1] = __hsub(x, y);
    own[2] = __hmul(x, y);
    own[3] = __hfma(x, y, x);
    own[4] = __hmin(x, y);
    own[5] = __hmax(x, y);
    own[6] = __hadd_sat(x, y);
    own[7] = __habs(__hneg(x));
    own[8] = __hmax_nan(x, y);
    own[9] = __float2half_rz(__half2float(x) * 1.0009765f);
    own[10] = __int2half_rn(i * 37 - 3000);
    own[11] = __hdiv(x, y);
    flags[i] = __heq(x, y) | __hlt(x, y) << 1 | __hge(x, y) << 2 | __hisnan(x) << 3
        | __hneu(x, y) << 4 | (__half2int_rz(y) & 0xff) << 8;
}

extern "C" __global__ void bfloat_math(const float* a, const float* b, __nv_bfloat16* out,
                                       float* back, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __nv_bfloat16 x = __float2bfloat16_rn(a[i]), y = __float2bfloat16_rz(b[i]);
    __nv_bfloat16* own = out + i * 6;
    own[0] = __hadd(x, y);
    own[1] = __hmul(x, y);
    own[2] = __hfma(x, y, y);
    own[3] = __hmin(x, y);
    own[4] = __hmax(x, y);
    __nv_bfloat162 pair = __hfma2(__halves2bfloat162(x, y), __halves2bfloat162(y, y),
                                  __floats2bfloat162_rn(a[i], b[i]));
    own[5] = __hsub(__low2bfloat16(pair), __high2bfloat16(pair));
    back[i] = __bfloat162float(x) - __bfloat162float(own[5]);
}

extern "C" __global__ void half_reduce(const __half2* x, __half2* sums, float* wide, int n) {
    __half2 own = __float2half2_rn(0.0f);
    for (int i = threadIdx.x; i < n; i += 32) own = __hadd2(own, x[blockIdx.x * n + i]);
    for (int step = 16; step > 0; step /= 2) own = __hadd2(own, __shfl_xor_sync(~0u, own, step));
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = own;
        wide[blockIdx.x] = __low2float(own) + __high2float(own);
    }
}

#if __CUDA_ARCH__ >= 890
// Numbers of 8 bits, two at a time.
extern "C" __global__ void float8_pairs(const float* x, unsigned short* e4m3, unsigned short* e5m2,
                                        unsigned* back) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = x[2 * i], b = x[2 * i + 1];
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(e4m3[i]) : "f"(a), "f"(b));
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(e5m2[i]) : "f"(a), "f"(b));
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(back[2 * i]) : "h"(e4m3[i]));
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(back[2 * i + 1]) : "h"(e5m2[i]));
}
#endif
