extern "C" __global__ void halves(const float* x, float* y, int n, int rounds)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int half = n / 2;
    int i = t % 2 == 0 ? t / 2 : half + t / 2;
    if (i >= n) {
        return;
    }
    float v = x[i];
    if (i < half) {
        for (int k = 0; k < rounds; ++k) {
            v = 0.5f * v + 1.0f;
        }
    } else {
        for (int k = 0; k < 2 * rounds; ++k) {
            v = 1.0f - 0.25f * v;
        }
    }
    y[i] = v;
}
