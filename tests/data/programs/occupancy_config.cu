#include <iostream>
#include <helper_cuda.h>

const int manualBlockSize = 32;

////////////////////////////////////////////////////////////////////////////////
// Test kernel
//
// This kernel squares each array element.
////////////////////////////////////////////////////////////////////////////////
__global__ void square(int *array, int arrayCount)
{
    extern __shared__ int dynamicSmem[];
    int idx = threadIdx.x + blockIdx.x * blockDim.x;
    if (idx < arrayCount) {
        array[idx] *= array[idx];
    }
}

static double reportPotentialOccupancy(void *kernel, int blockSize, size_t dynamicSMem)
{
    int device;
    cudaDeviceProp prop;
    int numBlocks;
    checkCudaErrors(cudaGetDevice(&device));
    checkCudaErrors(cudaGetDeviceProperties(&prop, device));
    checkCudaErrors(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&numBlocks, kernel, blockSize, dynamicSMem));
    int activeWarps = numBlocks * blockSize / prop.warpSize;
    int maxWarps = prop.maxThreadsPerMultiProcessor / prop.warpSize;
    return (double)activeWarps / maxWarps;
}

static int launchConfig(int *array, int arrayCount, bool automatic)
{
    int blockSize, minGridSize, gridSize;
    size_t dynamicSMemUsage = 0;
    cudaEvent_t start, end;
    float elapsedTime;

    checkCudaErrors(cudaEventCreate(&start));
    checkCudaErrors(cudaEventCreate(&end));
    if (automatic) {
        checkCudaErrors(cudaOccupancyMaxPotentialBlockSize(&minGridSize, &blockSize, (void *)square,
                                                           dynamicSMemUsage, arrayCount));
        std::cout << "Suggested block size: " << blockSize << std::endl;
    } else {
        blockSize = manualBlockSize;
    }
    gridSize = (arrayCount + blockSize - 1) / blockSize;

    checkCudaErrors(cudaEventRecord(start));
    square<<<gridSize, blockSize, dynamicSMemUsage>>>(array, arrayCount);
    checkCudaErrors(cudaEventRecord(end));
    checkCudaErrors(cudaDeviceSynchronize());
    std::cout << "Potential occupancy: " << reportPotentialOccupancy((void *)square, blockSize, dynamicSMemUsage) * 100
              << "%" << std::endl;
    checkCudaErrors(cudaEventElapsedTime(&elapsedTime, start, end));
    std::cout << "Elapsed time: " << elapsedTime << "ms" << std::endl;
    return 0;
}

static int test(bool automaticLaunchConfig, const int count = 1000000)
{
    int *array = new int[count];
    int *dArray;
    for (int i = 0; i < count; i += 1) array[i] = i;
    checkCudaErrors(cudaMalloc(&dArray, count * sizeof(int)));
    checkCudaErrors(cudaMemcpy(dArray, array, count * sizeof(int), cudaMemcpyHostToDevice));
    launchConfig(dArray, count, automaticLaunchConfig);
    checkCudaErrors(cudaMemcpy(array, dArray, count * sizeof(int), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaFree(dArray));
    for (int i = 0; i < count; i += 1)
        if (array[i] != i * i) return -1;
    delete[] array;
    return 0;
}

int main()
{
    std::cout << "starting Simple Occupancy" << std::endl << std::endl;
    for (bool automatic : {false, true}) {
        if (test(automatic)) {
            std::cerr << "Test FAILED\n" << std::endl;
            return -1;
        }
    }
    std::cout << "Test PASSED\n" << std::endl;
    return 0;
}
