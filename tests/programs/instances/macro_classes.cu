#include <cstdio>
template <typename F>
__global__ void k(float *p, F f) {
    p[threadIdx.x] = f(p[threadIdx.x]);
}
#define FUNCTOR(NAME, EXPRESSION)                                                                  \
    struct NAME {                                                                                  \
        float by;                                                                                  \
        explicit NAME(float by) : by(by) { printf("%g", by); }                                     \
        __device__ float operator()(float x) const { return EXPRESSION; }                          \
        static const char *name() {                                                                \
            static int count = 0;                                                                  \
            printf("%d", ++count);                                                                 \
            return #NAME;                                                                          \
        }                                                                                          \
    };
FUNCTOR(Plus, x + by)
FUNCTOR(Times, x *by)
int main() {
    k<Plus><<<1, 32>>>(nullptr, Plus(2));
    std::printf("%s", Times::name());
    k<Times><<<1, 1>>>(nullptr, Times(3));
}
