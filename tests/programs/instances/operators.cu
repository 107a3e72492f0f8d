template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <typename T>
struct Vec {
    T *p;
    int n;
    explicit Vec(int n) : n(n) {
        cudaMalloc(&p, n * sizeof(T));
        t<T><<<1, n>>>(p, T(0));
    }
};
template <typename T>
__global__ void add(const T *a, const T *b, T *c) {
    c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
template <typename T>
Vec<T> operator+(const Vec<T> &a, const Vec<T> &b) {
    Vec<T> c(a.n);
    add<<<1, a.n>>>(a.p, b.p, c.p);
    return c;
}
int main() {
    Vec<float> a(32), b(32);
    Vec<float> c = a + b;
    auto d = c + a;
}
