extern "C" __global__ void square(const float* x, float* y, int n)
{
    int i = threadIdx.x;
    y[i] = x[i] * x[i];
}
