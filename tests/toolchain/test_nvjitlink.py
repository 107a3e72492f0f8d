import re
import shutil
import subprocess
from dataclasses import replace
from random import Random

import pytest

from jitstudio.core.code import LINKED, CodeKind, Source
from jitstudio.core.diagnostics import diagnose
from jitstudio.core.kernel_resources import cubin_resources, kernels_of
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import nvfatbin, nvjitlink, nvrtc
from tests.core.remarks import REMARKS
from tests.support import cuda, ptx, request, sample

K = CodeKind
SCALE, MULTIPLY = sample("scale.ptx"), sample("multiply.ptx")


def linked(*sources, makes=K.CUBIN, options=()):
    inputs = tuple((Ref(source.kind, source.name), source.content) for source in sources)
    return nvjitlink.link(Job(Tool.NVJITLINK, LINKED, inputs, (makes,), ("-arch=sm_90", *options)))


@pytest.fixture(scope="module")
def lto_modules():
    modules = []
    for name in ("apply_transform.cu", "user_transform.cu"):
        source = sample(name)
        job = Job(
            Tool.NVJITLINK,
            name,
            ((Ref(K.CUDA, name), source.content),),
            (K.LTOIR,),
            ("-arch=compute_90", "-dlto"),
        )
        made = nvrtc.compile_cuda(job).code[K.LTOIR]
        modules.append((Ref(K.LTOIR, name), made))
    return tuple(modules)


def test_the_version_has_two_numbers():
    major, minor = map(int, nvjitlink.version().split("."))
    assert (major, minor) >= (13, 0)


def test_two_ptx_modules_become_one_cubin():
    report = linked(SCALE, MULTIPLY)
    assert report.ok, report.error_log
    assert tuple(cubin_resources(report.code[K.CUBIN])) == ("scale",)


def test_lto_makes_a_cubin_and_ptx_without_a_call(lto_modules):
    options = ("-arch=sm_90", "-lto")
    made = nvjitlink.link(Job(Tool.NVJITLINK, LINKED, lto_modules, (K.CUBIN,), options)).code[
        K.CUBIN
    ]
    assert tuple(cubin_resources(made)) == ("apply_transform",)
    text = nvjitlink.link(
        Job(Tool.NVJITLINK, LINKED, lto_modules, (K.PTX,), (*options, "-ptx"))
    ).code[K.PTX]
    assert b".entry apply_transform" in text
    assert b"call" not in text
    assert not text.endswith(b"\0")


def test_registers_are_told_when_asked_for():
    report = linked(SCALE, MULTIPLY, options=("-verbose",))
    assert report.ok
    assert "registers" in report.log


def test_a_missing_function_is_named():
    report = linked(SCALE)
    assert not report.ok
    assert "Undefined reference to 'multiply' in 'scale.ptx'" in report.error_log
    assert report.code == {}


def test_a_missing_function_is_an_error_after_a_ptx_version_too_new_as_well():
    too_new = ptx("new.ptx", ".visible .entry k() { ret; }")
    text = too_new.content.replace(b".version 8.0", b".version 99.0")
    job = Job(
        Tool.NVJITLINK, LINKED, ((Ref(K.PTX, "new.ptx"), text),), (K.CUBIN,), ("-arch=sm_90",)
    )
    first = nvjitlink.link(job)
    assert "Unsupported .version 99.0" in first.error_log
    report = linked(SCALE)
    assert not report.ok
    assert report.code == {}
    assert linked(SCALE, MULTIPLY).ok


def test_an_unknown_option_is_named_though_there_is_no_log():
    report = linked(SCALE, options=("--bogus",))
    assert not report.ok
    assert "UNRECOGNIZED_OPTION" in report.error_log
    assert "--bogus" in report.error_log


@pytest.mark.parametrize("kind", [K.PTX, K.CUBIN, K.LTOIR, K.FATBIN, K.OBJECT, K.LIBRARY])
def test_bytes_of_another_kind_are_refused(kind):
    job = Job(
        Tool.NVJITLINK, LINKED, ((Ref(kind, "x"), b"hello"),), (K.CUBIN,), ("-arch=sm_90", "-lto")
    )
    report = nvjitlink.link(job)
    assert not report.ok
    assert re.search("bad input|unrecognized input type", report.error_log)


