#include <stdio.h>
#include <stdlib.h>

__global__ void rows_sum(double **rows, double *sums, const int *lengths, int count)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= count) return;
    double s = 0;
    for (int i = 0; i < lengths[r]; i++) s += rows[r][i];
    sums[r] = s;
}

int main()
{
    const int count = 40;
    double **h_rows = (double **)malloc(count * sizeof(double *));
    int *h_lengths = new int[count];
    for (int r = 0; r < count; r++) {
        h_lengths[r] = r + 1;
        cudaMalloc((void **)&h_rows[r], h_lengths[r] * sizeof(double));
    }
    double **d_rows, *d_sums;
    int *d_lengths;
    cudaMalloc((void ***)&d_rows, count * sizeof(double *));
    cudaMalloc((void **)&d_sums, count * sizeof(double));
    cudaMalloc((void **)&d_lengths, count * sizeof(int));
    cudaMemcpy(d_rows, h_rows, count * sizeof(double *), cudaMemcpyHostToDevice);
    cudaMemcpy(d_lengths, h_lengths, count * sizeof(int), cudaMemcpyHostToDevice);
    int block = count < 32 ? count : 32;
    rows_sum<<<(count + block - 1) / block, block>>>(d_rows, d_sums, d_lengths, count);
    printf("%d\n", cudaDeviceSynchronize());
    delete[] h_lengths;
    free(h_rows);
    return 0;
}
