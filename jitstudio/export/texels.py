"""Textures and surfaces of a launch as code, with copies to and from the arrays."""

from __future__ import annotations

from collections.abc import Iterator

from jitstudio.core.launch.request import Buffer, Direction, LaunchRequest
from jitstudio.core.launch.texels import CHANNEL_FORMATS, Texels, channels_of
from jitstudio.export.recipe import ExportError

PYTHON_TEXELS = '''\
class Texels:
    """Texels in a CUDA array: of a surface, or of a texture that is sampled so."""

    def __init__(self, shape, size, channels, form, flags, sampled=None):
        self.shape, self.row = shape, shape[0] * size
        wanted = driver.CUDA_ARRAY3D_DESCRIPTOR()
        wanted.Width, wanted.Height, wanted.Depth = (*shape, 0, 0)[:3]
        wanted.Format, wanted.NumChannels, wanted.Flags = form, channels, flags
        self.array = checked(driver.cuArray3DCreate(wanted))
        resource = driver.CUDA_RESOURCE_DESC()
        resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
        resource.res.array.hArray = self.array
        if sampled is None:
            self.given = int(checked(driver.cuSurfObjectCreate(resource)))
        else:
            texture = driver.CUDA_TEXTURE_DESC()
            texture.addressMode, texture.filterMode, texture.flags = sampled
            self.given = int(checked(driver.cuTexObjectCreate(resource, texture, None)))

    def copy(self, host, stream, back=False):
        """Copies to the texels, or back."""
        is_deep = len(self.shape) == 3
        copy = driver.CUDA_MEMCPY3D() if is_deep else driver.CUDA_MEMCPY2D()
        array, other = ("src", "dst") if back else ("dst", "src")
        setattr(copy, f"{array}MemoryType", driver.CUmemorytype.CU_MEMORYTYPE_ARRAY)
        setattr(copy, f"{array}Array", self.array)
        setattr(copy, f"{other}MemoryType", driver.CUmemorytype.CU_MEMORYTYPE_HOST)
        setattr(copy, f"{other}Host", host.ctypes.data)
        setattr(copy, f"{other}Pitch", self.row)
        copy.WidthInBytes, copy.Height = self.row, (*self.shape, 1)[1]
        if is_deep:
            setattr(copy, f"{other}Height", self.shape[1])
            copy.Depth = self.shape[2]
        enqueue = driver.cuMemcpy3DAsync if is_deep else driver.cuMemcpy2DAsync
        checked(enqueue(copy, stream))
        if back:
            checked(driver.cuStreamSynchronize(stream))
'''

CPP_TEXELS = r"""
static CUarray make_array(size_t width, size_t height, size_t depth, CUarray_format format,
                          unsigned channels, unsigned flags) {
    CUDA_ARRAY3D_DESCRIPTOR wanted{};
    wanted.Width = width, wanted.Height = height, wanted.Depth = depth;
    wanted.Format = format, wanted.NumChannels = channels, wanted.Flags = flags;
    CUarray array;
    CHECKED(cuArray3DCreate(&array, &wanted));
    return array;
}

static CUDA_RESOURCE_DESC resource_of(CUarray array) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    return resource;
}

[[maybe_unused]] static CUsurfObject make_surface(CUarray array) {
    const auto resource = resource_of(array);
    CUsurfObject surface;
    CHECKED(cuSurfObjectCreate(&surface, &resource));
    return surface;
}

[[maybe_unused]] static CUtexObject make_texture(CUarray array, CUaddress_mode x, CUaddress_mode y,
                                                 CUaddress_mode z, CUfilter_mode filter,
                                                 unsigned flags) {
    const auto resource = resource_of(array);
    CUDA_TEXTURE_DESC wanted{};
    wanted.addressMode[0] = x, wanted.addressMode[1] = y, wanted.addressMode[2] = z;
    wanted.filterMode = filter, wanted.flags = flags;
    CUtexObject texture;
    CHECKED(cuTexObjectCreate(&texture, &resource, &wanted, nullptr));
    return texture;
}

// Copies rows of so many bytes to texels, or back; of no depth what has two axes at most.
static void copy_texels(CUarray array, const void *from, void *to, size_t row, size_t height,
                        size_t depth, CUstream stream) {
    const auto fill = [&](auto &copy) {
        if (from) {
            copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = from, copy.srcPitch = row;
            copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array;
        } else {
            copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = array;
            copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = to, copy.dstPitch = row;
        }
        copy.WidthInBytes = row, copy.Height = height;
    };
    if (depth) {
        CUDA_MEMCPY3D copy{};
        fill(copy);
        copy.Depth = depth, (from ? copy.srcHeight : copy.dstHeight) = height;
        CHECKED(cuMemcpy3DAsync(&copy, stream));
    } else {
        CUDA_MEMCPY2D copy{};
        fill(copy);
        CHECKED(cuMemcpy2DAsync(&copy, stream));
    }
    if (to) CHECKED(cuStreamSynchronize(stream));
}

"""


