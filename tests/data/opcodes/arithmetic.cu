// Every width and precision of arithmetic, conversions, bit operations and special functions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void integers(int* a, unsigned* b, long long* c, short* d, unsigned char* e) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    a[i] = max(a[i], a[i + 1]) * 7 + __popc(a[i + 2]) - abs(a[i + 3]) / (a[i + 4] | 1);
    b[i] = __brev(b[i]) ^ __clz(b[i + 1]) ^ __ffs(b[i + 2]) ^ __byte_perm(b[i], b[i + 1], 0x5410);
    b[i] += __funnelshift_l(b[i], b[i + 1], 7) + __umulhi(b[i], b[i + 2]) % (b[i + 3] | 3);
    b[i] += __vadd4(b[i], b[i + 1]) + __vmaxs2(b[i], b[i + 2]) + __vabsdiffu4(b[i], b[i + 3]);
    b[i] += __viaddmax_s32(a[i], a[i + 1], a[i + 2]) + __vimax3_s32(a[i], a[i + 1], a[i + 2]);
    b[i] += __viaddmin_s16x2(b[i], b[i + 1], b[i + 2]) + __vimin3_u16x2(b[i], b[i + 1], b[i + 2]);
    a[i] += __dp4a(a[i], a[i + 1], a[i + 2]) + __dp2a_lo(a[i], a[i + 2], a[i + 1]);
    a[i] += __sad(a[i], a[i + 1], 3u) + __mul24(a[i], a[i + 2]) + __rhadd(a[i], a[i + 1]);
    c[i] = c[i] * c[i + 1] / (c[i + 2] | 1) + (c[i] >> (a[i] & 63)) + __popcll(c[i + 3]);
    c[i] += min(c[i], c[i + 1]) + (c[i] < c[i + 4] ? 5 : c[i + 5]);
    d[i] = d[i] * d[i + 1] + d[i + 2];
    e[i] = e[i] + e[i + 1] > 200 ? 200 : e[i];
}

extern "C" __global__ void floats(float* a, double* b) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    a[i] = fmaf(a[i], a[i + 1], a[i + 2]) / a[i + 3] + sqrtf(a[i + 4]) + rsqrtf(a[i + 5]);
    a[i] += sinf(a[i]) + __expf(a[i + 1]) + __logf(a[i + 2]) + tanhf(a[i + 3]) + __cosf(a[i]);
    a[i] += fmaxf(a[i], fmaxf(a[i + 1], a[i + 2])) + fabsf(a[i + 3]) + floorf(a[i + 4]);
    a[i] += a[i] > a[i + 1] ? a[i + 2] : copysignf(a[i + 3], a[i]);
    a[i] += (a[i] < a[i + 1]) + isnan(a[i]) + powf(a[i], a[i + 1]) + cbrtf(a[i + 2]);
    a[i] += __fdividef(a[i], a[i + 1]) + __frcp_rn(a[i + 2]) + __fsqrt_rn(a[i + 3]) + __saturatef(a[i]);
    b[i] = fma(b[i], b[i + 1], b[i + 2]) / b[i + 3] + sqrt(b[i + 4]) + sin(b[i + 5]);
    b[i] += fmax(b[i], b[i + 1]) + floor(b[i + 2]) + b[i + 3] * b[i + 4] + b[i + 5];
    b[i] += b[i] > b[i + 1] ? 1.0 : exp(b[i + 2]);
}

#if __CUDA_ARCH__ >= 1000
extern "C" __global__ void pairs(float2* a) {
    int i = threadIdx.x;
    a[i] = __ffma2_rn(a[i], a[i + 1], a[i + 2]);
    a[i + 3] = __fadd2_rn(a[i + 3], __fmul2_rn(a[i + 4], a[i + 5]));
}
#endif

extern "C" __global__ void halves(__half* a, __half2* b, __nv_bfloat16* c, __nv_bfloat162* d) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    a[i] = __hfma(a[i], a[i + 1], a[i + 2]) / a[i + 3];
    a[i] = __hgt(a[i], a[i + 1]) ? hsqrt(a[i]) : htanh(a[i + 2]);
    b[i] = __hfma2(b[i], b[i + 1], __hadd2(b[i + 2], __hmul2(b[i + 3], b[i + 4])));
    b[i] = __hmax2(b[i], __hmin2(b[i + 1], b[i + 2]));
    b[i] = __hgt2(b[i], b[i + 1]);
#if __CUDA_ARCH__ >= 800
    c[i] = __hfma(c[i], c[i + 1], c[i + 2]);
    c[i] = c[i] > c[i + 1] ? c[i + 2] * c[i] : hexp2(c[i + 3]);
    d[i] = __hfma2(d[i], d[i + 1], __hadd2(d[i + 2], __hmul2(d[i + 3], d[i + 4])));
    d[i] = __hmax2(d[i], d[i + 1]);
    d[i] = __hle2(d[i], d[i + 1]);
#endif
}

extern "C" __global__ void conversions(
    float* f, double* g, __half* h, __nv_bfloat16* b, int* i, unsigned* u, long long* l, signed char* c
) {
    int t = threadIdx.x;
    g[t] = f[t] + double(h[t]) + double(i[t]) + double(l[t]);
    f[t] = float(g[t + 1]) + __half2float(h[t]) + __bfloat162float(b[t]) + float(i[t]) + float(u[t]);
    f[t] += float(l[t]) + float(c[t]) + rintf(f[t + 2]) + truncf(f[t + 1]);
    h[t] = __float2half(f[t]) + __int2half_rn(i[t]) + __short2half_rn(c[t]);
    b[t] = __float2bfloat16(f[t]) + __int2bfloat16_rn(i[t]);
    i[t] = int(f[t]) + int(g[t]) + __half2int_rn(h[t]) + __float2int_ru(f[t + 1]);
    u[t] = unsigned(f[t + 3]) + __float_as_uint(f[t]) + unsigned(__half2ushort_rn(h[t]));
    l[t] = (long long)(f[t]) + (long long)(g[t]);
    c[t] = (signed char)(max(-128, min(127, i[t + 1])));
    g[t + 2] = rint(g[t]) + __hiloint2double(i[t], u[t]);
}
