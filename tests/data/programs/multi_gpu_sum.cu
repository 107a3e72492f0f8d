#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <omp.h>

#ifndef MAX
#define MAX(a, b) (a > b ? a : b)
#endif

const int MAX_GPU_COUNT = 32;
const int DATA_N = 1048576 * 32;
const int BLOCK_N = 32, THREAD_N = 256, ACCUM_N = BLOCK_N * THREAD_N;

typedef struct
{
    // Host-side input data
    int    dataN;
    float *h_Data;

    // Partial sum for this GPU
    float *h_Sum;

    // Device buffers
    float *d_Data, *d_Sum;

    // Reduction copied back from GPU
    float *h_Sum_from_device;

    // Stream for asynchronous command execution
    cudaStream_t stream;
} TGPUplan;

__global__ static void reduceKernel(float *d_Result, float *d_Input, int N)
{
    const int tid     = blockIdx.x * blockDim.x + threadIdx.x;
    const int threadN = gridDim.x * blockDim.x;
    float     sum     = 0;

    for (int pos = tid; pos < N; pos += threadN)
        sum += d_Input[pos];

    d_Result[tid] = sum;
}

int main(int argc, char **argv)
{
    TGPUplan plan[MAX_GPU_COUNT];
    float h_SumGPU[MAX_GPU_COUNT];
    double sumGPU = 0, sumCPU = 0;
    int GPU_N, gpuBase = 0;

    cudaGetDeviceCount(&GPU_N);
    if (GPU_N > MAX_GPU_COUNT) GPU_N = MAX_GPU_COUNT;
    printf("CUDA-capable device count: %i\n", GPU_N);
    if (GPU_N == 0) return 0;

    // Subdividing input data across GPUs, the last ones take the rest
    for (int i = 0; i < GPU_N; i++) plan[i].dataN = DATA_N / GPU_N;
    for (int i = 0; i < DATA_N % GPU_N; i++) plan[i].dataN++;
    for (int i = 0; i < GPU_N; i++) {
        plan[i].h_Sum = h_SumGPU + i;
        gpuBase += plan[i].dataN;
    }

    #pragma omp parallel for num_threads(GPU_N)
    for (int i = 0; i < GPU_N; i++) {
        cudaSetDevice(i);
        cudaStreamCreate(&plan[i].stream);
        cudaMalloc((void **)&plan[i].d_Data, plan[i].dataN * sizeof(float));
        cudaMalloc((void **)&plan[i].d_Sum, ACCUM_N * sizeof(float));
        cudaMallocHost((void **)&plan[i].h_Sum_from_device, ACCUM_N * sizeof(float));
        cudaMallocHost((void **)&plan[i].h_Data, plan[i].dataN * sizeof(float));
        for (int j = 0; j < plan[i].dataN; j++)
            plan[i].h_Data[j] = (float)rand() / (float)RAND_MAX;
    }

    // Copy data to GPU, launch the kernel and copy data back. All asynchronously
    for (int i = 0; i < GPU_N; i++) {
        cudaSetDevice(i);
        cudaMemcpyAsync(plan[i].d_Data, plan[i].h_Data, plan[i].dataN * sizeof(float), cudaMemcpyHostToDevice, plan[i].stream);
        reduceKernel<<<BLOCK_N, THREAD_N, 0, plan[i].stream>>>(plan[i].d_Sum, plan[i].d_Data, plan[i].dataN);
        cudaMemcpyAsync(plan[i].h_Sum_from_device, plan[i].d_Sum, ACCUM_N * sizeof(float), cudaMemcpyDeviceToHost, plan[i].stream);
    }

    for (int i = 0; i < GPU_N; i++) {
        cudaSetDevice(i);
        cudaStreamSynchronize(plan[i].stream);
        float sum = 0;
        for (int j = 0; j < ACCUM_N; j++) sum += plan[i].h_Sum_from_device[j];
        *(plan[i].h_Sum) = (float)sum;
        sumGPU += sum;
        for (int j = 0; j < plan[i].dataN; j++) sumCPU += plan[i].h_Data[j];
        cudaFree(plan[i].d_Data);
        cudaFree(plan[i].d_Sum);
        cudaStreamDestroy(plan[i].stream);
    }
    double diff = fabs(sumCPU - sumGPU) / MAX(fabs(sumCPU), 1.0);
    printf("  GPU sum: %f\n  CPU sum: %f\n  Relative difference: %E \n\n", sumGPU, sumCPU, diff);
    exit((diff < 1e-5) ? EXIT_SUCCESS : EXIT_FAILURE);
}
