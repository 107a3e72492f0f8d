import pytest

from jitstudio.analysis.sass.opcodes import InstructionClass, OpcodeGroup, Space, class_of, row_of
from jitstudio.core.code import CodeKind, Source
from tests.sample_builds import TARGETS, builds
from tests.support import ROOT, one_in, request

KERNELS = sorted((ROOT / "tests" / "data" / "opcodes").glob("*.cu"))
ARCHS = ("sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a")

G, S = OpcodeGroup, Space


@pytest.fixture
def opcodes(tools):
    """Builds what is asked for and gives the opcodes of its machine code."""

    def of(asked):
        functions = tools.code(tools.cubin(asked).content).functions
        return {opcode for function in functions for opcode in function.opcodes}

    return of


def unknown(opcodes):
    return sorted(o for o in opcodes if row_of(o) is None)


@pytest.mark.parametrize("arch", one_in(2, ARCHS))
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_every_opcode_of_kernels_that_use_all_there_is_is_known(opcodes, path, arch):
    source = Source(path.name, CodeKind.CUDA, path.read_bytes())
    found = opcodes(request(source, emit="cubin", arch=arch))
    assert unknown(found) == []
    assert len(found) > 15


@pytest.mark.parametrize("arch", TARGETS)
def test_every_opcode_of_the_samples_is_known(opcodes, arch):
    built = builds(arch)
    assert len(built) >= 6
    for build in built:
        found = opcodes(build.request)
        assert unknown(found) == [], build.name


@pytest.mark.parametrize(
    ("opcode", "space", "bits", "access"),
    [
        ("LDG.E", S.GLOBAL, 32, "load"),
        ("LDG.E.U8.CONSTANT", S.GLOBAL, 8, "load"),
        ("LDG.E.LTC128B.64", S.GLOBAL, 64, "load"),
        ("LDG.E.ENL2.256", S.GLOBAL, 256, "load"),
        ("STG.E.128.SYS", S.GLOBAL, 128, "store"),
        ("LDS.U.S16", S.SHARED, 16, "load"),
        ("STS.64", S.SHARED, 64, "store"),
        ("LDSM.16.M88.4", S.SHARED, 128, "load"),
        ("LDSM.16.MT88", S.SHARED, 32, "load"),
        ("STSM.16.M88.2", S.SHARED, 64, "store"),
        ("LDL.64", S.LOCAL, 64, "load"),
        ("STL", S.LOCAL, 32, "store"),
        ("LDC.64", S.CONSTANT, 64, "load"),
        ("ULDC", S.CONSTANT, 32, "load"),
        ("LDCU.128", S.CONSTANT, 128, "load"),
        ("LD.E.SYS", S.GENERIC, 32, "load"),
        ("ST.E.128", S.GENERIC, 128, "store"),
        ("ATOM.E.ADD.STRONG.GPU", S.GENERIC, 32, "atomic"),
        ("ATOMG.E.ADD.F64.RN.STRONG.GPU", S.GLOBAL, 64, "atomic"),
        ("RED.E.ADD.F16x2.RN.STRONG.GPU", S.GLOBAL, 32, "atomic"),
        ("REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU", S.GLOBAL, 128, "atomic"),
        ("ATOMS.CAS.64", S.SHARED, 64, "atomic"),
        ("REDAS.ADD", S.DISTRIBUTED, 32, "atomic"),
        ("TEX.SCR.LL", S.TEXTURE, None, "load"),
        ("SULD.D.BA.2D.128.STRONG.SM.TRAP", S.SURFACE, 128, "load"),
        ("SUST.D.BA.1D.STRONG.SM.TRAP", S.SURFACE, 32, "store"),
        ("UTMALDG.2D", S.GLOBAL, None, "load"),
        ("LDTM.x2", S.TENSOR, None, "load"),
    ],
)
def test_memory_is_told_by_space_width_and_access(opcode, space, bits, access):
    found = class_of(opcode)
    assert (found.group, found.space, found.bits) == (G.MEMORY, space, bits)
    assert (found.is_load, found.is_store, found.is_atomic) == (
        access == "load",
        access == "store",
        access == "atomic",
    )
    assert found.title == f"{space.value} {access}" + (f", {bits} bit" if bits else "")


def test_a_copy_past_the_registers_loads_and_stores():
    found = class_of("LDGSTS.E.BYPASS.LTC128B.128")
    assert (found.is_load, found.is_store, found.bits) == (True, True, 128)
    assert found.title == "global copy, 128 bit"


@pytest.mark.parametrize(
    ("opcode", "group", "precision"),
    [
        ("FFMA.FTZ", G.FLOAT, "fp32"),
        ("FADD2", G.FLOAT, "fp32"),
        ("MUFU.RSQ", G.FLOAT, "fp32"),
        ("MUFU.EX2.F16", G.FLOAT, "fp16"),
        ("MUFU.RCP64H", G.FLOAT, "fp64"),
        ("DSETP.GEU.AND", G.FLOAT, "fp64"),
        ("HFMA2.MMA", G.FLOAT, "fp16"),
        ("HFMA2.BF16_V2", G.FLOAT, "bf16"),
        ("HMMA.16816.F32", G.TENSOR, "fp16"),
        ("HMMA.16816.F32.BF16", G.TENSOR, "bf16"),
        ("HMMA.1688.F32.TF32", G.TENSOR, "tf32"),
        ("DMMA.8x8x4", G.TENSOR, "fp64"),
        ("IMMA.16832.U8.U8", G.TENSOR, "int8"),
        ("IMMA.8832.U4.U4", G.TENSOR, "int4"),
        ("BMMA.88128.XOR.POPC", G.TENSOR, "int1"),
        ("QGMMA.64x8x32.F32.E4M3.E4M3", G.TENSOR, "fp8"),
        ("QMMA.16832.F32.E2M1.E3M2", G.TENSOR, "fp6"),
        ("OMMA.SF.16864.F32.E2M1.E2M1.E8", G.TENSOR, "fp4"),
        ("UTCOMMA.2CTA", G.TENSOR, "fp4"),
        ("UTCHMMA", G.TENSOR, ""),
        ("HADD2.F32", G.CONVERSION, ""),
        ("F2F.F64.F32", G.CONVERSION, ""),
        ("IMAD.WIDE.U32", G.INTEGER, ""),
        ("IMAD.MOV.U32", G.MOVE, ""),
        ("CREDUX.MAX.S32", G.INTEGER, ""),
        ("CREDUX.MAX.F32", G.FLOAT, "fp32"),
        ("BRA.U", G.CONTROL, ""),
        ("NOP", G.OTHER, ""),
    ],
)
def test_computing_is_told_by_group_and_precision(opcode, group, precision):
    assert class_of(opcode) == InstructionClass(group, precision=precision)


@pytest.mark.parametrize("opcode", ["", ".", "XYZZY", "XYZZY.64", "ldg", "LDG2.E.64"])
def test_what_is_not_known_is_other_and_never_an_error(opcode):
    assert class_of(opcode) == InstructionClass(OpcodeGroup.OTHER)
    assert class_of(opcode).title == "other"


def test_matrices_are_told_by_their_precision_where_it_is_known():
    assert class_of("HMMA.16816.F32.BF16").title == "tensor bf16"
    assert class_of("UTCHMMA").title == "tensor"


def test_a_longer_name_is_no_exception():
    assert class_of("IMAD.MOVE").group is OpcodeGroup.INTEGER
