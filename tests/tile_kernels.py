"""Twenty tile kernels, and the bare libraries and programs that build the kernels."""

import os
import subprocess
from functools import cache
from pathlib import Path

import pytest
from cuda.bindings import nvrtc

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.headers import header_folders
from jitstudio.toolchain.nvrtc import version
from jitstudio.toolchain.tool_output import ToolMissing

FOLDER = Path(__file__).parent / "data" / "tile"
TILE_OPTIONS = ("--enable-tile", "--std=c++20")
KERNELS = {
    "argmax": ["_Z6argmaxPKfPj"],
    "batched_matmul": ["_Z7batchedPK13__nv_bfloat16S1_Pf"],
    "clamped": ["clamped"],
    "gelu": ["_Z4geluPKfPf"],
    "helper_function": ["_Z9activatedPKfPf"],
    "histogram": ["_Z9histogramPKjPj"],
    "layer_norm": ["_Z10layer_normPKfS0_S0_Pff"],
    "matmul_half": ["_Z6matmulPK6__halfS1_Pfjjj"],
    "permuted": ["_Z8permutedPKfPf"],
    "power_iteration": ["_Z15power_iterationPKfPfi"],
    "prefix_sums": ["_Z11prefix_sumsPKiPi"],
    "rotated": ["_Z7rotatedPKfS0_Pf"],
    "row_softmax": ["_Z7softmaxPKfPfj"],
    "row_sums": ["_Z8row_sumsPKfPfj"],
    "running_products": ["_Z16running_productsPKdPd"],
    "saxpy_view": ["_Z5saxpyfPKfPfj"],
    "templated": ["_Z6scaledIfLm128EEvPKT_PS0_S0_", "_Z6scaledIiLm256EEvPKT_PS0_S0_"],
    "transposed": ["_Z10transposedPKfPfjj"],
    "two_kinds": ["_Z6filledPff"],
    "vector_add": ["_Z3addPKfS0_Pfi"],
}
"""The kernels in the Tile IR of each file."""


def _missing() -> str:
    try:
        locate.program(Tool.TILEIRAS)
        locate.program(Tool.TILEIRDISASM)
    except ToolMissing as missing:
        return str(missing)
    return ""


NEEDS_TILE = pytest.mark.skipif(bool(_missing()), reason=f"the extra [tile]: {_missing()}")


def tile_source(name: str, options: tuple[str, ...] | None = None) -> Source:
    """A file of the folder."""
    content = (FOLDER / f"{name}.cu").read_bytes()
    return Source(f"{name}.cu", CodeKind.CUDA, content, options=options)


@cache
def bare_tile_ir(name: str, *options: str) -> bytes:
    """Tile IR by NVRTC, without jitstudio."""
    headers = (f"--use-bundled-headers={folder}" for folder in header_folders(version())[:1])
    words = [option.encode() for option in (*options, *headers)]
    text = (FOLDER / f"{name}.cu").read_bytes()
    _, program = nvrtc.nvrtcCreateProgram(text, f"{name}.cu".encode(), 0, [], [])
    (status,) = nvrtc.nvrtcCompileProgram(program, len(words), words)
    assert status == nvrtc.nvrtcResult.NVRTC_SUCCESS
    _, size = nvrtc.nvrtcGetTileIRSize(program)
    bytecode = bytes(size)
    nvrtc.nvrtcGetTileIR(program, bytecode)
    nvrtc.nvrtcDestroyProgram(program)
    return bytecode


def bare_cubin(bytecode: bytes, target: str, folder: Path) -> bytes:
    """A cubin by tileiras, without jitstudio."""
    (folder / "k.tileirbc").write_bytes(bytecode)
    words = [locate.program(Tool.TILEIRAS), f"--gpu-name={target}", "--lineinfo"]
    # A toolkit that is named there has its libNVVM loaded, of whatever version.
    own = {k: v for k, v in os.environ.items() if k not in ("CUDA_PATH", "CUDA_HOME")}
    subprocess.run([*words, "-o", "k.cubin", "k.tileirbc"], cwd=folder, check=True, env=own)
    return (folder / "k.cubin").read_bytes()


def bare_text(bytecode: bytes, folder: Path) -> bytes:
    """Tile IR as text by tileirdisasm, without jitstudio."""
    (folder / "k.tileirbc").write_bytes(bytecode)
    words = [locate.program(Tool.TILEIRDISASM), "k.tileirbc"]
    return subprocess.run(words, cwd=folder, check=True, capture_output=True).stdout
