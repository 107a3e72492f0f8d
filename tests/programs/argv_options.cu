// Sizes come from the command line, with defaults.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <getopt.h>

struct Options {
    int n;
    int threads;
    float factor;
    const char *name;
    bool verbose;
};

static Options parse(int argc, char **argv)
{
    Options o = {1 << 16, 128, 2.0f, "scale", false};
    int c;
    while ((c = getopt(argc, argv, "n:t:f:v")) != -1) {
        switch (c) {
        case 'n': o.n = atoi(optarg); break;
        case 't': o.threads = (int)strtol(optarg, NULL, 10); break;
        case 'f': o.factor = (float)atof(optarg); break;
        case 'v': o.verbose = true; break;
        default:
            fprintf(stderr, "usage: %s [-n N] [-t THREADS] [-f FACTOR] [-v]\n", argv[0]);
            exit(2);
        }
    }
    return o;
}

__global__ void scale(float *x, float factor, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] *= factor;
}

int main(int argc, char **argv)
{
    Options options = parse(argc, argv);
    float *x = NULL;
    if (cudaMalloc((void **)&x, options.n * sizeof(float)) != cudaSuccess)
        return 1;
    int blocks = (options.n + options.threads - 1) / options.threads;
    scale<<<blocks, options.threads>>>(x, options.factor, options.n);
    cudaError_t e = cudaDeviceSynchronize();
    if (options.verbose)
        printf("%s: %s\n", options.name, cudaGetErrorString(e));
    cudaFree(x);
    return 0;
}
