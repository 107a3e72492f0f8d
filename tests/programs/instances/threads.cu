template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
#include <future>
#include <pthread.h>
#include <thread>
template <typename T>
void work(T *p) {
    t<T><<<1, 1>>>(p, T(0));
}
template <int N>
void *routine(void *p) {
    k<N><<<1, 1>>>((float *)p);
    return nullptr;
}
int main() {
    float *p = 0;
    double *q = 0;
    std::thread a(work<float>, p);
    auto b = std::async(std::launch::async, work<double>, q);
    pthread_t c;
    pthread_create(&c, nullptr, routine<3>, p);
    a.join();
    b.get();
    pthread_join(c, nullptr);
}
