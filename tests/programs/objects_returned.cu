// Sizes and memory in what functions return, and in objects of several classes.
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

__global__ void fill(float *p, int n, float by) { if (threadIdx.x < n) p[threadIdx.x] = by; }
__global__ void copy(const float *a, float *b, int n) { if (threadIdx.x < n) b[threadIdx.x] = a[threadIdx.x]; }
__global__ void sized(int *p, dim3 extent) { p[0] = extent.x * extent.y * extent.z; }

__managed__ int counter;

struct Sizes {
    int n = 32;
    dim3 block = dim3(32);
    Sizes scaled(int by) const
    {
        Sizes more(*this);
        more.n = n * by;
        return more;
    }
    Sizes &wide()
    {
        block = dim3(64, 2);
        return *this;
    }
};

struct Memory {
    float *data = nullptr;
    std::size_t count = 0;
    Memory(std::size_t count) : count(count) { cudaMalloc(&data, count * sizeof(float)); }
    Memory(const std::vector<float> &from) : Memory(from.size()) {}
};

template <typename T>
struct Base {
    int extra;
    Base(int extra) : extra(extra) {}
    int threads() const { return 16 * extra; }
};

class Layer : public Base<int>, private Memory {
    int blocks;

public:
    Layer(int blocks, int n) : Base<int>(blocks + 1), Memory(n), blocks(blocks) {}
    void run() { fill<<<blocks, this->threads()>>>(data, (int)count, extra); }
};

std::pair<float *, int> allocated(int n)
{
    float *p;
    cudaMalloc(&p, n * sizeof(float));
    return {p, n};
}

int main()
{
    auto both = allocated(40);
    auto [p, n] = allocated(70);
    copy<<<1, dim3(n)>>>(both.first, p, both.second);
    Sizes sizes = Sizes().scaled(3);
    fill<<<sizes.n, sizes.block>>>(p, sizes.n, 1.5f);
    std::vector<float> host(300);
    Memory memory(host), other(20);
    copy<<<2, 150>>>(memory.data, other.data, memory.count);
    Layer layer(5, 90);
    layer.run();
    dim3 extent(3, 4);
    sized<<<1, 1>>>(&counter, extent);
    return cudaDeviceSynchronize();
}
