template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
typedef void (*F)(float *);
F pick(int n) { return n > 2 ? k<1> : k<2>; }
F other(int n) {
    switch (n) {
    case 1:
        return k<5>;
    case 2:
        return &k<6>;
    default:
        return nullptr;
    }
}
int main() {
    float *p = 0;
    pick(1)<<<1, 1>>>(p);
    other(2)<<<1, 1>>>(p);
}
