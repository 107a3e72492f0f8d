/* Lattice Boltzmann, D2Q9, lid driven cavity */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <sys/time.h>

#define NX 256
#define NY 256
#define Q 9
#define IDX(x, y, q) ((q) * NX * NY + (y) * NX + (x))

typedef float real;

/* directions and weights, needed on both sides */
static const int h_cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int h_cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const real h_w[Q] = {4.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/36, 1.f/36, 1.f/36, 1.f/36};

__constant__ int cx[Q];
__constant__ int cy[Q];
__constant__ int opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__constant__ real w[Q];

__device__ real feq(int q, real rho, real ux, real uy)
{
	real cu = 3.f * (cx[q] * ux + cy[q] * uy);
	return w[q] * rho * (1.f + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
}

__global__ void init(real *f)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y;
	for (int q = 0; q < Q; ++q) f[IDX(x, y, q)] = w[q];
}

__global__ void step(const real *__restrict__ f, real *__restrict__ g, real omega, real lid)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y;
	real fi[Q], rho = 0, ux = 0, uy = 0;
#pragma unroll
	for (int q = 0; q < Q; ++q) {
		int xs = x - cx[q], ys = y - cy[q];
		if (xs < 0 || xs >= NX || ys < 0)
			fi[q] = f[IDX(x, y, opposite[q])];
		else if (ys >= NY)
			fi[q] = f[IDX(x, y, opposite[q])] + 6.f * w[q] * cx[q] * lid;
		else
			fi[q] = f[IDX(xs, ys, q)];
		rho += fi[q];
		ux += cx[q] * fi[q];
		uy += cy[q] * fi[q];
	}
	ux /= rho;
	uy /= rho;
#pragma unroll
	for (int q = 0; q < Q; ++q)
		g[IDX(x, y, q)] = fi[q] - omega * (fi[q] - feq(q, rho, ux, uy));
}

static double seconds(void)
{
	struct timeval tv;
	gettimeofday(&tv, 0);
	return tv.tv_sec + tv.tv_usec * 1e-6;
}

static real total_mass(const real *f)
{
	double m = 0;
	int i;
	for (i = 0; i < Q * NX * NY; i++) m += f[i];
	return (real)m;
}

int main(int argc, char **argv)
{
	int steps = (argc > 1) ? atoi(argv[1]) : 1000;
	real *f, *g, *h = (real *)malloc(sizeof(real) * Q * NX * NY);
	dim3 threads(64), blocks(NX / 64, NY);
	cudaMalloc((void **)&f, sizeof(real) * Q * NX * NY);
	cudaMalloc((void **)&g, sizeof(real) * Q * NX * NY);
	cudaMemcpyToSymbol(cx, h_cx, sizeof(h_cx));
	cudaMemcpyToSymbol(cy, h_cy, sizeof(h_cy));
	cudaMemcpyToSymbol(w, h_w, sizeof(h_w));
	init<<<blocks, threads>>>(f);
	double t0 = seconds();
	for (int t = 0; t < steps; t++) {
		step<<<blocks, threads>>>(f, g, 1.6f, 0.1f);
		real *tmp = f; f = g; g = tmp;
	}
	cudaDeviceSynchronize();
	printf("%.1f MLUPS\n", 1e-6 * NX * NY * steps / (seconds() - t0));
	cudaMemcpy(h, f, sizeof(real) * Q * NX * NY, cudaMemcpyDeviceToHost);
	printf("mass per site %f\n", total_mass(h) / (NX * NY));
	return fabs(total_mass(h) / (NX * NY) - 1) > 0.01;
}
