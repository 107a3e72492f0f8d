"""The logs are real ones, of NVRTC and libNVVM 13.4 and nvJitLink 13.5."""

import pytest

from jitstudio.core.diagnostics import Diagnostic, Severity, diagnose, diagnostic_line
from jitstudio.core.tools import Tool

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


def read(tool, error_log, *, source="k.cu", ok=False, log="", stderr=""):
    """Severity, place and message of each diagnostic."""
    return [
        (d.severity, d.file, d.line, d.column, d.message)
        for d in diagnose(tool, source, ok, log, error_log, stderr)
    ]


def test_errors_of_nvrtc_have_line_and_column():
    log = """\
broken.cu(7): error: class "uint3" has no member "w"
      int i = blockIdx.x * blockDim.x + threadIdx.w;
                                                  ^

broken.cu(9): error: identifier "facto" is undefined
          data[i] *= facto;
                     ^

2 errors detected in the compilation of "broken.cu"."""
    assert read(Tool.NVRTC, log, source="broken.cu") == [
        (ERROR, "broken.cu", 7, 49, 'class "uint3" has no member "w"'),
        (ERROR, "broken.cu", 9, 20, 'identifier "facto" is undefined'),
    ]


def test_a_tab_counts_as_one_column():
    log = 't.cu(2): error: identifier "y" is undefined\n  \t\tint x = y; }\n  \t\t        ^\n'
    assert read(Tool.NVRTC, log) == [(ERROR, "t.cu", 2, 11, 'identifier "y" is undefined')]


def test_a_warning_of_a_good_compile_keeps_its_number():
    log = """\
w.cu(2): warning #177-D: variable "x" was declared but never referenced
  \tint x;
  \t    ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>\""""
    message = 'variable "x" was declared but never referenced [#177-D]'
    assert read(Tool.NVRTC, "", ok=True, log=log) == [(WARNING, "w.cu", 2, 6, message)]


def test_the_number_of_a_warning_is_a_value_too():
    log = 'w.cu(2): warning #177-D: variable "x" was declared but never referenced'
    (found,) = diagnose(Tool.NVRTC, "w.cu", True, log, "")
    assert found.number == "177-D"


def test_remarks_of_the_optimiser():
    log = "remark: w.cu:1:53: _Z1gi will not be inlined into _Z2hhi\n"
    message = "_Z1gi will not be inlined into _Z2hhi"
    assert read(Tool.NVRTC, "", ok=True, log=log) == [(INFO, "w.cu", 1, 53, message)]


def test_an_error_in_a_header_names_the_header():
    log = 'inc/my header.cuh(12): error: expected a ";"\n  int x\n       ^\n'
    assert read(Tool.NVRTC, log)[0][1:4] == ("inc/my header.cuh", 12, 6)


def test_a_missing_header_is_an_error_like_any_other():
    log = """\
k.cu(1): catastrophic error: cannot open source file "x.h"
  #include "x.h"
            ^
"""
    assert read(Tool.NVRTC, log) == [(ERROR, "k.cu", 1, 11, 'cannot open source file "x.h"')]


def test_an_error_at_the_end_of_the_source_has_no_line():
    log = 'At end of source: error: expected a ")"\n'
    assert read(Tool.NVRTC, log) == [(ERROR, "k.cu", None, None, 'expected a ")"')]


def test_an_error_in_a_name_expression_is_not_blamed_on_line_two():
    log = """\
__nv_name_map(2): error: identifier "nothing" is undefined
  #pragma nv_mangled_name nothing
                          ^

__nv_name_map(2): error: Error in parsing name expression for lowered name lookup. Input name \
expression was: " nothing"
  #pragma nv_mangled_name nothing
                          ^
"""
    message = """In the name expression 'nothing': identifier "nothing" is undefined"""
    assert read(Tool.NVRTC, log) == [(ERROR, "k.cu", None, None, message)]


