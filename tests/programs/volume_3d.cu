#include <cstdio>
#include <cstdlib>

#define IDX(x, y, z) ((x) + nx * ((y) + ny * (z)))

template <typename Real, int Order> struct Coefficients;
template <typename Real> struct Coefficients<Real, 2> {
    static constexpr Real centre = -2, side = 1;
};

template <typename Real>
__global__ void laplace(const Real *__restrict__ u, Real *__restrict__ v, int nx, int ny, int nz, Real h2)
{
    using C = Coefficients<Real, 2>;
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int z = blockIdx.z * blockDim.z + threadIdx.z + 1;
    if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    v[IDX(x, y, z)] = (3 * C::centre * u[IDX(x, y, z)] +
                       C::side * (u[IDX(x - 1, y, z)] + u[IDX(x + 1, y, z)] + u[IDX(x, y - 1, z)] +
                                  u[IDX(x, y + 1, z)] + u[IDX(x, y, z - 1)] + u[IDX(x, y, z + 1)])) / h2;
}

int iDivUp(int a, int b) { return (a % b != 0) ? (a / b + 1) : (a / b); }

int main(int argc, char **argv)
{
    int nx = 66, ny = 34, nz = 18;
    if (argc == 4) { nx = atoi(argv[1]); ny = atoi(argv[2]); nz = atoi(argv[3]); }
    size_t total = (size_t)nx * ny * nz;
    double *u = nullptr, *v = nullptr;
    if (cudaMalloc(&u, total * sizeof *u) != cudaSuccess || cudaMalloc(&v, total * sizeof *v) != cudaSuccess) {
        fprintf(stderr, "out of memory for %zu points\n", total);
        return EXIT_FAILURE;
    }
    dim3 block(32, 4, 2);
    dim3 grid(iDivUp(nx - 2, block.x), iDivUp(ny - 2, block.y), iDivUp(nz - 2, block.z));
    laplace<double><<<grid, block>>>(u, v, nx, ny, nz, 0.01);
    cudaDeviceSynchronize();
    return EXIT_SUCCESS;
}
