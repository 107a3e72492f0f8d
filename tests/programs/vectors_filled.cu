// Vectors that loops fill, and functions of traits.
#include <vector>

__global__ void add(const float *a, float *b, int n) { if (threadIdx.x < n) b[threadIdx.x] += a[threadIdx.x]; }
__global__ void ints(const int *a, int n, long long start) { if (a[threadIdx.x] > start) __trap(); }

struct Least {
    template <typename T>
    static T start() { return T(1) << 20; }
};

template <class R, typename T>
void run(const std::vector<T> &values)
{
    T *p;
    cudaMalloc(&p, values.size() * sizeof(T));
    ints<<<(int)(values.size() + 31) / 32, 32>>>(p, (int)values.size(), R::template start<long long>());
}

int main()
{
    const int n = 90;
    std::vector<float> squares, pairs;
    squares.reserve(n);
    for (int i = 0; i < n; ++i) squares.push_back(float(i * i));
    for (int i = 1; i != n; i++) {
        const float x = squares[i];
        pairs.push_back(x);
        pairs.emplace_back(-x);
    }
    float *a, *b;
    cudaMalloc(&a, squares.size() * sizeof(float));
    cudaMalloc(&b, pairs.size() * sizeof(float));
    add<<<1, 96>>>(a, b, (int)pairs.size());
    std::vector<int> whole(10);
    for (int i = 0; i < 3 * n; ++i) whole.push_back(i);
    run<Least>(whole);
    return cudaDeviceSynchronize();
}
