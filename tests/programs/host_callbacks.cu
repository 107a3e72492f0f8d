#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Frame {
    int number;
    float *device;
    float host[64];
    cudaEvent_t ready;
};

__global__ void render(float *frame, int number)
{
    frame[threadIdx.x] = sinf(0.1f * number + threadIdx.x);
}

void CUDART_CB on_frame(cudaStream_t stream, cudaError_t status, void *data)
{
    Frame *frame = static_cast<Frame *>(data);
    std::printf("frame %d: %s\n", frame->number, cudaGetErrorString(status));
}

static void CUDART_CB on_host(void *data) { std::printf("%g\n", static_cast<Frame *>(data)->host[0]); }

int main()
{
    static Frame frames[3];
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    for (int i = 0; i < 3; i++) {
        frames[i].number = i;
        cudaMalloc(&frames[i].device, sizeof frames[i].host);
        cudaEventCreateWithFlags(&frames[i].ready, cudaEventDisableTiming);
        render<<<1, 64, 0, stream>>>(frames[i].device, i);
        cudaMemcpyAsync(frames[i].host, frames[i].device, sizeof frames[i].host, cudaMemcpyDeviceToHost, stream);
        cudaEventRecord(frames[i].ready, stream);
        cudaStreamAddCallback(stream, on_frame, &frames[i], 0);
        cudaLaunchHostFunc(stream, on_host, &frames[i]);
    }
    return cudaStreamSynchronize(stream);
}
