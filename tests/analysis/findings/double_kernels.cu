// For double precision by accident what kernels.cu is for the other rules; built behind it.

extern "C" __global__ void double_(float* p, int n)
{
    int i = PLACE;
    if (i < n) p[i] = p[i] * 2.1 + 1.0; // HERE
}

extern "C" __global__ void double_compared(float* p, int n)
{
    int i = PLACE;
    if (i < n && p[i] > 0.1) p[i] = 1; // HERE
}

extern "C" __global__ void double_of_integers(float* p, int n)
{
    int i = PLACE;
    if (i < n) p[i] = i * 0.1; // HERE
}

extern "C" __global__ void double_root(float* p, int n)
{
    int i = PLACE;
    if (i < n) p[i] = sqrt((double)p[i]); // HERE
}

extern "C" __global__ void double_root_of_twice(float* p, int n)
{
    int i = PLACE;
    if (i < n) p[i] = sqrt(2.0 * p[i]); // HERE
}

extern "C" __global__ void double_factor_of_root(float* p, int n)
{
    int i = PLACE;
    if (i < n) p[i] = sqrt(p[i]) * 1.1; // HERE
}

extern "C" __global__ void double_root_beside_doubles(float* p, double* q)
{
    p[PLACE] = rsqrt((double)p[PLACE]); // HERE
    q[PLACE] = q[PLACE] + 1.0;
}

extern "C" __global__ void double_functions(float* p, int n)
{
    int i = PLACE;
    if (i < n) p[i] = exp((double)p[i]) + pow((double)p[i + n], 1.7); // HERE
}

extern "C" __global__ void quiet_floats(float* p, int n)
{
    int i = PLACE;
    if (i < n) p[i] = p[i] * 2.1f + 1.0f;
}

extern "C" __global__ void quiet_exact_literal(float* p, int n)
{
    int i = PLACE;
    if (i < n) p[i] = p[i] * 2.0;
}

extern "C" __global__ void quiet_sum_in_double(const float* p, float* q, int n)
{
    double sum = 0;
    for (int k = threadIdx.x; k < n; k += blockDim.x) sum += (double)p[k] * p[k];
    q[threadIdx.x] = (float)sum;
}

extern "C" __global__ void quiet_doubles(const double* p, double* q, int n)
{
    int i = PLACE;
    if (i < n) q[i] = p[i] * 2.1 + 1.0;
}

extern "C" __global__ void quiet_functions_of_floats(float* p, int n)
{
    int i = PLACE;
    if (i < n) p[i] = sqrt(p[i]) + exp(p[i]);
}

extern "C" __global__ void quiet_root_in_double(const double* p, float* q, int n)
{
    int i = PLACE;
    if (i < n) q[i] = sqrt(p[i] * 2.1);
}

extern "C" __global__ void quiet_root_stored_as_double(const float* p, float* q, double* r)
{
    double root = sqrt((double)p[PLACE]);
    q[PLACE] = (float)root;
    r[PLACE] = root;
}

extern "C" __global__ void quiet_sum_of_roots(const float* p, float* q, int n)
{
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += sqrt((double)p[k * 32 + threadIdx.x]);
    q[threadIdx.x] = (float)sum;
}

extern "C" __global__ void quiet_length_in_double(const float* p, float* q, int n)
{
    double x = p[PLACE], y = p[PLACE + n];
    q[PLACE] = (float)sqrt(x * x + y * y);
}

extern "C" __global__ void quiet_deviation_in_double(const float* p, float* q, int n)
{
    double sum = 0, squares = 0;
    for (int k = 0; k < n; ++k) {
        double x = p[k * 32 + threadIdx.x];
        sum += x;
        squares += x * x;
    }
    q[threadIdx.x] = (float)sqrt(squares / n - sum * sum / ((double)n * n));
}

extern "C" __global__ void quiet_double_of_the_caller(const float* p, float* q, double scale)
{
    q[PLACE] = (float)(sqrt((double)p[PLACE]) * scale);
}
