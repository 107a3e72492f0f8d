// 3D 25-point stencil (radius 4) with a register pipeline along z
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <getopt.h>
#include <sys/time.h>

#include <cuda_runtime.h>

constexpr int radius = 4;
constexpr int tile_x = 32;
constexpr int tile_y = 16;

__constant__ float stencil[radius + 1];

__global__ void __launch_bounds__(tile_x * tile_y, 2)
fdtd3d(float *__restrict__ output, const float *__restrict__ input, const int dimx, const int dimy,
       const int dimz)
{
  __shared__ float tile[tile_y + 2 * radius][tile_x + 2 * radius];

  const int gtidx = blockIdx.x * blockDim.x + threadIdx.x;
  const int gtidy = blockIdx.y * blockDim.y + threadIdx.y;
  const int stride_y = dimx + 2 * radius;
  const int stride_z = stride_y * (dimy + 2 * radius);
  const int tx = threadIdx.x + radius;
  const int ty = threadIdx.y + radius;
  const bool validw = gtidx < dimx && gtidy < dimy;

  int inputIndex = (gtidy + radius) * stride_y + gtidx + radius;
  int outputIndex = inputIndex + radius * stride_z;
  float infront[radius], behind[radius], current;

#pragma unroll
  for (int i = radius - 2; i >= 0; i--, inputIndex += stride_z)
    behind[i] = input[inputIndex];
  current = input[inputIndex];
  inputIndex += stride_z;
#pragma unroll
  for (int i = 0; i < radius; i++, inputIndex += stride_z)
    infront[i] = input[inputIndex];

  for (int iz = 0; iz < dimz; iz++) {
#pragma unroll
    for (int i = radius - 1; i > 0; i--) behind[i] = behind[i - 1];
    behind[0] = current;
    current = infront[0];
#pragma unroll
    for (int i = 0; i < radius - 1; i++) infront[i] = infront[i + 1];
    if (validw) infront[radius - 1] = input[inputIndex];
    inputIndex += stride_z;

    __syncthreads();
    if (threadIdx.y < radius) {
      tile[threadIdx.y][tx] = input[outputIndex - radius * stride_y];
      tile[threadIdx.y + tile_y + radius][tx] = input[outputIndex + tile_y * stride_y];
    }
    if (threadIdx.x < radius) {
      tile[ty][threadIdx.x] = input[outputIndex - radius];
      tile[ty][threadIdx.x + tile_x + radius] = input[outputIndex + tile_x];
    }
    tile[ty][tx] = current;
    __syncthreads();

    float value = stencil[0] * current;
#pragma unroll
    for (int i = 1; i <= radius; i++)
      value += stencil[i] * (infront[i - 1] + behind[i - 1] + tile[ty - i][tx] + tile[ty + i][tx] +
                             tile[ty][tx - i] + tile[ty][tx + i]);
    if (validw) output[outputIndex] = value;
    outputIndex += stride_z;
  }
}

static double now()
{
  struct timeval t;
  gettimeofday(&t, NULL);
  return t.tv_sec + 1e-6 * t.tv_usec;
}

static void usage(const char *name)
{
  fprintf(stderr, "usage: %s [-x dimx] [-y dimy] [-z dimz] [-t timesteps]\n", name);
  exit(2);
}

int main(int argc, char **argv)
{
  int dimx = 256, dimy = 256, dimz = 256, timesteps = 5, opt;
  while ((opt = getopt(argc, argv, "x:y:z:t:h")) != -1) {
    switch (opt) {
      case 'x': dimx = atoi(optarg); break;
      case 'y': dimy = atoi(optarg); break;
      case 'z': dimz = atoi(optarg); break;
      case 't': timesteps = atoi(optarg); break;
      default: usage(argv[0]);
    }
  }
  const size_t volume = (size_t)(dimx + 2 * radius + tile_x) * (dimy + 2 * radius + tile_y) *
                        (dimz + 4 * radius);
  float coeff[radius + 1];
  for (int i = 0; i <= radius; i++) coeff[i] = 0.1f;

  float *host = (float *)calloc(volume, sizeof(float)), *a, *b;
  for (size_t i = 0; i < volume; i++) host[i] = (float)(i % 97);
  cudaMalloc(&a, volume * sizeof(float));
  cudaMalloc(&b, volume * sizeof(float));
  cudaMemcpy(a, host, volume * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, a, volume * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaMemcpyToSymbol(stencil, coeff, sizeof coeff);

  dim3 block(tile_x, tile_y);
  dim3 grid((dimx + tile_x - 1) / tile_x, (dimy + tile_y - 1) / tile_y);
  double start = now();
  for (int it = 0; it < timesteps; it++) {
    fdtd3d<<<grid, block>>>(b, a, dimx, dimy, dimz);
    float *t = a; a = b; b = t;
  }
  cudaDeviceSynchronize();
  printf("%.1f Mpoints/s\n", 1e-6 * timesteps * dimx * dimy * dimz / (now() - start));
  cudaFree(a);
  cudaFree(b);
  free(host);
  return 0;
}
