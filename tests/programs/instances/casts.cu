template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
int main() {
    float *p = 0;
    auto f = static_cast<void (*)(float *)>(k<1>);
    f<<<1, 1>>>(p);
    ((void (*)(float *))k<2>)<<<1, 1>>>(p);
}
