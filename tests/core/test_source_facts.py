from jitstudio.core.source_facts import (
    free_metadata,
    kernel_annotation,
    ptx_target,
)

PARAMETERS = "i32 addrspace(1)* noalias nocapture %out, <2 x float> %v, {i32, i8}* %s, i32 signext"


def test_an_annotation_of_typed_pointers_names_the_type():
    code = f"; define void @no()\ndefine void @fill({PARAMETERS}) #0 {{"
    type_ = "void (i32 addrspace(1)*, <2 x float>, {i32, i8}*, i32)*"
    assert kernel_annotation(code, typed_pointers=True) == f"{type_} @fill"
    assert kernel_annotation(code, typed_pointers=False) == "ptr @fill"


def test_a_function_of_the_module_alone_is_no_kernel():
    code = "define internal void @helper() {\n}\ndefine i32 @f() {\n}\ndefine void @k() {\n}\n"
    assert kernel_annotation(code, typed_pointers=False) == "ptr @k"
    assert kernel_annotation("define i32 @f() {\n}\n", typed_pointers=False) is None


def test_the_first_free_number_of_metadata():
    assert free_metadata("!a = !{!0, !7}\n!0 = !{}\n!7 = !{}\n") == "8"
    assert free_metadata("define void @k()") == "0"


def test_the_target_of_ptx():
    assert ptx_target(".version 8.0\n.target sm_90a, debug\n") == "sm_90a"
    assert ptx_target("mov.u32 %r1, 0;") is None
