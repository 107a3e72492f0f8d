// What the user of the library brings along.

extern "C" __device__ float user_transform(float value)
{
    return value * value + 1.0f;
}
