// The functions of the driver that programs need to come to their launches.
#include "record.h"

#include <cstring>
#include <map>
#include <string>

#include <cuda.h>

using namespace recording;

namespace {

CUresult allocated(CUdeviceptr *p, size_t bytes)
{
    *p = reinterpret_cast<CUdeviceptr>(allocate(bytes));
    return *p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

std::map<CUfunction, std::string> &functions()
{
    static std::map<CUfunction, std::string> *it = new std::map<CUfunction, std::string>;
    return *it;
}

CUresult launch(const char *by, CUfunction function, dim3 grid, dim3 block, unsigned shared, void **arguments,
                bool cooperative = false)
{
    Launch it;
    it.by = by;
    it.kernel = functions().count(function) ? functions()[function] : kernel_at(function);
    it.grid = grid;
    it.block = block;
    it.shared = shared;
    it.arguments = arguments;
    it.cooperative = cooperative;
    write_launch(it);
    return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuDeviceGetCount(int *count) { *count = 1; return CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice *device, int) { *device = 0; return CUDA_SUCCESS; }
CUresult cuDeviceGetName(char *name, int length, CUdevice)
{
    strncpy(name, "NVIDIA H100", length);
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice)
{
    *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
             : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
             : attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT ? 132
             : attribute == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 1;
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice) { *c = handle<CUcontext>(); return CUDA_SUCCESS; }
CUresult cuCtxCreate_v2(CUcontext *c, unsigned, CUdevice) { *c = handle<CUcontext>(); return CUDA_SUCCESS; }
CUresult cuCtxCreate_v4(CUcontext *c, CUctxCreateParams *, unsigned, CUdevice)
{
    *c = handle<CUcontext>();
    return CUDA_SUCCESS;
}
CUresult cuModuleLoad(CUmodule *m, const char *) { *m = handle<CUmodule>(); return CUDA_SUCCESS; }
CUresult cuModuleLoadData(CUmodule *m, const void *) { *m = handle<CUmodule>(); return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction *function, CUmodule, const char *name)
{
    *function = handle<CUfunction>();
    functions()[*function] = name;
    return CUDA_SUCCESS;
}
CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t bytes) { return allocated(p, bytes); }
CUresult cuMemAllocManaged(CUdeviceptr *p, size_t bytes, unsigned) { return allocated(p, bytes); }
CUresult cuMemFree_v2(CUdeviceptr p) { release(reinterpret_cast<void *>(p)); return CUDA_SUCCESS; }
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
    memcpy(reinterpret_cast<void *>(to), from, bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
    memcpy(to, reinterpret_cast<void *>(from), bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemsetD32_v2(CUdeviceptr p, unsigned value, size_t count)
{
    for (size_t i = 0; i < count; i++) reinterpret_cast<unsigned *>(p)[i] = value;
    return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char **text) { *text = "an error"; return CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult, const char **text) { *text = "an error"; return CUDA_SUCCESS; }
CUresult cuStreamCreate(CUstream *s, unsigned) { *s = handle<CUstream>(); return CUDA_SUCCESS; }
CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, CUstream, void **arguments, void **)
{
    return launch("cuLaunchKernel", function, dim3(gx, gy, gz), dim3(bx, by, bz), shared, arguments);
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                   unsigned by, unsigned bz, unsigned shared, CUstream, void **arguments)
{
    return launch("cuLaunchCooperativeKernel", function, dim3(gx, gy, gz), dim3(bx, by, bz), shared, arguments, true);
}

}  // extern "C"
