from jitstudio.analysis.diff.listed_data import listed_data

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
