/* Everything in globals, as programs in C have it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <time.h>

#ifndef SIZE
#define SIZE 2048
#endif
#define THREADS_PER_BLOCK 64
#define BLOCKS ((SIZE) / THREADS_PER_BLOCK)

typedef unsigned char byte;
enum mode { MODE_COPY, MODE_INVERT };

byte *host_image, *device_image, *device_result;
int width = 64, height = SIZE / 64;
unsigned int image_bytes;
enum mode mode = MODE_INVERT;

__global__ void convert(byte *result, const byte *image, enum mode how, unsigned int n)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        result[i] = how == MODE_INVERT ? 255 - image[i] : image[i];
}

void setup()
{
    image_bytes = sizeof(byte) * width * height;
    host_image = (byte *)malloc(image_bytes);
    srand(time(NULL));
    for (unsigned int i = 0; i < image_bytes; i++)
        host_image[i] = (byte)rand();
    cudaMalloc((void **)&device_image, image_bytes);
    cudaMalloc((void **)&device_result, image_bytes);
    cudaMemcpy(device_image, host_image, image_bytes, cudaMemcpyHostToDevice);
}

void process()
{
    convert<<<BLOCKS, THREADS_PER_BLOCK>>>(device_result, device_image, mode, image_bytes);
    cudaDeviceSynchronize();
}

int main(int argc, char **argv)
{
    setup();
    process();
    free(host_image);
    return 0;
}
