from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import cuda.bindings
import pytest
from cuda.bindings import nvjitlink

import jitstudio.toolchain
from jitstudio.core.options import OPTIONS
from jitstudio.core.options.rows import code
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
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
        "nvrtcGetTileIR": IN_USE,
        "nvrtcGetTileIRSize": IN_USE,
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
        "add_tile_ir": IN_USE,
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


# ---- Which options of the tools that print a help are in the table of options, and why others not
_FILES = "it names a file, and projects that are not trusted must not reach any"
_OURS = "jitstudio says it itself"
_ANY = "for experts: whoever trusts a project, or types it, sends it all the same"
_PRINTS = "it prints another form of text than the reader of SASS reads"

OPTION_COVERAGE: dict[str, dict[str, str]] = {
    "ptxas": {
        **dict.fromkeys(
            ("apply-controls", "options-file", "output-file", "input-as-string"), _FILES
        ),
        **dict.fromkeys(("compile-only", "elf", "gpu-name", "help", "machine", "version"), _OURS),
        **dict.fromkeys(
            (
                *("Ofast-compile", "compile-as-tools-patch", "compiler-annotations"),
                *("device-stack-protector", "disable-optimizer-constants", "entry", "sanitize"),
                *("dont-merge-basicblocks", "enable-func-clone-sc", "extensible-whole-program"),
                *("g-tensor-memory-access-check", "gno-fabric-access-check"),
                *("gno-tensor-memory-access-check", "legacy-bar-warp-wide-behavior"),
                *("make-errors-visible-at-exit", "optimize-float-atomics", "sp-bounds-check"),
                *("override-directive-values", "position-independent-code", "preserve-relocs"),
                *("suppress-async-bulk-multicast-advisory-warning", "suppress-debug-info"),
                *("suppress-double-demote-warning", "suppress-position-independent-code-warning"),
                *("suppress-sparse-mma-advisory-info", "suppress-stack-size-warning", "verbose2"),
            ),
            _ANY,
        ),
        **dict.fromkeys(
            (
                *("allow-expensive-optimizations", "def-load-cache", "def-store-cache"),
                *("device-debug", "device-function-maxrregcount", "disable-warnings", "fmad"),
                *("force-load-cache", "force-store-cache", "generate-line-info", "maxntid"),
                *("maxrregcount", "minnctapersm", "opt-level", "register-usage-level"),
                *("return-at-end", "split-compile", "verbose", "warn-on-double-precision-use"),
                *("warn-on-local-memory-usage", "warn-on-spills", "warning-as-error"),
            ),
            IN_USE,
        ),
    },
    "nvdisasm": {
        **dict.fromkeys(("binary", "base-address"), "it is for raw bytes without a file around"),
        **dict.fromkeys(("help", "version", "print-code"), _OURS),
        "options-file": _FILES,
        **dict.fromkeys(
            (
                *("annotate", "emit-json", "output-control-flow-graph", "print-instr-offsets-cfg"),
                "output-control-flow-graph-with-basic-blocks",
            ),
            _PRINTS,
        ),
        **dict.fromkeys(
            (
                *("cuda-function-index", "life-range-mode", "no-dataflow", "no-vliw"),
                *("print-instruction-encoding", "print-life-ranges", "print-line-info"),
                *("print-line-info-inline", "print-line-info-ptx", "print-raw"),
                *("separate-functions", "sort-sections"),
            ),
            IN_USE,
        ),
    },
}
"""By tool: the options that its help lists, each with the reason why it is not in the table.

NVRTC, libNVVM, nvJitLink and nvFatbin print no help; ptxas prints its own within nvJitLink.
"""

_PTXAS_HELP = """
from cuda.bindings import nvjitlink
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
locate.load(Tool.NVJITLINK)
handle = nvjitlink.create(2, ["-arch=sm_90", "-Xptxas=--help"])
code = b".version 8.0\\n.target sm_90\\n.address_size 64\\n.visible .entry k() { ret; }\\0"
nvjitlink.add_data(handle, nvjitlink.InputType.PTX, code, len(code), "k.ptx")
nvjitlink.complete(handle)
"""


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


def help_of(tool):
    """The help that a tool prints."""
    if tool == "nvdisasm":
        return subprocess.check_output([locate.nvdisasm(), "--help"], text=True)
    words = [sys.executable, "-c", _PTXAS_HELP]
    return subprocess.run(words, text=True, stdout=subprocess.PIPE, check=False).stdout


@pytest.mark.parametrize("tool", OPTION_COVERAGE)
def test_every_option_of_a_help_is_in_the_table_and_the_table_is_true(tool):
    table, text = OPTION_COVERAGE[tool], help_of(tool)
    listed = set(re.findall(r"^--([\w-]+)", text, re.MULTILINE))
    if BINDINGS >= (13, 4):
        assert set(listed) == set(table)
    of_nvdisasm = {spec.spellings.get(Tool.NVDISASM) for spec in OPTIONS}
    for name in listed:
        if tool == "nvdisasm":
            known = f"--{name}" in of_nvdisasm
        else:
            words = (f"--{name}{value}" for value in ("", "=1", "=true", "=ca", "=wb"))
            known = any(re.fullmatch(code._OF_PTXAS, word) for word in words)
        assert known is (table[name] == IN_USE), name
