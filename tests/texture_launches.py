"""Kernels on textures and surfaces with their launches, for the simulator and for GPUs."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.launch.spec import LaunchSpec
from tests.launching import spec

ROTATE = """\
extern "C" __global__ void rotate(float* out, cudaTextureObject_t tex, int width, int height,
                                  float theta) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = x / (float)width - 0.5f, v = y / (float)height - 0.5f;
    float tu = u * cosf(theta) - v * sinf(theta) + 0.5f;
    float tv = v * cosf(theta) + u * sinf(theta) + 0.5f;
    out[y * width + x] = tex2D<float>(tex, tu, tv);
}
"""
"""The rotation of the CUDA C++ Programming Guide."""

RESCALE = """\
extern "C" __global__ void rescale(cudaTextureObject_t from, cudaSurfaceObject_t to,
                                   int width, int height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float4 c = tex2D<float4>(from, (x + 0.5f) / width, (y + 0.5f) / height);
    surf2Dwrite(c, to, x * 16, y);
}
"""
BOX = """\
extern "C" __global__ void box(cudaTextureObject_t from, cudaSurfaceObject_t to,
                               int width, int height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    unsigned sum[4] = {};
    for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) {
            uchar4 c = tex2D<uchar4>(from, x + i + 0.5f, y + j + 0.5f);
            sum[0] += c.x; sum[1] += c.y; sum[2] += c.z; sum[3] += c.w;
        }
    surf2Dwrite(make_uchar4(sum[0] / 9, sum[1] / 9, sum[2] / 9, sum[3] / 9), to, x * 4, y);
}
"""
INVERT = """\
extern "C" __global__ void invert(cudaSurfaceObject_t image, cudaSurfaceObject_t edge, int n,
                                  int* outside) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned char c = surf1Dread<unsigned char>(image, i);
    surf1Dwrite((unsigned char)(255 - c), image, i);
    outside[2 * i] = surf1Dread<unsigned char>(edge, i - n, cudaBoundaryModeZero);
    outside[2 * i + 1] = surf1Dread<unsigned char>(edge, n + i, cudaBoundaryModeClamp);
}
"""
VOLUME = """\
#include <cuda_fp16.h>
extern "C" __global__ void volume(cudaTextureObject_t from, cudaSurfaceObject_t to) {
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    float c = tex3D<float>(from, x + 0.75f, y + 0.25f, z + 0.5f);
    surf3Dwrite(__half_as_ushort(__float2half_rn(c)), to, x * 2, y, z);
}
"""
FETCH = """\
extern "C" __global__ void fetch(cudaTextureObject_t table, const int* at, float2* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float2>(table, at[i]);
}
"""
GATHER = """\
extern "C" __global__ void gather(cudaTextureObject_t from, float4* out, float* more) {
    float x = threadIdx.x - 2.0f + 0.25f, y = blockIdx.x + 0.75f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2Dgather<float4>(from, x, y, 1);
    more[i] = tex2DLod<float2>(from, x, y, 0.0f).x
            + tex2DGrad<float2>(from, x, y, make_float2(1, 0), make_float2(0, 1)).y;
}
"""
CHANNELS = """\
extern "C" __global__ void channels(cudaTextureObject_t one, cudaTextureObject_t bytes,
                                    float4* out, float4* small) {
    float x = threadIdx.x + 0.5f;
    out[threadIdx.x] = tex1D<float4>(one, x);
    small[threadIdx.x] = tex1D<float4>(bytes, x);
}
"""
SAMPLED = """\
extern "C" __global__ void sampled(cudaTextureObject_t tex, const float* at, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<float>(tex, at[2 * i], at[2 * i + 1]);
}
"""
LINE = """\
extern "C" __global__ void line(cudaTextureObject_t tex, const float* at, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<float>(tex, at[i]);
}
"""


@dataclass(frozen=True)
class TextureLaunch:
    """A launch of one of these kernels.

    Attributes:
        name: For the test.
        text: The kernel.
        spec: How it is launched.
        near: How far a GPU may be from the simulator, absolutely; 0 for the same bits. Each of
            two weights may be off by a step of 1/256, of texels from 0 to 1.
        doubtful: The share of elements that may be further off, as their coordinates are so close
            to the edge of a texel that the simulator doubts them.
    """

    name: str
    text: str
    spec: LaunchSpec
    near: float = 0.0
    doubtful: float = 0.0


def sampled(words: str, low: float, high: float) -> LaunchSpec:
    """A read of one channel at 4,096 random places."""
    return _read("sampled", f"float[13,7]:random(3):{words}", f"2*n:random(5,{low},{high})")


def _read(kernel: str, texture: str, places: str) -> LaunchSpec:
    return spec(kernel, f"tex={texture}", f"at={places}", "out=n:zeros:out", "n=4096", cover="n")


_IMAGE = {"cover": "width,height", "block": "16,8"}
_SIZES = ("width=40", "height=24")
LAUNCHES = (
    TextureLaunch(
        "rotation of the guide",
        ROTATE,
        spec(
            "rotate",
            "out=width*height:zeros:out",
            "tex=float[width,height]:random:linear,wrap,normalizedCoords",
            *_SIZES,
            "theta=0.5",
            **_IMAGE,
        ),
        2**-7,
    ),
    TextureLaunch(
        "bilinear rescale",
        RESCALE,
        spec(
            "rescale",
            "from=uchar4[16,12]:random(1,0,255):linear,clamp,normalizedCoords,normalizedFloat",
            "to=float4[width,height]:zeros:out",
            *_SIZES,
            **_IMAGE,
        ),
        2**-7,
    ),
    TextureLaunch(
        "box filter",
        BOX,
        spec(
            "box",
            "from=uchar4[width,height]:random(2,0,255):border",
            "to=uchar4[width,height]:zeros:out",
            *_SIZES,
            **_IMAGE,
        ),
    ),
    TextureLaunch(
        "surface in place",
        INVERT,
        spec(
            "invert",
            "image=uchar[n]:random(4,0,255):inout",
            "edge=uchar[n]:random(6,1,255):in",
            "n=100",
            "outside=2*n:zeros:out",
            cover="n",
            block="32",
        ),
    ),
    TextureLaunch(
        "volume",
        VOLUME,
        spec(
            "volume",
            "from=float[8,4,3]:random:clamp",
            "to=half[8,4,3]:zeros:out",
            grid="3",
            block="8,4",
        ),
    ),
    TextureLaunch(
        "linear memory",
        FETCH,
        spec(
            "fetch",
            "table=float2[50]:random:linearMemory",
            "at=n:expr((i * 7) % 50)",
            "out=n:zeros:out",
            "n=128",
            cover="n",
            block="128",
        ),
    ),
    TextureLaunch(
        "gather, level and gradient",
        GATHER,
        spec(
            "gather",
            "from=float2[16,8]:random:clamp",
            "out=160:zeros:out",
            "more=160:zeros:out",
            grid="8",
            block="20",
        ),
    ),
    TextureLaunch(
        "missing channels and promoted integers",
        CHANNELS,
        spec(
            "channels",
            "one=float[32]:random",
            "bytes=char2[32]:random(1,-128,127):normalizedFloat",
            "out=32:zeros:out",
            "small=32:zeros:out",
            grid="1",
            block="32",
        ),
        2**-24,
    ),
    *(
        TextureLaunch(
            f"sampled {words}", SAMPLED, sampled(words, low, high), near, 0.0 if near else 0.02
        )
        for words, low, high, near in (
            ("point,clamp", -20, 30, 0.0),
            ("point,border", -20, 30, 0.0),
            ("point,wrap,mirror,normalizedCoords", -3, 3, 0.0),
            ("point,mirror,clamp,normalizedCoords", -3, 3, 0.0),
            ("linear,clamp", -20, 30, 0.0),
            ("linear,border", -20, 30, 0.0),
            ("linear,wrap,normalizedCoords", -3, 3, 2**-7),
            ("linear,mirror,border,normalizedCoords", -3, 3, 2**-7),
        )
    ),
)
FILTERED = tuple(
    TextureLaunch(f"filtered {texture}", text, _read(kernel, texture, places))
    for kernel, text, places, textures in (
        (
            "line",
            LINE,
            "n:random(5,-1,14)",
            (
                "float[13]:random(3):linear,clamp",
                "float[13]:random(3,-1000,1000):linear,clamp",
                "uchar[13]:random(3,0,255):linear,clamp,normalizedFloat",
                "short[13]:random(3,-30000,30000):linear,clamp,normalizedFloat",
                "ushort[13]:random(3,0,60000):linear,clamp,normalizedFloat",
                "__half[13]:random(3):linear,clamp",
            ),
        ),
        (
            "sampled",
            SAMPLED,
            "2*n:random(5,-1,14)",
            (
                "float[13,7]:random(3):linear,clamp",
                "float[13,7]:random(3,-1000,1000):linear,clamp",
                "float[13,7]:random(3):linear,border",
                "uchar[13,7]:random(3,0,255):linear,clamp,normalizedFloat",
            ),
        ),
    )
    for texture in textures
)
"""What a linear filter gives: the bits of an H100."""
