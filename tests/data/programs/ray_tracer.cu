#include <cfloat>
#include <ctime>
#include <fstream>
#include <iostream>

#include <cuda_runtime.h>

#define checkCudaErrors(val) check_cuda( (val), #val, __FILE__, __LINE__ )

void check_cuda(cudaError_t result, char const *const func, const char *const file, int const line) {
    if (result) {
        std::cerr << "CUDA error = " << static_cast<unsigned int>(result) << " at " <<
        file << ":" << line << " '" << func << "' \n";
        cudaDeviceReset();
        exit(99);
    }
}

// A small generator per pixel (PCG), so that no library is needed.
struct Rng {
    unsigned int state;
};

__device__ inline void rng_init(unsigned int seed, unsigned int sequence, Rng *rng) {
    rng->state = seed * 747796405u + sequence * 2891336453u + 1u;
}

__device__ inline float rng_uniform(Rng *rng) {
    rng->state = rng->state * 747796405u + 2891336453u;
    unsigned int word = ((rng->state >> ((rng->state >> 28u) + 4u)) ^ rng->state) * 277803737u;
    return ((word >> 22u) ^ word) * 2.3283064e-10f;
}

class vec3 {
public:
    __host__ __device__ vec3() {}
    __host__ __device__ vec3(float e0, float e1, float e2) { e[0] = e0; e[1] = e1; e[2] = e2; }
    __host__ __device__ inline float x() const { return e[0]; }
    __host__ __device__ inline float y() const { return e[1]; }
    __host__ __device__ inline float z() const { return e[2]; }

    __host__ __device__ inline vec3 operator-() const { return vec3(-e[0], -e[1], -e[2]); }
    __host__ __device__ inline float operator[](int i) const { return e[i]; }
    __host__ __device__ inline float& operator[](int i) { return e[i]; }
    __host__ __device__ inline vec3& operator+=(const vec3 &v) { e[0] += v.e[0]; e[1] += v.e[1]; e[2] += v.e[2]; return *this; }
    __host__ __device__ inline float squared_length() const { return e[0]*e[0] + e[1]*e[1] + e[2]*e[2]; }
    __host__ __device__ inline float length() const { return sqrt(squared_length()); }

    float e[3];
};

inline std::ostream& operator<<(std::ostream &os, const vec3 &t) {
    os << t.e[0] << " " << t.e[1] << " " << t.e[2];
    return os;
}

__host__ __device__ inline vec3 operator+(const vec3 &a, const vec3 &b) { return vec3(a.e[0]+b.e[0], a.e[1]+b.e[1], a.e[2]+b.e[2]); }
__host__ __device__ inline vec3 operator-(const vec3 &a, const vec3 &b) { return vec3(a.e[0]-b.e[0], a.e[1]-b.e[1], a.e[2]-b.e[2]); }
__host__ __device__ inline vec3 operator*(float t, const vec3 &v) { return vec3(t*v.e[0], t*v.e[1], t*v.e[2]); }
__host__ __device__ inline vec3 operator/(const vec3 &v, float t) { return vec3(v.e[0]/t, v.e[1]/t, v.e[2]/t); }
__host__ __device__ inline float dot(const vec3 &a, const vec3 &b) { return a.e[0]*b.e[0] + a.e[1]*b.e[1] + a.e[2]*b.e[2]; }
__host__ __device__ inline vec3 unit_vector(const vec3 &v) { return v / v.length(); }

class ray {
public:
    __device__ ray() {}
    __device__ ray(const vec3& a, const vec3& b) { A = a; B = b; }
    __device__ vec3 origin() const { return A; }
    __device__ vec3 direction() const { return B; }
    __device__ vec3 point_at_parameter(float t) const { return A + t*B; }
private:
    vec3 A, B;
};

struct hit_record { float t; vec3 p, normal; };

class hitable {
public:
    __device__ virtual bool hit(const ray& r, float t_min, float t_max, hit_record& rec) const = 0;
};

class sphere : public hitable {
public:
    __device__ sphere(vec3 cen, float r) : center(cen), radius(r) {}
    __device__ virtual bool hit(const ray& r, float tmin, float tmax, hit_record& rec) const;
    vec3 center;
    float radius;
};

