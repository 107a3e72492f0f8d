#include <stdio.h>
#include <stdlib.h>

#ifdef SINGLE
typedef float real;
#define FMT "%f"
#else
typedef double real;
#define FMT "%lf"
#endif

#if defined(CUDART_VERSION) && CUDART_VERSION >= 11000
#define HAS_ASYNC 1
#else
#define HAS_ASYNC 0
#endif

#if __CUDACC_VER_MAJOR__ < 9
#error "too old"
#endif

static const char *side(void)
{
#ifdef __CUDA_ARCH__
    return "device";
#else
    return "host";
#endif
}

#define BX 32
#define BY (256 / BX)

__device__ __forceinline__ real square(real x)
{
#if __CUDA_ARCH__ >= 700
    return x * x;
#else
    return pow(x, (real)2);
#endif
}

__global__ void norms(const real *v, real *out, int rows)
{
    __shared__ real part[BY][BX];
    int r = blockIdx.x * blockDim.y + threadIdx.y;
    part[threadIdx.y][threadIdx.x] = r < rows ? square(v[r * BX + threadIdx.x]) : 0;
    __syncthreads();
    for (int s = BX / 2; s; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.y][threadIdx.x] += part[threadIdx.y][threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0 && r < rows) out[r] = sqrt(part[threadIdx.y][0]);
}

int main(void)
{
    int rows = 300;
    real *v, *out, *host = (real *)malloc(rows * sizeof(real));
    if (!host) return 1;
    cudaMalloc((void **)&v, rows * BX * sizeof(real));
    cudaMalloc((void **)&out, rows * sizeof(real));
    dim3 block(BX, BY), grid((rows - 1) / BY + 1);
    norms<<<grid, block>>>(v, out, rows);
#if HAS_ASYNC
    cudaMemcpyAsync(host, out, rows * sizeof(real), cudaMemcpyDeviceToHost, 0);
    cudaStreamSynchronize(0);
#else
    cudaMemcpy(host, out, rows * sizeof(real), cudaMemcpyDeviceToHost);
#endif
    printf(FMT " %s\n", host[0], side());
    free(host);
    return 0;
}
