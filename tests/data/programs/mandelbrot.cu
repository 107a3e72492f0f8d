#include <iostream>
#include <fstream>
#include <string>
#include <cstdlib>
using namespace std;

const int WIDTH = 1920, HEIGHT = 1080;
const int MAX_ITER = 512;

template<typename T>
struct complex_t {
	T re, im;
	__host__ __device__ constexpr complex_t(T r = T(), T i = T()) : re(r), im(i) {}
	__host__ __device__ constexpr T norm() const { return re * re + im * im; }
};

template<typename T>
__host__ __device__ constexpr complex_t<T> operator*(complex_t<T> a, complex_t<T> b)
{
	return { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

template<typename T>
__host__ __device__ constexpr complex_t<T> operator+(complex_t<T> a, complex_t<T> b)
{
	return { a.re + b.re, a.im + b.im };
}

template<typename T>
__host__ __device__ int escape(complex_t<T> c)
{
	complex_t<T> z;
	for (int k = 0; k < MAX_ITER; k++) {
		z = z * z + c;
		if (z.norm() > T(4)) return k;
	}
	return MAX_ITER;
}

__global__ void mandelbrot(int* iterations, double cx, double cy, double zoom)
{
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= WIDTH || y >= HEIGHT) return;
	complex_t<double> c(cx + (x - WIDTH * 0.5) * zoom, cy + (y - HEIGHT * 0.5) * zoom);
	iterations[y * WIDTH + x] = escape(c);
}

int main(int argc, char** argv)
{
	string path = "mandelbrot.pgm";
	double zoom = 0.003;
	if (argc > 1) path = argv[1];
	if (argc > 2) zoom = atof(argv[2]);

	int* d;
	int* h = new int[WIDTH * HEIGHT];
	cudaMalloc(&d, WIDTH * HEIGHT * sizeof(int));
	dim3 block(16, 16), grid((WIDTH + 15) / 16, (HEIGHT + 15) / 16);
	mandelbrot<<<grid, block>>>(d, -0.5, 0.0, zoom);
	if (cudaDeviceSynchronize() != cudaSuccess) {
		cerr << "kernel failed: " << cudaGetErrorString(cudaGetLastError()) << endl;
		return 1;
	}
	cudaMemcpy(h, d, WIDTH * HEIGHT * sizeof(int), cudaMemcpyDeviceToHost);

	// one pixel on the host to compare
	complex_t<double> c(-0.5 - 100 * zoom, 20 * zoom);
	cout << "host " << escape(c) << " device "
	     << h[(HEIGHT / 2 + 20) * WIDTH + WIDTH / 2 - 100] << endl;

	ofstream out(path, ios::binary);
	out << "P5\n" << WIDTH << " " << HEIGHT << "\n255\n";
	for (int i = 0; i < WIDTH * HEIGHT; i++)
		out.put(h[i] == MAX_ITER ? 0 : (char)(h[i] * 8 % 256));
	cudaFree(d);
	delete[] h;
	return 0;
}
