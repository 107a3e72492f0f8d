#include "include/check.h"
#include <omp.h>
#include <vector>

__global__ void saxpy_slice(int first, int last, float a, const float *x, float *y)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < last) y[i - first] += a * x[i - first];
}

struct Device {
    int id;
    float *x, *y;
    cudaStream_t stream;
};

int main()
{
    const int total = 10000;
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    std::vector<Device> devices(count);
    const int share = (total + count - 1) / count;
    for (int d = 0; d < count; ++d) {
        Device &device = devices[d];
        device.id = d;
        CHECK(cudaSetDevice(d));
        CHECK(cudaStreamCreate(&device.stream));
        CHECK(cudaMalloc(&device.x, share * sizeof(float)));
        CHECK(cudaMalloc(&device.y, share * sizeof(float)));
    }
#pragma omp parallel for num_threads(count)
    for (int d = 0; d < count; ++d) {
        CHECK(cudaSetDevice(devices[d].id));
        int first = d * share, last = first + share < total ? first + share : total;
        int blocks = (last - first + 255) / 256;
        saxpy_slice<<<blocks, 256, 0, devices[d].stream>>>(first, last, 2.f, devices[d].x, devices[d].y);
    }
    for (auto &device : devices) {
        CHECK(cudaSetDevice(device.id));
        CHECK(cudaStreamSynchronize(device.stream));
    }
    return 0;
}
