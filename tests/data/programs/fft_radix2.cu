// Radix-2 FFT: bit reversal, then log2(n) passes of butterflies. Double precision.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuComplex.h>
#include <cuda_runtime.h>

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

typedef cuDoubleComplex cplx;

__global__ void bit_reverse(const cplx *in, cplx *out, int bits)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (1u << bits))
        out[__brev(i) >> (32 - bits)] = in[i];
}

__global__ void butterflies(cplx *data, int half, int pairs, double sign)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= pairs) return;
    int k = t % half;
    int i = (t / half) * 2 * half + k;
    double s, c;
    sincospi(sign * k / half, &s, &c);
    cplx u = data[i], v = cuCmul(data[i + half], make_cuDoubleComplex(c, s));
    data[i] = cuCadd(u, v);
    data[i + half] = cuCsub(u, v);
}

__global__ void scale(cplx *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = make_cuDoubleComplex(cuCreal(data[i]) / n, cuCimag(data[i]) / n);
}

class Fft {
public:
    explicit Fft(int bits) : bits_(bits), n_(1 << bits) { cudaMalloc(&work_, n_ * sizeof(cplx)); }
    ~Fft() { cudaFree(work_); }

    void forward(cplx *data) { run(data, -1.0); }
    void inverse(cplx *data)
    {
        run(data, 1.0);
        scale<<<(n_ + 255) / 256, 256>>>(data, n_);
    }

private:
    void run(cplx *data, double sign)
    {
        bit_reverse<<<(n_ + 255) / 256, 256>>>(data, work_, bits_);
        for (int half = 1; half < n_; half *= 2)
            butterflies<<<(n_ / 2 + 255) / 256, 256>>>(work_, half, n_ / 2, sign);
        cudaMemcpy(data, work_, n_ * sizeof(cplx), cudaMemcpyDeviceToDevice);
    }
    int bits_, n_;
    cplx *work_;
};

int main(int argc, char **argv)
{
    int bits = argc > 1 ? atoi(argv[1]) : 16, n = 1 << bits;
    std::vector<std::complex<double>> signal(n), spectrum(n), back(n);
    for (int i = 0; i < n; i++)
        signal[i] = std::polar(1.0, 2 * M_PI * 5 * i / n) + std::complex<double>(0.25, 0);

    cplx *d;
    cudaMalloc(&d, n * sizeof(cplx));
    cudaMemcpy(d, signal.data(), n * sizeof(cplx), cudaMemcpyHostToDevice);
    Fft fft(bits);
    fft.forward(d);
    cudaMemcpy(spectrum.data(), d, n * sizeof(cplx), cudaMemcpyDeviceToHost);
    fft.inverse(d);
    cudaMemcpy(back.data(), d, n * sizeof(cplx), cudaMemcpyDeviceToHost);

    double worst = 0;
    for (int i = 0; i < n; i++) worst = std::max(worst, std::abs(back[i] - signal[i]));
    printf("bin 0: %.3f, bin 5: %.3f, round trip %.2e\n", std::abs(spectrum[0]) / n, std::abs(spectrum[5]) / n, worst);
    cudaFree(d);
    return worst > 1e-10;
}
