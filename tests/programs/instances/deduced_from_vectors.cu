template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
#include <vector>
template <typename T>
void process(std::vector<T> &v) {
    T *d;
    cudaMalloc(&d, v.size() * sizeof(T));
    t<<<1, v.size()>>>(d, v[0]);
}
int main() {
    std::vector<float> a(3);
    std::vector<long> b(4);
    process(a);
    process(b);
}
