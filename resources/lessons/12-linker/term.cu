__device__ float term(float x, int power)
{
    float result = 1.0f;
    for (int k = 0; k < power; ++k) {
        result *= x;
    }
    return result;
}
