from __future__ import annotations

import importlib
import re
from pathlib import Path

import cuda.bindings
import pytest
from cuda.bindings import nvjitlink

import jitstudio.toolchain
from jitstudio.toolchain import nvjitlink as linker

# ---- Which functions of the libraries are in use, and why the others are not
#
# A table for whoever maintains the engine: a test compares it with what `cuda.bindings` offers, so
# a new function of a new version asks for a decision.

IN_USE = ""
_BY_BYTES = "inputs are bytes, so that unsaved text and files are linked alike"
_COUNTED = "the length of what nvrtcGetSupportedArchs returns"
_NAMED = "`toolchain.result_words` says more, and what to do"
_UNPACKED = "NVRTC finds the headers where they are; they stay for the next start"
_TILE = "CUDA Tile is a language of its own, which jitstudio does not offer"

COVERAGE: dict[str, dict[str, str]] = {
    "nvrtc": {
        "nvrtcAddNameExpression": IN_USE,
        "nvrtcCompileProgram": IN_USE,
        "nvrtcCreateProgram": IN_USE,
        "nvrtcDestroyProgram": IN_USE,
        "nvrtcGetBundledHeadersInfo": IN_USE,
        "nvrtcGetCUBIN": IN_USE,
        "nvrtcGetCUBINSize": IN_USE,
        "nvrtcGetErrorString": _NAMED,
        "nvrtcGetLTOIR": IN_USE,
        "nvrtcGetLTOIRSize": IN_USE,
        "nvrtcGetLoweredName": IN_USE,
        "nvrtcGetNumSupportedArchs": _COUNTED,
        "nvrtcGetOptiXIR": IN_USE,
        "nvrtcGetOptiXIRSize": IN_USE,
        "nvrtcGetPCHCreateStatus": IN_USE,
        "nvrtcGetPCHHeapSize": "the worker sets the size itself and so knows it",
        "nvrtcGetPCHHeapSizeRequired": IN_USE,
        "nvrtcGetPTX": IN_USE,
        "nvrtcGetPTXSize": IN_USE,
        "nvrtcGetProgramLog": IN_USE,
        "nvrtcGetProgramLogSize": IN_USE,
        "nvrtcGetSupportedArchs": IN_USE,
        "nvrtcGetTileIR": _TILE,
        "nvrtcGetTileIRSize": _TILE,
        "nvrtcInstallBundledHeaders": IN_USE,
        "nvrtcRemoveBundledHeaders": _UNPACKED,
        "nvrtcSetFlowCallback": "first called after the front end, which takes nearly all of the "
        "time; ending the worker process ends any compile at once",
        "nvrtcSetPCHHeapSize": IN_USE,
        "nvrtcVersion": IN_USE,
    },
    "nvvm": {
        "add_module_to_program": IN_USE,
        "compile_program": IN_USE,
        "create_program": IN_USE,
        "destroy_program": IN_USE,
        "get_compiled_result": IN_USE,
        "get_compiled_result_size": IN_USE,
        "get_error_string": _NAMED,
        "get_program_log": IN_USE,
        "get_program_log_size": IN_USE,
        "ir_version": IN_USE,
        "lazy_add_module_to_program": IN_USE,
        "llvm_version": IN_USE,
        "verify_program": IN_USE,
        "version": IN_USE,
    },
    "nvjitlink": {
        "add_data": IN_USE,
        "add_file": _BY_BYTES,
        "complete": IN_USE,
        "create": IN_USE,
        "destroy": IN_USE,
        "get_error_log": IN_USE,
        "get_error_log_size": IN_USE,
        "get_info_log": IN_USE,
        "get_info_log_size": IN_USE,
        "get_linked_cubin": IN_USE,
        "get_linked_cubin_size": IN_USE,
        "get_linked_ltoir": IN_USE,
        "get_linked_ltoir_size": IN_USE,
        "get_linked_ptx": IN_USE,
        "get_linked_ptx_size": IN_USE,
        "version": IN_USE,
    },
    "nvfatbin": {
        "add_cubin": IN_USE,
        "add_index": "an index belongs to the libraries that NVIDIA builds; nothing here makes one",
        "add_ltoir": IN_USE,
        "add_ptx": IN_USE,
        "add_reloc": "it takes device code out of host objects; jitstudio makes no host code",
        "add_tile_ir": _TILE,
        "create": IN_USE,
        "destroy": IN_USE,
        "get": IN_USE,
        "get_error_string": _NAMED,
        "size": IN_USE,
        "version": IN_USE,
    },
}
"""By module of `cuda.bindings`: its functions, each with the reason why it is not in use."""

INPUT_TYPES: dict[str, str] = {
    "NONE": "it stands for no input",
    "CUBIN": IN_USE,
    "PTX": IN_USE,
    "LTOIR": IN_USE,
    "FATBIN": IN_USE,
    "OBJECT": "it takes a relocatable cubin in an object file for no code; `ANY` reads both",
    "LIBRARY": IN_USE,
    "INDEX": "an index belongs to the libraries that NVIDIA builds; nothing here makes one",
    "ANY": IN_USE,
}
"""The kinds of input that nvJitLink has names for, with the reason why one is not in use."""


BINDINGS = tuple(int(part) for part in cuda.bindings.__version__.split(".")[:2])
SOURCES = "".join(
    path.read_text() for path in Path(jitstudio.toolchain.__file__).parent.glob("*.py")
)


def functions(module):
    """The functions of a module of the bindings: neither types nor constants nor helpers."""
    told = importlib.import_module(f"cuda.bindings.{module}")
    names = (name for name in dir(told) if re.match(r"[a-z]", name))
    found = {name for name in names if callable(getattr(told, name))}
    return {n for n in found if not isinstance(getattr(told, n), type) and n != "sizeof"}


@pytest.mark.parametrize("module", COVERAGE)
def test_every_function_is_in_the_table(module):
    found = functions(module)
    assert found <= set(COVERAGE[module])
    # Older bindings lack what came later; with those of the table's time nothing is left over.
    if BINDINGS >= (13, 4):
        assert set(COVERAGE[module]) == found


@pytest.mark.parametrize("module", COVERAGE)
def test_the_table_is_true(module):
    for name, reason in COVERAGE[module].items():
        used = re.search(rf"\b{module}\.{name}\b", SOURCES) is not None
        assert used is (reason == IN_USE), name


def test_every_type_of_input_is_in_the_table_and_the_table_is_true():
    assert set(INPUT_TYPES) == {kind.name for kind in nvjitlink.InputType}
    used = {kind.name for kind in linker._INPUT_TYPES.values()}
    assert used == {name for name, reason in INPUT_TYPES.items() if reason == IN_USE}
