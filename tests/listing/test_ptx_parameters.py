from jitstudio.core.launch.c_types import FLOAT, INT, UNSIGNED
from jitstudio.core.launch.request import ParameterSlot
from jitstudio.core.launch.types import Opaque, Pointer
from jitstudio.listing.ptx import parameter_slots
from tests.support import sample

MIXED = """\
.version 9.0
.target sm_90
.address_size 64
.extern .entry declared(.param .u32 x);
.visible .entry mixed(
    .param .u8 mixed_param_0, // a comment, with a comma
    .param .align 16 .b8 mixed_param_1[12],
    .param .u64 .ptr .global .align 4 mixed_param_2,
    .param .f32 mixed_param_3 /* and ( another ) */
)
.maxntid 256, 1, 1
.minnctapersm 2
{ ret; }
.func (.param .b32 r) helper(.param .b64 p) { ret; }
.entry none() { ret; }
.entry bare .reqntid 32 { ret; }
"""


def test_every_parameter_lies_behind_the_one_before_at_its_alignment():
    found = parameter_slots(MIXED)["mixed"]
    assert [p.slot for p in found] == [
        ParameterSlot(0, 1, 1),
        ParameterSlot(16, 12, 16),
        ParameterSlot(32, 8, 8),
        ParameterSlot(40, 4, 4),
    ]
    assert [p.type for p in found] == [".u8", ".b8[12]", ".u64.ptr", ".f32"]
    assert [p.pointer for p in found] == [False, False, True, False]
    assert found[0].name == "mixed_param_0"


def test_only_kernels_with_a_body_are_told():
    assert list(parameter_slots(MIXED)) == ["mixed", "none", "bare"]
    assert parameter_slots(MIXED)["none"] == parameter_slots(MIXED)["bare"] == ()


def test_a_type_is_guessed():
    guesses = [p.guess for p in parameter_slots(MIXED)["mixed"]]
    assert guesses[1:] == [Opaque(".b8[12]", 12, 16), Pointer(None), FLOAT]
    text = sample("scale.ptx").content.decode()
    assert [p.guess for p in parameter_slots(text)["scale"]] == [Pointer(None), FLOAT, UNSIGNED]
    signed = ".entry k(.param .s32 n) { ret; }"
    assert [p.guess for p in parameter_slots(signed)["k"]] == [INT]


def test_a_kernel_with_parameters_nobody_can_read_is_left_out():
    text = ".entry odd(.param .what x) { ret; }\n.entry k(.param .u32 x) { ret; }"
    assert list(parameter_slots(text)) == ["k"]


def test_no_beginning_of_a_text_is_too_odd():
    whole = parameter_slots(MIXED)
    for end in range(len(MIXED)):
        assert parameter_slots(MIXED[:end]).keys() <= whole.keys()