def test_a_refused_option_of_nvrtc():
    log = "nvrtc: error: invalid value for --gpu-architecture (-arch)"
    message = "invalid value for --gpu-architecture (-arch)"
    assert read(Tool.NVRTC, log) == [(ERROR, "k.cu", None, None, message)]


def test_ptxas_inside_nvrtc_talks_of_lines_of_the_ptx():
    log = """\
ptxas application ptx input, line 26; error   : Not a name of any known instruction: 'frobnicate'
ptxas fatal   : Ptx assembly aborted due to errors"""
    message = "Not a name of any known instruction: 'frobnicate'"
    assert read(Tool.NVRTC, log, source="src/asm.cu") == [(ERROR, "src/asm.ptx", 26, None, message)]


def test_an_unresolved_function_has_no_line():
    log = "ptxas fatal   : Unresolved extern function 'user_transform'"
    message = "Unresolved extern function 'user_transform'"
    assert read(Tool.NVRTC, log) == [(ERROR, "k.cu", None, None, message)]


def test_a_parse_error_of_libnvvm_counts_columns_from_one():
    log = "v.ll (28, 6): parse value doesn't match function result type 'void'"
    message = "parse value doesn't match function result type 'void'"
    assert read(Tool.NVVM, log, source="v.ll") == [(ERROR, "v.ll", 28, 7, message)]


def test_an_error_of_libnvvm_without_a_line():
    log = """\
v.ll: error: IR version 1.0 incompatible with current version 2.0

Consider inserting/updating nvvmir.version module metadata. For example:
!nvvmir.version = !{!0}"""
    message = "IR version 1.0 incompatible with current version 2.0"
    assert read(Tool.NVVM, log, source="v.ll") == [(ERROR, "v.ll", None, None, message)]


def test_what_the_verifier_of_libnvvm_says_on_several_lines_is_one_message():
    log = """\
error: Warning: : Global Variable `llvm.global_ctors':
  context: @llvm.global_ctors = appending global [1 x ptr] [ptr @c]
  llvm.global_ctors is not supported.
Error: :  Function `f' Basic Block `entry':
  context:   fence seq_cst
  Illegal instruction: fence
"""
    ctors = (
        "Global Variable `llvm.global_ctors': context: @llvm.global_ctors = appending global "
        "[1 x ptr] [ptr @c] llvm.global_ctors is not supported."
    )
    fence = "Function `f' Basic Block `entry': context:   fence seq_cst Illegal instruction: fence"
    assert read(Tool.NVVM, log, source="v.ll") == [
        (Severity.WARNING, "v.ll", None, None, ctors),
        (ERROR, "v.ll", None, None, fence),
    ]


def test_a_refused_option_of_libnvvm():
    log = "libnvvm : error: --bogus is an unsupported option"
    found = read(Tool.NVVM, log, source="v.ll")
    assert found == [(ERROR, "v.ll", None, None, "--bogus is an unsupported option")]


def test_the_trailer_of_nvjitlink_names_the_module_of_the_errors_before_it():
    log = """\
ptxas application ptx input, line 6; error   : Not a name of any known instruction: 'frob'
ptxas application ptx input, line 6; error   : Unknown symbol '%r1'
ptxas fatal   : Ptx assembly aborted due to errors
ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (bad.ptx)"""
    assert read(Tool.NVJITLINK, log, source="linked") == [
        (ERROR, "bad.ptx", 6, None, "Not a name of any known instruction: 'frob'"),
        (ERROR, "bad.ptx", 6, None, "Unknown symbol '%r1'"),
    ]


def test_a_ptx_version_that_is_too_new_points_at_its_line():
    log = """\
ptxas application ptx input, line 1; fatal   : Unsupported .version 99.0; current version is '9.5'
ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (new.ptx)"""
    message = "Unsupported .version 99.0; current version is '9.5'"
    assert read(Tool.NVJITLINK, log, source="linked") == [(ERROR, "new.ptx", 1, None, message)]


