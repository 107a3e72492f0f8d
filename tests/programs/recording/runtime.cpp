// The functions of the CUDA runtime that programs need to come to their launches.
#include "record.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#undef cudaGetDeviceProperties

using namespace recording;

namespace {

struct Configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

cudaError_t launch(const char *by, const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                   bool cooperative = false, dim3 cluster = dim3(0, 0, 0))
{
    Launch it;
    it.by = by;
    it.kernel = kernel_at(function);
    it.grid = grid;
    it.block = block;
    it.shared = shared;
    it.cooperative = cooperative;
    it.cluster = cluster;
    it.arguments = arguments;
    write_launch(it);
    return cudaSuccess;
}

cudaError_t allocated(void **pointer, size_t bytes)
{
    *pointer = allocate(bytes);
    return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

size_t pitch_of(size_t width) { return (width + 511) / 512 * 512; }

cudaError_t copy(void *to, const void *from, size_t bytes)
{
    if (to && from) memmove(to, from, bytes);
    return cudaSuccess;
}

cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height)
{
    for (size_t row = 0; row < height; row++)
        copy(static_cast<char *>(to) + row * to_pitch, static_cast<const char *>(from) + row * from_pitch, width);
    return cudaSuccess;
}

cudaError_t to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset)
{
    Variable *variable = variable_at(symbol);
    if (!variable) return cudaErrorInvalidSymbol;
    if (offset + bytes > variable->size) return cudaErrorInvalidValue;
    write_copy("to", variable->name, from, bytes, offset);
    return copy(static_cast<char *>(variable->memory) + offset, from, bytes);
}

cudaError_t from_symbol(void *to, const void *symbol, size_t bytes, size_t offset)
{
    Variable *variable = variable_at(symbol);
    if (!variable) return cudaErrorInvalidSymbol;
    if (offset + bytes > variable->size) return cudaErrorInvalidValue;
    write_copy("from", variable->name, static_cast<char *>(variable->memory) + offset, bytes, offset);
    return copy(to, static_cast<char *>(variable->memory) + offset, bytes);
}

// An H100.
int attribute_of(cudaDeviceAttr attribute)
{
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount: return 132;
    case cudaDevAttrMaxThreadsPerBlock: case cudaDevAttrMaxBlockDimX: case cudaDevAttrMaxBlockDimY: return 1024;
    case cudaDevAttrMaxBlockDimZ: return 64;
    case cudaDevAttrMaxGridDimX: return 2147483647;
    case cudaDevAttrMaxGridDimY: case cudaDevAttrMaxGridDimZ: return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock: return 49152;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return 232448;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return 233472;
    case cudaDevAttrTotalConstantMemory: return 65536;
    case cudaDevAttrWarpSize: return 32;
    case cudaDevAttrMaxRegistersPerBlock: case cudaDevAttrMaxRegistersPerMultiprocessor: return 65536;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return 2048;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return 32;
    case cudaDevAttrClockRate: return 1980000;
    case cudaDevAttrMemoryClockRate: return 2619000;
    case cudaDevAttrGlobalMemoryBusWidth: return 5120;
    case cudaDevAttrL2CacheSize: return 52428800;
    case cudaDevAttrComputeCapabilityMajor: return 9;
    case cudaDevAttrComputeCapabilityMinor: case cudaDevAttrComputeMode: case cudaDevAttrIntegrated: return 0;
    case cudaDevAttrReservedSharedMemoryPerBlock: return 1024;
    default: return 1;
    }
}

cudaError_t blocks_per_multiprocessor(int *blocks, int threads, size_t shared)
{
    *blocks = threads > 0 && threads <= 1024 ? 2048 / ((threads + 31) / 32 * 32) : 0;
    if (*blocks > 32) *blocks = 32;
    if (shared && *blocks > static_cast<int>(232448 / (shared + 1024))) *blocks = 232448 / (shared + 1024);
    return cudaSuccess;
}

