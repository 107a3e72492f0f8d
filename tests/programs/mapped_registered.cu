#include <vector>
struct Mapped {
    int *host = nullptr, *device = nullptr;
    explicit Mapped(int count)
    {
        cudaHostAlloc(&host, count * sizeof(int), cudaHostAllocMapped);
        cudaHostGetDevicePointer(&device, host, 0);
    }
    ~Mapped() { cudaFreeHost(host); }
};
static float *pinned(size_t bytes, float **on_device)
{
    float *h = nullptr;
    cudaMallocHost(&h, bytes);
    cudaHostGetDevicePointer((void **)on_device, h, 0);
    return h;
}
__global__ void gather(const float *table, const int *at, double *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = table[at[i]]; }
__global__ void both(float *a, const float *b) { a[threadIdx.x] = b[threadIdx.x]; }
int main()
{
    const int n = 1500;
    std::vector<double> out(n);
    Mapped at(n);
    double *d_out = nullptr;
    float *d_table, *table = pinned(300 * sizeof(float), &d_table);
    for (int i = 0; i < n; i++) at.host[i] = i % 300;
    for (int i = 0; i < 300; i++) table[i] = i;
    cudaHostRegister(out.data(), out.size() * sizeof(double), cudaHostRegisterDefault);
    if (cudaHostGetDevicePointer(&d_out, out.data(), 0) != cudaSuccess) return 1;
    gather<<<(n + 127) / 128, 128>>>(d_table, at.device, d_out, n);
    both<<<1, 100>>>(d_table, table);
    return cudaDeviceSynchronize();
}
