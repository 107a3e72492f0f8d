"""Which functions of LLVM IR are kernels, and how one is marked, as libNVVM has it."""

from itertools import product

import pytest

from jitstudio.core.code import CodeKind, Source, kind_of
from jitstudio.core.ir_functions import ir_functions, kernel_annotation
from jitstudio.core.launch.choice import build_for_launch
from jitstudio.core.result import Outcome
from jitstudio.ptx.skimming import entries
from tests.support import ROOT, SAMPLES, request

FOREIGN = ROOT / "tests" / "data" / "foreign"
FILES = sorted([*FOREIGN.glob("*.ll"), *SAMPLES.glob("*.ll")])
BODY = "{\n  ret void\n}\n"
HEADS = [
    " ".join(filter(None, ("define", linkage, shown, convention, "void")))
    for linkage, shown, convention in product(
        ("", "weak", "weak_odr"), ("", "dso_local", "hidden"), ("", "fastcc", "ptx_device", "cc 72")
    )
]
CALLED = f"define void @f() {BODY}define void @g() {{\n  call void @f()\n ret void\n}}\n"
# As tutorials write it: a plain function, without annotation, version and today's layout.
SCALE = """; define void @scale(), as tutorials write it
target triple = "nvptx64-nvidia-cuda"
define void @scale({pointer} %data, i32 %n) {{
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = getelementptr float, {pointer} %data, i32 %i
  %value = load float, {pointer} %place
  %twice = fmul float %value, 2.0
  store float %twice, {pointer} %place
  ret void
}}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""


def ll(text):
    return Source("k.ll", CodeKind.LLVM_IR, text.encode())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_kernels_are_those_that_libnvvm_makes(builder, file):
    source = Source(file.name, kind_of(file.name), file.read_bytes())
    built = [builder.build(request(source, arch=arch)) for arch in ("sm_90", "sm_100")]
    for result in (result for result in built if result.outcome is Outcome.BUILT):
        kernels = {f.name for f in ir_functions(source.content.decode()) if f.is_kernel}
        assert kernels == set(entries(result.artifacts[0].text))


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_100"])
def test_what_is_marked_is_a_kernel(builder, arch):
    text = "".join(f"{head} @f{number}() {BODY}" for number, head in enumerate(HEADS))
    functions = ir_functions(text)
    assert len(functions) == len(HEADS)
    assert all(function.can_be_marked for function in functions)
    opaque = arch == "sm_100"
    marks = (kernel_annotation(text, f, n, reads_opaque=opaque) for n, f in enumerate(functions))
    marked = "\n".join((text, *(line for lines in marks for line in lines)))
    assert all(function.is_kernel for function in ir_functions(marked))
    result = builder.build(request(ll(marked), arch=arch))
    assert set(entries(result.artifacts[0].text)) == {f.name for f in functions}


@pytest.mark.parametrize(
    ("text", "obstacle"),
    [
        ("define i32 @f() {\n  ret i32 1\n}\n", "returns a value"),
        ("define {i32, i32} @f() {\n  ret {i32, i32} zeroinitializer\n}\n", "returns a value"),
        (f"define internal void @f() {BODY}", "is internal"),
        (f"define linkonce_odr void @f() {BODY}", "is linkonce_odr"),
        (
            f"define void @f() {BODY}define void @g() {{\n  call void @f()\n ret void\n}}\n",
            "is called",
        ),
    ],
)
def test_what_can_be_no_kernel_says_why(text, obstacle):
    function = ir_functions(text)[0]
    assert function.obstacle.startswith(obstacle)
    assert not function.can_be_marked


@pytest.mark.parametrize(
    ("kernel", "text", "entry"),
    [
        ("scale", SCALE, "scale"),
        ("", SCALE, "scale"),
        ("other", SCALE, ""),
        ("scale", SCALE.replace("@scale", "@_Z5scalePfi"), "_Z5scalePfi"),
        ("", SCALE + f"define void @more() {BODY}", ""),
        ("more", SCALE + f"define void @more() {BODY}", "more"),
        ("", SCALE + f"define ptx_kernel void @more() {BODY}", ""),
        ("more", SCALE + f"define ptx_kernel void @more() {BODY}", ""),
        ("scale", SCALE + f"define ptx_kernel void @more() {BODY}", "scale"),
    ],
)
def test_a_launch_marks_the_function_that_it_means(kernel, text, entry):
    assert build_for_launch(request(ll(text)), kernel).entry == entry


@pytest.mark.parametrize(("arch", "pointer"), [("sm_90", "float*"), ("sm_100", "ptr")])
def test_a_plain_function_is_marked_in_the_copy(builder, arch, pointer):
    source = ll(SCALE.format(pointer=pointer))
    plain = builder.build(request(source, arch=arch))
    assert plain.kernels == ()
    result = builder.build(build_for_launch(request(source, arch=arch), "scale"))
    assert [kernel.name for kernel in result.kernels] == ["scale"]
    type_ = "ptr" if arch == "sm_100" else "void (float*, i32)*"
    said = f'the copy for libNVVM says !{{{type_} @scale, !"kernel", i32 1}}.'
    assert f"k.ll has no mark of a kernel at @scale: {said}" in result.stages[0].log.splitlines()
    (said,) = result.diagnostics
    assert (said.file, said.line, said.severity.value) == ("k.ll", 3, "info")


MORE = {
    "nothing": "",
    "a function that returns": "define float @more(float %x) {\n  ret float %x\n}\n",
    "an internal one": f"define internal void @more() {BODY}",
    "another one": f"define void @more() {BODY}",
    "a kernel": f"define ptx_kernel void @more() {BODY}",
}


@pytest.mark.parametrize("more", MORE)
def test_commands_mark_the_function_that_a_launch_would(run, tmp_path, more):
    text = SCALE.format(pointer="ptr") + MORE[more]
    entry = build_for_launch(request(ll(text), arch="sm_100"), "").entry
    marked = [entry] if entry else []
    kernels = [*marked, *(["more"] if more == "a kernel" else [])]
    path = tmp_path / "k.ll"
    path.write_text(text)
    options = (path, "--arch", "sm_100", "--json")
    answers = [run("build", *options, "--emit", "ptx", "-o", tmp_path).json]
    assert list(entries((tmp_path / "k.ptx").read_text())) == kernels
    answers += [run("inspect", *options).json]
    assert [kernel["name"] for kernel in answers[1]["kernels"]] == kernels
    for answer in answers:
        said = [d["message"] for d in answer["diagnostics"] if d["line"] == 3]
        assert said == [
            f"Nothing marks @{name} as a kernel: the copy for libNVVM does." for name in marked
        ]
    assert path.read_text() == text
    ltoir = run("build", *options, "--emit", "ltoir", "-o", tmp_path).json
    assert not any("marks @" in d["message"] for d in ltoir["diagnostics"])


PARAMETERS = "i32 addrspace(1)* noalias nocapture %out, <2 x float> %v, {i32, i8}* %s, i32 signext"


@pytest.mark.parametrize(
    ("parameters", "reads_opaque", "type_"),
    [
        (PARAMETERS, False, "void (i32 addrspace(1)*, <2 x float>, {i32, i8}*, i32)*"),
        (PARAMETERS, True, "void (i32 addrspace(1)*, <2 x float>, {i32, i8}*, i32)*"),
        ("ptr %p, i32 %n", False, "ptr"),
        ("i32 %ptr", False, "void (i32)*"),
        ("i32 %n", True, "ptr"),
    ],
)
def test_an_annotation_is_in_the_dialect_of_its_module(parameters, reads_opaque, type_):
    text = f"; define void @no()\n!3 = !{{}}\ndefine void @k({parameters}) #0 {{"
    (function,) = ir_functions(text)
    lines = ["!nvvm.annotations = !{!4}", f'!4 = !{{{type_} @k, !"kernel", i32 1}}']
    assert kernel_annotation(text, function, reads_opaque=reads_opaque) == lines
