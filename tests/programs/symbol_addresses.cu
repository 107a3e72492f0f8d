#include "include/check.h"
#include <math.h>

#define LENGTH 128
__device__ float d_table[LENGTH];
__device__ int d_counter = 5;
__constant__ struct { float gain; int taps; } c_settings;
typedef struct { float gain; int taps; } settings_t;

__global__ void lookup(const float *table, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = c_settings.gain * table[i % c_settings.taps] + d_table[i % LENGTH];
        atomicAdd(&d_counter, 1);
    }
}

int main(void)
{
    float host[LENGTH], *address = NULL, *out;
    for (int i = 0; i < LENGTH; i++) host[i] = 2.0f * i;
    settings_t settings = {0.5f, 16};
    int counter = 0;
    CHECK(cudaMemcpyToSymbol(d_table, host, sizeof(host)));
    CHECK(cudaMemcpyToSymbol(c_settings, &settings, sizeof(settings_t), 0, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbolAsync(d_counter, &counter, sizeof(int), 0, cudaMemcpyHostToDevice, 0));
    CHECK(cudaGetSymbolAddress((void **)&address, d_table));
    CHECK(cudaMalloc((void **)&out, 300 * sizeof(float)));
    lookup<<<3, 100>>>(address, out, 300);
    CHECK(cudaMemcpyFromSymbol(&counter, d_counter, sizeof(counter)));
    printf("%d\n", counter);
    return 0;
}
