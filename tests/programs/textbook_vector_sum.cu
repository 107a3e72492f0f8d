#include "include/textbook.h"

#define N (33 * 1024)

__global__ void sum(int *a, int *b, int *c) {
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    while (tid < N) {
        c[tid] = a[tid] + b[tid];
        tid += blockDim.x * gridDim.x;
    }
}

int main(void) {
    int *a, *b, *c;
    int *dev_a, *dev_b, *dev_c;

    a = (int *)malloc(N * sizeof(int));
    b = (int *)malloc(N * sizeof(int));
    c = (int *)malloc(N * sizeof(int));

    STOP_ON_ERROR(cudaMalloc((void **)&dev_a, N * sizeof(int)));
    STOP_ON_ERROR(cudaMalloc((void **)&dev_b, N * sizeof(int)));
    STOP_ON_ERROR(cudaMalloc((void **)&dev_c, N * sizeof(int)));

    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    STOP_ON_ERROR(cudaMemcpy(dev_a, a, N * sizeof(int), cudaMemcpyHostToDevice));
    STOP_ON_ERROR(cudaMemcpy(dev_b, b, N * sizeof(int), cudaMemcpyHostToDevice));
    sum<<<128, 128>>>(dev_a, dev_b, dev_c);
    STOP_ON_ERROR(cudaMemcpy(c, dev_c, N * sizeof(int), cudaMemcpyDeviceToHost));

    bool success = true;
    for (int i = 0; i < N; i++) {
        if ((a[i] + b[i]) != c[i]) {
            printf("Error: %d + %d != %d\n", a[i], b[i], c[i]);
            success = false;
            break;
        }
    }
    if (success) printf("We did it!\n");
    STOP_ON_ERROR(cudaFree(dev_a));
    STOP_ON_ERROR(cudaFree(dev_b));
    STOP_ON_ERROR(cudaFree(dev_c));
    free(a);
    free(b);
    free(c);
    return 0;
}
