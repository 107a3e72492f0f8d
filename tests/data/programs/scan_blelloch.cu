// Exclusive prefix sum (work-efficient), with padding against bank conflicts
#include <iostream>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>

#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#ifdef ZERO_BANK_CONFLICTS
#define CONFLICT_FREE_OFFSET(n) ((n) >> NUM_BANKS + (n) >> (2 * LOG_NUM_BANKS))
#else
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)
#endif

const int BLOCK = 256;

__global__ void scanBlocks(const int* in, int* out, int* sums, int n)
{
	extern __shared__ int temp[];
	int thid = threadIdx.x;
	int base = blockIdx.x * 2 * BLOCK;
	int ai = thid, bi = thid + BLOCK;
	int oa = CONFLICT_FREE_OFFSET(ai), ob = CONFLICT_FREE_OFFSET(bi);
	temp[ai + oa] = base + ai < n ? in[base + ai] : 0;
	temp[bi + ob] = base + bi < n ? in[base + bi] : 0;

	int offset = 1;
	for (int d = BLOCK; d > 0; d >>= 1)		// up-sweep
	{
		__syncthreads();
		if (thid < d)
		{
			int a = offset * (2 * thid + 1) - 1;
			int b = offset * (2 * thid + 2) - 1;
			a += CONFLICT_FREE_OFFSET(a);
			b += CONFLICT_FREE_OFFSET(b);
			temp[b] += temp[a];
		}
		offset *= 2;
	}
	if (thid == 0)
	{
		int last = 2 * BLOCK - 1;
		last += CONFLICT_FREE_OFFSET(last);
		if (sums) sums[blockIdx.x] = temp[last];
		temp[last] = 0;
	}
	for (int d = 1; d < 2 * BLOCK; d *= 2)		// down-sweep
	{
		offset >>= 1;
		__syncthreads();
		if (thid < d)
		{
			int a = offset * (2 * thid + 1) - 1;
			int b = offset * (2 * thid + 2) - 1;
			a += CONFLICT_FREE_OFFSET(a);
			b += CONFLICT_FREE_OFFSET(b);
			int t = temp[a];
			temp[a] = temp[b];
			temp[b] += t;
		}
	}
	__syncthreads();
	if (base + ai < n) out[base + ai] = temp[ai + oa];
	if (base + bi < n) out[base + bi] = temp[bi + ob];
}

__global__ void addSums(int* data, const int* sums, int n)
{
	int i = blockIdx.x * 2 * BLOCK + threadIdx.x;
	int s = sums[blockIdx.x];
	if (i < n) data[i] += s;
	if (i + BLOCK < n) data[i + BLOCK] += s;
}

void exclusiveScan(const int* d_in, int* d_out, int n)
{
	int blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
	size_t smem = (2 * BLOCK + 2 * BLOCK / NUM_BANKS) * sizeof(int);
	int* d_sums = nullptr;
	if (blocks > 1) cudaMalloc(&d_sums, 2 * blocks * sizeof(int));
	scanBlocks<<<blocks, BLOCK, smem>>>(d_in, d_out, d_sums, n);
	if (blocks > 1)
	{
		exclusiveScan(d_sums, d_sums + blocks, blocks);
		addSums<<<blocks, BLOCK>>>(d_out, d_sums + blocks, n);
		cudaFree(d_sums);
	}
}

int main()
{
	const int n = 1000003;
	std::vector<int> h(n), got(n), want(n);
	for (int i = 0; i < n; ++i) h[i] = (i * 7919) % 11;
	std::partial_sum(h.begin(), h.end() - 1, want.begin() + 1);

	int *d_in, *d_out;
	cudaMalloc(&d_in, n * sizeof(int));
	cudaMalloc(&d_out, n * sizeof(int));
	cudaMemcpy(d_in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
	exclusiveScan(d_in, d_out, n);
	cudaMemcpy(got.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
	std::cout << (got == want ? "scan is right" : "scan is WRONG") << std::endl;
	cudaFree(d_in);
	cudaFree(d_out);
}