__device__ bool sphere::hit(const ray& r, float t_min, float t_max, hit_record& rec) const {
    vec3 oc = r.origin() - center;
    float a = dot(r.direction(), r.direction());
    float b = dot(oc, r.direction());
    float c = dot(oc, oc) - radius*radius;
    float discriminant = b*b - a*c;
    if (discriminant > 0) {
        float temp = (-b - sqrt(discriminant))/a;
        if (temp < t_max && temp > t_min) {
            rec.t = temp;
            rec.p = r.point_at_parameter(rec.t);
            rec.normal = (rec.p - center) / radius;
            return true;
        }
    }
    return false;
}

__device__ vec3 color(const ray& r, hitable **world, int count) {
    hit_record rec, best;
    float closest = FLT_MAX;
    for (int i = 0; i < count; i++)
        if (world[i]->hit(r, 0.001f, closest, rec)) { closest = rec.t; best = rec; }
    if (closest < FLT_MAX)
        return 0.5f*(best.normal + vec3(1.0f, 1.0f, 1.0f));
    float t = 0.5f*(unit_vector(r.direction()).y() + 1.0f);
    return (1.0f-t)*vec3(1.0, 1.0, 1.0) + t*vec3(0.5, 0.7, 1.0);
}

__global__ void create_world(hitable **d_list) {
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        d_list[0] = new sphere(vec3(0,0,-1), 0.5);
        d_list[1] = new sphere(vec3(0,-100.5,-1), 100);
    }
}

__global__ void free_world(hitable **d_list) {
    for (int i = 0; i < 2; i++)
        delete (sphere *)d_list[i];
}

__global__ void render_init(int max_x, int max_y, Rng *rand_state) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int j = threadIdx.y + blockIdx.y * blockDim.y;
    if ((i >= max_x) || (j >= max_y)) return;
    int pixel_index = j*max_x + i;
    rng_init(1984, pixel_index, &rand_state[pixel_index]);
}

__global__ void render(vec3 *fb, int max_x, int max_y, int ns, hitable **world, Rng *rand_state) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int j = threadIdx.y + blockIdx.y * blockDim.y;
    if ((i >= max_x) || (j >= max_y)) return;
    int pixel_index = j*max_x + i;
    Rng local_rand_state = rand_state[pixel_index];
    vec3 col(0,0,0);
    for (int s = 0; s < ns; s++) {
        float u = float(i + rng_uniform(&local_rand_state)) / float(max_x);
        float v = float(j + rng_uniform(&local_rand_state)) / float(max_y);
        ray r(vec3(0,0,0), vec3(-2.0f + 4.0f*u, -1.0f + 2.0f*v, -1.0f));
        col += color(r, world, 2);
    }
    fb[pixel_index] = col / float(ns);
}

int main() {
    int nx = 1200, ny = 600, ns = 100;
    int tx = 8, ty = 8;
    std::cerr << "Rendering a " << nx << "x" << ny << " image with " << ns << " samples per pixel\n";

    vec3 *fb;
    checkCudaErrors(cudaMallocManaged((void **)&fb, nx*ny*sizeof(vec3)));
    Rng *d_rand_state;
    checkCudaErrors(cudaMalloc((void **)&d_rand_state, nx*ny*sizeof(Rng)));
    hitable **d_list;
    checkCudaErrors(cudaMalloc((void **)&d_list, 2*sizeof(hitable *)));
    create_world<<<1,1>>>(d_list);
    checkCudaErrors(cudaGetLastError());

    clock_t start = clock();
    dim3 blocks(nx/tx+1, ny/ty+1), threads(tx,ty);
    render_init<<<blocks, threads>>>(nx, ny, d_rand_state);
    render<<<blocks, threads>>>(fb, nx, ny, ns, d_list, d_rand_state);
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaDeviceSynchronize());
    std::cerr << "took " << double(clock() - start) / CLOCKS_PER_SEC << " seconds.\n";

    std::ofstream out("image.ppm");
    out << "P3\n" << nx << " " << ny << "\n255\n";
    for (int j = ny-1; j >= 0; j--)
        for (int i = 0; i < nx; i++)
            out << 255.99f*fb[j*nx + i] << "\n";

    free_world<<<1,1>>>(d_list);
    checkCudaErrors(cudaFree(d_list));
    checkCudaErrors(cudaFree(d_rand_state));
    checkCudaErrors(cudaFree(fb));
    cudaDeviceReset();
}
