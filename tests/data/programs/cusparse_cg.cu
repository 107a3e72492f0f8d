// Steps of conjugate gradients: a product by cuSPARSE, dot products by cuBLAS, updates by kernels.
#include <cublas_v2.h>
#include <cusparse.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#define CHECK_CUSPARSE(func)                                                       \
{                                                                                  \
    cusparseStatus_t status = (func);                                              \
    if (status != CUSPARSE_STATUS_SUCCESS) {                                       \
        printf("CUSPARSE API failed at line %d with error: %s (%d)\n",             \
               __LINE__, cusparseGetErrorString(status), status);                  \
        return EXIT_FAILURE;                                                       \
    }                                                                              \
}

typedef struct VecStruct {
    cusparseDnVecDescr_t vec;
    double *ptr;
} Vec;

template <typename T, cusparseIndexBase_t Base>
__global__ void tridiagonal(int *offsets, int *columns, T *values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    constexpr int base = Base == CUSPARSE_INDEX_BASE_ONE ? 1 : 0;
    if (i >= n) return;
    int at = i == 0 ? 0 : 3 * i - 1;
    offsets[i] = at + base;
    if (i > 0) { columns[at] = i - 1 + base; values[at++] = T(-1); }
    columns[at] = i + base; values[at++] = T(2);
    if (i + 1 < n) { columns[at] = i + 1 + base; values[at++] = T(-1); }
    if (i + 1 == n) offsets[n] = at + base;
}

__global__ void axpby(double a, const double *x, double b, double *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + b * y[i];
}

int main() {
    const int n = 1 << 16, nonzeros = 3 * n - 2;
    int *offsets, *columns;
    double *values;
    Vec x{}, y{};
    cudaMalloc((void **)&offsets, (n + 1) * sizeof(int));
    cudaMalloc((void **)&columns, nonzeros * sizeof(int));
    cudaMalloc((void **)&values, nonzeros * sizeof(double));
    cudaMalloc((void **)&x.ptr, n * sizeof(double));
    cudaMalloc((void **)&y.ptr, n * sizeof(double));
    tridiagonal<double, CUSPARSE_INDEX_BASE_ZERO><<<n / 256, 256>>>(offsets, columns, values, n);
    cusparseHandle_t handle = NULL;
    cusparseSpMatDescr_t matrix;
    cublasHandle_t blas;
    cublasCreate(&blas);
    CHECK_CUSPARSE(cusparseCreate(&handle))
    CHECK_CUSPARSE(cusparseCreateCsr(&matrix, n, n, nonzeros, offsets, columns, values, CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F))
    CHECK_CUSPARSE(cusparseCreateDnVec(&x.vec, n, x.ptr, CUDA_R_64F))
    CHECK_CUSPARSE(cusparseCreateDnVec(&y.vec, n, y.ptr, CUDA_R_64F))
    double alpha = 1.0, beta = 0.0, dot = 0.0;
    size_t size = 0;
    void *buffer = nullptr;
    CHECK_CUSPARSE(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, x.vec,
                                           &beta, y.vec, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &size))
    cudaMalloc(&buffer, size);
    for (int step = 0; step < 10; ++step) {
        CHECK_CUSPARSE(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, x.vec, &beta,
                                    y.vec, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, buffer))
        cublasDdot(blas, n, x.ptr, 1, y.ptr, 1, &dot);
        axpby<<<(n + 255) / 256, 256>>>(-dot, y.ptr, 1.0, x.ptr, n);
        std::swap(x, y);
    }
    CHECK_CUSPARSE(cusparseDestroySpMat(matrix))
    CHECK_CUSPARSE(cusparseDestroy(handle))
    return 0;
}
