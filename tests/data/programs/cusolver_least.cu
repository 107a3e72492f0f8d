// Least squares by cuSOLVER: a matrix made and checked by kernels.
#include <cusolverDn.h>
#include <cusolverSp.h>
#include <cublas_v2.h>
#include <assert.h>

#include <complex>
#include <iostream>
#include <vector>

#define CUSOLVER_CHECK(err)                                                         \
    do {                                                                            \
        cusolverStatus_t err_ = (err);                                              \
        if (err_ != CUSOLVER_STATUS_SUCCESS) {                                      \
            printf("cusolver error %d at %s:%d\n", err_, __FILE__, __LINE__);       \
            throw std::runtime_error("cusolver error");                             \
        }                                                                           \
    } while (0)

using data_type = double;

__global__ void hilbert(data_type *a, int m, int n, int lda) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m && j < n) a[j * lda + i] = data_type(1) / (i + j + 1);
}

__global__ void residual(const data_type *a, const data_type *b, data_type *norm, int n) {
    extern __shared__ data_type partial[];
    data_type sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += (a[i] - b[i]) * (a[i] - b[i]);
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) *norm = sqrt(partial[0]);
}

__global__ void conjugated(cuDoubleComplex *a, int n, cusolverEigMode_t mode) {
    int i = threadIdx.x;
    if (i < n && mode == CUSOLVER_EIG_MODE_VECTOR) a[i] = cuConj(a[i]);
}

int main(int argc, char *argv[]) {
    cusolverDnHandle_t solver = NULL;
    cudaStream_t stream = NULL;
    const int m = 512, n = 64, lda = m;
    data_type *a = nullptr, *tau = nullptr, *work = nullptr, *b = nullptr, *norm = nullptr;
    int *info = nullptr, lwork = 0;
    CUSOLVER_CHECK(cusolverDnCreate(&solver));
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    CUSOLVER_CHECK(cusolverDnSetStream(solver, stream));
    cudaMalloc(reinterpret_cast<void **>(&a), sizeof(data_type) * m * n);
    cudaMalloc(reinterpret_cast<void **>(&tau), sizeof(data_type) * n);
    cudaMalloc(reinterpret_cast<void **>(&b), sizeof(data_type) * m);
    cudaMalloc(reinterpret_cast<void **>(&norm), sizeof(data_type));
    cudaMalloc(reinterpret_cast<void **>(&info), sizeof(int));
    dim3 block(16, 16), grid((n + 15) / 16, (m + 15) / 16);
    hilbert<<<grid, block, 0, stream>>>(a, m, n, lda);
    CUSOLVER_CHECK(cusolverDnDgeqrf_bufferSize(solver, m, n, a, lda, &lwork));
    cudaMalloc(reinterpret_cast<void **>(&work), sizeof(data_type) * lwork);
    CUSOLVER_CHECK(cusolverDnDgeqrf(solver, m, n, a, lda, tau, work, lwork, info));
    CUSOLVER_CHECK(cusolverDnDormqr(solver, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, m, 1, n, a, lda, tau, b, m, work,
                                    lwork, info));
    residual<<<1, 256, 256 * sizeof(data_type), stream>>>(a, b, norm, n);
    cusolverDnParams_t params;
    CUSOLVER_CHECK(cusolverDnCreateParams(&params));
    size_t on_device = 0, on_host = 0;
    CUSOLVER_CHECK(cusolverDnXgetrf_bufferSize(solver, params, n, n, CUDA_R_64F, a, lda, CUDA_R_64F,
                                               &on_device, &on_host));
    conjugated<<<1, 64, 0, stream>>>(reinterpret_cast<cuDoubleComplex *>(a), 64, CUSOLVER_EIG_MODE_VECTOR);
    std::vector<std::complex<double>> host(n);
    CUSOLVER_CHECK(cusolverDnDestroy(solver));
    std::cout << host.size() << std::endl;
    return EXIT_SUCCESS;
}
