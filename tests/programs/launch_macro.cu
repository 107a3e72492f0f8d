#include <stdio.h>

#define DIV_UP(a, b) (((a) + (b) - 1) / (b))
#define LAUNCH_1D(kernel, n, ...)                                          \
    do {                                                                   \
        kernel<<<DIV_UP(n, 256), 256>>>(__VA_ARGS__);                      \
        cudaError_t status_ = cudaGetLastError();                          \
        if (status_ != cudaSuccess)                                        \
            fprintf(stderr, #kernel ": %s\n", cudaGetErrorString(status_)); \
    } while (0)
#define KERNEL_LOOP(i, n) \
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

template <typename Dtype>
__global__ void relu(const int n, const Dtype* in, Dtype* out, Dtype slope) {
    KERNEL_LOOP(i, n) { out[i] = in[i] > 0 ? in[i] : in[i] * slope; }
}

__global__ void fill_int(const int n, int* out, int value) {
    KERNEL_LOOP(i, n) { out[i] = value; }
}

int main() {
    const int count = 3 * 17 * 29;
    double *bottom, *top;
    int* mask;
    cudaMalloc(&bottom, count * sizeof(double));
    cudaMalloc(&top, count * sizeof(double));
    cudaMalloc(&mask, count * sizeof(int));
    LAUNCH_1D(relu<double>, count, count, bottom, top, 0.1);
    LAUNCH_1D(fill_int, count, count, mask, 7);
    return cudaDeviceSynchronize();
}
