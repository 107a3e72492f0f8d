#include "include/ops.cuh"

using namespace ops;

template <typename T> __global__ void detail::fill(T *p, T value) { p[threadIdx.x] = value; }
template <typename Op> __global__ void ops::detail::apply(float *p, Op op) { p[threadIdx.x] = op(p[0]); }

template <typename T> void ops::Runner::fill(T *p, int blocks) const
{
    detail::fill<T><<<blocks, threads_>>>(p, T(3));
}
void Runner::negate(float *p) const { detail::apply<<<5, threads_ * 2>>>(p, Negate()); }

int main()
{
    float *f;
    int *p;
    cudaMalloc(&f, 4000);
    cudaMalloc(&p, 400);
    Runner runner;
    runner.fill(p, 2);
    runner.negate(f);
    detail::fill<<<3, 10>>>(f, 1.5f);
    return cudaDeviceSynchronize();
}
