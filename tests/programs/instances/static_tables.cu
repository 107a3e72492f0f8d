template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
typedef void (*F)(float *);
template <int... N>
struct Table {
    static constexpr F fns[] = {k<N>...};
};
int main(int c, char **) {
    float *p = 0;
    Table<1, 2, 4>::fns[c]<<<1, 1>>>(p);
}
