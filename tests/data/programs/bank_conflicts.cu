#include <cstdio>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>
#include <algorithm>
using namespace std;

#define REPS 256

// Macro-made kernels, one per stride, so that the stride is known at compile time
#define STRIDE_KERNEL(S)                                                  \
extern "C" __global__ void stride_##S(float *out, long long *cycles)      \
{                                                                         \
	__shared__ float tile[32 * 33];                                   \
	for (int i = threadIdx.x; i < 32 * 33; i += blockDim.x)           \
		tile[i] = i;                                              \
	__syncthreads();                                                  \
	float sum = 0;                                                    \
	long long begin = clock64();                                      \
	for (int r = 0; r < REPS; r++) {                                  \
		sum += tile[(threadIdx.x * S + r) % (32 * 33)];           \
	}                                                                 \
	long long end = clock64();                                        \
	out[threadIdx.x] = sum;                                           \
	if (threadIdx.x == 0)                                             \
		*cycles = end - begin;                                    \
}

STRIDE_KERNEL(1)
STRIDE_KERNEL(2)
STRIDE_KERNEL(4)
STRIDE_KERNEL(8)
STRIDE_KERNEL(16)
STRIDE_KERNEL(32)
STRIDE_KERNEL(33)

// the same, dynamic: the stride comes at run time, memory with the launch
__global__ void any_stride(int stride, int size, float *out, long long *cycles)
{
	extern __shared__ float tile[];
	for (int i = threadIdx.x; i < size; i += blockDim.x) tile[i] = i;
	__syncthreads();
	float sum = 0;
	long long begin = clock64();
#pragma unroll 8
	for (int r = 0; r < REPS; r++)
		sum += tile[(threadIdx.x * stride + r) % size];
	*cycles = clock64() - begin;
	out[threadIdx.x] = sum;
}

struct Run {
	const char *name;
	void (*kernel)(float *, long long *);
	int ways;
};

int main(int argc, char **argv)
{
	const Run runs[] = {
		{ "stride 1", stride_1, 1 }, { "stride 2", stride_2, 2 }, { "stride 4", stride_4, 4 },
		{ "stride 8", stride_8, 8 }, { "stride 16", stride_16, 16 }, { "stride 32", stride_32, 32 },
		{ "stride 33", stride_33, 1 },
	};
	float *out;
	long long *cycles;
	cudaMallocManaged(&out, 32 * sizeof(float));
	cudaMallocManaged(&cycles, sizeof(long long));
	vector<pair<long long, string>> table;
	for (const Run &run : runs) {
		run.kernel<<<1, 32>>>(out, cycles);
		cudaDeviceSynchronize();
		cout << left << setw(12) << run.name << setw(4) << run.ways << *cycles / REPS << " cycles" << endl;
		table.push_back(make_pair(*cycles, string(run.name)));
	}
	int size = 12 * 1024;
	cudaFuncSetAttribute(any_stride, cudaFuncAttributeMaxDynamicSharedMemorySize, size * sizeof(float));
	for (int stride = 1; stride <= 64; stride *= 2) {
		any_stride<<<1, 32, size * sizeof(float)>>>(stride, size, out, cycles);
		cudaDeviceSynchronize();
		table.emplace_back(*cycles, "dynamic " + to_string(stride));
	}
	sort(table.rbegin(), table.rend());
	cout << "worst: " << table.front().second << endl;
	cudaFree(out);
	cudaFree(cycles);
	return 0;
}
