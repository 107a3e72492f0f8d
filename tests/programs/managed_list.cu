// A linked list in managed memory, by operators new and delete of a base class.
#include <cstdio>
#include <cstring>
#include <string>

class Managed {
public:
    void *operator new(size_t len) {
        void *ptr;
        cudaMallocManaged(&ptr, len);
        cudaDeviceSynchronize();
        return ptr;
    }
    void operator delete(void *ptr) {
        cudaDeviceSynchronize();
        cudaFree(ptr);
    }
};

class Text : public Managed {
    int length;
    char *data;

public:
    Text() : length(0), data(0) {}
    Text(const char *s) : length(0), data(0) { assign(s); }
    Text(const Text &s) : length(0), data(0) { assign(s.data); }
    ~Text() { cudaFree(data); }
    Text &operator=(const char *s) { assign(s); return *this; }
    __host__ __device__ char &operator[](int pos) { return data[pos]; }
    __host__ __device__ int size() const { return length; }

private:
    void assign(const char *s) {
        length = (int)strlen(s);
        cudaFree(data);
        cudaMallocManaged(&data, length + 1);
        memcpy(data, s, length + 1);
    }
};

struct Element : public Managed {
    Text key;
    int value;
    Element *next;
};

__global__ void shout(Element *head, int *count) {
    for (Element *e = head; e; e = e->next) {
        for (int i = 0; i < e->key.size(); i++)
            if (e->key[i] >= 'a' && e->key[i] <= 'z') e->key[i] -= 32;
        e->value++;
        ++*count;
    }
}

int main() {
    Element *head = new Element, *tail = new Element;
    head->key = "first", head->value = 1, head->next = tail;
    tail->key = "second", tail->value = 2, tail->next = nullptr;
    int *count;
    cudaMallocManaged(&count, sizeof(int));
    *count = 0;
    shout<<<1, 1>>>(head, count);
    cudaDeviceSynchronize();
    printf("%d\n", *count);
    delete head;
    delete tail;
    return 0;
}
