template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <typename T, template <typename> class Op>
struct Algo {
    Op<T> op;
    void run(T *p) { t<<<1, 1>>>(p, op(T(1))); }
};
template <typename T>
struct Inc {
    T operator()(T x) const { return x + 1; }
};
template <typename T>
T make(int n) {
    return T(n);
}
int main() {
    float *p = 0;
    Algo<float, Inc>{}.run(p);
    t<<<1, 1>>>((long *)p, make<long>(3));
    t<<<1, 1>>>(reinterpret_cast<unsigned *>(p), 3u);
}
