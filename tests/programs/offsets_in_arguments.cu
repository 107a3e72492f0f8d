#include <cstdio>
#include <cstdlib>

#define ROWS 48
#define COLS 96
#define HALO 3

__global__ void stencil(float *out, const float *in, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y;
    if (c < cols) {
        float s = 0;
        for (int k = -HALO; k <= HALO; k++) s += in[r * (cols + 2 * HALO) + c + k];
        out[r * cols + c] = s / (2 * HALO + 1);
    }
}

__global__ void split(const int *from, int *low, int *high, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        low[i] = from[i] & 0xffff;
        high[i] = from[i] >> 16;
    }
}

int main()
{
    size_t padded = ROWS * (COLS + 2 * HALO) * sizeof(float);
    float *d_in = NULL, *d_out = NULL;
    cudaMalloc((void **)&d_in, padded);
    cudaMalloc((void **)&d_out, ROWS * COLS * sizeof *d_out);
    cudaMemset(d_in, 0, padded);
    stencil<<<dim3((COLS + 31) / 32, ROWS), 32>>>(d_out, d_in + HALO, COLS);

    int n = 1000, *all;
    cudaMalloc(&all, 3 * n * sizeof(int));
    int *low = all + n;
    split<<<(n - 1) / 100 + 1, 100>>>(all, low, &all[2 * n], n);
    printf("%d\n", (int)cudaDeviceSynchronize());
    return 0;
}
