// transform, reduce and for_each with functors and device lambdas
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <type_traits>
#include <vector>

// What can be called on both sides
template <class T> struct Square {
    __host__ __device__ T operator()(const T &x) const { return x * x; }
};

template <class T> struct Affine {
    T a, b;
    __host__ __device__ Affine(T a, T b) : a(a), b(b) {}
    __host__ __device__ T operator()(const T &x) const { return a * x + b; }
};

template <class F, class G> struct Compose {
    F f;
    G g;
    template <class T> __host__ __device__ auto operator()(const T &x) const -> decltype(f(g(x))) { return f(g(x)); }
};

template <class F, class G> Compose<F, G> compose(F f, G g) { return {f, g}; }

template <class T> struct Plus {
    static __host__ __device__ constexpr T identity() { return T(0); }
    __host__ __device__ T operator()(T x, T y) const { return x + y; }
};

template <class T> struct Max {
    static __host__ __device__ constexpr T identity() { return std::is_signed<T>::value ? T(-1e30) : T(0); }
    __host__ __device__ T operator()(T x, T y) const { return x < y ? y : x; }
};

template <class In, class Out, class F>
__global__ void transformKernel(const In *in, Out *out, int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = f(in[i]);
}

template <int BLOCK, class T, class Op>
__global__ void reduceKernel(const T *in, T *out, int n, Op op)
{
    __shared__ T s[BLOCK];
    T value = Op::identity();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCK * gridDim.x) value = op(value, in[i]);
    s[threadIdx.x] = value;
    __syncthreads();
    for (int half = BLOCK / 2; half; half /= 2) {
        if (threadIdx.x < half) s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

template <class T, class F> void transform(const T *in, T *out, int n, F f)
{
    transformKernel<<<(n + 255) / 256, 256>>>(in, out, n, f);
}

template <class T, class Op> T reduce(const T *in, int n, Op op)
{
    T *partial, result;
    cudaMalloc(&partial, 65 * sizeof(T));
    reduceKernel<128><<<64, 128>>>(in, partial, n, op);
    reduceKernel<128><<<1, 128>>>(partial, partial + 64, 64, op);
    cudaMemcpy(&result, partial + 64, sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(partial);
    return result;
}

int main()
{
    const int n = 10000;
    std::vector<float> h(n);
    std::iota(h.begin(), h.end(), 0.f);
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    transform(x, y, n, compose(Square<float>(), Affine<float>(0.5f, 1.f)));
    printf("sum %g, max %g\n", reduce(y, n, Plus<float>()), reduce(y, n, Max<float>()));
    transform(x, y, n, Affine<float>{2.f, -1.f});
    std::vector<std::function<float(float)>> checks = {Square<float>(), Affine<float>(2.f, -1.f)};
    for (auto &f : checks) printf("%g\n", f(3.f));
    cudaFree(x);
    cudaFree(y);
    return 0;
}
