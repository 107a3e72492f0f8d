#include <cstdio>
#include <cstdlib>
__global__ void add(const float *a, const float *b, float *c, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i] + b[i]; }
__global__ void flag(volatile int *f) { *f = 1; }
int main()
{
    const int n = 1 << 12;
    float *a, *b, *c, *d_a, *d_b, *d_c;
    cudaSetDeviceFlags(cudaDeviceMapHost);
    cudaHostAlloc((void **)&a, n * sizeof(float), cudaHostAllocMapped);
    cudaHostAlloc((void **)&b, n * sizeof(float), cudaHostAllocMapped | cudaHostAllocWriteCombined);
    cudaHostAlloc((void **)&c, n * sizeof(float), cudaHostAllocMapped);
    for (int i = 0; i < n; i++) { a[i] = i; b[i] = 2 * i; }
    cudaHostGetDevicePointer((void **)&d_a, (void *)a, 0);
    cudaHostGetDevicePointer((void **)&d_b, (void *)b, 0);
    cudaHostGetDevicePointer((void **)&d_c, (void *)c, 0);
    add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
    int *done = (int *)malloc(sizeof(int)), *d_done;
    *done = 0;
    cudaHostRegister(done, sizeof(int), cudaHostRegisterMapped);
    cudaHostGetDevicePointer(&d_done, done, 0);
    flag<<<1, 1>>>(d_done);
    cudaDeviceSynchronize();
    cudaHostUnregister(done);
    free(done);
    return cudaFreeHost(a);
}
