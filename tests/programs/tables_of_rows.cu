// Kernels in tables, each with sizes of its own; structs in arrays.
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <cuda_fp16.h>

typedef void (*kernel_t)(float *, int);

template <int N>
__global__ void plain(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = N; }
__global__ void last(float *p, int n) { p[n] = 0; }
__global__ void tail(float *p, int n) { p[n] = 1; }
__global__ void mapped(float *p, int n) { p[n] = 2; }
__global__ void found(float *p, int n) { p[n] = 3; }

static const struct {
    const char *name;
    kernel_t kernel;
    int blocks;
    dim3 block;
} rows[] = {
    {"one", plain<1>, 3, dim3(32)},
    {"two", plain<2>, 5, dim3(64, 2)},
    {"last", last, 7, dim3(16, 4)},
};

struct Step {
    kernel_t kernel;
    int threads;
};

class Plan {
    kernel_t kernels_[2];
    Step steps_[2];

public:
    Plan() : kernels_{plain<3>, plain<4>}, steps_{{plain<5>, 96}, {tail, 160}} {}
    void run(float *p, int n) const
    {
        kernels_[0]<<<1, 33>>>(p, n);
        kernels_[1]<<<2, 34>>>(p, n);
        for (const Step *s = steps_; s != steps_ + 2; ++s) s->kernel<<<n, s->threads>>>(p, s->threads / 32);
    }
};

struct Part {
    int size;
    float *data;
    half2 scale;
};

__global__ void scaled(float *p, Part part, half2 by) { p[0] = part.size + __low2float(by) + __low2float(part.scale); }

int main()
{
    float *p;
    cudaMalloc(&p, 4096);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rows[i].kernel<<<rows[i].blocks, rows[i].block>>>(p, 4);
        std::printf("%s\n", rows[i].name);
    }
    Plan plan;
    plan.run(p, 6);
    std::map<std::string, kernel_t> by_name{{"a", mapped}};
    by_name.at("a")<<<8, 128>>>(p, 9);
    const std::unordered_map<int, kernel_t> by_number = {{4, found}};
    auto at = by_number.find(4);
    if (at != by_number.end()) at->second<<<9, 64>>>(p, 10);
    Part parts[2], whole;
    for (int i = 0; i < 2; i++) {
        parts[i].size = 10;
        cudaMalloc(&parts[i].data, sizeof(float) * parts[i].size);
    }
    memset(&whole, 0, sizeof whole);
    whole.size = 12;
    whole.data = parts[1].data;
    scaled<<<1, 1>>>(parts[0].data, whole, __floats2half2_rn(0.5f, 3.f));
    return cudaDeviceSynchronize();
}
