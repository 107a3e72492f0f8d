"""Makes the captured kernels of `resources/samples` from the scripts there, by the real packages.

    PYTHONPATH=. python3 tests/captured_samples.py [triton] [numba] [cupy] [cuda_core]

Needs triton, numba-cuda, cupy-cuda13x and cuda-core with NVRTC and nvJitLink, and no GPU: each
package compiles for sm_90. The samples open without any of them, from what is stored then. With
Triton 3.6: the line tables of 3.9 are wrong for loads and stores (see `PtxLines.is_recounted`).
"""

from __future__ import annotations

import base64
import os
import shutil
import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jitstudio.core.captured import CapturedKernel, KernelLanguage, Representation, pack
from jitstudio.python.hand_back import OVERRIDE_KEY

_SAMPLES = Path(__file__).resolve().parent.parent / "resources" / "samples"
# What line tables call them, whoever makes them.
_FOLDER = Path("/tmp/samples")
_TARGET = "sm_90"


def _script(name: str) -> tuple[Path, dict[str, Any]]:
    path = _FOLDER / name
    shutil.copyfile(_SAMPLES / name, path)
    return path, vars(import_module(path.stem))


def _python(path: Path) -> Representation:
    return Representation(KernelLanguage.PYTHON, path.read_bytes(), str(path))


def _made(texts: Iterable[tuple[KernelLanguage, str | bytes]]) -> Iterable[Representation]:
    for language, text in texts:
        yield Representation(language, text.encode() if isinstance(text, str) else text)


def triton() -> CapturedKernel:
    """Returns the kernel of `triton_swiglu.py`."""
    import triton as package
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    path, there = _script("triton_swiglu.py")
    pointers = ("gate_ptr", "up_ptr", "out_ptr")
    signature = {**dict.fromkeys(pointers, "*fp32"), "n": "i32", "BLOCK": "constexpr"}
    aligned = {(at,): [["tt.divisibility", 16]] for at in range(4)}
    source = ASTSource(there["swiglu"], signature, {"BLOCK": 1024}, aligned)
    kernel = package.compile(source, target=GPUTarget("cuda", 90, 32))
    words = {"ttir": KernelLanguage.TTIR, "ttgir": KernelLanguage.TTGIR}
    words |= {"llir": KernelLanguage.LLVM_IR, "ptx": KernelLanguage.PTX}
    words |= {"cubin": KernelLanguage.CUBIN}
    made = _made((language, kernel.asm[word]) for word, language in words.items())
    metadata = kernel.metadata
    facts = {"num_warps": metadata.num_warps, "num_stages": metadata.num_stages}
    facts |= {"shared": metadata.shared, "BLOCK": 1024}
    facts[OVERRIDE_KEY] = base64.b32encode(bytes.fromhex(source.hash())).decode().rstrip("=")
    return _kernel("swiglu", f"Triton {package.__version__}", [_python(path), *made], facts)


def numba() -> CapturedKernel:
    """Returns the kernel of `numba_smooth.py`."""
    from numba import cuda, float32
    from numba.cuda import codegen

    path, there = _script("numba_smooth.py")
    libraries = []
    assemble = codegen.CUDACodeLibrary.get_asm_strs

    def recorded(library: Any, cc: Any = None) -> Any:
        libraries.append(library)
        return assemble(library, cc=cc)

    codegen.CUDACodeLibrary.get_asm_strs = recorded
    types = (float32[::1], float32[::1])
    function = there["smooth"].py_func
    ptx, _ = cuda.compile(function, types, device=False, lineinfo=True, cc=(9, 0), abi="numba")
    (library,) = dict.fromkeys(libraries)
    cubin = library.get_cubin(cc=(9, 0))
    texts = [(KernelLanguage.LLVM_IR, library.get_llvm_str()), (KernelLanguage.PTX, ptx)]
    made = _made([*texts, (KernelLanguage.CUBIN, bytes(cubin.code))])
    facts = {"signature": "(float32[::1], float32[::1])", "lineinfo": True}
    origin = f"Numba {version('numba-cuda')}"
    return _kernel("smooth", origin, [_python(path), *made], facts)


def cupy() -> CapturedKernel:
    """Returns the kernel of `cupy_row_sums.py`, compiled by what its `RawKernel` compiles by."""
    from cupy.cuda import compiler
    from cupy_backends.cuda.libs import nvrtc

    _, there = _script("cupy_row_sums.py")
    file, text = str(_FOLDER / "row_sums.cu"), there["ROW_SUMS"]
    options = ("-lineinfo", f"-arch={_TARGET}", "--device-as-default-execution-space")
    program = compiler._NVRTCProgram(text, file, method="cubin")
    cubin, _ = program.compile(options)
    source = Representation(KernelLanguage.CUDA, text.encode(), file)
    made = _made([(KernelLanguage.PTX, nvrtc.getPTX(program.ptr)), (KernelLanguage.CUBIN, cubin)])
    facts = {"backend": "nvrtc", "options": " ".join(options)}
    return _kernel("row_sums", f"CuPy {version('cupy-cuda13x')}", [source, *made], facts)


def cuda_core() -> CapturedKernel:
    """Returns the kernel of `cuda_core_transpose.py`."""
    from cuda.bindings import nvrtc
    from cuda.core import Program

    _, there = _script("cuda_core_transpose.py")
    programs = []
    compile_program = Program.compile

    class Recorded(Program):
        """Keeps what was compiled."""

        def compile(self, *given: Any, **named: Any) -> Any:
            """Compiles as ever."""
            programs.append(self)
            return compile_program(self, *given, **named)

    import cuda.core

    cuda.core.Program = Recorded
    made = there["compiled"](_TARGET)
    (program,) = programs
    # `compile("ptx")` asks the driver whether it could load that.
    _, size = nvrtc.nvrtcGetPTXSize(program.handle)
    ptx = b" " * size
    nvrtc.nvrtcGetPTX(program.handle, ptx)
    source = Representation(KernelLanguage.CUDA, there["TRANSPOSE"].encode(), "transpose.cu")
    texts = [(KernelLanguage.PTX, ptx.rstrip(b"\0")), (KernelLanguage.CUBIN, made.code)]
    facts = {"name expressions": "transpose<float>", "std": "c++17", "lineinfo": True}
    origin = f"cuda.core {version('cuda-core')}"
    return _kernel("transpose<float>", origin, [source, *_made(texts)], facts)


def _kernel(
    name: str, origin: str, representations: list[Representation], facts: dict[str, object]
) -> CapturedKernel:
    texts = {fact: str(value) for fact, value in facts.items()}
    return CapturedKernel(name, origin, tuple(representations), texts)


_MAKERS = {
    "triton": (triton, "triton_swiglu"),
    "numba": (numba, "numba_smooth"),
    "cupy": (cupy, "cupy_row_sums"),
    "cuda_core": (cuda_core, "cuda_core_transpose"),
}


def main() -> None:
    """Makes those that are named, or all."""
    # NVRTC joins a name to the working directory.
    _FOLDER.mkdir(exist_ok=True)
    os.chdir(_FOLDER)
    sys.path[:0] = [str(_FOLDER)]
    for word in sys.argv[1:] or _MAKERS:
        make, stem = _MAKERS[word]
        path = _SAMPLES / f"{stem}.jitkernel"
        path.write_bytes(pack(make()))
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
