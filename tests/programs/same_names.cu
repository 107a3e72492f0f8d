// Kernels of one name in several namespaces, as versions of a program have them.
namespace naive {
__global__ void kernel(double *v, const double *f, double h2, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) v[i] = 0.5 * (v[i - 1] + v[i + 1] - h2 * f[i]);
}
}  // namespace naive

namespace tiled {
static const int THREADS = 96;
__global__ void kernel(double *v, const double *f, double h2, int n)
{
    __shared__ double s[THREADS + 2];
    int i = blockIdx.x * THREADS + threadIdx.x;
    s[threadIdx.x + 1] = i < n ? v[i] : 0;
    __syncthreads();
    if (i > 0 && i < n - 1) v[i] = 0.5 * (s[threadIdx.x] + s[threadIdx.x + 2] - h2 * f[i]);
}
void launch(double *v, const double *f, double h, int n) { kernel<<<(n + THREADS - 1) / THREADS, THREADS>>>(v, f, h * h, n); }
}  // namespace tiled

namespace versions::v3 {
struct Launcher {
    __host__ static void kernel(double *v, const double *f, int n);
};
__global__ void kernel(double *v, double factor) { v[threadIdx.x] *= factor; }
}  // namespace versions::v3

void versions::v3::Launcher::kernel(double *v, const double *f, int n) { v3::kernel<<<1, 64>>>(v, 0.75); }

int main()
{
    int n = 1000;
    double *v, *f, width = 0.5;
    cudaMalloc(&v, n * sizeof(double));
    cudaMalloc(&f, n * sizeof(double));
    const double h2 = width * width;
    naive::kernel<<<(n + 255) / 256, 256>>>(v, f, h2, n);
    tiled::launch(v, f, width, n);
    versions::v3::Launcher::kernel(v, f, n);
    return cudaDeviceSynchronize();
}
