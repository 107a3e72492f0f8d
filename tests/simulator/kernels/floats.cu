// Rounding, special values, and the functions of the mathematical library.

extern "C" __global__ void round_f32(const float* a, const float* b, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], y = b[i];
    float* own = out + i * 24;
    own[0] = __fadd_rn(x, y);
    own[1] = __fadd_rz(x, y);
    own[2] = __fadd_ru(x, y);
    own[3] = __fadd_rd(x, y);
    own[4] = __fmul_rn(x, y);
    own[5] = __fmul_rz(x, y);
    own[6] = __fmul_ru(x, y);
    own[7] = __fmul_rd(x, y);
    own[8] = __fmaf_rn(x, y, x);
    own[9] = __fmaf_rz(x, y, -y);
    own[10] = __fmaf_ru(x, x, y);
    own[11] = __fmaf_rd(y, y, x);
    own[12] = __fdiv_rn(x, y);
    own[13] = __fdiv_rz(x, y);
    own[14] = __fdiv_ru(x, y);
    own[15] = __fdiv_rd(x, y);
    own[16] = __fsqrt_rn(fabsf(x));
    own[17] = __fsqrt_rz(fabsf(x));
    own[18] = __frcp_rn(y);
    own[19] = __frcp_ru(y);
    own[20] = __saturatef(x);
    own[21] = fminf(x, y) - fmaxf(y, x);
    own[22] = copysignf(x, y);
    own[23] = rintf(x) + truncf(y) * 2 + floorf(x) * 4 + ceilf(y) * 8;
}

extern "C" __global__ void round_f64(const double* a, const double* b, double* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = a[i], y = b[i];
    double* own = out + i * 16;
    own[0] = __dadd_rn(x, y);
    own[1] = __dadd_rz(x, y);
    own[2] = __dadd_ru(x, y);
    own[3] = __dadd_rd(x, y);
    own[4] = __dmul_rn(x, y);
    own[5] = __dmul_rz(x, y);
    own[6] = __dmul_ru(x, y);
    own[7] = __fma_rn(x, y, -x);
    own[8] = __fma_rz(x, y, -x);
    own[9] = __fma_rd(x, y, y);
    own[10] = __ddiv_rn(x, y);
    own[11] = __ddiv_rz(x, y);
    own[12] = __dsqrt_rn(fabs(x));
    own[13] = __drcp_rn(y);
    own[14] = fmin(x, y) + rint(y);
    own[15] = x / y + sqrt(fabs(y));
}

extern "C" __global__ void convert(const float* f, const double* d, long long* out, float* back) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = f[i];
    double y = d[i];
    long long* own = out + i * 12;
    own[0] = __float2int_rn(x);
    own[1] = __float2int_rd(x);
    own[2] = __float2uint_ru(x);
    own[3] = __float2ll_rz(x);
    own[4] = __float2ull_rn(x);
    own[5] = __double2int_rz(y);
    own[6] = __double2uint_rn(y);
    own[7] = __double2ll_ru(y);
    own[8] = __double2ull_rd(y);
    own[9] = (signed char)(int)x;
    own[10] = (unsigned short)(unsigned)y;
    own[11] = __double_as_longlong(y) ^ __float_as_int(x);
    back[6 * i] = __double2float_rz(y);
    back[6 * i + 1] = __double2float_ru(y);
    back[6 * i + 2] = __int2float_rz(own[0] * 3 + i);
    back[6 * i + 3] = __uint2float_rd((unsigned)own[6] | 1);
    back[6 * i + 4] = __ll2float_rn(own[7] * 1001);
    back[6 * i + 5] = (float)(unsigned long long)own[11];
}

// Infinity, not-a-number, numbers below the normal ones.
extern "C" __global__ void specials(const float* x, float* out, unsigned* classes, int n) {
    int i = blockIdx.x, j = threadIdx.x;
    float a = x[i], b = x[j];
    int at = i * n + j;
    float* own = out + at * 6;
    own[0] = a + b;
    own[1] = a * b;
    own[2] = a / b;
    own[3] = fmaf(a, b, -a);
    own[4] = fminf(a, b);
    own[5] = sqrtf(a) + fmodf(b, 3.0f);
    classes[at] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a != a || b != b) << 4
        | (isnan(a) != 0) << 5 | (isinf(b) != 0) << 6 | (signbit(b) != 0) << 7
        | (isfinite(a) != 0) << 8 | (!(a > b)) << 9;
}

extern "C" __global__ void library_f32(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], p = fabsf(v) + 0.001f;
    float* own = out + i * 16;
    own[0] = sinf(v);
    own[1] = cosf(v * 1000.0f);
    own[2] = tanf(v);
    own[3] = expf(v);
    own[4] = logf(p);
    own[5] = powf(p, v * 0.25f);
    own[6] = cbrtf(v);
    own[7] = atan2f(v, p - 2.0f);
    own[8] = erff(v);
    own[9] = lgammaf(p);
    own[10] = asinhf(v);
    own[11] = expm1f(v);
    own[12] = log1pf(p);
    own[13] = tanhf(v);
    own[14] = hypotf(v, p);
    own[15] = remainderf(v * 100.0f, p);
}

extern "C" __global__ void library_f64(const double* x, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = x[i], p = fabs(v) + 0.001;
    double* own = out + i * 10;
    own[0] = sin(v);
    own[1] = cos(v * 1e6);
    own[2] = exp(v);
    own[3] = log(p);
    own[4] = pow(p, v * 0.25);
    own[5] = atan(v);
    own[6] = erf(v);
    own[7] = tgamma(p);
    own[8] = rsqrt(p);
    own[9] = cbrt(v) + 1.0 / p;
}

extern "C" __global__ void approximations(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], p = fabsf(v), t;
    float* own = out + i * 10;
    own[0] = __sinf(v);
    own[1] = __cosf(v);
    asm("ex2.approx.f32 %0, %1;" : "=f"(own[2]) : "f"(v));
    asm("lg2.approx.f32 %0, %1;" : "=f"(own[3]) : "f"(p));
    asm("rcp.approx.f32 %0, %1;" : "=f"(own[4]) : "f"(v));
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(own[5]) : "f"(p));
    asm("sqrt.approx.f32 %0, %1;" : "=f"(own[6]) : "f"(p));
    asm("tanh.approx.f32 %0, %1;" : "=f"(own[7]) : "f"(v));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(t) : "f"(-p));
    own[8] = t;
    own[9] = __fdividef(v, p + 1.0f);
}
