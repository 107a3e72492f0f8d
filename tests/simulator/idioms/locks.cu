// Idioms of the Programming Guide and of textbooks around atomics; each near miss leaves one thing out.
#define KERNEL extern "C" __global__ void

__device__ double add(double* address, double value) {
  unsigned long long* bits = (unsigned long long*)address;
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
KERNEL add_doubles(double* sums, int n) { add(sums + threadIdx.x % n, 1.0); }
KERNEL add_doubles_miss(double* sums, int n) { sums[threadIdx.x % n] += 1.0; }

__device__ void largest(float* address, float value) {
  int* bits = (int*)address;
  int old = *bits;
  while (__int_as_float(old) < value) {
    int assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(value));
    if (old == assumed) break;
  }
}
KERNEL largest_float(float* most, int n) { largest(most, (float)(threadIdx.x * 7 % n)); }
KERNEL largest_float_miss(float* most, int n) {
  float value = threadIdx.x * 7 % n;
  if (*most < value) *most = value;
}

__device__ void multiply_halves(unsigned short* address, int factor) {
  // Of 16 bits in a word of 32, as half-precision atomics were written before there were any.
  unsigned* word = (unsigned*)((size_t)address & ~(size_t)2);
  int shift = (size_t)address & 2 ? 16 : 0;
  unsigned old = *word, assumed;
  do {
    assumed = old;
    unsigned part = (assumed >> shift & 0xffff) * factor & 0xffff;
    old = atomicCAS(word, assumed, (assumed & ~(0xffffu << shift)) | part << shift);
  } while (assumed != old);
}
KERNEL multiply_shorts(unsigned short* data, int n) { multiply_halves(data + threadIdx.x % n, 3); }
KERNEL multiply_shorts_miss(unsigned short* data, int n) { data[threadIdx.x % n] *= 3; }

// A lock for one thread of a block.
KERNEL spin_lock(int* lock, volatile int* count) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) { }
    __threadfence();
    count[0] += 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}
KERNEL spin_lock_miss(int* lock, volatile int* count) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) { }
    ((int*)count)[0] += 1;
    atomicExch(lock, 0);
  }
}
// All threads of a warp, one after the other.
KERNEL lock_of_lanes(int* lock, int* count) {
  bool done = false;
  while (!done) {
    if (atomicExch(lock, 1) == 0) {
      __threadfence();
      *count = *count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
KERNEL lock_of_lanes_miss(int* lock, int* count) {
  bool done = false;
  while (!done) {
    if (atomicExch(lock, 1) == 0) {
      *count = *count + 1;
      atomicExch(lock, 0);
      done = true;
    }
  }
}
KERNEL ticket_lock(int* tickets, int* count) {
  if (threadIdx.x == 0) {
    int mine = atomicAdd(&tickets[0], 1);
    while (((volatile int*)tickets)[1] != mine) { }
    __threadfence();
    count[0] += 1;
    __threadfence();
    atomicAdd(&tickets[1], 1);
  }
}
KERNEL ticket_lock_miss(int* tickets, int* count) {
  if (threadIdx.x == 0) {
    int mine = atomicAdd(&tickets[0], 1);
    while (((volatile int*)tickets)[1] != mine) { }
    count[0] += 1;
    atomicAdd(&tickets[1], 1);
  }
}
// Open addressing: who wins the key writes the value, which is read in a later launch.
KERNEL insert(int* keys, int* values) {
  int key = threadIdx.x * 3 + 1, slot = key * 7 % 128;
  for (;;) {
    int before = atomicCAS(&keys[slot], 0, key);
    if (before == 0 || before == key) { values[slot] = key * 10; break; }
    slot = (slot + 1) % 128;
  }
}
KERNEL insert_miss(int* keys, int* values) {
  int key = threadIdx.x * 3 % 48 + 1, slot = key * 7 % 128;
  for (;;) {
    int before = atomicCAS(&keys[slot], 0, key);
    if (before == 0) { values[slot] = threadIdx.x; break; }
    if (before == key) { values[slot] += threadIdx.x; break; }
    slot = (slot + 1) % 128;
  }
}
KERNEL queue(const int* work, int* out, int n) {
  __shared__ int item;
  for (;;) {
    if (threadIdx.x == 0) item = atomicAdd(out, 1);
    __syncthreads();
    int mine = item;
    if (mine >= n) break;
    if (threadIdx.x == 0) out[1 + mine] = work[mine] * 2;
    __syncthreads();
  }
}
KERNEL queue_miss(const int* work, int* out, int n) {
  __shared__ int item;
  for (;;) {
    if (threadIdx.x == 0) item = atomicAdd(out, 1);
    __syncthreads();
    int mine = item;
    if (mine >= n) break;
    if (threadIdx.x == 0) out[1 + mine] = work[mine] * 2;
  }
}
KERNEL compact(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) out[1 + atomicAdd(out, 1)] = in[i];
}
KERNEL compact_miss(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) { out[1 + *out] = in[i]; atomicAdd(out, 1); }
}
