// LSD radix sort, 4 bits a pass: count, scan (on the host), scatter.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <random>
#include <vector>

static constexpr int kBits = 4;
static constexpr int kRadix = 1 << kBits;
static constexpr int kBlock = 128;

template <typename Key>
__device__ __forceinline__ int digit(Key key, int shift) { return (key >> shift) & (kRadix - 1); }

template <typename Key>
__global__ void count(const Key* keys, int n, int shift, int* counts)
{
  __shared__ int local[kRadix];
  if (threadIdx.x < kRadix) local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) atomicAdd(&local[digit(keys[i], shift)], 1);
  __syncthreads();
  // digit-major, so that one scan gives the place of each block's digit
  if (threadIdx.x < kRadix) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

template <typename Key, typename Value>
__global__ void scatter(const Key* keys, const Value* values, int n, int shift, const int* places,
                        Key* keysOut, Value* valuesOut)
{
  __shared__ unsigned char digits[kBlock];
  int i = blockIdx.x * kBlock + threadIdx.x;
  int d = i < n ? digit(keys[i], shift) : kRadix;
  digits[threadIdx.x] = static_cast<unsigned char>(d);
  __syncthreads();
  if (i >= n) return;
  int rank = 0;
  for (int t = 0; t < threadIdx.x; ++t) rank += digits[t] == d;
  int to = places[d * gridDim.x + blockIdx.x] + rank;
  keysOut[to] = keys[i];
  valuesOut[to] = values[i];
}

template <typename Key, typename Value>
class RadixSorter {
 public:
  explicit RadixSorter(int n) : n_(n), blocks_((n + kBlock - 1) / kBlock), host_(blocks_ * kRadix)
  {
    cudaMalloc(&keys_, n * sizeof(Key));
    cudaMalloc(&values_, n * sizeof(Value));
    cudaMalloc(&counts_, host_.size() * sizeof(int));
  }
  ~RadixSorter()
  {
    cudaFree(keys_);
    cudaFree(values_);
    cudaFree(counts_);
  }
  RadixSorter(const RadixSorter&) = delete;
  RadixSorter& operator=(const RadixSorter&) = delete;

  void operator()(Key*& keys, Value*& values)
  {
    for (int shift = 0; shift < int(sizeof(Key)) * 8; shift += kBits) {
      count<Key><<<blocks_, kBlock>>>(keys, n_, shift, counts_);
      cudaMemcpy(host_.data(), counts_, host_.size() * sizeof(int), cudaMemcpyDeviceToHost);
      int sum = 0;
      for (int& c : host_) { int here = c; c = sum; sum += here; }
      cudaMemcpy(counts_, host_.data(), host_.size() * sizeof(int), cudaMemcpyHostToDevice);
      scatter<Key, Value><<<blocks_, kBlock>>>(keys, values, n_, shift, counts_, keys_, values_);
      std::swap(keys, keys_);
      std::swap(values, values_);
    }
  }

 private:
  int n_, blocks_;
  std::vector<int> host_;
  Key* keys_ = nullptr;
  Value* values_ = nullptr;
  int* counts_ = nullptr;
};

int main()
{
  const int n = 1 << 20;
  std::mt19937 gen{std::random_device{}()};
  std::vector<std::uint32_t> keys(n);
  std::vector<int> values(n);
  for (int i = 0; i < n; ++i) { keys[i] = gen(); values[i] = i; }

  std::uint32_t* d_keys;
  int* d_values;
  cudaMalloc(&d_keys, n * sizeof(*d_keys));
  cudaMalloc(&d_values, n * sizeof(*d_values));
  cudaMemcpy(d_keys, keys.data(), n * sizeof(*d_keys), cudaMemcpyHostToDevice);
  cudaMemcpy(d_values, values.data(), n * sizeof(*d_values), cudaMemcpyHostToDevice);
  RadixSorter<std::uint32_t, int> sorter(n);
  sorter(d_keys, d_values);
  std::vector<std::uint32_t> sorted(n);
  cudaMemcpy(sorted.data(), d_keys, n * sizeof(*d_keys), cudaMemcpyDeviceToHost);
  std::sort(keys.begin(), keys.end());
  std::cout << std::boolalpha << (keys == sorted) << "\n";
  cudaFree(d_keys);
  cudaFree(d_values);
}
