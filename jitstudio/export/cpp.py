"""A build and a launch as a C++ program on the driver API, with a CMakeLists.txt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from jitstudio import __version__
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.request import (
    Argument,
    Buffer,
    Direction,
    FillKind,
    LaunchRequest,
    SharedPointer,
    ValueArgument,
)
from jitstudio.core.launch.types import complex_name
from jitstudio.core.tools import Tool
from jitstudio.export.cpp_expressions import Translator, element_lanes
from jitstudio.export.numpy_text import variable
from jitstudio.export.python_launch import launch_notes
from jitstudio.export.python_script import file_name
from jitstudio.export.recipe import HeaderSet, Recipe, RecipeStep, comment
from jitstudio.export.symbols import inner_of, is_null, owner_in, place_text, refuse_unknown
from jitstudio.export.texels import CPP_TEXELS, arrays_of, cpp_copy, cpp_texels

_PROGRAM = r"""// @TITLE@
// Exported by jitstudio @VERSION@. Build: cmake -B build && cmake --build build
@NOTES@
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda.h>
@INCLUDES@
using Code = std::string;

// Modules and headers by their names.
static const std::map<std::string, Code> SOURCES = {
@SOURCES@};
static const std::vector<std::string> HEADERS = {@HEADERS@};

[[noreturn]] static void fail(const std::string &why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::exit(1);
}

@HELPERS@
static Code build() {
@BUILD@}
@LAUNCH@
int main(int count, char **words) {
    std::string save;
    bool launches = true;
    for (int at = 1; at < count; ++at) {
        if (!std::strcmp(words[at], "--no-launch")) {
            launches = false;
        } else if (!std::strcmp(words[at], "--save") && at + 1 < count) {
            save = words[++at];
        } else {
            fail("usage: program [--save PATH] [--no-launch]");
        }
    }
    const Code cubin = build();
    std::fprintf(stderr, "cubin: %zu bytes\n", cubin.size());
    if (!save.empty()) {
        std::ofstream file(save, std::ios::binary);
        if (!file.write(cubin.data(), static_cast<std::streamsize>(cubin.size()))) {
            fail("'" + save + "' cannot be written.");
        }
        return 0;
    }
    return launches ? run(cubin) : 0;
}
"""

_NVRTC = r"""
static Code compile_cuda(const std::string &name, std::vector<std::string> options,
                         nvrtcResult (*size_of)(nvrtcProgram, size_t *),
                         nvrtcResult (*copy)(nvrtcProgram, char *),
                         const std::vector<std::string> &names = {}) {
    std::vector<const char *> texts, headers, words;
    for (const auto &header : HEADERS) {
        texts.push_back(SOURCES.at(header).c_str());
        headers.push_back(header.c_str());
    }
    nvrtcProgram program;
    nvrtcCreateProgram(&program, SOURCES.at(name).c_str(), name.c_str(),
                       static_cast<int>(texts.size()), texts.data(), headers.data());
    for (const auto &expression : names) nvrtcAddNameExpression(program, expression.c_str());
    for (const auto &option : options) words.push_back(option.c_str());
    const nvrtcResult status =
        nvrtcCompileProgram(program, static_cast<int>(words.size()), words.data());
    size_t size = 0;
    if (status != NVRTC_SUCCESS) {
        nvrtcGetProgramLogSize(program, &size);
        Code log(size, '\0');
        nvrtcGetProgramLog(program, log.data());
        fail(log + nvrtcGetErrorString(status));
    }
    size_of(program, &size);
    Code code(size, '\0');
    copy(program, code.data());
    nvrtcDestroyProgram(&program);
    if (size_of == nvrtcGetPTXSize) code.resize(std::strlen(code.c_str()));
    return code;
}
"""

_HEADERS = r"""
// The folder of CUDA's headers comes from CMakeLists.txt.
static std::vector<std::string> with_cuda_headers(std::vector<std::string> options) {
    options.push_back("--include-path=" CUDA_INCLUDE);
    options.push_back("--include-path=" CUDA_INCLUDE "/cccl");
    return options;
}
"""

_NVVM = r"""
static Code compile_ir(const std::vector<std::string> &names,
                       const std::vector<const char *> &options) {
    nvvmProgram program;
    nvvmCreateProgram(&program);
    for (const auto &name : names) {
        const Code &code = SOURCES.at(name);
        nvvmAddModuleToProgram(program, code.data(), code.size(), name.c_str());
    }
    const int count = static_cast<int>(options.size());
    const char **words = const_cast<const char **>(options.data());
    nvvmResult status = nvvmVerifyProgram(program, count, words);
    if (status == NVVM_SUCCESS) status = nvvmCompileProgram(program, count, words);
    size_t size = 0;
    if (status != NVVM_SUCCESS) {
        nvvmGetProgramLogSize(program, &size);
        Code log(size, '\0');
        nvvmGetProgramLog(program, log.data());
        fail(log);
    }
    nvvmGetCompiledResultSize(program, &size);
    Code code(size, '\0');
    nvvmGetCompiledResult(program, code.data());
    while (!code.empty() && code.back() == '\0') code.pop_back();
    return code;
}
"""

_NVJITLINK = r"""
struct Input {
    const char *name;
    nvJitLinkInputType kind;
    const Code &code;
};

