#include <iostream>
#include <cmath>
#include <cstdlib>
#include <ctime>

using std::cout;
using std::endl;

const float TILE = 16;

__global__ void cross_correlate(float* image, float* pattern, float* result, int w, int h, int pw, int ph)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x + pw > w || y + ph > h) return;
    float s = 0;
    for (int j = 0; j < ph; ++j)
        for (int i = 0; i < pw; ++i) s += image[(y + j) * w + x + i] * pattern[j * pw + i];
    result[y * w + x] = s;
}

void randomize(float* p, int n) { while (n--) *p++ = static_cast<float>(rand()) / RAND_MAX; }

int main()
{
    srand(static_cast<unsigned>(time(0)));
    int w = 200, h = 150, pw = 5, ph = 7;
    float *image = new float[w * h], *pattern = new float[pw * ph], *d_image, *d_pattern, *d_result;
    randomize(image, w * h);
    randomize(pattern, pw * ph);
    cudaMalloc(&d_image, w * h * sizeof(float));
    cudaMalloc(&d_pattern, pw * ph * sizeof(float));
    cudaMalloc(&d_result, w * h * sizeof(float));
    cudaMemcpy(d_image, image, w * h * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_pattern, pattern, pw * ph * sizeof(float), cudaMemcpyHostToDevice);
    dim3 threads(TILE, TILE);
    dim3 blocks(ceil(w / TILE), std::ceil(h / TILE));
    cross_correlate<<<blocks, threads>>>(d_image, d_pattern, d_result, w, h, pw, ph);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) cout << cudaGetErrorString(error) << endl;
    delete[] image;
    delete[] pattern;
    cudaDeviceReset();
}