def test_an_undefined_reference_is_told_once():
    log = "error   : Undefined reference to 'multiply' in 'scale.ptx'\nERROR 9: complete"
    message = "Undefined reference to 'multiply' in 'scale.ptx'"
    assert read(Tool.NVJITLINK, log, source="linked") == [(ERROR, "linked", None, None, message)]


def test_brackets_around_an_option_are_no_file():
    log = "ERROR 1: LTO-IR input cannot be used without LTO enabled (-lto)"
    message = "LTO-IR input cannot be used without LTO enabled (-lto)"
    assert read(Tool.NVJITLINK, log, source="linked") == [(ERROR, "linked", None, None, message)]


def test_a_duplicate_that_nvjitlink_tells_on_stderr_only_is_a_warning():
    stderr = "error   : Multiple definition of 'f' in 'b.ptx', first defined in 'b.ptx'"
    message = "Multiple definition of 'f' in 'b.ptx', first defined in 'b.ptx'"
    assert read(Tool.NVJITLINK, "", source="linked", ok=True, stderr=stderr) == [
        (WARNING, "linked", None, None, message)
    ]


def test_numbers_of_ptxas_are_no_diagnostics():
    log = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'scale' for 'sm_90'
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 0 barriers
info    : used 24 registers, used 4 barriers, 0 stack, 0 bytes smem, 544 bytes cmem[0]"""
    assert read(Tool.NVJITLINK, "", ok=True, log=log) == []


def test_a_failure_in_no_known_form_is_told_as_a_whole():
    log = "ERROR NVVM_ERROR not found (90) in LTOIR arch newer than target arch"
    assert read(Tool.NVJITLINK, log, source="linked") == [(ERROR, "linked", None, None, log)]


def test_a_silent_failure_is_told_all_the_same():
    assert read(Tool.NVVM, "") == [(ERROR, "k.cu", None, None, "libNVVM failed and said nothing.")]


def test_a_front_end_without_memory_is_put_into_words():
    log = "Loop in catastrophic error processing.\n2 catastrophic errors detected."
    ((severity, _, _, _, message),) = read(Tool.NVRTC, log)
    assert severity is ERROR
    assert message == f"NVRTC ran out of memory. {log}"


def test_the_same_diagnostic_is_told_once():
    line = 'h.cuh(3): error: expected a ";"\n'
    assert len(read(Tool.NVRTC, line + line)) == 1


@pytest.mark.parametrize("tool", [tool for tool in Tool if tool is not Tool.PYTHON])
def test_a_line_of_ten_megabytes_is_read_quickly_and_cut(tool):
    log = 'k.cu(1): error: identifier "' + "y" * 10_000_000 + '" is undefined\n'
    ((_, file, line, _, message),) = read(tool, log)
    assert (file, line) == ("k.cu", 1)
    assert len(message) < 5_000


def test_a_diagnostic_knows_the_tool_that_said_it():
    (found,) = diagnose(Tool.NVVM, "v.ll", False, "", "libnvvm : error: x")
    assert found == Diagnostic(ERROR, "v.ll", None, None, "x", Tool.NVVM)


@pytest.mark.parametrize(
    ("diagnostic", "line"),
    [
        (
            Diagnostic(ERROR, "saxpy.cu", 12, 17, 'identifier "blockIdxx" is undefined'),
            'saxpy.cu:12:17: error: identifier "blockIdxx" is undefined',
        ),
        (
            Diagnostic(INFO, "atomic_ops.cuh", 120, None, "Left unsaid"),
            "atomic_ops.cuh:120: info: Left unsaid",
        ),
        (
            Diagnostic(ERROR, "", None, None, "Nothing is open.\nOpen a file."),
            "error: Nothing is open.\nOpen a file.",
        ),
    ],
)
def test_a_diagnostic_is_told_as_editors_know_it(diagnostic, line):
    assert diagnostic_line(diagnostic) == line