static Code link(const std::vector<Input> &inputs, std::vector<const char *> options) {
    nvJitLinkHandle handle;
    const uint32_t count = static_cast<uint32_t>(options.size());
    if (nvJitLinkCreate(&handle, count, options.data()) != NVJITLINK_SUCCESS) {
        fail("nvJitLink refuses its options.");
    }
    nvJitLinkResult status = NVJITLINK_SUCCESS;
    for (const auto &input : inputs) {
        if (status == NVJITLINK_SUCCESS) {
            status = nvJitLinkAddData(handle, input.kind, input.code.data(), input.code.size(),
                                      input.name);
        }
    }
    if (status == NVJITLINK_SUCCESS) status = nvJitLinkComplete(handle);
    size_t size = 0;
    if (status != NVJITLINK_SUCCESS) {
        nvJitLinkGetErrorLogSize(handle, &size);
        Code log(size, '\0');
        nvJitLinkGetErrorLog(handle, log.data());
        fail(log);
    }
    nvJitLinkGetLinkedCubinSize(handle, &size);
    Code cubin(size, '\0');
    nvJitLinkGetLinkedCubin(handle, cubin.data());
    nvJitLinkDestroy(&handle);
    return cubin;
}
"""

_RUN = r"""
static void checked(CUresult status, const char *call) {
    const char *name = nullptr;
    if (status == CUDA_SUCCESS) return;
    cuGetErrorName(status, &name);
    fail(std::string(call) + ": " + (name ? name : "unknown error"));
}
#define CHECKED(call) checked(call, #call)

template <typename T>
[[maybe_unused]] static std::vector<T> range(size_t count, double start, double step) {
    std::vector<T> made(count);
    for (size_t i = 0; i < count; ++i) made[i] = static_cast<T>(start + step * double(i));
    return made;
}

template <typename T>
[[maybe_unused]] static std::vector<T> values(const std::vector<unsigned char> &bytes) {
    std::vector<T> made(bytes.size() / sizeof(T));
    std::memcpy(made.data(), bytes.data(), bytes.size());
    return made;
}

// Other random numbers than NumPy's of the same seed, but the same ones in each run.
template <typename T>
[[maybe_unused]] static std::vector<T> random_numbers(size_t count, unsigned seed, double low,
                                                      double high) {
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> any(low, high + (std::is_integral_v<T> ? 1 : 0));
    std::vector<T> made(count);
    for (auto &one : made) one = static_cast<T>(any(generator));
    return made;
}

