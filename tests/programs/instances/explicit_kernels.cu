template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template __global__ void t<short>(short *, short);
template __global__ void k<7>(float *);
int main() {}
