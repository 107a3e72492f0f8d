#pragma once

namespace ops {
namespace detail {
template <typename T> __global__ void fill(T *p, T value);
template <typename Op> __global__ void apply(float *p, Op op);
}
struct Negate {
    __device__ float operator()(float x) const { return -x; }
};
class Runner {
    int threads_ = 48;

public:
    template <typename T> void fill(T *p, int blocks) const;
    void negate(float *p) const;
};
}