@TEXELS@@WATCH@@AGREES@static int run(const Code &cubin) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUstream stream;
    CHECKED(cuInit(0));
    CHECKED(cuDeviceGet(&device, 0));
    CHECKED(cuDevicePrimaryCtxRetain(&context, device));
    CHECKED(cuCtxSetCurrent(context));
    CHECKED(cuModuleLoadData(&module, cubin.data()));
    CHECKED(cuModuleGetFunction(&kernel, module, @KERNEL@));
    CHECKED(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
@ALLOW@
@DATA@
    void *parameters[] = {@PARAMETERS@};
    CUlaunchConfig config{};
    config.gridDimX = @GX@, config.gridDimY = @GY@, config.gridDimZ = @GZ@;
    config.blockDimX = @BX@, config.blockDimY = @BY@, config.blockDimZ = @BZ@;
    config.sharedMemBytes = @SHARED@;
    config.hStream = stream;
    std::vector<CUlaunchAttribute> attributes;
@ATTRIBUTES@    config.attrs = attributes.data();
    config.numAttrs = static_cast<unsigned>(attributes.size());

    CUevent begin, end;
    CHECKED(cuEventCreate(&begin, CU_EVENT_DEFAULT));
    CHECKED(cuEventCreate(&end, CU_EVENT_DEFAULT));
    const auto start = [&] {
@RESTORE@        CHECKED(cuEventRecord(begin, stream));
        CHECKED(cuLaunchKernelEx(&config, kernel, parameters, nullptr));
        CHECKED(cuEventRecord(end, stream));
        CHECKED(cuStreamSynchronize(stream));
        float ms = 0;
        CHECKED(cuEventElapsedTime(&ms, begin, end));
        return ms;
    };
@PREPARE@    start();
@GOT@@LOOK@
    std::vector<float> times;
    for (int round = 0; round < @WARMUP@ + @REPEATS@; ++round) {
        const float ms = start();
        if (round >= @WARMUP@) times.push_back(ms);
    }
    if (!times.empty()) {
        std::sort(times.begin(), times.end());
        std::printf("%.1f us (median of %zu, least %.1f us)\n", times[times.size() / 2] * 1e3,
                    times.size(), times[0] * 1e3);
    }
    size_t wrong = 0;
@CHECKS@    return wrong@OUTSIDE@ ? 5 : 0;
}
"""

_WATCH = r"""
// Bytes on either side of a buffer that are watched for writes out of bounds.
static const size_t ZONE = @ZONE@;
// What these zones hold, and outputs before a launch, to find what is never written.
static const unsigned char GUARD = 0xB5, PATTERNS[] = {0xFF, 0x5C};

struct Watched {
    const char *name;
    CUdeviceptr address;
    size_t bytes, element;
    bool is_output;
};

// Fills outputs with a pattern, and the zones around all buffers with theirs.
static void prepare(const std::vector<Watched> &buffers, unsigned char pattern) {
    for (const auto &each : buffers) {
        if (ZONE) CHECKED(cuMemsetD8(each.address - ZONE, GUARD, ZONE));
        if (ZONE) CHECKED(cuMemsetD8(each.address + each.bytes, GUARD, ZONE));
        if (each.is_output) CHECKED(cuMemsetD8(each.address, pattern, each.bytes));
    }
    CHECKED(cuCtxSynchronize());
}

static std::vector<unsigned char> held(CUdeviceptr address, size_t bytes) {
    std::vector<unsigned char> content(bytes);
    CHECKED(cuMemcpyDtoH(content.data(), address, bytes));
    return content;
}

// Prints what was written around buffers; returns whether anything was.
[[maybe_unused]] static bool is_outside(const std::vector<Watched> &buffers) {
    bool outside = false;
    for (const auto &each : buffers) {
        for (const bool before : {true, false}) {
            auto zone = held(before ? each.address - ZONE : each.address + each.bytes, ZONE);
            if (before) std::reverse(zone.begin(), zone.end());
            const auto stray = [](unsigned char byte) { return byte != GUARD; };
            const auto count = std::count_if(zone.begin(), zone.end(), stray);
            if (!count) continue;
            outside = true;
            std::printf("Written out of bounds: %td bytes %s '%s', the nearest %td from it.\n",
                        count, before ? "before" : "after", each.name,
                        std::find_if(zone.begin(), zone.end(), stray) - zone.begin());
        }
    }
    return outside;
}

static std::vector<bool> kept(const Watched &buffer, unsigned char pattern) {
    const auto content = held(buffer.address, buffer.bytes);
    std::vector<bool> same(buffer.bytes / buffer.element, true);
    for (size_t i = 0; i < content.size(); ++i) {
        if (content[i] != pattern) same[i / buffer.element] = false;
    }
    return same;
}

