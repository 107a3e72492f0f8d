template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <typename T>
struct Fill {
    Fill(T *p, T v) { t<T><<<1, 1>>>(p, v); }
};
int main() {
    float *p = 0;
    Fill f(p, 1.f);
    double *q = 0;
    Fill<double>(q, 2.0);
    Fill g{(int *)p, 3};
}
