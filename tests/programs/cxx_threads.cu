#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

template <typename T>
__global__ void increment(T* p, T by, std::size_t n) {
    const auto i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i < n) p[i] += by;
}

class Queue {
public:
    void push(std::function<void()> task) {
        std::lock_guard<std::mutex> guard(mutex_);
        tasks_.push(std::move(task));
        ready_.notify_one();
    }
    bool run_one() {
        std::unique_lock<std::mutex> guard(mutex_);
        if (tasks_.empty()) return false;
        auto task = std::move(tasks_.front());
        tasks_.pop();
        guard.unlock();
        task();
        return true;
    }

private:
    std::mutex mutex_;
    std::condition_variable ready_;
    std::queue<std::function<void()>> tasks_;
};

struct Freed {
    void operator()(void* p) const { cudaFree(p); }
};

template <typename T>
std::unique_ptr<T[], Freed> on_device(std::size_t n) {
    T* p = nullptr;
    cudaMalloc(&p, n * sizeof(T));
    return std::unique_ptr<T[], Freed>(p);
}

int main() {
    constexpr std::size_t n = 1 << 14;
    auto longs = on_device<long long>(n);
    auto floats = on_device<float>(n);
    Queue queue;
    std::atomic<int> done{0};
    queue.push([&] {
        increment<long long><<<(n + 511) / 512, 512>>>(longs.get(), 3LL, n);
        ++done;
    });
    queue.push([&] {
        increment<<<n / 256, 256>>>(floats.get(), 0.5f, n);
        ++done;
    });
    std::thread runner([&queue] { while (queue.run_one()) {} });
    runner.join();
    auto status = std::async(std::launch::async, [] { return cudaDeviceSynchronize(); });
    return status.get() == cudaSuccess && done == 2 ? 0 : 1;
}
