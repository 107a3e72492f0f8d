#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define KERNEL_RADIUS 8
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)

////////////////////////////////////////////////////////////////////////////////
// Convolution kernel storage
////////////////////////////////////////////////////////////////////////////////
__constant__ float c_Kernel[KERNEL_LENGTH];

extern "C" void setConvolutionKernel(float *h_Kernel)
{
    cudaMemcpyToSymbol(c_Kernel, h_Kernel, KERNEL_LENGTH * sizeof(float));
}

////////////////////////////////////////////////////////////////////////////////
// Row convolution filter
////////////////////////////////////////////////////////////////////////////////
#define ROWS_BLOCKDIM_X   16
#define ROWS_BLOCKDIM_Y   4
#define ROWS_RESULT_STEPS 8
#define ROWS_HALO_STEPS   1

__global__ void convolutionRowsKernel(float *d_Dst, float *d_Src, int imageW, int imageH, int pitch)
{
    __shared__ float s_Data[ROWS_BLOCKDIM_Y][(ROWS_RESULT_STEPS + 2 * ROWS_HALO_STEPS) * ROWS_BLOCKDIM_X];

    const int baseX = (blockIdx.x * ROWS_RESULT_STEPS - ROWS_HALO_STEPS) * ROWS_BLOCKDIM_X + threadIdx.x;
    const int baseY = blockIdx.y * ROWS_BLOCKDIM_Y + threadIdx.y;
    d_Src += baseY * pitch + baseX;
    d_Dst += baseY * pitch + baseX;

#pragma unroll
    for (int i = 0; i < ROWS_RESULT_STEPS + 2 * ROWS_HALO_STEPS; i++) {
        int x = baseX + i * ROWS_BLOCKDIM_X;
        s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X] =
            (x >= 0 && x < imageW) ? d_Src[i * ROWS_BLOCKDIM_X] : 0;
    }
    __syncthreads();

#pragma unroll
    for (int i = ROWS_HALO_STEPS; i < ROWS_HALO_STEPS + ROWS_RESULT_STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
            sum += c_Kernel[KERNEL_RADIUS - j] * s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X + j];
        d_Dst[i * ROWS_BLOCKDIM_X] = sum;
    }
}

extern "C" void convolutionRowsGPU(float *d_Dst, float *d_Src, int imageW, int imageH)
{
    assert(ROWS_BLOCKDIM_X * ROWS_HALO_STEPS >= KERNEL_RADIUS);
    assert(imageW % (ROWS_RESULT_STEPS * ROWS_BLOCKDIM_X) == 0);
    assert(imageH % ROWS_BLOCKDIM_Y == 0);

    dim3 blocks(imageW / (ROWS_RESULT_STEPS * ROWS_BLOCKDIM_X), imageH / ROWS_BLOCKDIM_Y);
    dim3 threads(ROWS_BLOCKDIM_X, ROWS_BLOCKDIM_Y);
    convolutionRowsKernel<<<blocks, threads>>>(d_Dst, d_Src, imageW, imageH, imageW);
}

////////////////////////////////////////////////////////////////////////////////
// Column convolution filter
////////////////////////////////////////////////////////////////////////////////
__global__ void convolutionColumnsKernel(float *d_Dst, const float *d_Src, int imageW, int imageH)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= imageW || y >= imageH) return;
    float sum = 0;
    for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) {
        int yy = min(max(y + j, 0), imageH - 1);
        sum += c_Kernel[KERNEL_RADIUS - j] * __ldg(&d_Src[yy * imageW + x]);
    }
    d_Dst[y * imageW + x] = sum;
}

extern "C" void convolutionColumnsGPU(float *d_Dst, float *d_Src, int imageW, int imageH)
{
    dim3 threads(32, 8);
    dim3 blocks((imageW + 31) / 32, (imageH + 7) / 8);
    convolutionColumnsKernel<<<blocks, threads>>>(d_Dst, d_Src, imageW, imageH);
}

int main(int, char **)
{
    const int imageW = 3072, imageH = 3072;
    float h_Kernel[KERNEL_LENGTH], sum = 0;
    for (int i = 0; i < KERNEL_LENGTH; i++) {
        float d = (i - KERNEL_RADIUS) / 3.0f;
        sum += h_Kernel[i] = expf(-0.5f * d * d);
    }
    for (auto &k : h_Kernel) k /= sum;
    setConvolutionKernel(h_Kernel);

    float *h_In = new float[imageW * imageH], *d_In, *d_Buf, *d_Out;
    for (int i = 0; i < imageW * imageH; i++) h_In[i] = (float)(rand() % 16);
    cudaMalloc(&d_In, imageW * imageH * sizeof(float));
    cudaMalloc(&d_Buf, imageW * imageH * sizeof(float));
    cudaMalloc(&d_Out, imageW * imageH * sizeof(float));
    cudaMemcpy(d_In, h_In, imageW * imageH * sizeof(float), cudaMemcpyHostToDevice);
    for (int i = -1; i < 16; i++) {
        convolutionRowsGPU(d_Buf, d_In, imageW, imageH);
        convolutionColumnsGPU(d_Out, d_Buf, imageW, imageH);
    }
    cudaDeviceSynchronize();
    cudaMemcpy(h_In, d_Out, imageW * imageH * sizeof(float), cudaMemcpyDeviceToHost);
    printf("centre: %f, %s\n", h_In[imageH / 2 * imageW + imageW / 2], cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_In);
    cudaFree(d_Buf);
    cudaFree(d_Out);
    delete[] h_In;
}
