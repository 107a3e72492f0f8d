#include <cstdio>

template <int Threads, class Element>
class Sorter {
public:
    static const int kBlocks;
    static const int kItems = Threads * 2;
    enum Shape { kBytes = Threads * sizeof(Element), kTwice = kBytes * 2 };
    void sort(Element *keys, int n) const;
};

template <int Threads, class Element> const int Sorter<Threads, Element>::kBlocks = Threads / 8;

template <int Threads, class Element> __global__ void pass(Element *keys, int n) { if (n > (int)threadIdx.x) keys[threadIdx.x] = Threads; }
template <class Element> __global__ void merge(Element *keys, int n) { if (n > (int)threadIdx.x) keys[threadIdx.x] = 1; }

template <int Threads, class Element> void Sorter<Threads, Element>::sort(Element *keys, int n) const
{
    pass<Threads, Element><<<kBlocks, Threads, kBytes>>>(keys, n);
    merge<Element><<<(n + kItems - 1) / kItems, kItems, Sorter::kTwice>>>(keys, n);
}

struct Base {
    static constexpr int kThreads = 96;
    static int rounds;
};
int Base::rounds = 3;

struct Derived : Base {
    static const int kBlocks = kThreads / 4;
    void go(int *p) { launch(p, rounds); }
    void launch(int *p, int count);
};

struct Settings {
    static Settings defaults() { return Settings(); }
    static dim3 block;
    static const dim3 grid;
    int scale = 5;
};
dim3 Settings::block(16, 4);
const dim3 Settings::grid = dim3(7, 3);

__global__ void count(int *p, int n) { p[0] = n; }
__global__ void image(int *p, int n) { p[0] = n; }
__global__ void after(int *p, int n) { p[0] = n; }
__global__ void again(int *p, int n) { p[0] = n; }
__global__ void grown(int *p, int n) { p[0] = n; }

class Tuning {
    static unsigned threads_;
    inline static int rounds_ = 2;

public:
    static void grow(int by) { threads_ *= by, rounds_++; }
    static unsigned threads() { return threads_; }
    static int rounds() { return rounds_; }
};
unsigned Tuning::threads_{64};

void launches(int *p, int rounds_)
{
    grown<<<rounds_ / 1024, Tuning::threads()>>>(p, 1);
    Tuning::grow(4);
    again<<<Tuning::rounds(), Tuning::threads()>>>(p, rounds_);
}

void Derived::launch(int *p, int count_) { count<<<kBlocks, Base::kThreads>>>(p, count_); }

int main()
{
    int n = 4096, *p;
    float *keys;
    double *wide;
    cudaMalloc(&p, 400);
    cudaMalloc(&keys, n * sizeof *keys);
    cudaMalloc(&wide, n * sizeof *wide);
    Sorter<128, float> narrow;
    narrow.sort(keys, n);
    Sorter<64, double>().sort(wide, n);
    Derived().go(p);
    image<<<Settings::grid, Settings::block>>>(p, Settings::defaults().scale);
    Settings::block = dim3(8, 8);
    Settings::block.z = 2;
    after<<<Derived::kBlocks, Settings::block>>>(p, n);
    launches(p, n);
    return cudaDeviceSynchronize();
}
