#include "include/check.h"

#define FULL (1024 * 1024)
#define CHUNK (FULL / 4)
#define NSTREAMS 4

__global__ void average3(const int *a, const int *b, int *c, int n) {
    int idx = threadIdx.x + blockIdx.x * blockDim.x;
    if (idx < n) {
        int idx1 = (idx + 1) % 256;
        int idx2 = (idx + 2) % 256;
        float as = (a[idx] + a[idx1] + a[idx2]) / 3.0f;
        float bs = (b[idx] + b[idx1] + b[idx2]) / 3.0f;
        c[idx] = (as + bs) / 2;
    }
}

int main(void) {
    cudaDeviceProp prop;
    int whichDevice;
    CHECK(cudaGetDevice(&whichDevice));
    CHECK(cudaGetDeviceProperties(&prop, whichDevice));
    if (!prop.asyncEngineCount)
        printf("no overlap here\n");

    cudaStream_t streams[NSTREAMS];
    cudaEvent_t start, stop;
    int *host_a, *host_b, *host_c;
    int *dev_a[NSTREAMS], *dev_b[NSTREAMS], *dev_c[NSTREAMS];
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < NSTREAMS; ++i) {
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        CHECK(cudaMalloc((void **)&dev_a[i], CHUNK * sizeof(int)));
        CHECK(cudaMalloc((void **)&dev_b[i], CHUNK * sizeof(int)));
        CHECK(cudaMalloc((void **)&dev_c[i], CHUNK * sizeof(int)));
    }
    CHECK(cudaHostAlloc((void **)&host_a, FULL * sizeof(int), cudaHostAllocDefault));
    CHECK(cudaHostAlloc((void **)&host_b, FULL * sizeof(int), cudaHostAllocDefault));
    CHECK(cudaHostAlloc((void **)&host_c, FULL * sizeof(int), cudaHostAllocDefault));
    CHECK(cudaEventRecord(start, 0));
    for (int i = 0; i < FULL; i += CHUNK) {
        int s = (i / CHUNK) % NSTREAMS;
        CHECK(cudaMemcpyAsync(dev_a[s], host_a + i, CHUNK * sizeof(int), cudaMemcpyHostToDevice, streams[s]));
        CHECK(cudaMemcpyAsync(dev_b[s], host_b + i, CHUNK * sizeof(int), cudaMemcpyHostToDevice, streams[s]));
        average3<<<CHUNK / 256, 256, 0, streams[s]>>>(dev_a[s], dev_b[s], dev_c[s], CHUNK);
        CHECK(cudaMemcpyAsync(host_c + i, dev_c[s], CHUNK * sizeof(int), cudaMemcpyDeviceToHost, streams[s]));
    }
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaEventSynchronize(stop));
    float elapsed;
    CHECK(cudaEventElapsedTime(&elapsed, start, stop));
    printf("Time taken: %3.1f ms\n", elapsed);
    for (auto s : streams) CHECK(cudaStreamDestroy(s));
    return 0;
}
