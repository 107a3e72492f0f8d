template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <typename T, int N>
struct Pick {
    static void go(T *p) { t<T><<<N, 1>>>(p, T(1)); }
};
template <typename T>
struct Pick<T, 1> {
    static void go(T *) { k<100><<<1, 1>>>(nullptr); }
};
template <int N>
struct Pick<double, N> {
    static void go(double *) { k<N><<<1, 1>>>(nullptr); }
};
template <typename T>
struct Pair {};
template <typename T, int N>
struct Pick<Pair<T>, N> {
    static void go(T *p) { t<T><<<1, N>>>(p, T(0)); }
};
int main() {
    Pick<float, 2>::go(nullptr);
    Pick<int, 1>::go(nullptr);
    Pick<double, 7>::go(nullptr);
    Pick<Pair<short>, 3>::go(nullptr);
}
