#include <cstdio>

template <int UNROLL, bool CHECKED>
__global__ void copy(const float4 *in, float4 *out, int n)
{
    int i = blockIdx.x * blockDim.x * UNROLL + threadIdx.x;
#pragma unroll
    for (int u = 0; u < UNROLL; u++, i += blockDim.x)
        if (!CHECKED || i < n) out[i] = in[i];
}

static void run(int n, bool checked)
{
    float4 *in, *out;
    cudaMalloc(&in, n * sizeof(float4));
    cudaMalloc(&out, n * sizeof(float4));
    auto kernel = copy<4, true>;
    if (!checked) kernel = copy<4, false>;
    kernel<<<(n + 4 * 64 - 1) / (4 * 64), 64>>>(in, out, n);

    const auto &wide = copy<2, false>;
    wide<<<n / 512, 256>>>(in, out, n);

    void (*pointer)(const float4 *, float4 *, int) = &copy<1, true>;
    (*pointer)<<<(n + 127) / 128, 128>>>(in, out, n);
    cudaFree(in);
    cudaFree(out);
}

int main() { run(2048, false); }