// Prints which elements of outputs are never written: they keep one pattern and the other.
template <typename Start>
[[maybe_unused]] static void find_unwritten(const std::vector<Watched> &buffers,
                                            const Start &start) {
    std::vector<std::vector<bool>> found;
    for (const auto &each : buffers) {
        found.push_back(each.is_output ? kept(each, PATTERNS[0]) : std::vector<bool>());
    }
    prepare(buffers, PATTERNS[1]);
    start();
    for (size_t n = 0; n < buffers.size(); ++n) {
        if (!buffers[n].is_output) continue;
        const auto again = kept(buffers[n], PATTERNS[1]);
        size_t count = 0, first = 0;
        for (size_t i = again.size(); i-- > 0;) {
            if (found[n][i] && again[i]) ++count, first = i;
        }
        if (!count) continue;
        std::printf("%zu of %zu elements of '%s' are never written, the first is %zu.\n", count,
                    again.size(), buffers[n].name, first);
    }
}

"""

_AGREES = r"""// Integers are compared exactly, or up to ITOL: a double knows each one below 2^53.
template <typename T> static bool agrees(T got, double expected) {
    const double value = double(got), limit = 9007199254740992.0;
    if (std::is_integral<T>::value) {
        return std::fabs(expected) < limit && std::fabs(value - expected) <= @ITOL@;
    }
    const double wanted = double(T(expected));
    if (std::isnan(value) || std::isnan(wanted)) return std::isnan(value) && std::isnan(wanted);
    if (value == wanted || !std::isfinite(wanted)) return value == wanted;
    return std::fabs(value - wanted) <= @ATOL@ + @RTOL@ * std::fabs(wanted);
}

"""

_CHECK = r"""    {
        size_t differ = 0, unknown = 0;
        for (size_t i = 0; i < got_@NAME@.size(); ++i) {
            bool is_known = true;
            [[maybe_unused]] const auto known = [&is_known](double number) {
                is_known = is_known && !(std::fabs(number) >= 9007199254740992.0 &&
                                         std::isfinite(number));
                return number;
            };
            const double expected = @EXPECTED@;
            if (!is_known) {
                ++unknown;
            } else if (!agrees(got_@NAME@[i], expected) && !differ++) {
                const double got = double(got_@NAME@[i]);
                std::printf("@NAME@[%zu] is %.17g instead of %.17g\n", i, got, expected);
            }
        }
        std::printf("@NAME@: %zu of %zu numbers are wrong\n", differ, got_@NAME@.size());
        if (unknown) {
            std::printf("@NAME@: %zu of them are not checked: a double does not know every "
                        "integer of this size\n", unknown);
        }
        wrong += differ;
    }
