// y = a * x + y for any element type.
//
// A template makes no code until somebody names an instance.
// The tab "Lowered names" asks NVRTC for saxpy<float> and
// saxpy<double>, and tells the names to launch them by.

template <typename T>
__global__ void saxpy(T a, const T* __restrict__ x,
                      T* __restrict__ y, int n)
{
    // Grid-stride loop: right for any n and any grid.
    int stride = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += stride) {
        y[i] = a * x[i] + y[i];
    }
}
