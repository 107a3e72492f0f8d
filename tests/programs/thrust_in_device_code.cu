// Device code calls Thrust's algorithms, each thread for its own row.
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

__global__ void sort_rows(int* rows, int* sums, int width, int count)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= count) return;
    int* first = rows + row * width;
    thrust::sort(thrust::seq, first, first + width, thrust::greater<int>());
    sums[row] = thrust::reduce(thrust::seq, first, first + width, 0, thrust::plus<int>());
}

int main()
{
    const int width = 16, count = 300;
    int *rows, *sums;
    cudaMalloc(&rows, width * count * sizeof(int));
    cudaMalloc(&sums, count * sizeof(int));
    sort_rows<<<(count + 63) / 64, 64>>>(rows, sums, width, count);
    cudaDeviceSynchronize();
    return 0;
}
