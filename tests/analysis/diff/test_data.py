import pytest

from jitstudio.analysis.diff.data import data_sections, listed_data
from jitstudio.core.code import CodeKind
from jitstudio.worker.builder import Builder
from tests.support import cuda, request

pytestmark = pytest.mark.tools

SOURCE = """
__constant__ int table[4] = {1, 2, 3, 4};
__device__ float kept = 2.5f;
extern "C" __global__ void __launch_bounds__(64) k(int* p, float x) {
    __shared__ int s[32];
    s[threadIdx.x] = p[0];
    p[1] = s[p[2]] + table[p[3]];
    p[4] = (int)(kept + x);
}
"""


def built(source, *options):
    host = Builder()
    try:
        result = host.build(request(cuda(source), emit="cubin", options=options))
    finally:
        host.close()
    cubin = next(one for one in result.artifacts if one.kind is CodeKind.CUBIN)
    return {section.name: section.lines for section in data_sections(cubin.content)}


@pytest.fixture(scope="module")
def sections():
    return built(SOURCE)


def test_constants_are_told_byte_by_byte(sections):
    assert sections[".nv.constant3"] == ("0x0000  01000000 02000000 03000000 04000000",)


def test_variables_are_told_by_name_and_content(sections):
    assert "00002040" in sections[".nv.global.init"][0]
    assert any(line.startswith("table: .nv.constant3") for line in sections[".symtab"])
    assert any(line.startswith("kept: .nv.global") for line in sections[".symtab"])


def test_shared_memory_and_limits_are_told(sections):
    (size,) = sections[".nv.shared.k"]
    assert int(size.split()[0]) >= 128
    told = sections[".nv.info.k"]
    assert sum(line.startswith("KPARAM_INFO") for line in told) == 2
    assert any(line.startswith("MAX_THREADS 40000000") for line in told)


def test_parameters_of_more_than_4_kib_are_told_too():
    source = """struct Large { double values[800]; };
    extern "C" __global__ void k(Large l, double* p) { *p = l.values[3]; }"""
    parameters = [line for line in built(source)[".nv.info.k"] if line.startswith("KPARAM_INFO")]
    assert len(parameters) == 2


@pytest.mark.parametrize("options", [(), ("-rdc=true",)])
def test_memory_of_the_device_is_not_managed_memory(options):
    source = '__device__ int x; extern "C" __global__ void k(int* p) { *p = x; }'
    (ours,), (theirs,) = (
        [line for line in built(text, *options)[".symtab"] if line.startswith("x: ")]
        for text in (source, source.replace("__device__", "__managed__"))
    )
    assert "managed" not in ours
    assert "4 bytes, managed" in theirs


def test_nothing_is_told_of_code_or_line_tables(sections):
    assert not [name for name in sections if "text" in name or "debug" in name]


@pytest.mark.parametrize("content", [b"", b"abc", b"\x7fELF", b"\x7fELF" + bytes(80)])
def test_bytes_that_are_no_cubin_hold_nothing(content):
    assert data_sections(content) == ()


CODE = """\
\t.target\tsm_90
//--------------------- .text.k                   --------------------------
\t.section\t.text.k,"ax",@progbits
k:
.text.k:
        /*0000*/                   EXIT ;
"""
FULL = """\
\t.target\tsm_90
//--------------------- .debug_line               --------------------------
\t.section\t.debug_line,"",@progbits
        /*0000*/ \t.byte\t0x44, 0x00
//--------------------- .nv.info.k                --------------------------
\t.section\t.nv.info.k,"",@"SHT_CUDA_INFO"
\t.align\t4

\t//----- nvinfo : EIATTR_MAX_THREADS
\t.align\t\t4
.L_7:
        /*0004*/ \t.byte\t0x04, 0x05
        /*0006*/ \t.short\t(.L_9 - .L_8)
.L_8:
        /*0008*/ \t.word\t0x00000040

\t//----- nvinfo : EIATTR_EXIT_INSTR_OFFSETS
.L_9:
        /*000c*/ \t.byte\t0x04, 0x1c

//--------------------- .nv.constant3             --------------------------
\t.section\t.nv.constant3,"a",@progbits
\t.align\t4
.nv.constant3:
\t.type\t\tt,@object
\t.size\t\tt,(.L_0 - t)
t:
        /*0000*/ \t.byte\t0x01, 0x00, 0x00, 0x00
.L_0:
"""


def told(text):
    return {section.name: section.lines for section in listed_data(text)}


def test_a_listing_of_code_tells_no_data():
    assert listed_data(CODE) is None
    assert listed_data("") is None


def test_constants_are_told_as_the_listing_has_them():
    assert told(FULL)[".nv.constant3"] == (
        ".align 4",
        ".nv.constant3:",
        ".type t,@object",
        ".size t,(.L - t)",
        "t:",
        ".byte 0x01, 0x00, 0x00, 0x00",
        ".L:",
    )


def test_of_attributes_those_that_are_obeyed_are_told():
    (line,) = told(FULL)[".nv.info.k"]
    assert line == "MAX_THREADS .byte 0x04, 0x05 .short (.L - .L) .word 0x00000040"


def test_code_and_line_tables_are_not_told():
    assert list(told(FULL + CODE)) == [".nv.constant3", ".nv.info.k"]


def test_numbers_of_labels_do_not_count_and_bytes_do():
    assert told(FULL.replace(".L_", ".L_1")) == told(FULL)
    assert told(FULL.replace("0x01, 0x00", "0x02, 0x00")) != told(FULL)
    assert told(FULL.replace("0x00000040", "0x00000080")) != told(FULL)
