#pragma once

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <stdexcept>

#define HELPERS_CHECK(...) ::helpers::check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

namespace helpers {

inline void check(cudaError_t status, const char* call, const char* file, int line) {
    if (status == cudaSuccess) return;
    std::ostringstream text;
    text << file << ':' << line << ": " << call << ": " << cudaGetErrorString(status);
    throw std::runtime_error(text.str());
}

/// Milliseconds on the device, by two events.
class Timer {
public:
    Timer() {
        HELPERS_CHECK(cudaEventCreate(&begin_));
        HELPERS_CHECK(cudaEventCreate(&end_));
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() {
        cudaEventDestroy(begin_);
        cudaEventDestroy(end_);
    }
    void start(cudaStream_t stream = nullptr) { HELPERS_CHECK(cudaEventRecord(begin_, stream)); }
    float stop(cudaStream_t stream = nullptr) {
        float ms = 0.f;
        HELPERS_CHECK(cudaEventRecord(end_, stream));
        HELPERS_CHECK(cudaEventSynchronize(end_));
        HELPERS_CHECK(cudaEventElapsedTime(&ms, begin_, end_));
        return ms;
    }

private:
    cudaEvent_t begin_{}, end_{};
};

}  // namespace helpers
