template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <typename T>
struct Launch {
    static void go(T *p) { t<T><<<1, 1>>>(p, T(1)); }
};
template <typename T>
struct Launch<T *> {
    static void go(T *p) { t<T><<<2, 1>>>(p, T(2)); }
};
template <>
struct Launch<char> {
    static void go(char *p) { k<1><<<1, 1>>>((float *)p); }
};
int main() {
    float *p = 0;
    Launch<float *>::go(p);
    Launch<char>::go((char *)p);
}
