import pytest

from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.job import Job
from jitstudio.core.plan import Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import cubin, nvjitlink, nvrtc
from tests.support import ptx, sample

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
        made = nvrtc.compile_cuda(job).made[K.LTOIR]
        modules.append((Ref(K.LTOIR, name), made))
    return tuple(modules)


def test_the_version_has_two_numbers():
    major, minor = map(int, nvjitlink.version().split("."))
    assert (major, minor) >= (13, 0)


def test_two_ptx_modules_become_one_cubin():
    report = linked(SCALE, MULTIPLY)
    assert report.ok, report.error_log
    assert cubin.kernels(report.made[K.CUBIN]) == ("scale",)


def test_lto_makes_a_cubin_and_ptx_without_a_call(lto_modules):
    options = ("-arch=sm_90", "-lto")
    made = nvjitlink.link(Job(Tool.NVJITLINK, LINKED, lto_modules, (K.CUBIN,), options)).made[
        K.CUBIN
    ]
    assert cubin.kernels(made) == ("apply_transform",)
    text = nvjitlink.link(
        Job(Tool.NVJITLINK, LINKED, lto_modules, (K.PTX,), (*options, "-ptx"))
    ).made[K.PTX]
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
    assert report.made == {}


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
    assert report.made == {}
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
    assert "bad input" in report.error_log


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
