#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <cstdlib>
#include <iostream>

// an own kernel works on the memory of a device_vector
__global__ void normalise(float *data, int n, float mean, float scale) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) data[i] = (data[i] - mean) * scale;
}

__global__ void neighbourDifference(const float *in, float *out, int n) {
  extern __shared__ float s[];
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  s[threadIdx.x] = i < n ? in[i] : 0.f;
  __syncthreads();
  if (i < n) {
    float left = threadIdx.x ? s[threadIdx.x - 1] : (i ? in[i - 1] : 0.f);
    out[i] = s[threadIdx.x] - left;
  }
}

int main(void) {
  const int n = 1 << 16;
  thrust::host_vector<float> h(n);
  for (auto &v : h) v = rand() / float(RAND_MAX);

  thrust::device_vector<float> d = h;
  thrust::device_vector<float> difference(n);
  float mean = thrust::reduce(d.begin(), d.end()) / n;
  normalise<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(d.data()), n, mean, 2.f);
  thrust::sort(d.begin(), d.end());
  neighbourDifference<<<(n + 255) / 256, 256, 256 * sizeof(float)>>>(
      thrust::raw_pointer_cast(d.data()), thrust::raw_pointer_cast(difference.data()), n);
  thrust::copy(difference.begin(), difference.begin() + 10, h.begin());
  for (int i = 0; i < 10; i++) std::cout << h[i] << (i < 9 ? " " : "\n");
  return 0;
}
