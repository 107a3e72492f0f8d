#include <cstdio>
#include <cstring>
#include <algorithm>

__global__ void merge_pass(const int *from, int *to, int n, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long start = (long long)i * 2 * width;
    if (start >= n) return;
    int middle = (int)min(start + width, (long long)n), end = (int)min(start + 2 * width, (long long)n);
    int a = (int)start, b = middle;
    for (int k = (int)start; k < end; k++)
        to[k] = a < middle && (b >= end || from[a] <= from[b]) ? from[a++] : from[b++];
}

void merge_sort(int *data, int n)
{
    int *d_a, *d_b;
    size_t bytes = n * sizeof(int);
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMemcpy(d_a, data, bytes, cudaMemcpyHostToDevice);
    int *from = d_a, *to = d_b;
    for (int width = 1; width < n; width <<= 1) {
        int pieces = (n + 2 * width - 1) / (2 * width);
        int threads = std::min(pieces, 128);
        merge_pass<<<(pieces + threads - 1) / threads, threads>>>(from, to, n, width);
        std::swap(from, to);
    }
    cudaMemcpy(data, from, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
}

int main()
{
    int data[1000];
    int n = sizeof(data) / sizeof(data[0]);
    for (int i = 0; i < n; i++) data[i] = (i * 7901) % 1009;
    merge_sort(data, n);
    puts(std::is_sorted(data, data + n) ? "sorted" : "not sorted");
}
