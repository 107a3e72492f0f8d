#include <stdio.h>

#define OPERATIONS(X)         \
    X(add, a + b)             \
    X(subtract, a - b)        \
    X(multiply, a * b)        \
    X(larger, a > b ? a : b)

#define DEFINE_KERNEL(name, expression)                                        \
    __global__ void name##_kernel(const float *x, const float *y, float *z, int n) \
    {                                                                          \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                         \
        if (i < n) {                                                           \
            float a = x[i], b = y[i];                                          \
            z[i] = (expression);                                               \
        }                                                                      \
    }
OPERATIONS(DEFINE_KERNEL)
#undef DEFINE_KERNEL

typedef void (*kernel_t)(const float *, const float *, float *, int);

#define ENTRY(name, expression) {#name, name##_kernel},
static const struct {
    const char *name;
    kernel_t kernel;
} table[] = {OPERATIONS(ENTRY)};
#undef ENTRY

int main(void)
{
    float *x, *y, *z;
    int n = 1 << 12;
    cudaMalloc((void **)&x, n * sizeof(float));
    cudaMalloc((void **)&y, n * sizeof(float));
    cudaMalloc((void **)&z, n * sizeof(float));
    for (unsigned k = 0; k < sizeof(table) / sizeof(table[0]); k++) {
        table[k].kernel<<<n / 128, 128>>>(x, y, z, n);
        printf("%s: %s\n", table[k].name, cudaGetErrorString(cudaDeviceSynchronize()));
    }
    cudaFree(x), cudaFree(y), cudaFree(z);
    return 0;
}
