// Explicit heat equation on a plate. The two fields swap roles every step.
#include <cstdio>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

// Size of the plate, physics
static const int NX = 512, NY = 512;
static const float ALPHA = 0.01f;
static const float DX = 0.01f, DY = 0.01f;
static const int STEPS = 500;

// prototypes
__device__ __host__ int get_index(const int i, const int j, const int width);
__global__ void evolve(const float* Un, float* Unp1, int nx, int ny, float dx2, float dy2, float aTimesDt);
void write_pgm(const char* path, const std::vector<float>& field);

int main()
{
    const float dx2 = DX * DX, dy2 = DY * DY;
    const float dt = dx2 * dy2 / (2.0f * ALPHA * (dx2 + dy2));   // largest stable time step

    std::vector<float> h(NX * NY);
    for (int i = 0; i < NX; i++) {
        for (int j = 0; j < NY; j++) {
            float dist2 = (i - NX / 2) * (i - NX / 2) + (j - NY / 2) * (j - NY / 2);
            h[get_index(i, j, NY)] = dist2 < (NX / 6) * (NX / 6) ? 65.0f : 5.0f;
        }
    }
    float *d_Un, *d_Unp1;
    cudaMalloc((void**)&d_Un, NX * NY * sizeof(float));
    cudaMalloc((void**)&d_Unp1, NX * NY * sizeof(float));
    cudaMemcpy(d_Un, h.data(), NX * NY * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_Unp1, h.data(), NX * NY * sizeof(float), cudaMemcpyHostToDevice);

    dim3 numBlocks(NX / 16 + 1, NY / 16 + 1);
    dim3 threadsPerBlock(16, 16);
    for (int n = 0; n <= STEPS; n++) {
        evolve<<<numBlocks, threadsPerBlock>>>(d_Un, d_Unp1, NX, NY, dx2, dy2, ALPHA * dt);
        cudaError_t errorCode = cudaGetLastError();
        if (errorCode != cudaSuccess) {
            printf("Cuda error %d: %s\n", errorCode, cudaGetErrorString(errorCode));
            return 1;
        }
        if (n % 100 == 0) {
            char path[64];
            cudaMemcpy(h.data(), d_Unp1, NX * NY * sizeof(float), cudaMemcpyDeviceToHost);
            snprintf(path, sizeof path, "heat_%04d.pgm", n);
            write_pgm(path, h);
        }
        std::swap(d_Un, d_Unp1);
    }
    cudaFree(d_Un);
    cudaFree(d_Unp1);
    return 0;
}

/* Convert 2D index layout to unrolled 1D layout */
__device__ __host__ int get_index(const int i, const int j, const int width)
{
    return i * width + j;
}

__global__ void evolve(const float* Un, float* Unp1, int nx, int ny, float dx2, float dy2, float aTimesDt)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int j = threadIdx.y + blockIdx.y * blockDim.y;
    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1) {
        const int index = get_index(i, j, ny);
        float uij = Un[index];
        float uim1j = Un[get_index(i - 1, j, ny)];
        float uijm1 = Un[get_index(i, j - 1, ny)];
        float uip1j = Un[get_index(i + 1, j, ny)];
        float uijp1 = Un[get_index(i, j + 1, ny)];
        Unp1[index] = uij + aTimesDt * ((uim1j - 2.0f * uij + uip1j) / dx2 + (uijm1 - 2.0f * uij + uijp1) / dy2);
    }
}

void write_pgm(const char* path, const std::vector<float>& field)
{
    FILE* f = fopen(path, "wb");
    if (!f) { perror(path); return; }
    fprintf(f, "P5\n%d %d\n255\n", NX, NY);
    for (float v : field)
        fputc((unsigned char)(v * 255.0f / 65.0f), f);
    fclose(f);
}
