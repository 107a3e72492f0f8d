template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <int N>
void run(float *p) {
    k<N><<<1, N>>>(p);
}
typedef void (*Launcher)(float *);
static Launcher launchers[] = {run<1>, run<2>, &run<3>};
int main(int c, char **) {
    float *p = 0;
    launchers[c](p);
    auto f = &run<9>;
    f(p);
}
