#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <iostream>
#include <sstream>
#include <stdexcept>

class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t status, const std::string &where)
        : std::runtime_error(where + ": " + cudaGetErrorString(status)), status_(status) {}
    cudaError_t status() const noexcept { return status_; }

private:
    cudaError_t status_;
};

inline void must(cudaError_t status, const std::string &where)
{
    if (status != cudaSuccess) throw CudaError(status, where);
}

__global__ void mix(float *left, const float *right, float weight, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) left[i] = (1 - weight) * left[i] + weight * right[i];
}

class Arrays {
    struct Entry {
        std::shared_ptr<float> data;
        int count = 0;
    };
    std::unordered_map<std::string, Entry> entries_;

public:
    void add(const std::string &name, int count)
    {
        float *raw = nullptr;
        must(cudaMalloc(&raw, count * sizeof(float)), name);
        entries_[name] = Entry{std::shared_ptr<float>(raw, [](float *p) { cudaFree(p); }), count};
    }
    void mix_into(const std::string &left, const std::string &right, float weight)
    {
        Entry &l = entries_.at(left);
        const Entry &r = entries_.at(right);
        const int threads = 128;
        mix<<<(l.count + threads - 1) / threads, threads>>>(l.data.get(), r.data.get(), weight, l.count);
        must(cudaGetLastError(), "mix");
    }
};

int main()
try {
    Arrays arrays;
    arrays.add("a", 1000);
    arrays.add("b", 1000);
    arrays.mix_into("a", "b", 0.25f);
    return 0;
} catch (const CudaError &error) {
    std::cerr << error.what() << '\n';
    return error.status();
}
