// Rotates a grey image with a texture object; writes through a surface object.
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>
#include <cuda_runtime.h>

struct Image {
    int width = 0, height = 0;
    std::vector<unsigned char> pixels;

    static Image load(const std::string &path) {
        std::ifstream in(path, std::ios::binary);
        std::string magic;
        int maximum;
        Image image;
        if (!(in >> magic >> image.width >> image.height >> maximum) || magic != "P5")
            throw std::runtime_error(path + " is no binary PGM");
        in.get();
        image.pixels.resize(size_t(image.width) * image.height);
        in.read(reinterpret_cast<char *>(image.pixels.data()), image.pixels.size());
        return image;
    }
    static Image checker(int w, int h) {
        Image image;
        image.width = w, image.height = h;
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) image.pixels.push_back(((x / 16 + y / 16) & 1) * 255);
        return image;
    }
    void save(const std::string &path) const {
        std::ofstream out(path, std::ios::binary);
        out << "P5\n" << width << ' ' << height << "\n255\n";
        out.write(reinterpret_cast<const char *>(pixels.data()), pixels.size());
    }
};

__global__ void rotate(cudaSurfaceObject_t out, cudaTextureObject_t tex, int width, int height, float theta)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = x / (float)width - 0.5f;
    float v = y / (float)height - 0.5f;
    float tu = u * cosf(theta) - v * sinf(theta) + 0.5f;
    float tv = v * cosf(theta) + u * sinf(theta) + 0.5f;
    float value = tex2D<float>(tex, tu, tv);
    surf2Dwrite((unsigned char)(value * 255.f + 0.5f), out, x, y, cudaBoundaryModeTrap);
}

int main(int argc, char **argv)
{
    Image image = argc > 1 ? Image::load(argv[1]) : Image::checker(512, 512);
    const float angle = argc > 2 ? std::stof(argv[2]) : 0.5f;

    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    cudaArray_t source, target;
    cudaMallocArray(&source, &format, image.width, image.height);
    cudaMallocArray(&target, &format, image.width, image.height, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(source, 0, 0, image.pixels.data(), image.width, image.width, image.height,
                        cudaMemcpyHostToDevice);

    cudaResourceDesc resource;
    memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = source;

    cudaTextureDesc description;
    memset(&description, 0, sizeof(description));
    description.addressMode[0] = cudaAddressModeWrap;
    description.addressMode[1] = cudaAddressModeWrap;
    description.filterMode = cudaFilterModeLinear;
    description.readMode = cudaReadModeNormalizedFloat;
    description.normalizedCoords = 1;

    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, NULL);
    resource.res.array.array = target;
    cudaSurfaceObject_t surface = 0;
    cudaCreateSurfaceObject(&surface, &resource);

    dim3 block(8, 8, 1);
    dim3 grid((image.width + 7) / 8, (image.height + 7) / 8, 1);
    rotate<<<grid, block>>>(surface, texture, image.width, image.height, angle);
    cudaMemcpy2DFromArray(image.pixels.data(), image.width, target, 0, 0, image.width, image.height,
                          cudaMemcpyDeviceToHost);
    image.save("rotated.pgm");
    std::cout << cudaGetErrorString(cudaGetLastError()) << std::endl;
    cudaDestroyTextureObject(texture);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(source);
    cudaFreeArray(target);
}
