// Compiled apart and called from C: no main here.
#include <assert.h>
#include <math.h>

#define UMUL(a, b) __umul24((a), (b))
#define KERNEL_RADIUS 4
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)

__constant__ float c_Kernel[KERNEL_LENGTH];

extern "C" void setConvolutionKernel(float *h_Kernel)
{
    cudaMemcpyToSymbol(c_Kernel, h_Kernel, KERNEL_LENGTH * sizeof(float));
}

#define ROWS_BLOCKDIM_X 32
#define ROWS_BLOCKDIM_Y 4

__global__ void convolutionRows(float *d_Dst, float *d_Src, int imageW, int imageH, int pitch)
{
    const int x = UMUL(blockIdx.x, ROWS_BLOCKDIM_X) + threadIdx.x;
    const int y = UMUL(blockIdx.y, ROWS_BLOCKDIM_Y) + threadIdx.y;
    if (x >= imageW || y >= imageH) return;
    float sum = 0;
    for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) {
        int at = x + j < 0 ? 0 : x + j >= imageW ? imageW - 1 : x + j;
        sum += c_Kernel[KERNEL_RADIUS - j] * d_Src[y * pitch + at];
    }
    d_Dst[y * pitch + x] = sum;
}

extern "C" void convolutionRowsGPU(float *d_Dst, float *d_Src, int imageW, int imageH)
{
    assert(imageW % ROWS_BLOCKDIM_X == 0);
    assert(imageH % ROWS_BLOCKDIM_Y == 0);
    dim3 blocks(imageW / ROWS_BLOCKDIM_X, imageH / ROWS_BLOCKDIM_Y);
    dim3 threads(ROWS_BLOCKDIM_X, ROWS_BLOCKDIM_Y);
    convolutionRows<<<blocks, threads>>>(d_Dst, d_Src, imageW, imageH, imageW);
}
