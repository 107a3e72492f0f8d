// A library kernel that calls a function it does not know: user_transform
// is in the other module and joins it at link time.
//
// Link by PTX and the call stays a call. Link by LTO and it is inlined:
// compare the SASS of both (tab "Link").

extern "C" __device__ float user_transform(float value);

extern "C" __global__
void apply_transform(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = user_transform(in[i]);
    }
}
