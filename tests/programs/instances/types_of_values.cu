template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
int main() {
    double x = 1;
    double *p = &x;
    t<decltype(x)><<<1, 1>>>(p, x);
    t<std::remove_pointer_t<decltype(p)>><<<1, 1>>>(p, x);
}
