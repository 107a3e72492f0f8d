// Adds two vectors, one element per thread.
// Change something: PTX and SASS follow a moment later.

extern "C" __global__
void vector_add(const float* a, const float* b, float* sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sum[i] = a[i] + b[i];
    }
}