def test_ltoir_without_lto_is_refused_in_words(lto_modules):
    report = nvjitlink.link(Job(Tool.NVJITLINK, LINKED, lto_modules, (K.CUBIN,), ("-arch=sm_90",)))
    assert not report.ok
    assert "LTO-IR input cannot be used without LTO enabled" in report.error_log


def test_ltoir_for_a_newer_target_is_refused_in_words(lto_modules):
    report = nvjitlink.link(
        Job(Tool.NVJITLINK, LINKED, lto_modules, (K.CUBIN,), ("-arch=sm_80", "-lto"))
    )
    assert not report.ok
    assert "LTOIR arch newer than target arch" in report.error_log


CALLER = 'extern "C" __device__ int f(int); extern "C" __global__ void k(int* p) { *p = f(*p); }\n'
CALLED = 'extern "C" __device__ int f(int x) { return x * 3; }\n'


def relocatable(text, kind, *options, arch=""):
    arch = arch or ("-arch=sm_90" if kind is K.CUBIN else "-arch=compute_90")
    source = ((Ref(K.CUDA, "k.cu"), text.encode()),)
    job = Job(Tool.NVRTC, "k.cu", source, (kind,), (arch, *options))
    return nvrtc.compile_cuda(job).code[kind]


def archive(name, member):
    """A static library with one member."""
    head = f"{name + '/':<16}{0:<12}{0:<6}{0:<6}{'644':<8}{len(member):<10}`\n".encode()
    return b"!<arch>\n" + head + member + b"\n" * (len(member) % 2)


def fatbin(code):
    part = (Ref(K.CUBIN, "f.cu@sm_90"), code)
    return nvfatbin.pack(Job(Tool.NVFATBIN, "f.cu", (part,), (K.FATBIN,), ())).code[K.FATBIN]


MADE_OF_A_CUBIN = {
    K.CUBIN: lambda code: code,
    K.OBJECT: lambda code: code,
    K.FATBIN: fatbin,
}


def linked_with_caller(kind, code):
    inputs = (
        (Ref(K.PTX, "k.cu"), relocatable(CALLER, K.PTX, "-rdc=true")),
        (Ref(kind, f"f{kind.ending}"), code),
    )
    return nvjitlink.link(Job(Tool.NVJITLINK, LINKED, inputs, (K.CUBIN,), ("-arch=sm_90",)))


@pytest.mark.parametrize("kind", MADE_OF_A_CUBIN)
def test_a_function_is_found_in_every_kind_that_holds_machine_code(kind):
    code = MADE_OF_A_CUBIN[kind](relocatable(CALLED, K.CUBIN, "-rdc=true"))
    report = linked_with_caller(kind, code)
    assert report.ok, report.error_log
    assert tuple(cubin_resources(report.code[K.CUBIN])) == ("k",)


@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("gcc")), reason="needs nvcc and gcc")
def test_a_function_is_found_in_objects_and_libraries_of_nvcc(tmp_path):
    (tmp_path / "f.cu").write_text(CALLED)
    words = ["nvcc", "-rdc=true", "-arch=sm_90", "-c", "f.cu", "-o", "f.o"]
    subprocess.run(words, cwd=tmp_path, check=True)
    code = (tmp_path / "f.o").read_bytes()
    for kind, content in ((K.OBJECT, code), (K.LIBRARY, archive("f.o", code))):
        report = linked_with_caller(kind, content)
        assert report.ok, report.error_log
        assert tuple(cubin_resources(report.code[K.CUBIN])) == ("k",)


def test_linked_ltoir_comes_with_the_cubin_and_can_be_linked_again(lto_modules):
    job = Job(Tool.NVJITLINK, LINKED, lto_modules, (K.CUBIN, K.LTOIR), ("-arch=sm_90", "-lto"))
    made = nvjitlink.link(job).code
    assert tuple(cubin_resources(made[K.CUBIN])) == ("apply_transform",)
    again = ((Ref(K.LTOIR, "again"), made[K.LTOIR]),)
    second = nvjitlink.link(replace(job, inputs=again, makes=(K.CUBIN,)))
    assert tuple(cubin_resources(second.code[K.CUBIN])) == ("apply_transform",)


def test_ptx_that_was_not_asked_for_is_refused_in_words(lto_modules):
    job = Job(Tool.NVJITLINK, LINKED, lto_modules, (K.CUBIN, K.PTX), ("-arch=sm_90", "-lto"))
    report = nvjitlink.link(job)
    assert not report.ok
    assert "what was asked for was not made" in report.error_log
    assert report.code == {}


