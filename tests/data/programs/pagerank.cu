#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define DAMPING 0.85f
#define EPSILON 1e-6f
#define TPB 256

/* in-edges in CSR: row_ptr of n + 1, col of m */
typedef struct csr {
	int n, m;
	int *row_ptr, *col, *out_degree;
} csr_t;

static csr_t *random_graph(int n, int degree)
{
	csr_t *g = (csr_t *)malloc(sizeof(csr_t));
	int i, j;
	g->n = n;
	g->m = n * degree;
	cudaMallocManaged(&g->row_ptr, (n + 1) * sizeof(int));
	cudaMallocManaged(&g->col, g->m * sizeof(int));
	cudaMallocManaged(&g->out_degree, n * sizeof(int));
	for (i = 0; i < n; i++)
		g->out_degree[i] = 0;
	for (i = 0; i <= n; i++)
		g->row_ptr[i] = i * degree;
	for (i = 0; i < n; i++)
		for (j = 0; j < degree; j++) {
			int from = (i * 31 + j * j * 17 + 1) % n;
			g->col[i * degree + j] = from;
			g->out_degree[from]++;
		}
	return g;
}

__global__ void contributions(int n, const int *out_degree, const float *rank, float *share)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v < n)
		share[v] = out_degree[v] ? rank[v] / out_degree[v] : 0.f;
}

/* one warp per vertex */
__global__ void gather(int n, const int *row_ptr, const int *col, const float *share,
		       const float *old_rank, float *new_rank, float *delta)
{
	int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
	int lane = threadIdx.x & 31;
	float sum = 0.f;
	int e;

	if (warp >= n)
		return;
	for (e = row_ptr[warp] + lane; e < row_ptr[warp + 1]; e += 32)
		sum += share[col[e]];
#pragma unroll
	for (int o = 16; o; o >>= 1)
		sum += __shfl_xor_sync(~0u, sum, o);
	if (lane == 0) {
		float r = (1.f - DAMPING) / n + DAMPING * sum;
		new_rank[warp] = r;
		atomicAdd(delta, fabsf(r - old_rank[warp]));
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100000, i, iter;
	csr_t *g = random_graph(n, 8);
	float *rank[2], *share, *delta;

	cudaMallocManaged(&rank[0], n * sizeof(float));
	cudaMallocManaged(&rank[1], n * sizeof(float));
	cudaMallocManaged(&share, n * sizeof(float));
	cudaMallocManaged(&delta, sizeof(float));
	for (i = 0; i < n; i++)
		rank[0][i] = 1.f / n;
	for (iter = 0; iter < 100; iter++) {
		*delta = 0;
		contributions<<<(n + TPB - 1) / TPB, TPB>>>(n, g->out_degree, rank[iter & 1], share);
		gather<<<(n * 32 + TPB - 1) / TPB, TPB>>>(n, g->row_ptr, g->col, share,
							  rank[iter & 1], rank[!(iter & 1)], delta);
		cudaDeviceSynchronize();
		printf("iteration %d: delta %g\n", iter, *delta);
		if (*delta < EPSILON)
			break;
	}
	return 0;
}
