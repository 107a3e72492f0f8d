"""Meanings of the result codes of the libraries, for failures without a log."""

from __future__ import annotations

from typing import Any

from cuda.bindings import nvfatbin, nvjitlink, nvrtc, nvvm

_R, _V, _J, _F = nvrtc.nvrtcResult, nvvm.Result, nvjitlink.Result, nvfatbin.Result
_NO_MEMORY = "There was not enough memory."
_BUG = "An error inside the library, which gave no reason."
_BROKEN_CALL = "The library did not accept the call; this is a mistake of jitstudio's."

# A table for each library: codes of two libraries are equal where their numbers are.
WORDS: dict[type, dict[Any, str]] = {
    _R: {
        _R.NVRTC_SUCCESS: "It worked.",
        _R.NVRTC_ERROR_OUT_OF_MEMORY: _NO_MEMORY,
        _R.NVRTC_ERROR_PROGRAM_CREATION_FAILURE: "The module could not be taken in.",
        _R.NVRTC_ERROR_INVALID_INPUT: _BROKEN_CALL,
        _R.NVRTC_ERROR_INVALID_PROGRAM: _BROKEN_CALL,
        _R.NVRTC_ERROR_INVALID_OPTION: "One of the options is not known to this NVRTC.",
        _R.NVRTC_ERROR_COMPILATION: "The source has errors.",
        _R.NVRTC_ERROR_BUILTIN_OPERATION_FAILURE: "NVRTC's builtins could not be used: "
        "libnvrtc-builtins of exactly this version is missing, or another NVRTC was loaded first.",
        _R.NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION: _BROKEN_CALL,
        _R.NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION: _BROKEN_CALL,
        _R.NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID: "A name expression names nothing in the module.",
        _R.NVRTC_ERROR_INTERNAL_ERROR: _BUG,
        _R.NVRTC_ERROR_TIME_FILE_WRITE_FAILED: "The file named by --time cannot be written.",
        _R.NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED: "No precompiled header was to be made.",
        _R.NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED: "The heap for precompiled headers is too small.",
        _R.NVRTC_ERROR_PCH_CREATE: "The precompiled header could not be made.",
        _R.NVRTC_ERROR_CANCELLED: "The compile was cancelled.",
        _R.NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED: "The file named by "
        "--fdevice-time-trace cannot be written.",
        _R.NVRTC_ERROR_BUSY: "NVRTC is busy in another thread.",
    },
    _V: {
        _V.SUCCESS: "It worked.",
        _V.ERROR_OUT_OF_MEMORY: _NO_MEMORY,
        _V.ERROR_PROGRAM_CREATION_FAILURE: "The program could not be created.",
        _V.ERROR_IR_VERSION_MISMATCH: "The module is NVVM IR of a version that this "
        "libNVVM does not read; !nvvmir.version names it.",
        _V.ERROR_INVALID_INPUT: _BROKEN_CALL,
        _V.ERROR_INVALID_PROGRAM: _BROKEN_CALL,
        _V.ERROR_INVALID_IR: "The module is not LLVM IR that this libNVVM reads for this target.",
        _V.ERROR_INVALID_OPTION: "One of the options is not known to this libNVVM.",
        _V.ERROR_NO_MODULE_IN_PROGRAM: "There is no module to compile.",
        _V.ERROR_COMPILATION: "The module could not be compiled.",
        _V.ERROR_CANCELLED: "The compile was cancelled.",
    },
    _J: {
        _J.SUCCESS: "It worked.",
        _J.ERROR_UNRECOGNIZED_OPTION: "One of the options is not known to this nvJitLink.",
        _J.ERROR_MISSING_ARCH: "No target was given: -arch=sm_XX is compulsory.",
        _J.ERROR_INVALID_INPUT: "An input cannot be read, or what was asked for was not made.",
        _J.ERROR_PTX_COMPILE: "ptxas refused the PTX.",
        _J.ERROR_NVVM_COMPILE: "The LTO-IR could not be compiled.",
        _J.ERROR_INTERNAL: _BUG,
        _J.ERROR_THREADPOOL: "The threads for -split-compile could not be used.",
        _J.ERROR_UNRECOGNIZED_INPUT: "An input is of no kind that nvJitLink knows.",
        _J.ERROR_FINALIZE: "The link could not be finished.",
        _J.ERROR_NULL_INPUT: "No option was given: -arch=sm_XX is compulsory.",
        _J.ERROR_INCOMPATIBLE_OPTIONS: "Two of the options do not go together.",
        _J.ERROR_INCORRECT_INPUT_TYPE: "An input is not of the kind that its name promises.",
        _J.ERROR_ARCH_MISMATCH: "An input was made for a target that does not fit the link's.",
        _J.ERROR_OUTDATED_LIBRARY: "This nvJitLink is older than what made an input: update it.",
        _J.ERROR_MISSING_FATBIN: "An object or library holds no device code.",
        _J.ERROR_UNRECOGNIZED_ARCH: "The target is not known to this nvJitLink.",
        _J.ERROR_UNSUPPORTED_ARCH: "The target is no longer, or not yet, served by this nvJitLink.",
        _J.ERROR_LTO_NOT_ENABLED: "LTO-IR is among the inputs: link by LTO (-lto).",
    },
    _F: {
        _F.SUCCESS: "It worked.",
        _F.ERROR_INTERNAL: _BUG,
        _F.ERROR_ELF_ARCH_MISMATCH: "A cubin was made for another target than it was packed for.",
        _F.ERROR_ELF_SIZE_MISMATCH: "A cubin is shorter or longer than it says.",
        _F.ERROR_MISSING_PTX_VERSION: "The PTX does not name its version.",
        _F.ERROR_NULL_POINTER: _BROKEN_CALL,
        _F.ERROR_COMPRESSION_FAILED: "The fatbin could not be compressed.",
        _F.ERROR_COMPRESSED_SIZE_EXCEEDED: "The fatbin is too large to be compressed.",
        _F.ERROR_UNRECOGNIZED_OPTION: "One of the options is not known to this nvFatbin.",
        _F.ERROR_INVALID_ARCH: "A target is not known to this nvFatbin.",
        _F.ERROR_INVALID_NVVM: "An input is not LTO-IR.",
        _F.ERROR_EMPTY_INPUT: "An input is empty.",
        _F.ERROR_MISSING_PTX_ARCH: "The PTX does not name its target.",
        _F.ERROR_PTX_ARCH_MISMATCH: "The PTX was made for another target than it was packed for.",
        _F.ERROR_MISSING_FATBIN: "An object holds no device code.",
        _F.ERROR_INVALID_INDEX: "An index is damaged.",
        _F.ERROR_IDENTIFIER_REUSE: "Two inputs have the same name.",
        _F.ERROR_INTERNAL_PTX_OPTION: "An option kept with the PTX is not valid.",
    },
}


def meaning_of(code: Any) -> str:
    """Returns the name of a result code and the meaning."""
    meaning = WORDS[type(code)].get(code, "This code is not known to jitstudio.")
    return f"{code.name}: {meaning}"
