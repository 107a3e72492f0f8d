// place[i] is how many of the sorted numbers are less than wanted[i].
extern "C" __global__ void places(const int* numbers, int count, const int* wanted, int* place)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = wanted[i];
    int low = 0;
    int high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (numbers[middle] < value) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    place[i] = low;
}
