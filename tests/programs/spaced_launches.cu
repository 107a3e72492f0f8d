// As an editor's formatter leaves launches, with blanks between the brackets.
#include "cuda_runtime.h"
#include "device_launch_parameters.h"
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128 * 2
#define COUNT (50 * 1000)

void __global__ weigh(const float *x, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) out[i] = x[i] * 0.5f;
}

template <class T, int Step>
__global__ void thin(const T *x, T *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n / Step) out[i] = x[i * Step];
}

int main(int argc, char **argv)
{
	float *d_x, *d_out;
	short *d_s, *d_t;
	cudaMalloc((void **)&d_x, COUNT * sizeof(float));
	cudaMalloc((void **)&d_out, COUNT * sizeof(float));
	cudaMalloc((void **)&d_s, COUNT * sizeof(short));
	cudaMalloc((void **)&d_t, COUNT / 4 * sizeof(short));
	weigh << <(COUNT + 255) / 256, BLOCK >> >(d_x, d_out, COUNT);
	thin<float, 2> << < 25, 1000, 0, 0 >> > (d_x, d_out, COUNT);
	thin<short, 4>
		<< <dim3(COUNT / 4 / 100, 1), dim3(100) >> >
		(d_s, d_t, COUNT);
	cudaDeviceSynchronize();
	return 0;
}