double now_ms()
{
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

extern "C" {

// What nvcc's own code calls.
void **__cudaRegisterFatBinary(void *)
{
    static void *handles[4];
    return handles;
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
char __cudaInitModule(void **) { return 0; }
void __cudaRegisterFunction(void **, const char *host, char *, const char *name, int, uint3 *, uint3 *, dim3 *,
                            dim3 *, int *)
{
    name_kernel(host, name);
}
void __cudaRegisterVar(void **, char *host, char *, const char *name, int, size_t size, int, int)
{
    name_variable(host, name, allocate(size), size);
}
void __cudaRegisterManagedVar(void **, void **host, char *, const char *name, int, size_t size, int, int)
{
    *host = allocate(size);
    name_variable(*host, name, *host, size);
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    configurations.push_back({grid, block, shared, static_cast<cudaStream_t>(stream)});
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    Configuration last = configurations.back();
    configurations.pop_back();
    *grid = last.grid;
    *block = last.block;
    *shared = last.shared;
    *static_cast<cudaStream_t *>(stream) = last.stream;
    return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    *kernel = (cudaKernel_t)function;
    return cudaSuccess;
}
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function) { return __cudaGetKernel(kernel, function); }

// Launches.
cudaError_t __cudaLaunchKernel(cudaKernel_t function, dim3 grid, dim3 block, void **arguments, size_t shared,
                               cudaStream_t)
{
    return launch("<<<>>>", (const void *)function, grid, block, arguments, shared);
}
cudaError_t __cudaLaunchKernel_helper(cudaKernel_t function, dim3 grid, dim3 block, void **arguments, size_t shared,
                                      cudaStream_t)
{
    return launch("<<<>>>", (const void *)function, grid, block, arguments, shared);
}
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t)
{
    return launch("cudaLaunchKernel", function, grid, block, arguments, shared);
}
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                                        cudaStream_t)
{
    return launch("cudaLaunchCooperativeKernel", function, grid, block, arguments, shared, true);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
    bool cooperative = false;
    dim3 cluster(0, 0, 0);
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute &attribute = config->attrs[i];
        if (attribute.id == cudaLaunchAttributeCooperative) cooperative = attribute.val.cooperative != 0;
        if (attribute.id == cudaLaunchAttributeClusterDimension)
            cluster = dim3(attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z);
    }
    return launch("cudaLaunchKernelEx", function, config->gridDim, config->blockDim, arguments,
                  config->dynamicSmemBytes, cooperative, cluster);
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t, const cudaGraphNode_t *, size_t,
                                   const cudaKernelNodeParams *p)
{
    *node = handle<cudaGraphNode_t>();
    return launch("cudaGraphAddKernelNode", p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes);
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void *data)
{
    function(data);
    return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned)
{
    function(stream, cudaSuccess, data);
    return cudaSuccess;
}

// Memory.
cudaError_t cudaMalloc(void **p, size_t bytes) { return allocated(p, bytes); }
cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned) { return allocated(p, bytes); }
cudaError_t cudaMallocHost(void **p, size_t bytes) { return allocated(p, bytes); }
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned) { return allocated(p, bytes); }
cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t) { return allocated(p, bytes); }
cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t, cudaStream_t) { return allocated(p, bytes); }
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
    *pitch = pitch_of(width);
    return allocated(p, *pitch * height);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr *p, cudaExtent extent)
{
    p->pitch = pitch_of(extent.width);
    p->xsize = extent.width;
    p->ysize = extent.height;
    return allocated(&p->ptr, p->pitch * extent.height * extent.depth);
}
cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *, size_t, size_t, unsigned)
{
    *array = handle<cudaArray_t>();
    return cudaSuccess;
}
cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned)
{
    enroll(p, bytes);
    return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned)
{
    *device = host;
    return cudaSuccess;
}
cudaError_t cudaFree(void *p) { release(p); return cudaSuccess; }
cudaError_t cudaFreeHost(void *p) { release(p); return cudaSuccess; }
cudaError_t cudaFreeAsync(void *p, cudaStream_t) { release(p); return cudaSuccess; }
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind) { return copy(to, from, bytes); }
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t)
{
    return copy(to, from, bytes);
}
cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, size_t bytes) { return copy(to, from, bytes); }
cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t bytes, cudaStream_t)
{
    return copy(to, from, bytes);
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind)
{
    return copy_rows(to, to_pitch, from, from_pitch, width, height);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind, cudaStream_t)
{
    return copy_rows(to, to_pitch, from, from_pitch, width, height);
}
cudaError_t cudaMemset(void *p, int value, size_t bytes)
{
    if (p) memset(p, value, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t) { return cudaMemset(p, value, bytes); }
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *p)
{
    Place place;
    memset(attributes, 0, sizeof *attributes);
    attributes->type = place_of(p, place) ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
    attributes->devicePointer = attributes->hostPointer = const_cast<void *>(p);
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    *available = *total = size_t(80) << 30;
    return cudaSuccess;
}
cudaError_t cudaGraphicsResourceGetMappedPointer(void **p, size_t *bytes, cudaGraphicsResource_t)
{
    *bytes = size_t(1) << 26;
    return allocated(p, *bytes);
}

