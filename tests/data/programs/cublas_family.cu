// A layer by cuBLAS, cuBLASLt and cuBLASXt, with a kernel that adds the bias.
#include <cublasLt.h>
#include <cublasXt.h>
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#define CHECK_CUBLAS(call)                                                       \
    do {                                                                         \
        cublasStatus_t status_ = (call);                                         \
        if (status_ != CUBLAS_STATUS_SUCCESS) {                                  \
            std::fprintf(stderr, "%s: %s\n", #call, cublasGetStatusString(status_)); \
            std::exit(EXIT_FAILURE);                                             \
        }                                                                        \
    } while (0)

class Handle {
public:
    explicit Handle(cudaStream_t stream) {
        if (cublasCreate(&handle_) != CUBLAS_STATUS_SUCCESS) throw std::runtime_error("cublasCreate");
        cublasSetStream(handle_, stream);
        cublasSetMathMode(handle_, CUBLAS_TF32_TENSOR_OP_MATH);
    }
    ~Handle() { cublasDestroy(handle_); }
    Handle(const Handle &) = delete;
    operator cublasHandle_t() const { return handle_; }

private:
    cublasHandle_t handle_ = nullptr;
};

struct LayerShape {
    int rows, columns, depth;
    cublasOperation_t transposed;
};

template <typename T>
__global__ void add_bias(T *y, const T *bias, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y;
    if (row < rows && column < columns) y[column * rows + row] += bias[row];
}

__global__ void scale_complex(cuComplex *values, cuComplex factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = cuCmulf(values[i], factor);
}

__global__ void shapes(const LayerShape *all, int *sizes, int n) {
    int i = threadIdx.x;
    if (i < n) sizes[i] = all[i].transposed == CUBLAS_OP_T ? all[i].columns : all[i].rows;
}

static void by_lt(cublasLtHandle_t lt, const float *a, const float *b, float *c, LayerShape shape,
                  const float *bias, cudaStream_t stream) {
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t of_a, of_b, of_c;
    cublasLtMatmulPreference_t preference;
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_RELU_BIAS;
    CHECK_CUBLAS(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    CHECK_CUBLAS(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                                sizeof epilogue));
    CHECK_CUBLAS(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias,
                                                sizeof bias));
    CHECK_CUBLAS(cublasLtMatrixLayoutCreate(&of_a, CUDA_R_32F, shape.rows, shape.depth, shape.rows));
    CHECK_CUBLAS(cublasLtMatrixLayoutCreate(&of_b, CUDA_R_32F, shape.depth, shape.columns, shape.depth));
    CHECK_CUBLAS(cublasLtMatrixLayoutCreate(&of_c, CUDA_R_32F, shape.rows, shape.columns, shape.rows));
    CHECK_CUBLAS(cublasLtMatmulPreferenceCreate(&preference));
    cublasLtMatmulHeuristicResult_t result;
    int returned = 0;
    CHECK_CUBLAS(cublasLtMatmulAlgoGetHeuristic(lt, operation, of_a, of_b, of_c, of_c, preference, 1,
                                                &result, &returned));
    float one = 1.0f, zero = 0.0f;
    CHECK_CUBLAS(cublasLtMatmul(lt, operation, &one, a, of_a, b, of_b, &zero, c, of_c, c, of_c,
                                &result.algo, nullptr, 0, stream));
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatrixLayoutDestroy(of_c);
    cublasLtMatmulDescDestroy(operation);
}

int main() {
    const LayerShape shape{256, 128, 64, CUBLAS_OP_N};
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    Handle blas(stream);
    cublasLtHandle_t lt;
    CHECK_CUBLAS(cublasLtCreate(&lt));
    cublasXtHandle_t xt;
    CHECK_CUBLAS(cublasXtCreate(&xt));
    float *a, *b, *c, *bias;
    __half *y, *half_bias;
    cudaMalloc(&a, shape.rows * shape.depth * sizeof(float));
    cudaMalloc(&b, shape.depth * shape.columns * sizeof(float));
    cudaMalloc(&c, shape.rows * shape.columns * sizeof(float));
    cudaMalloc(&bias, shape.rows * sizeof(float));
    cudaMalloc(&y, shape.rows * shape.columns * sizeof(__half));
    cudaMalloc(&half_bias, shape.rows * sizeof(__half));
    float alpha = 1.0f, beta = 0.0f;
    CHECK_CUBLAS(cublasSgemm(blas, CUBLAS_OP_N, shape.transposed, shape.rows, shape.columns, shape.depth,
                             &alpha, a, shape.rows, b, shape.depth, &beta, c, shape.rows));
    dim3 grid((shape.rows + 127) / 128, shape.columns);
    add_bias<<<grid, 128, 0, stream>>>(c, bias, shape.rows, shape.columns);
    add_bias<__half><<<grid, 128, 0, stream>>>(y, half_bias, shape.rows, shape.columns);
    by_lt(lt, a, b, c, shape, bias, stream);
    scale_complex<<<1, 128, 0, stream>>>(reinterpret_cast<cuComplex *>(c), make_cuComplex(0.f, 1.f), 128);
    LayerShape *all;
    int *sizes;
    cudaMalloc(&all, sizeof(LayerShape));
    cudaMalloc(&sizes, sizeof(int));
    shapes<<<1, 32, 0, stream>>>(all, sizes, 1);
    cudaStreamSynchronize(stream);
    cublasXtDestroy(xt);
    cublasLtDestroy(lt);
    return 0;
}
