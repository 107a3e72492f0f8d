#include "include/check.h"

typedef struct {
    float *x, *y, *z;
    int count;
} Points;

struct Matrix {
    int rows, cols, stride;
    float *elements;
};

struct Particle { float3 at; float3 v; float mass; };

__global__ void move(Points p, float3 by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    p.x[i] += by.x, p.y[i] += by.y, p.z[i] += by.z;
}

__global__ void multiply(const Matrix A, const Matrix B, Matrix C) {
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= C.rows || c >= C.cols) return;
    float s = 0;
    for (int k = 0; k < A.cols; k++) s += A.elements[r * A.stride + k] * B.elements[k * B.stride + c];
    C.elements[r * C.stride + c] = s;
}

__global__ void fall(Particle *p, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].v.y -= 9.81f * dt, p[i].at.y += p[i].v.y * dt;
}

static Matrix on_device(int rows, int cols) {
    Matrix m;
    m.rows = rows;
    m.cols = m.stride = cols;
    size_t size = (size_t)rows * cols * sizeof(float);
    CHECK(cudaMalloc(&m.elements, size));
    return m;
}

int main(void) {
    Points p;
    p.count = 500;
    CHECK(cudaMalloc((void **)&p.x, p.count * sizeof(float)));
    CHECK(cudaMalloc((void **)&p.y, p.count * sizeof(float)));
    CHECK(cudaMalloc((void **)&p.z, p.count * sizeof(float)));
    move<<<4, 128>>>(p, make_float3(1, 0, -1));

    Matrix A = on_device(48, 32), B = on_device(32, 64), C = on_device(48, 64);
    dim3 dimBlock(16, 16);
    dim3 dimGrid(C.cols / dimBlock.x, C.rows / dimBlock.y);
    multiply<<<dimGrid, dimBlock>>>(A, B, C);

    Particle *particles;
    CHECK(cudaMalloc(&particles, 100 * sizeof(Particle)));
    fall<<<1, 100>>>(particles, 100, 1e-3f);
    CHECK_LAUNCH();
    return 0;
}
