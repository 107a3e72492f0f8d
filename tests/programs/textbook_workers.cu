// One host thread per device, started by the helpers of the course.
#include "include/textbook.h"

#define imin(a, b) (a < b ? a : b)
const int N = 4 * 1024 * 1024;
const int threadsPerBlock = 256;
const int blocksPerGrid = imin(32, (N / 2 + threadsPerBlock - 1) / threadsPerBlock);

__global__ void dot(int size, float *a, float *b, float *c) {
    __shared__ float cache[threadsPerBlock];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    float temp = 0;
    while (tid < size) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }
    cache[threadIdx.x] = temp;
    __syncthreads();
    for (int i = blockDim.x / 2; i != 0; i /= 2) {
        if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
        __syncthreads();
    }
    if (threadIdx.x == 0) c[blockIdx.x] = cache[0];
}

struct Share {
    int deviceID;
    int size;
    int offset;
    float *a;
    float *b;
    float returnValue;
};

WORKER_PROC routine(void *pvoidData) {
    Share *data = (Share *)pvoidData;
    STOP_ON_ERROR(cudaSetDevice(data->deviceID));
    int size = data->size;
    float *partial = (float *)malloc(blocksPerGrid * sizeof(float));
    float *dev_a, *dev_b, *dev_partial;
    STOP_ON_ERROR(cudaHostGetDevicePointer(&dev_a, data->a, 0));
    STOP_ON_ERROR(cudaHostGetDevicePointer(&dev_b, data->b, 0));
    STOP_ON_ERROR(cudaMalloc((void **)&dev_partial, blocksPerGrid * sizeof(float)));
    dev_a += data->offset;
    dev_b += data->offset;
    dot<<<blocksPerGrid, threadsPerBlock>>>(size, dev_a, dev_b, dev_partial);
    STOP_ON_ERROR(cudaMemcpy(partial, dev_partial, blocksPerGrid * sizeof(float),
                             cudaMemcpyDeviceToHost));
    float c = 0;
    for (int i = 0; i < blocksPerGrid; i++) c += partial[i];
    free(partial);
    data->returnValue = c;
    WORKER_END;
}

int main(void) {
    float *a, *b;
    STOP_ON_ERROR(cudaHostAlloc((void **)&a, N * sizeof(float), cudaHostAllocMapped));
    STOP_ON_ERROR(cudaHostAlloc((void **)&b, N * sizeof(float), cudaHostAllocMapped));
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = i * 2;
    }
    Share data[2];
    for (int i = 0; i < 2; i++) {
        data[i].deviceID = 0;
        data[i].offset = i * (N / 2);
        data[i].size = N / 2;
        data[i].a = a;
        data[i].b = b;
    }
    WorkerThread thread = start_worker(routine, &(data[1]));
    routine(&(data[0]));
    end_worker(thread);
    printf("Value calculated: %f\n", data[0].returnValue + data[1].returnValue);
    return 0;
}