def refuse_texels(request: LaunchRequest, what: str) -> None:
    """Refuses a launch with a texture or surface.

    Args:
        request: The launch.
        what: The form without a place for textures, such as ``PyTorch``.

    Raises:
        ExportError: It has one.
    """
    for buffer in request.buffers:
        if buffer.texels is not None:
            raise ExportError(
                f"The export for {what} binds no {buffer.texels.kind.value}, as '{buffer.name}' "
                "is one. Export the kernel as cuda-core, cuda-bindings or cpp."
            )


def arrays_of(request: LaunchRequest) -> dict[str, Texels]:
    """Returns the textures and surfaces of a launch that are not null, by their names.

    Raises:
        ExportError: One of them lies in linear memory.
    """
    arrays = {b.name: b.texels for b in request.buffers if b.texels is not None and b.length}
    for name, texels in arrays.items():
        if texels.linear:
            raise ExportError(
                f"The exports bind CUDA arrays, and the texture '{name}' lies in linear memory. "
                "Leave linearMemory out, or pass the data by a pointer."
            )
    return arrays


def texel_notes(request: LaunchRequest) -> Iterator[str]:
    """Yields notes on surfaces whose unwritten texels are not looked for."""
    for buffer in request.buffers:
        if buffer.texels is not None and buffer.direction is Direction.OUT and request.poison:
            yield (
                f"The pattern in the surface '{buffer.name}': what is never written there is not "
                "found."
            )


def python_texels(buffer: Buffer, texels: Texels) -> str:
    """Returns an expression of Python that makes the texels of a buffer."""
    form, channels = _format(buffer)
    flags = "|".join(f"driver.{flag}" for flag in texels.driver_flags) or "0"
    words = [
        repr(texels.shape),
        str(buffer.element.size),
        str(channels),
        f"driver.CUarray_format.{form}",
        flags,
    ]
    if not texels.is_surface:
        sampling = texels.sampling
        modes = ", ".join(f"driver.CUaddress_mode.{mode}" for mode in sampling.driver_modes)
        read = " | ".join(f"driver.{flag}" for flag in sampling.driver_flags) or "0"
        words.append(f"([{modes}], driver.CUfilter_mode.{sampling.driver_filter}, {read})")
    return f"Texels({', '.join(words)})"


def cpp_texels(buffer: Buffer, texels: Texels, name: str) -> tuple[str, str]:
    """Returns expressions of C++ for the array of a buffer, and for the texture or surface.

    Args:
        buffer: The buffer.
        texels: Its texels.
        name: The variable of the array.
    """
    form, channels = _format(buffer)
    width, height, depth = (*texels.shape, 0, 0)[:3]
    flags = " | ".join(texels.driver_flags) or "0"
    array = f"make_array({width}, {height}, {depth}, {form}, {channels}, {flags})"
    if texels.is_surface:
        return array, f"make_surface({name})"
    sampling = texels.sampling
    read = " | ".join(sampling.driver_flags) or "0"
    words = ", ".join((*sampling.driver_modes, sampling.driver_filter, read))
    return array, f"make_texture({name}, {words})"


def cpp_copy(buffer: Buffer, texels: Texels, name: str, host: str, *, back: bool = False) -> str:
    """Returns a statement of C++ that copies texels from a vector, or back."""
    width, height, _ = texels.extent
    depth = texels.shape[2] if len(texels.shape) > 2 else 0
    ends = f"nullptr, {host}.data()" if back else f"{host}.data(), nullptr"
    row = width * buffer.element.size
    return f"copy_texels({name}, {ends}, {row}, {height}, {depth}, stream);"


def _format(buffer: Buffer) -> tuple[str, int]:
    channels = channels_of(buffer.element)
    assert channels is not None
    return CHANNEL_FORMATS[channels[0].dtype], channels[1]
