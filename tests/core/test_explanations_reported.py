"""What cannot be provoked here is explained by the words that people have reported."""

from dataclasses import replace

import pytest

from jitstudio.core.diagnostics import FixKind, Severity
from jitstudio.core.explanations import explained
from jitstudio.core.request import Assembler, LinkMode
from jitstudio.core.result import StageResult
from jitstudio.core.tools import Tool
from tests.core.explaining import mended, told
from tests.core.failures import CALLEE, CALLER, NVRTC, NVVM, REPORTED, ll, reported


@pytest.mark.parametrize(("id_", "tool", "message"), REPORTED)
def test_a_reported_failure_is_explained(id_, tool, message):
    assert told(id_, explained(*reported(message, tool))).explanation


@pytest.mark.parametrize(
    "message",
    [
        "incompatible IR detected. Possible mix of compiler/IR from different releases.",
        "IR version 1.0 incompatible with current version 2.0",
        "Module does not contain a triple, should be 'nvptx64-'",
        "Empty target data layout, must exist",
    ],
)
def test_bitcode_lacks_what_text_is_supplied_with(message):
    built, result = reported(message, NVVM)
    bitcode = replace(ll(""), content=b"BC\xc0\xde5\x14")
    built = replace(built, sources=(bitcode,))
    assert told("bitcode-lacks", explained(built, result)).fix is None


def test_bitcode_without_a_layout_is_what_brings_libnvvm_down():
    built, result = reported("libNVVM crashed on this input (SIGABRT: it gave up).", NVVM)
    built = replace(built, sources=(replace(ll(""), content=b"BC\xc0\xde5\x14"),))
    assert "llvm-dis" in told("nvvm-crash-of-bitcode", explained(built, result)).explanation


def test_remarks_that_nobody_asked_for_are_a_leak():
    said = reported("_Z1gi will not be inlined into _Z2hhi", NVRTC, Severity.INFO)
    assert told("option-leaks", explained(*said))


def test_ptx_of_a_compile_to_lto_ir_is_empty():
    built, result = reported("Compiled, but there is no kernel in the result.", None)
    stage = StageResult(NVRTC, "13.4", "k.ll", ("-arch=sm_90", "-dlto"), True, 1.0)
    assert told("ptx-empty-after-lto", explained(built, replace(result, stages=(stage,))))


def test_ptx_that_is_too_new_for_the_driver_is_assembled_by_nvjitlink():
    built, result = reported("CUDA_ERROR_UNSUPPORTED_PTX_VERSION", None)
    by_driver = replace(built, assembler=Assembler.DRIVER)
    found = told("ptx-too-new-for-driver", explained(by_driver, result))
    assert mended(by_driver, found.fix).assembler is Assembler.NVJITLINK


def test_a_link_is_offered_only_where_there_is_something_to_link_with():
    built, result = reported("Unresolved extern function 'f'", Tool.NVJITLINK)
    alone = told("unresolved-in-only-module", explained(built, result))
    assert (alone.fix.kind, alone.fix.value) == (FixKind.OPEN_FILES, "f")
    both = replace(built, sources=(CALLER, CALLEE))
    found = told("unresolved-at-compile", explained(both, result))
    assert found.fix.kind is FixKind.SET_LINK_MODE
    linked = replace(both, link=LinkMode.PTX)
    assert told("undefined-reference", explained(linked, result)).fix.kind is FixKind.OPEN_FILES


def test_an_unknown_failure_is_told_as_it_is():
    built, result = reported('expected a ";"', NVRTC)
    assert explained(built, result).diagnostics == result.diagnostics