"""

_NOTHING = """
static int run(const Code &) {
    std::fprintf(stderr, "The export has no launch.\\n");
    return 0;
}
"""

_CMAKE = """\
cmake_minimum_required(VERSION 3.22)
project(@STEM@ LANGUAGES CXX)
find_package(CUDAToolkit REQUIRED)
add_executable(@STEM@ main.cpp)
target_compile_features(@STEM@ PRIVATE cxx_std_17)
target_include_directories(@STEM@ PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
list(GET CUDAToolkit_INCLUDE_DIRS 0 CUDA_INCLUDE)
target_compile_definitions(@STEM@ PRIVATE CUDA_INCLUDE="${CUDA_INCLUDE}")
target_link_libraries(@STEM@ PRIVATE @LIBRARIES@)
"""
_CMAKE_NVVM = """\
find_library(NVVM nvvm HINTS ${CUDAToolkit_LIBRARY_ROOT}/nvvm/lib64 REQUIRED)
find_path(NVVM_INCLUDE nvvm.h HINTS ${CUDAToolkit_LIBRARY_ROOT}/nvvm/include REQUIRED)
target_link_libraries(@STEM@ PRIVATE ${NVVM})
target_include_directories(@STEM@ PRIVATE ${NVVM_INCLUDE})
"""

# Names of targets that CMake or a generator of its keeps for itself, in lower case (CMP0037).
_CMAKE_OWN = frozenset(
    (
        *("all", "all_build", "clean", "depend", "edit_cache", "help", "install", "package"),
        *("package_source", "preinstall", "rebuild_cache", "run_tests", "test", "zero_check"),
    )
)

_HELPERS = {Tool.NVRTC: _NVRTC, Tool.NVVM: _NVVM, Tool.NVJITLINK: _NVJITLINK}
_INCLUDES = {Tool.NVRTC: "nvrtc.h", Tool.NVVM: "nvvm.h", Tool.NVJITLINK: "nvJitLink.h"}
_LIBRARIES = {Tool.NVRTC: "CUDA::nvrtc", Tool.NVJITLINK: "CUDA::nvJitLink"}
_INPUTS = {
    CodeKind.PTX: "PTX",
    CodeKind.CUBIN: "CUBIN",
    CodeKind.LTOIR: "LTOIR",
    CodeKind.FATBIN: "FATBIN",
    CodeKind.OBJECT: "ANY",
    CodeKind.LIBRARY: "LIBRARY",
}
_GETTERS = {CodeKind.PTX: "PTX", CodeKind.CUBIN: "CUBIN", CodeKind.LTOIR: "LTOIR"}


def program_of(recipe: Recipe) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Returns the files of the program, and notes on all that is left out."""
    notes = [*recipe.notes, *launch_notes(recipe.launch)]
    if any(step.libdevice or step.libraries for step in recipe.steps):
        notes.append("libdevice and libraries of LLVM IR: libNVVM gets the modules alone.")
    launch = _NOTHING if recipe.launch is None else _launch(recipe.launch.request, notes)
    tools = dict.fromkeys(step.tool for step in recipe.steps)
    helpers = "".join(_HELPERS[tool] for tool in tools)
    if any(step.headers for step in recipe.steps):
        helpers += _HEADERS
    if any(HeaderSet.CURAND in step.headers for step in recipe.steps):
        notes.append("cuRAND's headers are taken from the CUDA toolkit, as all others are.")
    program = _filled(
        _PROGRAM,
        TITLE=comment(f"{recipe.title}, built for {recipe.arch.sm}"),
        VERSION=__version__,
        NOTES="".join(f"// Not exported: {comment(note)}\n" for note in notes),
        INCLUDES="".join(f"#include <{_INCLUDES[tool]}>\n" for tool in tools),
        SOURCES="".join(f"    {{{quoted(n)}, {literal(c)}}},\n" for n, c in recipe.texts.items()),
        HEADERS=", ".join(map(quoted, recipe.headers)),
        HELPERS=helpers,
        BUILD="".join(_build_lines(recipe)),
        LAUNCH=launch,
    )
    stem = re.sub(r"\W", "_", recipe.stem, flags=re.ASCII)
    stem = f"{stem}_program" if stem.lower() in _CMAKE_OWN else stem
    libraries = [_LIBRARIES[tool] for tool in tools if tool in _LIBRARIES]
    cmake = _CMAKE + (_CMAKE_NVVM if Tool.NVVM in tools else "")
    cmake = _filled(cmake, STEM=stem, LIBRARIES=" ".join((*libraries, "CUDA::cuda_driver")))
    return {"main.cpp": program.encode(), "CMakeLists.txt": cmake.encode()}, tuple(notes)


def _filled(template: str, **values: str) -> str:
    """Returns a template with a text in place of each ``@NAME@``."""
    return re.sub(r"@([A-Z]+)@", lambda match: values.get(match[1], match[0]), template)


def quoted(text: str) -> str:
    """Returns a text, such as a name, as a literal with its bytes: those of a path may be any."""

    def escaped(letter: str) -> str:
        if letter in '\\"?':
            # Two question marks may begin a trigraph.
            return f"\\{letter}"
        if letter.isprintable():
            return letter
        return "".join(f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape"))

    return f'"{"".join(map(escaped, text))}"'


_PIECE = 8_000


def literal(content: bytes) -> str:
    """Returns code that makes these bytes, in pieces that every compiler takes."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = "\0"
    if re.search(r"[\0-\x08\x0b-\x1f\x7f]", text) or ')jit"' in text:
        pieces = [content[at : at + 20] for at in range(0, len(content), 20)]
        escaped = ("".join(f"\\{byte:03o}" for byte in piece) for piece in pieces)
        lines = "\n".join(f'        "{piece}"' for piece in escaped)
        return f"Code(\n{lines},\n        {len(content)})"
    parts = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)] or [""]
    return " ".join(f'R"jit({part})jit"' for part in parts)


def _build_lines(recipe: Recipe) -> Iterator[str]:
    names = {(s.makes, s.name): f"made_{n}" for n, s in enumerate(recipe.steps, 1)}
    for step in recipe.steps:
        yield f"    const Code {names[step.makes, step.name]} = {_call(step, names)};\n"
    last = recipe.steps[-1] if recipe.steps else None
    source = f"SOURCES.at({quoted(recipe.request.sources[0].name)})"
    yield f"    return {names[last.makes, last.name] if last else source};\n"


def _call(step: RecipeStep, names: Mapping[tuple[CodeKind, str], str]) -> str:
    options = "{" + ", ".join(map(quoted, step.options)) + "}"
    match step.tool:
        case Tool.NVRTC:
            options = f"with_cuda_headers({options})" if step.headers else options
            kind = _GETTERS[step.makes]
            more = f", {{{', '.join(map(quoted, step.name_expressions))}}}"
            more = more if step.name_expressions else ""
            getters = f"nvrtcGet{kind}Size, nvrtcGet{kind}"
            return (
                f"compile_cuda({quoted(step.name)},\n        {options},\n        {getters}{more})"
            )
        case Tool.NVVM:
            texts = ", ".join(quoted(name) for _, name in step.inputs)
            return f"compile_ir({{{texts}}}, {options})"
    inputs = ",\n         ".join(
        f"{{{quoted(file_name(kind, name))}, NVJITLINK_INPUT_{_INPUTS[kind]}, "
        f"{names.get((kind, name)) or f'SOURCES.at({quoted(name)})'}}}"
        for kind, name in step.inputs
    )
    return f"link(\n        {{{inputs}}},\n        {options})"


def _launch(request: LaunchRequest, notes: list[str]) -> str:
    """Returns the function `run`; adds to the notes all that is left out.

    Raises:
        ExportError: A texture lies in linear memory.
    """
    config = request.config
    data: list[str] = []
    parameters, restore, got, watched = [], [], [], []
    arrays = arrays_of(request)
    refuse_unknown(request)
    own = [b for b in request.buffers if b.length and not b.symbol]
    guarded = request.guards and len(arrays) < len(own)
    zones = " + 2 * ZONE" if guarded else ""
    for argument in request.slots:
        parameters.append(_place_of(argument))
    for argument in _in_order(request):
        name, inner = f"p_{variable(argument.name)}", inner_of(request, argument)
        if not isinstance(argument, Buffer):
            data += _without_memory(request, argument, name)
            continue
        handle = "unsigned long long" if argument.texels is not None else "CUdeviceptr"
        data.append(f"    {handle} {name} = 0;\n")
        if not argument.length:
            continue
        host, result = (f"{place}_{variable(argument.name)}" for place in ("h", "got"))
        kind, _ = element_lanes(argument.element)
        const = "" if inner else "const "
        data.append(f"    {const}std::vector<{kind}> {host} = {_content(argument, notes)};\n")
        data += _addresses(f"{host}.data()", inner, 0)
        if argument.texels is not None:
            array = f"a_{variable(argument.name)}"
            copied = partial(cpp_copy, argument, argument.texels, array)
            create, handle_text = cpp_texels(argument, argument.texels, array)
            data.append(f"    const CUarray {array} = {create};\n    {name} = {handle_text};\n")
            data.append(f"    {copied(host)}\n")
            if argument.direction is Direction.INOUT:
                restore.append(f"        {copied(host)}\n")
            if argument.direction is not Direction.IN:
                got.append(f"    std::vector<{kind}> {result}({host}.size());\n")
                got.append(f"    {copied(result, back=True)}\n")
            continue
        size = f"{host}.size() * sizeof({kind})"
        if argument.symbol:
            get = f"cuModuleGetGlobal(&{name}, nullptr, module, {quoted(argument.symbol)})"
            data.append(f"    CHECKED({get});\n")
        else:
            data.append(f"    CHECKED(cuMemAlloc(&{name}, {size}{zones}));\n")
            data.append(f"    {name} += ZONE;\n" if zones else "")
        data.append(f"    CHECKED(cuMemcpyHtoD({name}, {host}.data(), {size}));\n")
        ahead = f"    CUdeviceptr at_{name} = {name} + {argument.start_bytes};\n"
        data.append(ahead if argument.start else "")
        is_output = argument.direction is Direction.OUT and request.poison
        element, word = argument.element.size, str(is_output).lower()
        if (is_output or request.guards) and not argument.symbol:
            watched.append(f"{{{quoted(argument.name)}, {name}, {size}, {element}, {word}}}")
        if argument.direction is Direction.INOUT:
            copy = f"cuMemcpyHtoDAsync({name}, {host}.data(), {size}, stream)"
            restore.append(f"        CHECKED({copy});\n")
        if argument.direction is not Direction.IN:
            got.append(f"    std::vector<{kind}> {result}({host}.size());\n")
            back = f"cuMemcpyDtoH({result}.data(), {name}, {size})"
            got.append(f"    CHECKED({back});\n")
    shared = "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"
    allow = f"    CHECKED(cuFuncSetAttribute(kernel, {shared}, {config.shared}));\n"
    return _filled(
        _RUN,
        KERNEL=quoted(request.kernel),
        ALLOW=allow if config.shared else "",
        DATA="".join(data),
        PARAMETERS=", ".join(parameters) or "nullptr",
        **dict(zip(("GX", "GY", "GZ"), map(str, config.grid), strict=True)),
        **dict(zip(("BX", "BY", "BZ"), map(str, config.block), strict=True)),
        SHARED=str(config.shared),
        ATTRIBUTES=_attributes(request),
        RESTORE="".join(restore),
        GOT="".join(got),
        WARMUP=str(request.warmup),
        REPEATS=str(request.repeats),
        CHECKS=(checks := "".join(_checks(request, notes))),
        AGREES=_agrees(request) if checks else "",
        TEXELS=CPP_TEXELS if arrays else "",
        **_watching(request, watched),
    )


def _place_of(argument: Argument) -> str:
    """Returns where a parameter is, in C++."""
    name = f"p_{variable(argument.name)}"
    if isinstance(argument, ValueArgument):
        return f"{name}.data()"
    return f"&at_{name}" if isinstance(argument, Buffer) and argument.start else f"&{name}"


def _without_memory(
    request: LaunchRequest, argument: ValueArgument | SharedPointer, name: str
) -> Iterator[str]:
    """Yields the lines for the variable of an argument without memory on the GPU."""
    if isinstance(argument, SharedPointer):
        place = place_text(request, argument, lambda buffer: f"p_{variable(buffer.name)}")
        # The driver reads it from where a pointer leads that is not const.
        yield f"    CUdeviceptr {name} = {place};\n"
        return
    digits = ", ".join(f"0x{byte:02x}" for byte in argument.data)
    remark = f"  // {argument.number}" if argument.number is not None else ""
    yield f"    std::vector<unsigned char> {name} = {{{digits}}};{remark}\n"
    yield from _addresses(f"{name}.data()", inner_of(request, argument), argument.offset)


def _in_order(request: LaunchRequest) -> list[Argument]:
    """Returns the arguments, those whose addresses others need before these."""
    inner = [p for p in request.pointers if p.inside and not is_null(p)]
    waiting = [*reversed(inner), *request.slots, *request.variables]
    ordered: dict[str, Argument] = {}

    def add(argument: Argument) -> None:
        if argument.name in ordered:
            return
        if isinstance(argument, SharedPointer):
            add(owner_in(request, argument))
        for pointer in inner_of(request, argument):
            add(pointer)
        ordered[argument.name] = argument

    for argument in waiting:
        add(argument)
    return list(ordered.values())


def _addresses(place: str, inner: Sequence[Buffer | SharedPointer], start: int) -> Iterator[str]:
    """Yields lines that put addresses into a struct or a buffer that begins at an offset."""
    for pointer in inner:
        at = f"reinterpret_cast<char *>({place}) + {pointer.offset - start}"
        yield f"    std::memcpy({at}, {_place_of(pointer)}, 8);\n"


def _watching(request: LaunchRequest, watched: Sequence[str]) -> dict[str, str]:
    """Returns code that reports writes out of bounds and unwritten outputs, by places in `_RUN`.

    Args:
        request: The launch.
        watched: The buffers, as initialisers of `Watched`.
    """
    if not watched:
        return dict.fromkeys(("WATCH", "PREPARE", "LOOK", "OUTSIDE"), "")
    rows = ",\n".join(f"        {row}" for row in watched)
    outputs = any(row.endswith("true}") for row in watched)
    return {
        "WATCH": _filled(_WATCH, ZONE="256 << 10" if request.guards else "0"),
        "PREPARE": f"    const std::vector<Watched> watched = {{\n{rows}}};\n"
        "    prepare(watched, PATTERNS[0]);\n",
        "LOOK": ("    const bool outside = is_outside(watched);\n" if request.guards else "")
        + ("    find_unwritten(watched, start);\n" if outputs else ""),
        "OUTSIDE": " || outside" if request.guards else "",
    }


def _attributes(request: LaunchRequest) -> str:
    lines = ""
    if request.config.cluster:
        lines += "    CUlaunchAttribute cluster{};\n"
        lines += "    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;\n"
        x, y, z = request.config.cluster
        lines += f"    cluster.value.clusterDim = {{{x}, {y}, {z}}};\n"
        lines += "    attributes.push_back(cluster);\n"
    if request.config.cooperative:
        lines += "    CUlaunchAttribute together{};\n"
        lines += "    together.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;\n"
        lines += "    together.value.cooperative = 1;\n"
        lines += "    attributes.push_back(together);\n"
    return lines


def _content(buffer: Buffer, notes: list[str]) -> str:
    kind, lanes = element_lanes(buffer.element)
    count, fill = buffer.length * lanes, buffer.fill
    plain = kind != "unsigned char" or fill.kind is FillKind.ZEROS
    # Of complex numbers a constant and a range have no imaginary part.
    plain = plain and (fill.kind is FillKind.RANDOM or not complex_name(buffer.element))
    match fill.kind:
        case FillKind.ZEROS:
            return f"std::vector<{kind}>({count})"
        case FillKind.VALUES | FillKind.INITIAL:
            data = fill.data.ljust(buffer.bytes, b"\0")
            digits = ", ".join(f"0x{byte:02x}" for byte in data)
            return f"values<{kind}>({{{digits}}})"
        case FillKind.CONSTANT if plain:
            return f"std::vector<{kind}>({count}, static_cast<{kind}>({fill.numbers[0]}))"
        case FillKind.RANGE if plain:
            start, step = (*fill.numbers, 0, 1)[:2] if fill.numbers else (0, 1)
            step = fill.numbers[1] if len(fill.numbers) > 1 else 1
            return f"range<{kind}>({count}, {start}, {step})"
        case FillKind.RANDOM if plain:
            usual = (0, 1) if kind in ("float", "double") else (0, 99)
            low, high = fill.numbers[1:3] if len(fill.numbers) > 2 else usual
            seed = abs(int(fill.numbers[0])) if fill.numbers else 0
            return f"random_numbers<{kind}>({count}, {seed}, {low}, {high})"
    why = f"{fill.kind.value} of {buffer.element.name}"
    notes.append(f"The content of {buffer.name} ({why}): it is filled with zeros.")
    return f"std::vector<{kind}>({count})"


def _agrees(request: LaunchRequest) -> str:
    return _filled(
        _AGREES,
        RTOL=repr(request.relative),
        ATOL=repr(request.absolute),
        ITOL=repr(float(request.integer_tolerance)),
    )


def _checks(request: LaunchRequest, notes: list[str]) -> Iterator[str]:
    buffers = {buffer.name: buffer for buffer in request.buffers}
    for expectation in request.expectations:
        formula = f"{expectation.target} = {expectation.expression}"
        if expectation.part:
            notes.append(f"The check '{formula}', which is about a part of the buffer.")
            continue
        try:
            expected = Translator(request, buffers[expectation.buffer]).text(expectation.expression)
        except (ValueError, SyntaxError):
            notes.append(f"The check '{formula}', which is not a plain formula for each element.")
            continue
        yield _filled(_CHECK, NAME=variable(expectation.buffer), EXPECTED=expected)
