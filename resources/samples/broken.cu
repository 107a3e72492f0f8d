// Two mistakes to see how errors are shown: click one in the Problems list,
// mend it, and watch the squiggle go.

extern "C" __global__
void scale(float* data, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.w;
    if (i < n) {
        data[i] *= facto;
    }
}
