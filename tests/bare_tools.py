"""NVRTC, libNVVM and nvJitLink by ctypes alone: what a version makes that no other is loaded with.

A program of its own: `python -I -S bare_tools.py LIBRARY SOURCE OPTION...` writes what it makes to
stdout. It knows nothing of jitstudio and of NVIDIA's bindings.
"""

import ctypes
import sys
from pathlib import Path


def _checked(status: int) -> None:
    if status:
        raise SystemExit(f"status {status}")


def nvrtc(library: ctypes.CDLL, source: Path, options: list[bytes]) -> bytes:
    """CUDA C++ to PTX, or to a cubin for a target that is real."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    name = source.name.encode()
    _checked(
        library.nvrtcCreateProgram(ctypes.byref(program), source.read_bytes(), name, 0, None, None)
    )
    _checked(
        library.nvrtcCompileProgram(
            program, len(options), (ctypes.c_char_p * len(options))(*options)
        )
    )
    is_real = any(option.startswith(b"-arch=sm_") for option in options)
    kind = "CUBIN" if is_real and b"--ptxas-options=-v" in options else "PTX"
    _checked(getattr(library, f"nvrtcGet{kind}Size")(program, ctypes.byref(size)))
    made = ctypes.create_string_buffer(size.value)
    _checked(getattr(library, f"nvrtcGet{kind}")(program, made))
    return made.raw.rstrip(b"\0") if kind == "PTX" else made.raw


def nvvm(library: ctypes.CDLL, source: Path, options: list[bytes]) -> bytes:
    """LLVM IR to PTX."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    text = source.read_bytes()
    _checked(library.nvvmCreateProgram(ctypes.byref(program)))
    length = ctypes.c_size_t(len(text))
    _checked(library.nvvmAddModuleToProgram(program, text, length, source.name.encode()))
    given = (ctypes.c_char_p * len(options))(*options)
    _checked(library.nvvmCompileProgram(program, len(options), given))
    _checked(library.nvvmGetCompiledResultSize(program, ctypes.byref(size)))
    made = ctypes.create_string_buffer(size.value)
    _checked(library.nvvmGetCompiledResult(program, made))
    return made.raw.rstrip(b"\0")


def nvjitlink(library: ctypes.CDLL, source: Path, options: list[bytes]) -> bytes:
    """PTX to a cubin."""
    handle, size = ctypes.c_void_p(), ctypes.c_size_t()
    text = source.read_bytes() + b"\0"
    given = (ctypes.c_char_p * len(options))(*options)
    _checked(library.nvJitLinkCreate(ctypes.byref(handle), len(options), given))
    length = ctypes.c_size_t(len(text))
    _checked(library.nvJitLinkAddData(handle, 2, text, length, source.name.encode()))
    _checked(library.nvJitLinkComplete(handle))
    _checked(library.nvJitLinkGetLinkedCubinSize(handle, ctypes.byref(size)))
    made = ctypes.create_string_buffer(size.value)
    _checked(library.nvJitLinkGetLinkedCubin(handle, made))
    return made.raw


if __name__ == "__main__":
    path, source, *words = sys.argv[1:]
    makers = {"libnvrtc": nvrtc, "libnvvm": nvvm, "libnvJitLink": nvjitlink}
    name = Path(path).name.partition(".so")[0]
    # NVRTC opens its other part by name, which the loader knows once it is there.
    for part in Path(path).parent.glob(f"{name}-builtins.so.*"):
        ctypes.CDLL(str(part), mode=ctypes.RTLD_GLOBAL)
    sys.stdout.buffer.write(
        makers[name](ctypes.CDLL(path), Path(source), [word.encode() for word in words])
    )
