#include <cstdio>
#include <initializer_list>
#include <utility>

template <int N>
__global__ void poly(const double* c, const double* x, double* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double r = c[N];
#pragma unroll
    for (int k = N - 1; k >= 0; --k) r = r * x[i] + c[k];
    y[i] = r;
}

template <int N>
struct Dispatch {
    static void run(int degree, const double* c, const double* x, double* y, int n) {
        if (degree == N)
            poly<N><<<(n + 63) / 64, 64>>>(c, x, y, n);
        else
            Dispatch<N - 1>::run(degree, c, x, y, n);
    }
};

template <>
struct Dispatch<0> {
    static void run(int degree, const double*, const double*, double*, int) {
        std::printf("degree %d is not offered\n", degree);
    }
};

template <int N>
__global__ void tabulate(float* out) {
    out[threadIdx.x] = N * (float)threadIdx.x;
}

template <int... N>
void all(float* out, std::integer_sequence<int, N...>) {
    (void)std::initializer_list<int>{(tabulate<N + 1><<<1, 32>>>(out), 0)...};
}

int main() {
    double *c, *x, *y;
    float *out;
    cudaMalloc(&c, 5 * sizeof(double));
    cudaMalloc(&x, 777 * sizeof(double));
    cudaMalloc(&y, 777 * sizeof(double));
    cudaMalloc(&out, 32 * sizeof(float));
    Dispatch<4>::run(3, c, x, y, 777);
    all(out, std::make_integer_sequence<int, 3>{});
    return cudaDeviceSynchronize();
}
