template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <typename T>
struct Outer {
    template <int N>
    struct Inner {
        template <typename U>
        static void run(U *p) {
            k<N><<<1, 1>>>((float *)p);
            t<T><<<1, 1>>>((T *)p, T(0));
        }
    };
};
template <typename T>
void go(float *p) {
    Outer<T>::template Inner<3>::template run<float>(p);
}
int main() {
    float *p = 0;
    go<int>(p);
    Outer<double>::Inner<9>::run(p);
}
