template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <int N = 4, typename T = float>
__global__ void d(T *p) {
    p[0] = N;
}
int main() {
    float *p = 0;
    int *q = 0;
    d<><<<1, 1>>>(p);
    d<2><<<1, 1>>>(q);
    d<<<1, 1>>>(p);
}