// Variables of modules.
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, cudaMemcpyKind)
{
    return to_symbol(symbol, from, bytes, offset);
}
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, cudaMemcpyKind,
                                    cudaStream_t)
{
    return to_symbol(symbol, from, bytes, offset);
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind)
{
    return from_symbol(to, symbol, bytes, offset);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind,
                                      cudaStream_t)
{
    return from_symbol(to, symbol, bytes, offset);
}
cudaError_t cudaGetSymbolAddress(void **p, const void *symbol)
{
    Variable *variable = variable_at(symbol);
    *p = variable ? variable->memory : nullptr;
    return variable ? cudaSuccess : cudaErrorInvalidSymbol;
}
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    Variable *variable = variable_at(symbol);
    *bytes = variable ? variable->size : 0;
    return variable ? cudaSuccess : cudaErrorInvalidSymbol;
}

// The device.
cudaError_t cudaGetDeviceCount(int *count) { *count = 1; return cudaSuccess; }
cudaError_t cudaGetDevice(int *device) { *device = 0; return cudaSuccess; }
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *) { *device = 0; return cudaSuccess; }
cudaError_t cudaDriverGetVersion(int *version) { *version = CUDART_VERSION; return cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *version) { *version = CUDART_VERSION; return cudaSuccess; }
cudaError_t cudaDeviceCanAccessPeer(int *can, int, int) { *can = 0; return cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int)
{
    *value = attribute_of(attribute);
    return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
    memset(p, 0, sizeof *p);
    strcpy(p->name, "NVIDIA H100");
    p->major = 9;
    p->multiProcessorCount = attribute_of(cudaDevAttrMultiProcessorCount);
    p->warpSize = 32;
    p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = attribute_of(cudaDevAttrMaxGridDimX);
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->sharedMemPerBlock = 49152;
    p->sharedMemPerBlockOptin = 232448;
    p->sharedMemPerMultiprocessor = 233472;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->maxThreadsPerMultiProcessor = 2048;
    p->maxBlocksPerMultiProcessor = 32;
    p->totalGlobalMem = size_t(80) << 30;
    p->totalConstMem = 65536;
    p->l2CacheSize = attribute_of(cudaDevAttrL2CacheSize);
    p->memoryBusWidth = 5120;
    p->asyncEngineCount = 3;
    p->canMapHostMemory = p->managedMemory = p->concurrentManagedAccess = p->cooperativeLaunch = 1;
    p->unifiedAddressing = p->concurrentKernels = p->hostRegisterSupported = 1;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp *p, int device) { return cudaGetDeviceProperties(p, device); }
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *)
{
    memset(attributes, 0, sizeof *attributes);
    attributes->maxThreadsPerBlock = 1024;
    attributes->numRegs = 32;
    attributes->binaryVersion = attributes->ptxVersion = 90;
    attributes->maxDynamicSharedSizeBytes = 49152;
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int threads, size_t shared)
{
    return blocks_per_multiprocessor(blocks, threads, shared);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *, int threads,
                                                                   size_t shared, unsigned)
{
    return blocks_per_multiprocessor(blocks, threads, shared);
}

// Errors, streams, events, graphs, textures: each handle is another one.
const char *cudaGetErrorString(cudaError_t error) { return error == cudaSuccess ? "no error" : "an error"; }
const char *cudaGetErrorName(cudaError_t error) { return error == cudaSuccess ? "cudaSuccess" : "cudaErrorUnknown"; }
cudaError_t cudaStreamCreate(cudaStream_t *s) { *s = handle<cudaStream_t>(); return cudaSuccess; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned) { return cudaStreamCreate(s); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned, int) { return cudaStreamCreate(s); }
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *g) { *g = handle<cudaGraph_t>(); return cudaSuccess; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    *event = reinterpret_cast<cudaEvent_t>(new double(now_ms()));
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
    *reinterpret_cast<double *>(event) = now_ms();
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end)
{
    *ms = static_cast<float>(*reinterpret_cast<double *>(end) - *reinterpret_cast<double *>(begin));
    return cudaSuccess;
}
cudaError_t cudaGraphCreate(cudaGraph_t *g, unsigned) { *g = handle<cudaGraph_t>(); return cudaSuccess; }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *e, cudaGraph_t, unsigned long long)
{
    *e = handle<cudaGraphExec_t>();
    return cudaSuccess;
}
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *t, const cudaResourceDesc *, const cudaTextureDesc *,
                                    const cudaResourceViewDesc *)
{
    *t = reinterpret_cast<uintptr_t>(handle<void *>());
    return cudaSuccess;
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *s, const cudaResourceDesc *)
{
    *s = reinterpret_cast<uintptr_t>(handle<void *>());
    return cudaSuccess;
}
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind)
{
    return {x, y, z, w, kind};
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *p, int) { *p = handle<cudaMemPool_t>(); return cudaSuccess; }

}  // extern "C"
