#include <cstdio>

#define LAUNCH_CHECK(name, launch)                                                       \
    do {                                                                                 \
        launch;                                                                          \
        if (cudaGetLastError() != cudaSuccess) std::printf("%s does not launch\n", name); \
    } while (0)
#define CHECKED(launch) launch; if (cudaPeekAtLastError()) return 1

template <typename T, int Hidden, int Threads>
__global__ void normalise(const T *in, T *out, float epsilon)
{
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    float mine = 0;
    for (int i = threadIdx.x; i < Hidden; i += Threads) mine += in[blockIdx.x * Hidden + i] * in[blockIdx.x * Hidden + i];
    atomicAdd(&sum, mine);
    __syncthreads();
    for (int i = threadIdx.x; i < Hidden; i += Threads)
        out[blockIdx.x * Hidden + i] = in[blockIdx.x * Hidden + i] * rsqrtf(sum / Hidden + epsilon);
}

__global__ void halve(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 0.5f; }

namespace deep { __global__ void twice(float *x) { x[threadIdx.x] *= 2; } }

int main()
{
    const int rows = 24;
    float *in, *out;
    cudaMalloc(&in, rows * 256 * sizeof(float));
    cudaMalloc(&out, rows * 256 * sizeof(float));
    (normalise<float, 256, 64>)<<<rows, 64>>>(in, out, 1e-5f);
    LAUNCH_CHECK("normalise", (normalise<float, 128, 32><<<rows * 2, 32>>>(in, out, 1e-6f)));
    CHECKED((halve<<<dim3{rows, 1}, dim3{256}>>>(out)));
    ::halve<<<3, 128>>>(in);
    (::deep::twice)<<<1, 96>>>(in);
    return cudaDeviceSynchronize();
}
