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
    void go(T *p);
    template <int N>
    void sized(T *p);
};
template <typename T>
void Launch<T>::go(T *p) {
    t<T><<<1, 1>>>(p, T(1));
}
template <>
void Launch<int>::go(int *) {
    k<5><<<1, 1>>>(nullptr);
}
template <typename T>
template <int N>
void Launch<T>::sized(T *p) {
    k<N><<<1, 1>>>(nullptr);
    t<T *><<<1, 1>>>(nullptr, p);
}
template <int N, typename T>
void free_one(T *p) {
    t<T><<<1, 1>>>(p, T(0));
}
template <>
void free_one<3, char>(char *) {
    k<33><<<1, 1>>>(nullptr);
}
int main() {
    Launch<float> a;
    a.go(nullptr);
    a.sized<2>(nullptr);
    Launch<int> b;
    b.go(nullptr);
    free_one<3>((char *)nullptr);
    free_one<4>((char *)nullptr);
}
