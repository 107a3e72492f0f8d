extern "C" __global__ void axpy(float a, const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float product = __fmul_rn(a, x[i]);
        y[i] = __fadd_rn(product, y[i]);
    }
}