def test_spills_are_asked_for_and_the_options_really_sent_are_told():
    report = linked(SCALE, MULTIPLY)
    assert report.options == ("-arch=sm_90", "-Xptxas=-v")
    ((_, resources),) = kernels_of(report.code[K.CUBIN], report.log)
    assert resources.registers > 0
    assert (resources.spill_stores, resources.spill_loads) == (0, 0)


@pytest.mark.parametrize(
    "option",
    [
        "-O3",
        "-g",
        "-lineinfo",
        "-maxrregcount=32",
        "-ftz=1",
        "-fma=0",
        "-prec-div=0",
        "-prec-sqrt=0",
        "-split-compile=2",
        "-kernels-used=scale",
        "-variables-used=none",
        "-optimize-unused-variables",
        "-Xptxas=-O1",
        "-Xnvvm=-opt=0",
        "-time",
        "-verbose",
    ],
)
def test_every_link_option_is_taken(option):
    report = linked(SCALE, MULTIPLY, options=(option,))
    assert report.ok, report.error_log
    assert option in report.options


def test_no_option_at_all_is_told_apart_from_an_unknown_one():
    job = Job(Tool.NVJITLINK, LINKED, (), (K.PTX,), ())
    report = nvjitlink.link(job)
    assert "NULL_INPUT" in report.error_log
    assert "-arch=sm_XX is compulsory" in report.error_log


PRODUCTS = REMARKS[1].request.sources[0].content.decode()
# Two modules have a function of one name, which no other module sees.
PRAGMA = """\
.func same() {{
{space}.pragma "unknown {name}";
ret; }}
.visible .{kind} {name}() {{ call same; ret; }}
"""


def with_remark(name, space, kind):
    """A module that ptxas has one remark on."""
    space = "\n" * space
    if kind in ("entry", "func"):
        return ptx(f"{name}.ptx", PRAGMA.format(space=space, name=name, kind=kind))
    text = space + PRODUCTS.replace(" k(", f" {name}(")
    if kind == "cu":
        return cuda(text, f"{name}.cu")
    options = ("-rdc=true", "-lineinfo")
    code = relocatable(text, K.PTX, *options, arch="-arch=compute_90a")
    return Source(f"{name}.ptx", K.PTX, space.encode() + code)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("link", ["ptx", "lto"])
def test_remarks_in_a_link_have_the_places_that_each_module_has_alone(builder, seed, link):
    random = Random(seed)
    kinds = ["cu", "cu"] if link == "lto" else ["cu", "ptx", "entry", "func", "cu"]
    random.shuffle(kinds)
    modules = [with_remark(f"k{n}", random.randrange(9), kind) for n, kind in enumerate(kinds)]
    builds = [builder.build(request(*modules, arch="sm_90a", emit="cubin", link=link))]
    builds += [builder.build(request(module, arch="sm_90a", emit="cubin")) for module in modules]
    assert all(build.ok for build in builds)
    # Of a module without kernels alone there is a second warning, which is not ptxas'.
    remarks = re.compile("Performance|Pragma")
    whole, *alone = (
        {(d.file, d.line) for d in build.diagnostics if remarks.search(d.message)}
        for build in builds
    )
    assert whole == set().union(*alone)
    assert {file for file, _ in whole} == {module.name for module in modules}


def test_remarks_on_code_in_a_library_have_no_place_in_a_text_that_nobody_has():
    """The PTX in a fatbin is no module of the build."""
    code = relocatable(PRODUCTS, K.PTX, "-rdc=true", arch="-arch=compute_90a")
    part = (Ref(K.PTX, "f.cu@compute_90a"), code)
    packed = nvfatbin.pack(Job(Tool.NVFATBIN, "f.cu", (part,), (K.FATBIN,), ())).code[K.FATBIN]
    inputs = ((Ref(K.FATBIN, "f.fatbin"), packed), (Ref(K.PTX, "multiply.ptx"), MULTIPLY.content))
    report = nvjitlink.link(Job(Tool.NVJITLINK, LINKED, inputs, (K.CUBIN,), ("-arch=sm_90a",)))
    [remark] = diagnose(Tool.NVJITLINK, LINKED, report.ok, report.log, report.error_log)
    assert (remark.file, remark.line, remark.number) == (LINKED, None, "C7518")
