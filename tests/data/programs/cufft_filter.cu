// A low-pass filter by cuFFT, forward and back, with a load callback of cufftXt.
#include <cufft.h>
#include <cufftXt.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#define CUFFT_OK(call)                                                        \
    if (cufftResult code = (call); code != CUFFT_SUCCESS) {                   \
        std::fprintf(stderr, "cuFFT error %d at line %d\n", code, __LINE__);  \
        return 1;                                                             \
    }

struct Filter {
    cufftComplex *bins;
    int length;
    cufftReal cutoff;
};

__device__ cufftComplex windowed(void *data, size_t offset, void *info, void *shared) {
    const Filter *filter = static_cast<const Filter *>(info);
    cufftComplex value = static_cast<cufftComplex *>(data)[offset];
    float w = 0.5f - 0.5f * cosf(6.2831853f * offset / filter->length);
    return make_cuComplex(value.x * w, value.y * w);
}

__device__ cufftCallbackLoadC windowed_pointer = windowed;

__global__ void low_pass(Filter filter, float scale) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < filter.length; i += gridDim.x * blockDim.x) {
        cufftReal frequency = i < filter.length / 2 ? i : filter.length - i;
        cufftComplex value = filter.bins[i];
        filter.bins[i] = frequency > filter.cutoff ? make_cuComplex(0.f, 0.f)
                                                   : make_cuFloatComplex(value.x * scale, value.y * scale);
    }
}

__global__ void magnitude(const cufftDoubleComplex *in, cufftDoubleReal *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = cuCabs(in[i]);
}

class Plan {
public:
    Plan(int length, cufftType type, int batch) { cufftPlan1d(&plan_, length, type, batch); }
    ~Plan() { cufftDestroy(plan_); }
    cufftHandle get() const { return plan_; }

private:
    cufftHandle plan_ = 0;
};

int main() {
    const int length = 4096;
    auto plan = std::make_unique<Plan>(length, CUFFT_C2C, 1);
    Filter filter{nullptr, length, 300.0f};
    cudaMalloc(reinterpret_cast<void **>(&filter.bins), length * sizeof(cufftComplex));
    std::vector<cufftComplex> signal(length);
    for (int i = 0; i < length; ++i) signal[i] = {std::sin(i * 0.1f), 0.f};
    cudaMemcpy(filter.bins, signal.data(), length * sizeof(cufftComplex), cudaMemcpyHostToDevice);
    CUFFT_OK(cufftExecC2C(plan->get(), filter.bins, filter.bins, CUFFT_FORWARD));
    low_pass<<<16, 256>>>(filter, 1.0f / length);
    CUFFT_OK(cufftExecC2C(plan->get(), filter.bins, filter.bins, CUFFT_INVERSE));
    cufftHandle many;
    int n[2] = {64, 64};
    CUFFT_OK(cufftPlanMany(&many, 2, n, nullptr, 1, 64 * 64, nullptr, 1, 64 * 64, CUFFT_Z2Z, 4));
    size_t work = 0;
    CUFFT_OK(cufftGetSize(many, &work));
    cufftDoubleComplex *z;
    cufftDoubleReal *m;
    cudaMalloc((void **)&z, 64 * 64 * sizeof(*z));
    cudaMalloc((void **)&m, 64 * 64 * sizeof(*m));
    CUFFT_OK(cufftExecZ2Z(many, z, z, CUFFT_FORWARD));
    magnitude<<<64, 64>>>(z, m, 64 * 64);
    cufftDestroy(many);
    return cudaDeviceSynchronize() != cudaSuccess;
}
