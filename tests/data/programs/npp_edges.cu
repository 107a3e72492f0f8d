// Edges of an image by NPP, with a threshold of one's own between two of its filters.
#include <npp.h>
#include <nppi_filtering_functions.h>
#include <npps.h>

#include <iostream>
#include <string>

#define NPP_CHECK_NPP(S) do { NppStatus eStatusNPP; \
    eStatusNPP = S; \
    if (eStatusNPP != NPP_SUCCESS) std::cout << "NPP_CHECK_NPP - eStatusNPP = " << eStatusNPP << "(" << __LINE__ << ")" << std::endl; \
    } while (false)

template <typename D> class Image {
public:
    Image(int width, int height) : size_{width, height} {
        data_ = nppiMalloc_8u_C1(width, height, &pitch_);
    }
    ~Image() { nppiFree(data_); }
    D *data() { return data_; }
    int pitch() const { return pitch_; }
    NppiSize size() const { return size_; }

private:
    D *data_;
    int pitch_;
    NppiSize size_;
};

__global__ void threshold(Npp8u *pixels, int pitch, NppiSize size, Npp8u level) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < size.width && y < size.height) {
        Npp8u &pixel = pixels[y * pitch + x];
        pixel = pixel > level ? NPP_MAX_8U : NPP_MIN_8U;
    }
}

__global__ void histogram(const Npp8u *pixels, Npp32s *bins, NppiRect area, int pitch) {
    int x = area.x + threadIdx.x, y = area.y + blockIdx.x;
    if (x < area.x + area.width) atomicAdd(&bins[pixels[y * pitch + x]], 1);
}

__global__ void mix(Npp32f *out, const Npp32fc *in, Npp64f weight, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = Npp32f(in[i].re * weight + in[i].im);
}

int main() {
    Image<Npp8u> source(640, 480), target(640, 480);
    NppiPoint offset = {0, 0};
    NppiMaskSize mask = NPP_MASK_SIZE_3_X_3;
    NppStreamContext context{};
    NPP_CHECK_NPP(nppiFilterSobelHorizBorder_8u_C1R_Ctx(source.data(), source.pitch(), source.size(), offset,
                                                        target.data(), target.pitch(), target.size(),
                                                        NPP_BORDER_REPLICATE, context));
    dim3 block(32, 8), grid(20, 60);
    threshold<<<grid, block>>>(target.data(), target.pitch(), target.size(), 128);
    Npp32s *bins = nppsMalloc_32s(256);
    NppiRect area = {16, 16, 600, 400};
    histogram<<<area.height, area.width>>>(target.data(), bins, area, target.pitch());
    Npp32f *sums = nppsMalloc_32f(1024);
    Npp32fc *pairs = nppsMalloc_32fc(1024);
    mix<<<4, 256>>>(sums, pairs, 0.5, 1024);
    nppsFree(bins);
    (void)mask;
    return 0;
}
