#include <cstddef>
#include <utility>
#include <vector>
#include <cassert>

#define GPU_ASSERT(x) do { cudaError_t e = (x); assert(e == cudaSuccess); (void)e; } while (false)

template <typename T>
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    explicit DeviceBuffer(std::size_t count) : count_(count) { GPU_ASSERT(cudaMalloc(&data_, count * sizeof(T))); }
    explicit DeviceBuffer(const std::vector<T>& host) : DeviceBuffer(host.size()) {
        GPU_ASSERT(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice));
    }
    DeviceBuffer(DeviceBuffer&& other) noexcept { std::swap(data_, other.data_); std::swap(count_, other.count_); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    ~DeviceBuffer() { cudaFree(data_); }

    [[nodiscard]] T* get() noexcept { return data_; }
    [[nodiscard]] const T* get() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return count_ * sizeof(T); }
    std::vector<T> download() const {
        std::vector<T> host(count_);
        GPU_ASSERT(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost));
        return host;
    }

private:
    T* data_ = nullptr;
    std::size_t count_ = 0;
};

__global__ void spmv_ell(const float* values, const int* columns, const float* x, float* y, int rows, int width) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0.f;
    for (int k = 0; k < width; ++k) {
        int c = columns[k * rows + r];
        if (c >= 0) sum += values[k * rows + r] * x[c];
    }
    y[r] = sum;
}

int main() {
    const int rows = 900, width = 5;
    std::vector<float> values(rows * width, 1.f), x(rows, 2.f);
    std::vector<int> columns(rows * width, -1);
    DeviceBuffer<float> d_values(values), d_x(x), d_y(rows);
    DeviceBuffer<int> d_columns{columns};
    spmv_ell<<<(rows + 127) / 128, 128>>>(d_values.get(), d_columns.get(), d_x.get(), d_y.get(), rows, width);
    auto y = d_y.download();
    return y.size() == d_y.size() ? 0 : 1;
}
