import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import nvvm
from tests.support import IR_CALLED, IR_CALLER, sample

K = CodeKind
TYPED = sample("fill_typed.ll").content
OPAQUE = sample("fill_opaque.ll").content


def compiled(content, *options, makes=K.PTX):
    return nvvm.compile_ir(
        Job(Tool.NVVM, "v.ll", ((Ref(K.LLVM_IR, "v.ll"), content),), (makes,), options)
    )


def test_the_version_has_two_numbers():
    assert len(list(map(int, nvvm.version().split(".")))) == 2


@pytest.mark.parametrize(
    ("arch", "typed"), [(Arch(75), True), (Arch(90), True), (Arch(100), False)]
)
def test_the_dialect_changes_with_blackwell(arch, typed):
    dialect = nvvm.llvm_dialect(arch)
    assert (dialect == 7) is typed
    assert typed or dialect > 15


def test_an_arch_nobody_knows_has_no_dialect():
    assert nvvm.llvm_dialect(Arch(99)) is None


@pytest.mark.parametrize(("content", "arch"), [(TYPED, "90"), (OPAQUE, "100")])
def test_both_dialects_become_ptx(content, arch):
    report = compiled(content, f"-arch=compute_{arch}")
    assert report.ok, report.error_log
    text = report.code[K.PTX].decode()
    assert f".target sm_{arch}" in text
    assert ".visible .entry fill(" in text
    assert "\0" not in text


def test_ltoir_is_made():
    report = compiled(TYPED, "-arch=compute_90", "-gen-lto", makes=K.LTOIR)
    assert report.ok
    assert len(report.code[K.LTOIR]) > 500


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        (OPAQUE, ("-arch=compute_90",), "parse expected type"),
        (TYPED, ("-arch=sm_90",), "-arch=sm_90 is an unsupported option"),
        (TYPED, ("-arch=compute_90", "--bogus"), "--bogus is an unsupported option"),
        (
            TYPED.replace(b"!{i32 2, i32 0}", b"!{i32 1, i32 4}"),
            ("-arch=compute_90",),
            "IR version 1.4 incompatible",
        ),
        (b"hello", ("-arch=compute_90",), "v.ll (1, 0): parse expected top-level entity"),
        (b"BC\xc0\xdehello", ("-arch=compute_90",), "Invalid bitcode signature"),
    ],
)
def test_what_is_refused_leaves_its_log(content, options, words):
    report = compiled(content, *options)
    assert not report.ok
    assert words in report.error_log
    assert report.code == {}


def test_what_does_not_parse_is_told_the_dialect_of_the_target():
    assert "reads LLVM 7 with typed pointers" in compiled(OPAQUE, "-arch=compute_90").log
    broken = OPAQUE.replace(b"define", b"defined")
    assert "opaque pointers" in compiled(broken, "-arch=compute_100").log


def test_typed_pointers_for_a_target_of_opaque_ones_are_told():
    note = "v.ll has typed pointers (line "
    blackwell = compiled(TYPED, "-arch=compute_100")
    assert blackwell.ok, blackwell.error_log
    assert note in blackwell.log
    assert "with opaque pointers, and has taken them for ptr." in blackwell.log
    # What it makes of them is what it makes of opaque ones.
    opaque = compiled(OPAQUE, "-arch=compute_100")
    assert note not in opaque.log
    assert note not in compiled(TYPED, "-arch=compute_90").log


def program(*modules, libraries=(), libdevice=False):
    refs = [(Ref(K.LLVM_IR, name), text.encode()) for name, text in modules]
    lazy = [(Ref(K.LLVM_IR, name), code) for name, code in libraries]
    job = Job(
        Tool.NVVM,
        "k.ll",
        tuple(refs),
        (K.PTX,),
        ("-arch=compute_90",),
        libraries=tuple(lazy),
        libdevice=libdevice,
    )
    return nvvm.compile_ir(job)


def test_several_modules_become_one_program():
    report = program(("k.ll", IR_CALLER), ("twice.ll", IR_CALLED))
    assert report.ok, report.error_log
    text = report.code[K.PTX].decode()
    assert ".visible .entry k(" in text
    assert ".func  (.param .b32 func_retval0) twice(" in text
    assert ".extern .func  (.param .b32 func_retval0) __nv_sinf" in text


def test_libdevice_is_taken_from_by_choice_and_only_what_is_called():
    report = program(("k.ll", IR_CALLER), ("twice.ll", IR_CALLED), libdevice=True)
    assert report.ok, report.error_log
    text = report.code[K.PTX].decode()
    assert "__nv_sinf" not in text
    assert "__nv_cosf" not in text
    assert len(text) < 20_000


def test_a_library_in_text_is_added_as_a_whole_and_that_is_told():
    report = program(("k.ll", IR_CALLER), libraries=[("twice.ll", IR_CALLED.encode())])
    assert report.ok, report.error_log
    assert ") other(" in report.code[K.PTX].decode()
    assert "twice.ll is text: all of it was added" in report.log


def test_a_library_of_bitcode_is_added_lazily():
    library = nvvm._libdevice()
    report = program(
        ("k.ll", IR_CALLER), ("twice.ll", IR_CALLED), libraries=[("libdevice.bc", library)]
    )
    assert report.ok, report.error_log
    assert "__nv_sinf" not in report.code[K.PTX].decode()


def test_what_the_verifier_refuses_is_not_compiled():
    report = program(("k.ll", IR_CALLER.replace("ret void", "br label %x")))
    assert not report.ok
    assert "k.ll (20, 11): parse '%x' is not a basic block" in report.error_log
    assert "verifier refused it" in report.log
