import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.fatbin import FatbinEntry, fatbin_entries
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import nvfatbin, nvrtc
from tests.support import KERNEL, ptx

K = CodeKind
TARGETS = (("sm_80", K.CUBIN), ("sm_90a", K.CUBIN), ("sm_100f", K.CUBIN), ("compute_90", K.PTX))


def compiled(target, kind):
    source = ((Ref(K.CUDA, "k.cu"), KERNEL.encode()),)
    job = Job(Tool.NVRTC, f"k.cu@{target}", source, (kind,), (f"-arch={target}",))
    return nvrtc.compile_cuda(job).code[kind]


@pytest.fixture(scope="module")
def parts():
    made = [(Ref(kind, f"k.cu@{target}"), compiled(target, kind)) for target, kind in TARGETS]
    source = ((Ref(K.CUDA, "k.cu"), KERNEL.encode()),)
    job = Job(Tool.NVRTC, "k.cu@compute_80", source, (K.LTOIR,), ("-arch=compute_80", "-dlto"))
    return (
        *made,
        (Ref(K.LTOIR, "k.cu@compute_80"), nvrtc.compile_cuda(job).code[K.LTOIR]),
    )


def packed(*inputs, options=()):
    return nvfatbin.pack(Job(Tool.NVFATBIN, "k.cu", inputs, (K.FATBIN,), options))


def test_the_version_has_two_numbers():
    major, minor = map(int, nvfatbin.version().split("."))
    assert (major, minor) >= (13, 0)


@pytest.mark.parametrize("options", [(), ("-compress=false",), ("-compress-all",)])
def test_what_is_packed_can_be_listed(parts, options):
    report = packed(*parts, options=options)
    assert report.ok, report.error_log
    entries = fatbin_entries(report.code[K.FATBIN])
    assert [(entry.kind, entry.target) for entry in entries] == [
        (K.CUBIN, "sm_80"),
        (K.CUBIN, "sm_90a"),
        (K.CUBIN, "sm_100f"),
        (K.PTX, "compute_90"),
        (K.LTOIR, "compute_80"),
    ]
    assert entries[0].name == "k.cubin@80"
    assert all(0 < entry.size <= entry.unpacked + 8 for entry in entries)


def test_a_cubin_is_packed_as_it_is(parts):
    ref, code = parts[0]
    report = packed((ref, code), options=("-compress=false",))
    assert fatbin_entries(report.code[K.FATBIN]) == (
        FatbinEntry(K.CUBIN, "sm_80", "k.cubin@80", len(code), len(code)),
    )
    assert code in report.code[K.FATBIN]


def test_ptx_of_the_user_s_own_is_packed_for_the_target_it_names():
    source = ptx("own.ptx", ".visible .entry k() { ret; }")
    report = packed((Ref(K.PTX, "own.ptx"), source.content))
    assert [entry.target for entry in fatbin_entries(report.code[K.FATBIN])] == ["compute_75"]


@pytest.mark.parametrize(
    ("name", "kind", "code", "words"),
    [
        ("k@sm_90", K.CUBIN, b"no cubin", "ERROR_ELF_SIZE_MISMATCH"),
        ("k@sm_90", K.CUBIN, b"", "ERROR_EMPTY_INPUT: An input is empty. (k.cubin)"),
        ("k@compute_90", K.PTX, b"no ptx", "ERROR_MISSING_PTX_VERSION"),
        ("k@compute_90", K.LTOIR, b"no ir", "ERROR_INVALID_NVVM"),
        ("k.ptx", K.PTX, b"no ptx", "For which target 'k.ptx' was made is not known."),
        ("k@sm_90", K.OBJECT, b"x", "A fatbin takes no object file"),
    ],
)
def test_what_cannot_be_packed_is_named(name, kind, code, words):
    report = packed((Ref(kind, name), code))
    assert not report.ok
    assert words in report.error_log
    assert report.code == {}


def test_a_cubin_for_another_target_is_refused(parts):
    report = packed((Ref(K.CUBIN, "k.cu@sm_120"), parts[0][1]))
    assert "ERROR_ELF_ARCH_MISMATCH: A cubin was made for another target" in report.error_log


def test_an_unknown_option_is_named():
    report = packed(options=("-bogus",))
    assert "ERROR_UNRECOGNIZED_OPTION" in report.error_log
    assert "-bogus" in report.error_log
