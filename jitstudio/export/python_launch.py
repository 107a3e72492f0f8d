"""The launch of a Python script, by cuda.core or the driver's own calls: the function `run`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from jitstudio.core.launch.request import Buffer, Direction, LaunchRequest, ValueArgument
from jitstudio.core.launch.spec import LaunchSpec, LoadMode
from jitstudio.core.launch.texels import Texels
from jitstudio.core.launch.types import Scalar
from jitstudio.export.numpy_text import (
    CHECKS,
    ERF,
    FILLS,
    buffer_lines,
    check_lines,
    variable,
)
from jitstudio.export.recipe import ExportError, RecipeLaunch
from jitstudio.export.symbols import (
    SET_ADDRESS,
    address_lines,
    is_null,
    place_text,
    refuse_unknown,
    struct_value,
)
from jitstudio.export.texels import PYTHON_TEXELS, arrays_of, python_texels, texel_notes

# As `toolchain.gpu.buffers` does it.
_WATCH = '''\
ZONE = {zone}
"""Bytes on either side of a buffer that are watched for writes out of bounds."""
GUARD, PATTERNS = 0xB5, (0xFF, 0x5C)
"""What these zones hold, and outputs before a launch, to find what is never written."""


def prepare(memory, buffers, outputs, pattern):
    """Fills outputs with a pattern, and the zones around all buffers with theirs."""
    checked(driver.cuCtxSynchronize())
    for name, address in memory.items():
        array, end = buffers[name], address + buffers[name].nbytes
        places = [(address - ZONE, GUARD, ZONE), (end, GUARD, ZONE)] if ZONE else []
        places += [(address, pattern, array.nbytes)] if name in outputs else []
        for place, byte, count in places:
            checked(driver.cuMemsetD8(place, byte, count))
    checked(driver.cuCtxSynchronize())


def held(address, count):
    """Returns bytes of the memory of the GPU."""
    content = np.empty(count, np.uint8)
    checked(driver.cuMemcpyDtoH(content.ctypes.data, address, count))
    return content


def is_inside(memory, buffers):
    """Prints what was written around buffers; returns whether nothing was."""
    inside = True
    for name, address in memory.items():
        before = held(address - ZONE, ZONE)[::-1]
        after = held(address + buffers[name].nbytes, ZONE)
        for zone, side in ((before, "before"), (after, "after")):
            strays = np.flatnonzero(zone != GUARD)
            if len(strays):
                inside = False
                print(f"Written out of bounds: {len(strays):,} bytes {side} '{name}',", end="")
                print(f" the nearest {strays[0]:,} bytes from it.")
    return inside


def find_unwritten(memory, buffers, outputs, start):
    """Prints which elements of outputs are never written: they keep one pattern and the other."""

    def kept(name, pattern):
        array = buffers[name]
        content = held(memory[name], array.nbytes).reshape(len(array), -1)
        return (content == pattern).all(axis=1)

    found = {name: kept(name, PATTERNS[0]) for name in outputs}
    if not any(each.any() for each in found.values()):
        return
    prepare(memory, buffers, outputs, PATTERNS[1])
    start()
    checked(driver.cuCtxSynchronize())
    for name, each in found.items():
        both = np.flatnonzero(each & kept(name, PATTERNS[1]))
        if len(both):
            print(f"{len(both):,} of {len(each):,} elements of '{name}' are never written,", end="")
            print(f" the first is {both[0]:,}.")
'''

_LAUNCH_BINDINGS = '''\
class NoGpuError(RuntimeError):
    """There is no driver, or no such GPU."""


def run(cubin, ordinal=0):
    """Launches the kernel, times it and checks what it has written; returns the exit status."""
    try:
        checked(driver.cuInit(0))
        device = checked(driver.cuDeviceGet(ordinal))
        checked(driver.cuCtxSetCurrent(checked(driver.cuDevicePrimaryCtxRetain(device))))
    except Exception as error:
        raise NoGpuError(f"{{error}}") from error
    module = checked(driver.cuModuleLoadData(cubin))
    kernel = checked(driver.cuModuleGetFunction(module, KERNEL.encode()))
    stream = checked(driver.cuStreamCreate(0))
{allow}
{arguments}
    buffers = {buffers}
{variables}{texels}    memory = {{
        name: int(checked(driver.cuMemAlloc(array.nbytes + 2 * ZONE))) + ZONE
        for name, array in buffers.items(){in_memory}
    }}
{symbols}    values = [
{values}
    ]
    values = [np.ascontiguousarray(value) for value in values]
    pointers = np.array([value.ctypes.data for value in values], np.uint64)

    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = {grid}
    config.blockDimX, config.blockDimY, config.blockDimZ = {block}
    config.sharedMemBytes = {shared}
    config.hStream = stream
{attributes}
    def put(name):
        array = buffers[name]
{put}        place, size = array.ctypes.data, array.nbytes
        checked(driver.cuMemcpyHtoDAsync({places}[name], place, size, stream))

    def start():
        for name in {changed}:
            put(name)
        begin, end = (checked(driver.cuEventCreate(0)) for _ in range(2))
        checked(driver.cuEventRecord(begin, stream))
        checked(driver.cuLaunchKernelEx(config, kernel, pointers.ctypes.data, 0))
        checked(driver.cuEventRecord(end, stream))
        return begin, end

    for name in buffers:
        put(name)
{prepare}    start()
    checked(driver.cuStreamSynchronize(stream))
    got = {{name: np.empty_like(array) for name, array in buffers.items()}}
    for name, array in got.items():
{back}        checked(driver.cuMemcpyDtoH(array.ctypes.data, {places}[name], array.nbytes))
{look}    pairs = [start() for _ in range({warmup} + {repeats})][{warmup}:]
    checked(driver.cuStreamSynchronize(stream))
    times = sorted(checked(driver.cuEventElapsedTime(*pair)) for pair in pairs)
{finish}'''

_LAUNCH_CORE = '''\
class NoGpuError(RuntimeError):
    """There is no driver, or no such GPU."""


def run(cubin, ordinal=0):
    """Launches the kernel, times it and checks what it has written; returns the exit status."""
    try:
        device = Device(ordinal)
        device.set_current()
    except Exception as error:
        raise NoGpuError(f"{{error}}") from error
    stream = device.create_stream()
    code = ObjectCode.from_cubin(cubin)
    kernel = code.get_kernel(KERNEL)
{allow}
{arguments}
    buffers = {buffers}
{variables}{texels}    allocated = {{
        name: device.allocate(array.nbytes + 2 * ZONE, stream=stream)
        for name, array in buffers.items(){in_memory}
    }}
    memory = {{name: int(each.handle) + ZONE for name, each in allocated.items()}}
{symbols}    values = [
{values}
    ]
    config = LaunchConfig({config})
    timed = EventOptions(timing_enabled=True)

    def put(name):
        array, order = buffers[name], int(stream.handle)
{put}        place = {places}[name]
        checked(driver.cuMemcpyHtoDAsync(place, array.ctypes.data, array.nbytes, order))

    def start():
        for name in {changed}:
            put(name)
        begin = stream.record(options=timed)
        launch(stream, config, kernel, *values)
        return begin, stream.record(options=timed)

    for name in buffers:
        put(name)
{prepare}    start()
    stream.sync()
    got = {{name: np.empty_like(array) for name, array in buffers.items()}}
    for name, array in got.items():
{back}        checked(driver.cuMemcpyDtoH(array.ctypes.data, {places}[name], array.nbytes))
{look}    pairs = [start() for _ in range({warmup} + {repeats})][{warmup}:]
    stream.sync()
    times = sorted(end - begin for begin, end in pairs)
{finish}'''

_ALLOW_BINDINGS = """\
    shared = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    checked(driver.cuFuncSetAttribute(kernel, shared, {amount}))
