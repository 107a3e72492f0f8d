template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
class Solver {
  public:
    template <typename T>
    Solver &add(T *p) {
        t<T><<<1, 1>>>(p, T(0));
        return *this;
    }
    template <int N>
    void done(float *p);
};
template <int N>
void Solver::done(float *p) {
    k<N><<<1, 1>>>(p);
}
int main() {
    float *p = 0;
    double *q = 0;
    Solver s;
    s.add(p).add(q).done<6>(p);
    Solver *r = &s;
    r->template done<8>(p);
    r->add((int *)p);
}
