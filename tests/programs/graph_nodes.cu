// A graph made node by node.
#include <cuda_runtime.h>
#include <vector>
#include "include/check.h"

__global__ void first(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
__global__ void second(float *x, float a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= a; }

int main() {
    int n = 5000;
    float a = 3.0f;
    float *x;
    CHECK(cudaMalloc(&x, n * sizeof(float)));

    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    std::vector<cudaGraphNode_t> dependencies;
    cudaGraphNode_t node;

    cudaMemsetParams memset_params = {0};
    memset_params.dst = x;
    memset_params.value = 0;
    memset_params.elementSize = sizeof(float);
    memset_params.width = n;
    memset_params.height = 1;
    CHECK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &memset_params));
    dependencies.push_back(node);

    cudaKernelNodeParams params = {0};
    void *first_arguments[] = {&x, &n};
    params.func = (void *)first;
    params.gridDim = dim3((n + 127) / 128, 1, 1);
    params.blockDim = dim3(128, 1, 1);
    params.sharedMemBytes = 0;
    params.kernelParams = first_arguments;
    params.extra = NULL;
    CHECK(cudaGraphAddKernelNode(&node, graph, dependencies.data(), dependencies.size(), &params));
    dependencies.clear();
    dependencies.push_back(node);

    void *second_arguments[3] = {(void *)&x, (void *)&a, (void *)&n};
    params.func = (void *)second;
    params.blockDim.x = 256;
    params.gridDim.x = (n + 255) / 256;
    params.kernelParams = (void **)second_arguments;
    CHECK(cudaGraphAddKernelNode(&node, graph, dependencies.data(), dependencies.size(), &params));

    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    return 0;
}
