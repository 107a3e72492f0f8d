extern "C" __global__ void scale(float a, const float* x, float* y, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        y[i] = a * x[i];
        y[i + 1] = a * x[i + 1];
        y[i + 2] = a * x[i + 2];
        y[i + 3] = a * x[i + 3];
    }
}
