// Ranges of NVTX around launches, by its functions in C and its classes in C++.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvtx3.hpp>

#include <cstdint>
#include <cstdio>

struct physics_domain {
    static constexpr char const *name{"physics"};
};

struct step_message {
    static constexpr char const *message{"step"};
};

using scoped = nvtx3::scoped_range_in<physics_domain>;

#define PUSH_RANGE(name, cid)                                                    \
    {                                                                            \
        nvtxEventAttributes_t attributes = {};                                   \
        attributes.version = NVTX_VERSION;                                       \
        attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;                         \
        attributes.colorType = NVTX_COLOR_ARGB;                                  \
        attributes.color = colors[cid % 3];                                      \
        attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;                        \
        attributes.message.ascii = name;                                         \
        nvtxRangePushEx(&attributes);                                            \
    }
#define POP_RANGE nvtxRangePop();

const uint32_t colors[] = {0xff00ff00, 0xff0000ff, 0xffffff00};

template <int Steps>
__global__ void advance(float *positions, const float *velocities, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int step = 0; step < Steps; ++step) positions[i] += velocities[i] * dt;
}

__global__ void energy(const float *velocities, float *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total, 0.5f * velocities[i] * velocities[i]);
}

void run(float *positions, float *velocities, float *total, int n) {
    NVTX3_FUNC_RANGE_IN(physics_domain);
    {
        scoped range{nvtx3::registered_string_in<physics_domain>::get<step_message>(), nvtx3::rgb{127, 255, 0},
                     nvtx3::payload{n}};
        advance<4><<<(n + 255) / 256, 256>>>(positions, velocities, 0.01f, n);
    }
    PUSH_RANGE("energy", 1)
    energy<<<(n + 255) / 256, 256>>>(velocities, total, n);
    POP_RANGE
    nvtx3::mark("done");
}

int main() {
    const int n = 1 << 20;
    nvtxNameOsThreadA(0, "main");
    nvtxRangeId_t id = nvtxRangeStartA("all");
    float *positions, *velocities, *total;
    cudaMalloc(&positions, n * sizeof(float));
    cudaMalloc(&velocities, n * sizeof(float));
    cudaMalloc(&total, sizeof(float));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    nvtxNameCudaStreamA(stream, "work");
    run(positions, velocities, total, n);
    nvtxRangeEnd(id);
    return 0;
}
