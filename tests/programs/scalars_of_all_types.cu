#include <stdint.h>
#include <stdbool.h>
#include <limits.h>
#include <float.h>
#include <stdio.h>

enum Colour { RED = 1, GREEN, BLUE = 40 };
enum class Step : unsigned char { small = 3, large };

__global__ void integers(char c, signed char sc, unsigned char uc, short s, unsigned short us, int i, unsigned u,
                         long l, unsigned long ul, long long ll, unsigned long long ull, long long *out)
{
    out[0] = c + sc + uc + s + us + i + u + l + ul + ll + ull;
}
__global__ void reals(float f, double d, double *out) { out[0] = f * d; }
__global__ void vectors(float2 a, float4 b, int3 c, dim3 d, uchar4 e, double2 *out)
{
    out[0] = make_double2(a.x + b.w, c.z + d.y + e.x);
}
__global__ void others(bool flag, Colour colour, Step step, size_t size, uint8_t byte, int64_t wide, float *p, const void *q)
{
    p[0] = flag + colour + (int)step + size + byte + wide + (q != nullptr);
}

int main(void)
{
    long long *out;
    double *real;
    float *p;
    double2 *pairs;
    cudaMalloc(&out, sizeof(long long));
    cudaMalloc(&real, sizeof(double));
    cudaMalloc(&p, 16);
    cudaMalloc(&pairs, sizeof *pairs);
    integers<<<1, 1>>>('A', -1, 200, -300, 65535, INT_MIN, 0xffffffffu, -5L, 1ul << 40, -(1LL << 50), ~0ull, out);
    reals<<<1, 1>>>(1.5e-3f, -2.0 / 3, real);
    reals<<<2, 3>>>(FLT_MAX, DBL_EPSILON, real);
    float2 a = {1.0f, -2.0f};
    int3 c = make_int3(7, 8, 9);
    uchar4 e;
    e.x = 9, e.y = 8, e.z = 7, e.w = 6;
    vectors<<<1, 1>>>(a, make_float4(0, .5f, 1, 1.5), c, dim3(4, 5), e, pairs);
    others<<<1, 1>>>(true, BLUE, Step::large, sizeof(double) * 3, 0xff, INT64_MAX, p, NULL);
    printf("%d\n", cudaDeviceSynchronize());
    return 0;
}