"""
_ALLOW_CORE = """\
    shared = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    function = checked(driver.cuKernelGetFunction(driver.CUkernel(int(kernel.handle))))
    checked(driver.cuFuncSetAttribute(function, shared, {amount}))
"""
_CLUSTER = """\
    cluster = driver.CUlaunchAttribute()
    cluster.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
    size = cluster.value.clusterDim
    size.x, size.y, size.z = {cluster}
"""
_COOPERATIVE = """\
    together = driver.CUlaunchAttribute()
    together.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
    together.value.cooperative = 1
"""
_TIMES = """\
    if times:
        middle = times[len(times) // 2]
        print(f"{KERNEL}: {middle * 1000:,.1f} us (median of {len(times)}, least ", end="")
        print(f"{times[0] * 1000:,.1f} us)")
"""


def launch_notes(launch: RecipeLaunch | None, *, watches: bool = True) -> Iterator[str]:
    """Yields notes on parts of a launch that an export leaves out.

    Args:
        launch: The launch, if there is one.
        watches: Whether it has guards and the pattern of outputs.
    """
    if launch is None:
        return
    spec = launch.spec
    if spec.flush_l2:
        yield "The L2 cache is not overwritten between launches: times may be shorter."
    if spec.sanitizer is not None:
        yield f"compute-sanitizer: start this by compute-sanitizer --tool {spec.sanitizer.value}."
    if not watches and (spec.guards or spec.poison):
        yield (
            "The zones around buffers and the pattern in outputs: no write out of bounds and "
            "nothing unwritten is found. The exports cuda-bindings, cuda-core and cpp have them."
        )
    if spec.timeout != LaunchSpec().timeout:
        yield "The time limit: a launch that does not end has to be stopped by hand."
    yield from texel_notes(launch.request)
    if spec.load is LoadMode.DRIVER_JIT:
        yield "The driver's compiler: the cubin is launched instead of the PTX."


_SIMPLE = frozenset(
    (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float32", "float64"),
    )
)


def launch_code(launch: RecipeLaunch, *, core: bool) -> str:
    """Returns the function `run` with all called functions.

    Args:
        launch: The launch.
        core: Whether it launches by cuda.core.

    Raises:
        ExportError: cuda.core cannot launch this kernel, or a texture lies in linear memory.
    """
    request, config = launch.request, launch.request.config
    values, number = [], "{}" if core else "np.uint64({})"
    arrays = arrays_of(request)
    refuse_unknown(request)

    def place(buffer: Buffer) -> str:
        name = buffer.name
        return f"texels[{name!r}].given" if name in arrays else f"memory[{name!r}]"

    for argument in request.slots:
        if not isinstance(argument, ValueArgument):
            text = "0" if is_null(argument) else place_text(request, argument, place)
            values.append(number.format(text))
            continue
        kind = argument.type
        if core and not (isinstance(kind, Scalar) and kind.dtype in _SIMPLE):
            raise ExportError(
                f"cuda.core's launch takes no {kind.name} by value, as '{argument.name}' is one "
                "(NVIDIA/cuda-python#2343). Export it as cuda-bindings."
            )
        values.append(struct_value(request, argument))
    symbols = {buffer.name: buffer.symbol for buffer in request.variables}
    inner = [f"    {line}\n" for line in address_lines(request, place)]
    buffers = [buffer for buffer in request.buffers if buffer.length]
    own = len(buffers) - len(request.variables)
    guarded = request.guards and own > len(arrays)
    outputs = [b.name for b in buffers if b.direction is Direction.OUT and request.poison]
    outputs = [name for name in outputs if name not in arrays]
    watched = bool(outputs) or guarded
    look = "    inside = is_inside(memory, buffers)\n" if guarded else ""
    look += f"    find_unwritten(memory, buffers, {outputs!r}, start)\n" if outputs else ""
    entries = ", ".join(f"{buffer.name!r}: {variable(buffer.name)}" for buffer in buffers)
    checks = list(check_lines(request, {b.name: f"got[{b.name!r}]" for b in buffers}))
    arguments = list(buffer_lines(request))
    attributes = []
    code = ""
    if config.cluster:
        code += _CLUSTER.format(cluster=config.cluster)
        attributes.append("cluster")
    if config.cooperative:
        code += _COOPERATIVE
        attributes.append("together")
    if attributes:
        code += f"    config.attrs = [{', '.join(attributes)}]\n"
        code += f"    config.numAttrs = {len(attributes)}\n"
    allow = (_ALLOW_CORE if core else _ALLOW_BINDINGS).format(amount=config.shared)
    body = (_LAUNCH_CORE if core else _LAUNCH_BINDINGS).format(
        allow=allow if config.shared else "",
        arguments="\n".join(f"    {line}" for line in arguments),
        buffers=f"{{{entries}}}",
        values="\n".join(f"        {value}," for value in values),
        grid=config.grid,
        block=config.block,
        shared=config.shared,
        attributes=code,
        config=_core_config(launch),
        changed=repr([b.name for b in buffers if b.direction is Direction.INOUT]),
        prepare=f"    prepare(memory, buffers, {outputs!r}, PATTERNS[0])\n" if watched else "",
        look=look,
        warmup=request.warmup,
        repeats=request.repeats,
        finish=_TIMES + finish(["inside", *checks] if guarded else checks),
        variables=f"    variables = {symbols!r}\n" if symbols else "",
        symbols=_places(core=core) * bool(symbols) + "".join(inner),
        places="places" if request.variables else "memory",
        **_texel_code(request, arrays, core=core),
    )
    watch = _WATCH.replace("{zone}", "256 << 10" if request.guards else "0")
    watch = watch if watched else "ZONE = 0\n"
    parts = [PYTHON_TEXELS] if arrays else []
    parts += [SET_ADDRESS] if inner else []
    body = re.sub(r"\n{3,}", "\n\n", body)
    return joined((*helpers(arguments, checks), *parts, watch, body))


def _places(*, core: bool) -> str:
    """Returns lines that look up the module variables: `places` has those with all other memory."""
    library = "driver.CUlibrary(int(code.handle))"
    module = f"    module = checked(driver.cuLibraryGetModule({library}))\n" if core else ""
    return (
        f"{module}    places = memory | {{\n"
        "        name: int(checked(driver.cuModuleGetGlobal(module, symbol.encode()))[0])\n"
        "        for name, symbol in variables.items()\n    }\n"
    )


def _texel_code(
    request: LaunchRequest, arrays: Mapping[str, Texels], *, core: bool
) -> dict[str, str]:
    """Returns code that makes, fills and reads CUDA arrays, by places in the templates."""
    apart = ["texels"] if arrays else []
    apart += ["variables"] if request.variables else []
    conditions = "".join(f" and name not in {name}" for name in apart)
    in_memory = f"\n        if{conditions.removeprefix(' and')}" if apart else ""
    if not arrays:
        return {"texels": "", "in_memory": in_memory, "put": "", "back": ""}
    lines = (
        f"        {b.name!r}: {python_texels(b, arrays[b.name])},\n"
        for b in request.buffers
        if b.name in arrays
    )
    stream = "int(stream.handle)" if core else "stream"
    return {
        "texels": f"    texels = {{\n{''.join(lines)}    }}\n",
        "in_memory": in_memory,
        "put": "        if name in texels:\n"
        f"            texels[name].copy(array, {stream})\n            return\n",
        "back": "        if name in texels:\n"
        f"            texels[name].copy(array, {stream}, back=True)\n            continue\n",
    }


def helpers(arguments: Sequence[str], checks: Sequence[str]) -> Iterator[str]:
    """Yields the functions that these lines of buffers and checks call."""
    if any("= fill(" in line for line in arguments):
        yield FILLS
    if checks:
        yield CHECKS
    if any("erf(" in text for text in (*checks, *arguments)):
        yield ERF


def joined(parts: Iterable[str]) -> str:
    """Returns pieces of code with two empty lines between them."""
    return "\n\n\n".join(part.strip("\n") for part in parts) + "\n"


def _core_config(launch: RecipeLaunch) -> str:
    """Returns the arguments of cuda.core's `LaunchConfig`, whose grid counts clusters."""
    config = launch.request.config
    cluster = config.cluster or (1, 1, 1)
    grid = tuple(blocks // size for blocks, size in zip(config.grid, cluster, strict=True))
    words = [f"grid={grid}", f"block={config.block}"]
    words += [f"cluster={config.cluster}"] if config.cluster else []
    words += [f"shmem_size={config.shared}"] if config.shared else []
    words += ["is_cooperative=True"] if config.cooperative else []
    return ", ".join(words)


def finish(checks: Sequence[str]) -> str:
    """Returns the end of `run`: 0 if all of these expressions hold, 5 if not."""
    if not checks:
        return "    return 0\n"
    lines = "\n".join(f"        {line}," for line in checks)
    return f"    right = [\n{lines}\n    ]\n    return 0 if all(right) else 5\n"
