#include "cuda_runtime.h"
#include "device_launch_parameters.h"

#include <stdio.h>

cudaError_t scaleOnDevice(int *out, const int *in, int factor, unsigned int size);

__global__ void scaleKernel(int *out, const int *in, int factor)
{
    int i = threadIdx.x;
    out[i] = factor * in[i];
}

int main()
{
    const int arraySize = 6;
    const int in[arraySize] = { 1, 2, 3, 4, 5, 6 };
    int out[arraySize] = { 0 };

    cudaError_t cudaStatus = scaleOnDevice(out, in, 10, arraySize);
    if (cudaStatus != cudaSuccess) {
        fprintf(stderr, "scaleOnDevice failed!");
        return 1;
    }
    printf("{%d,%d,%d}\n", out[0], out[1], out[2]);
    cudaStatus = cudaDeviceReset();
    return cudaStatus != cudaSuccess;
}

cudaError_t scaleOnDevice(int *out, const int *in, int factor, unsigned int size)
{
    int *dev_in = 0;
    int *dev_out = 0;
    cudaError_t cudaStatus;

    cudaStatus = cudaSetDevice(0);
    if (cudaStatus != cudaSuccess) {
        fprintf(stderr, "no device");
        goto Error;
    }
    cudaStatus = cudaMalloc((void**)&dev_out, size * sizeof(int));
    if (cudaStatus != cudaSuccess) goto Error;
    cudaStatus = cudaMalloc((void**)&dev_in, size * sizeof(int));
    if (cudaStatus != cudaSuccess) goto Error;
    cudaStatus = cudaMemcpy(dev_in, in, size * sizeof(int), cudaMemcpyHostToDevice);
    if (cudaStatus != cudaSuccess) goto Error;

    scaleKernel<<<1, size>>>(dev_out, dev_in, factor);

    cudaStatus = cudaGetLastError();
    if (cudaStatus != cudaSuccess) {
        fprintf(stderr, "launch failed: %s\n", cudaGetErrorString(cudaStatus));
        goto Error;
    }
    cudaStatus = cudaMemcpy(out, dev_out, size * sizeof(int), cudaMemcpyDeviceToHost);
Error:
    cudaFree(dev_out);
    cudaFree(dev_in);
    return cudaStatus;
}
