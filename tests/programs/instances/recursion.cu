template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <int N>
void go(float *p) {
    k<N><<<1, N>>>(p);
    if constexpr (N > 1)
        go<N / 2>(p);
}
int main() {
    float *p = 0;
    go<8>(p);
}
