extern "C" __global__ void areas(const float* radius, float* area, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        area[i] = 3.14159265 * radius[i] * radius[i];
    }
}
