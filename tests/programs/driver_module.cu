// Kernels of this file, launched through the driver from a module of another.
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define DRIVER(call)                                               \
    do {                                                           \
        CUresult result_ = (call);                                 \
        if (result_ != CUDA_SUCCESS) {                             \
            const char *text_ = NULL;                              \
            cuGetErrorString(result_, &text_);                     \
            fprintf(stderr, "%s: %s\n", #call, text_ ? text_ : "");\
            exit(1);                                               \
        }                                                          \
    } while (0)

extern "C" __global__ void vecAdd(const float *A, const float *B, float *C, int N)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < N)
        C[i] = A[i] + B[i];
}

static CUdeviceptr filled(size_t bytes, unsigned pattern)
{
    CUdeviceptr p;
    DRIVER(cuMemAlloc(&p, bytes));
    DRIVER(cuMemsetD32(p, pattern, bytes / 4));
    return p;
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    int N = 50000;
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuDevicePrimaryCtxRetain(&context, device));
    DRIVER(cuCtxSetCurrent(context));
    DRIVER(cuModuleLoad(&module, argc > 1 ? argv[1] : "vec.cubin"));
    DRIVER(cuModuleGetFunction(&function, module, "vecAdd"));
    CUdeviceptr A = filled(N * sizeof(float), 0x3f800000);
    CUdeviceptr B = filled(N * sizeof(float), 0x40000000);
    CUdeviceptr C = filled(N * sizeof(float), 0);
    int threads = 256;
    int blocks = (N + threads - 1) / threads;
    void *args[] = {&A, &B, &C, &N};
    DRIVER(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, NULL, args, NULL));
    DRIVER(cuCtxSynchronize());
    DRIVER(cuMemFree(A));
    DRIVER(cuMemFree(B));
    DRIVER(cuMemFree(C));
    DRIVER(cuModuleUnload(module));
    return 0;
}
