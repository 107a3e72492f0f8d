template <typename T, int Block> __global__ void sum(const T *in, T *out, int n) { if (n > (int)threadIdx.x) out[threadIdx.x] = in[0]; }
template <typename T> __global__ void axpy(T a, const T *x, T *y, int n) { if (n > (int)threadIdx.x) y[threadIdx.x] += a * x[threadIdx.x]; }
template <int N> __global__ void step(int *p) { p[threadIdx.x] = N; }
template <bool Last> __global__ void pass(int *p, int n) { p[threadIdx.x] = Last; }

template <typename T> void run(T *x, T *y, int n, T a)
{
    axpy<<<(n + 255) / 256, 256>>>(a, x, y, n);
}

void all_steps(int *p)
{
    step<1><<<1, 32>>>(p);
    step<2><<<2, 64>>>(p);
    step<4><<<4, 128, 512>>>(p);
}

int main()
{
    int n = 5000, *p;
    float *x, *y;
    double *u, *v;
    cudaMalloc(&p, 1000);
    cudaMalloc(&x, n * sizeof *x);
    cudaMalloc(&y, n * sizeof *y);
    cudaMalloc(&u, 3000 * sizeof *u);
    cudaMalloc(&v, 3000 * sizeof *v);
    sum<float, 128><<<n / 128, 128>>>(x, y, n);
    sum<float, 256><<<n / 256, 256, 64>>>(x, y, n / 2);
    sum<double, 64><<<3000 / 64, 64>>>(u, v, 3000);
    run(x, y, n, 0.5f);
    run<double>(u, v, 3000, 2.0);
    all_steps(p);
    for (int width = 1; width < 8; width *= 2) {
        if (width < 4) pass<false><<<width, 32>>>(p, width);
        else pass<true><<<8, 64>>>(p, 100);
    }
    return cudaDeviceSynchronize();
}
