#include <cassert>

class Scaler {
public:
    Scaler(float factor, unsigned block = 64) : factor_(factor), block_(block) {}
    Scaler &on(cudaStream_t stream)
    {
        stream_ = stream;
        return *this;
    }
    cudaError_t operator()(float *data, unsigned count) const;
    friend __global__ void scale_kernel(float *, float, unsigned);

private:
    unsigned grid(unsigned count) const { return count / block_ + (count % block_ != 0); }
    float factor_;
    unsigned block_;
    cudaStream_t stream_ = nullptr;
};

__global__ void scale_kernel(float *data, float factor, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) data[i] *= factor;
}

cudaError_t Scaler::operator()(float *data, unsigned count) const
{
    scale_kernel<<<grid(count), block_, 0, stream_>>>(data, factor_, count);
    return cudaGetLastError();
}

int main()
{
    float *data = nullptr;
    cudaStream_t stream;
    assert(cudaStreamCreate(&stream) == cudaSuccess);
    assert(cudaMalloc(&data, 777 * sizeof(float)) == cudaSuccess);
    Scaler half(0.5f);
    half(data, 777);
    Scaler(3.0f, 128).on(stream)(data, 400);
    return cudaStreamSynchronize(stream);
}
