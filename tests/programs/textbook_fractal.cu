// A fractal through a class with members for the device only.
#include "include/textbook.h"

#define DIM 500

struct complex_number {
    float r;
    float i;
    __device__ complex_number(float a, float b) : r(a), i(b) {}
    __device__ float magnitude2(void) { return r * r + i * i; }
    __device__ complex_number operator*(const complex_number &a) {
        return complex_number(r * a.r - i * a.i, i * a.r + r * a.i);
    }
    __device__ complex_number operator+(const complex_number &a) {
        return complex_number(r + a.r, i + a.i);
    }
};

__device__ int belongs(int x, int y) {
    const float scale = 1.5;
    float jx = scale * (float)(DIM / 2 - x) / (DIM / 2);
    float jy = scale * (float)(DIM / 2 - y) / (DIM / 2);
    complex_number c(-0.8, 0.156);
    complex_number a(jx, jy);
    for (int i = 0; i < 200; i++) {
        a = a * a + c;
        if (a.magnitude2() > 1000) return 0;
    }
    return 1;
}

__global__ void kernel(unsigned char *ptr) {
    int x = blockIdx.x;
    int y = blockIdx.y;
    int offset = x + y * gridDim.x;
    ptr[offset * 4 + 0] = 255 * belongs(x, y);
    ptr[offset * 4 + 1] = 0;
    ptr[offset * 4 + 2] = 0;
    ptr[offset * 4 + 3] = 255;
}

struct Picture {
    unsigned char *pixels;
    int x, y;
    Picture(int width, int height) {
        pixels = new unsigned char[width * height * 4];
        x = width;
        y = height;
    }
    ~Picture() { delete[] pixels; }
    unsigned char *get_ptr(void) const { return pixels; }
    long image_size(void) const { return x * y * 4; }
};

int main(void) {
    Picture bitmap(DIM, DIM);
    unsigned char *dev_bitmap;
    STOP_ON_ERROR(cudaMalloc((void **)&dev_bitmap, bitmap.image_size()));
    dim3 grid(DIM, DIM);
    kernel<<<grid, 1>>>(dev_bitmap);
    STOP_ON_ERROR(cudaMemcpy(bitmap.get_ptr(), dev_bitmap, bitmap.image_size(),
                             cudaMemcpyDeviceToHost));
    STOP_ON_ERROR(cudaFree(dev_bitmap));
    return 0;
}
