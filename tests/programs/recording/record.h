// What the recording runtime knows: memory, kernels, variables, and the file that it writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

namespace recording {

// Device memory is memory of the host, zeroed, of which no page exists before it is touched.
void *allocate(size_t bytes);
void release(void *pointer);
// Memory of the program's own that the device may use, too.
void enroll(void *pointer, size_t bytes);

// What a pointer points to: the number of the allocation, the offset into it, and its size.
struct Place {
    int allocation;
    size_t offset;
    size_t size;
};
bool place_of(const void *pointer, Place &place);

// A handle for which nothing but its identity counts.
template <typename T>
T handle()
{
    static intptr_t last = 0x1000;
    return reinterpret_cast<T>(last += 16);
}

struct Launch {
    const char *by;
    std::string kernel;
    dim3 grid, block;
    size_t shared = 0;
    dim3 cluster = dim3(0, 0, 0);
    bool cooperative = false;
    void **arguments = nullptr;
};
void write_launch(const Launch &launch);
void write_copy(const char *direction, const std::string &variable, const void *bytes, size_t count,
                size_t offset);
// A call that has no double here: it returned 0 and did nothing.
void write_call(const char *function);

void name_kernel(const void *address, const char *name);
std::string kernel_at(const void *address);

// Its name and its memory; null where there is none.
struct Variable {
    std::string name;
    void *memory;
    size_t size;
};
Variable *variable_at(const void *address);
void name_variable(const void *address, const char *name, void *memory, size_t size);

}  // namespace recording
