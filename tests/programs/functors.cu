#include <vector>
#include <iostream>

struct Plus {
    template <typename T> __host__ __device__ T operator()(T a, T b) const { return a + b; }
    template <typename T> static T identity() { return T(0); }
};
struct Maximum {
    template <typename T> __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
    template <typename T> static T identity() { return T(-1) << 30; }
};
template <class T> struct Affine {
    T a, b;
    __device__ __forceinline__ T operator()(T x) const { return a * x + b; }
};

template <typename T, typename F>
__global__ void transform(const T *in, T *out, int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = f(in[i]);
}

template <typename T, class Op, int BLOCK = 128>
__global__ void fold(const T *in, T *out, int n, T start, Op op) {
    __shared__ T s[BLOCK];
    T v = start;
    for (int i = threadIdx.x; i < n; i += BLOCK) v = op(v, in[i]);
    s[threadIdx.x] = v;
    __syncthreads();
    for (int w = BLOCK / 2; w > 0; w /= 2) {
        if (threadIdx.x < w) s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + w]);
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = s[0];
}

template <class Op> int folded(const std::vector<int> &h, Op op = Op()) {
    int *d, *r, answer = 0;
    cudaMalloc(&d, h.size() * sizeof(int));
    cudaMalloc(&r, sizeof(int));
    cudaMemcpy(d, &h[0], h.size() * sizeof(int), cudaMemcpyHostToDevice);
    transform<<<(int)(h.size() + 127) / 128, 128>>>(d, d, (int)h.size(), Affine<int>{2, 1});
    fold<int, Op><<<1, 128>>>(d, r, (int)h.size(), Op::template identity<int>(), op);
    cudaMemcpy(&answer, r, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(r);
    return answer;
}

int main() {
    std::vector<int> numbers;
    for (int i = 0; i < 1000; ++i) numbers.push_back(i * 7919 % 1000);
    std::cout << folded<Plus>(numbers) << ' ' << folded(numbers, Maximum()) << '\n';
}
