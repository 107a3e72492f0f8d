#include <iostream>
#include <math.h>

// managed globals are seen from both sides
__device__ __managed__ int calls = 0;
__managed__ float scale = 2.0f;

class Managed {
public:
  void *operator new(size_t len) {
    void *ptr;
    cudaMallocManaged(&ptr, len);
    cudaDeviceSynchronize();
    return ptr;
  }

  void operator delete(void *ptr) {
    cudaDeviceSynchronize();
    cudaFree(ptr);
  }
};

struct Series : public Managed {
  int length;
  float *values;

  Series(int n) : length(n) { cudaMallocManaged(&values, n * sizeof(float)); }
  ~Series() { cudaFree(values); }
  __host__ __device__ float &at(int i) { return values[i]; }
  __device__ void scaleAll(float by) {
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += stride) at(i) *= by;
  }
};

// Kernel function to add the elements of two arrays
__global__
void add(int n, float *x, float *y)
{
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = blockDim.x * gridDim.x;
  for (int i = index; i < n; i += stride)
    y[i] = x[i] + y[i];
}

__global__ void scaleKernel(Series *s)
{
  s->scaleAll(scale);
  if (threadIdx.x == 0 && blockIdx.x == 0) calls++;
}

int main(void)
{
  int N = 1<<20;
  Series *x = new Series(N), *y = new Series(N);

  // initialize x and y arrays on the host
  for (int i = 0; i < N; i++) {
    x->at(i) = 1.0f;
    y->at(i) = 2.0f;
  }

  int blockSize = 256;
  int numBlocks = (N + blockSize - 1) / blockSize;
  cudaMemLocation location = {};
  location.type = cudaMemLocationTypeDevice;
  cudaMemPrefetchAsync(x->values, N * sizeof(float), location, 0);
  add<<<numBlocks, blockSize>>>(N, x->values, y->values);
  scaleKernel<<<numBlocks, blockSize>>>(y);

  // Wait for GPU to finish before accessing on host
  cudaDeviceSynchronize();

  // Check for errors (all values should be 6.0f)
  float maxError = 0.0f;
  for (int i = 0; i < N; i++)
    maxError = fmax(maxError, fabs(y->at(i)-6.0f));
  std::cout << "Max error: " << maxError << " after " << calls << " call(s)" << std::endl;

  delete x;
  delete y;
  return 0;
}
