
#include "cuda_runtime.h"
#include "device_launch_parameters.h"

#include <stdio.h>
#include <stdlib.h>

#define SIZE 1024

cudaError_t sortWithCuda(int *data, unsigned int size);

__global__ void oddEvenKernel(int *data, int n)
{
    __shared__ int s[SIZE];
    int i = threadIdx.x;
    s[i] = data[i];
    s[i + n / 2] = data[i + n / 2];
    __syncthreads();
    for (int phase = 0; phase < n; phase++)
    {
        int left = 2 * i + (phase & 1);
        if (left + 1 < n && s[left] > s[left + 1])
        {
            int t = s[left];
            s[left] = s[left + 1];
            s[left + 1] = t;
        }
        __syncthreads();
    }
    data[i] = s[i];
    data[i + n / 2] = s[i + n / 2];
}

int main()
{
    int data[SIZE];
    for (int i = 0; i < SIZE; i++)
        data[i] = rand() % 10000;

    // Sort in parallel.
    cudaError_t cudaStatus = sortWithCuda(data, SIZE);
    if (cudaStatus != cudaSuccess) {
        fprintf(stderr, "sortWithCuda failed!");
        return 1;
    }

    printf("{%d,%d,%d, ... ,%d,%d}\n",
        data[0], data[1], data[2], data[SIZE - 2], data[SIZE - 1]);

    // cudaDeviceReset must be called before exiting in order for profiling and
    // tracing tools to show complete traces.
    cudaStatus = cudaDeviceReset();
    if (cudaStatus != cudaSuccess) {
        fprintf(stderr, "cudaDeviceReset failed!");
        return 1;
    }

    return 0;
}

// Helper function for using CUDA to sort numbers in parallel.
cudaError_t sortWithCuda(int *data, unsigned int size)
{
    int *dev_data = 0;
    cudaError_t cudaStatus;

    cudaStatus = cudaSetDevice(0);
    if (cudaStatus != cudaSuccess) {
        fprintf(stderr, "cudaSetDevice failed!  Is there a CUDA-capable GPU?");
        goto Error;
    }

    cudaStatus = cudaMalloc((void**)&dev_data, size * sizeof(int));
    if (cudaStatus != cudaSuccess) {
        fprintf(stderr, "cudaMalloc failed!");
        goto Error;
    }

    cudaStatus = cudaMemcpy(dev_data, data, size * sizeof(int), cudaMemcpyHostToDevice);
    if (cudaStatus != cudaSuccess) {
        fprintf(stderr, "cudaMemcpy failed!");
        goto Error;
    }

    // Launch a kernel on the GPU with one thread for each pair.
    oddEvenKernel<<<1, size / 2>>>(dev_data, size);

    cudaStatus = cudaGetLastError();
    if (cudaStatus != cudaSuccess) {
        fprintf(stderr, "launch failed: %s\n", cudaGetErrorString(cudaStatus));
        goto Error;
    }

    cudaStatus = cudaMemcpy(data, dev_data, size * sizeof(int), cudaMemcpyDeviceToHost);

Error:
    cudaFree(dev_data);

    return cudaStatus;
}
