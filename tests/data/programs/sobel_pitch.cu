#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <utility>
#include <vector>

// 2D memory with rows padded by the runtime
template <typename T>
class PitchedBuffer
{
public:
	PitchedBuffer(size_t width, size_t height) : width_(width), height_(height)
	{
		auto const status = cudaMallocPitch(&data_, &pitch_, width * sizeof(T), height);
		assert(status == cudaSuccess);
		(void)status;
	}
	~PitchedBuffer() { cudaFree(data_); }
	PitchedBuffer(PitchedBuffer const&) = delete;

	void upload(T const* host)
	{
		cudaMemcpy2D(data_, pitch_, host, width_ * sizeof(T), width_ * sizeof(T), height_, cudaMemcpyHostToDevice);
	}
	void download(T* host) const
	{
		cudaMemcpy2D(host, width_ * sizeof(T), data_, pitch_, width_ * sizeof(T), height_, cudaMemcpyDeviceToHost);
	}

	struct View
	{
		char* data;
		size_t pitch;
		int width, height;
		__device__ T& operator()(int x, int y) const { return reinterpret_cast<T*>(data + y * pitch)[x]; }
		__device__ bool inner(int x, int y) const { return x > 0 && y > 0 && x < width - 1 && y < height - 1; }
	};
	View view() { return {reinterpret_cast<char*>(data_), pitch_, (int)width_, (int)height_}; }

private:
	size_t width_, height_, pitch_ = 0;
	T* data_ = nullptr;
};

using Bytes = PitchedBuffer<uint8_t>;

__global__ void sobel(Bytes::View in, Bytes::View out, int threshold)
{
	int const x = blockIdx.x * blockDim.x + threadIdx.x;
	int const y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= in.width || y >= in.height)
		return;
	if (!in.inner(x, y))
	{
		out(x, y) = 0;
		return;
	}
	int gx = 0, gy = 0;
	constexpr int w[3] = {1, 2, 1};
	#pragma unroll
	for (int k = -1; k <= 1; ++k)
	{
		gx += w[k + 1] * (in(x + 1, y + k) - in(x - 1, y + k));
		gy += w[k + 1] * (in(x + k, y + 1) - in(x + k, y - 1));
	}
	int const magnitude = static_cast<int>(sqrtf(float(gx * gx + gy * gy)));
	out(x, y) = magnitude > threshold ? 255 : 0;
}

static std::pair<int, int> parse(int argc, char** argv)
{
	return argc > 2 ? std::make_pair(std::atoi(argv[1]), std::atoi(argv[2])) : std::make_pair(1001, 777);
}

int main(int argc, char** argv)
{
	int width, height;
	std::tie(width, height) = parse(argc, argv);
	std::vector<uint8_t> image(width * height);
	for (int y = 0; y < height; ++y)
		for (int x = 0; x < width; ++x)
			image[y * width + x] = (x - width / 2) * (x - width / 2) + (y - height / 2) * (y - height / 2) < 10000 ? 200 : 20;

	Bytes in(width, height), out(width, height);
	in.upload(image.data());
	dim3 const block(32, 8);
	dim3 const grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
	sobel<<<grid, block>>>(in.view(), out.view(), 100);
	out.download(image.data());
	size_t edges = 0;
	for (uint8_t v : image)
		edges += v != 0;
	std::printf("%zu edge pixels\n", edges);
	return edges == 0;
}
