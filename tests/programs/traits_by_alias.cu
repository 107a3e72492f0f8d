// Sizes in classes that templates are given, by aliases of aliases, enumerations and inheritance.
#include <cstdio>

template <int B, int V>
struct Shape {
    enum { kBlock = B, kVector = V };
    static constexpr int kItems = B * V;
    static int blocks(int n) { return (n + kItems - 1) / kItems; }
};
template <typename T>
using Wide = Shape<64, sizeof(T)>;
typedef Shape<128, 2> Plain;
using Usual = Plain;

template <class S, typename T>
__global__ void scale(T *p, int n, T by)
{
    for (int i = blockIdx.x * S::kItems + threadIdx.x; i < n; i += S::kBlock) p[i] *= by;
}

template <class S, typename T>
struct Launcher {
    static constexpr size_t shared = S::kItems * sizeof(T);
    T *p;
    int n;
    void operator()(T by) const { scale<S, T><<<S::blocks(n), S::kItems / S::kVector, shared>>>(p, n, by); }
};

template <int N>
struct Twice {
    static constexpr int value = 2 * N;
};

__global__ void fill(float *p, int n) { p[threadIdx.x] = n; }

int main()
{
    const int n = 1000;
    float *p;
    short *q;
    cudaMalloc(&p, n * sizeof(float));
    cudaMalloc(&q, n * sizeof(short));
    Launcher<Usual, float> first{p, n};
    first(2.5f);
    Launcher<Shape<64, sizeof(short)>, short> second{q, n};
    second(3);
    fill<<<Twice<3>::value, Twice<16>::value>>>(p, Usual::kItems);
    return cudaDeviceSynchronize();
}
