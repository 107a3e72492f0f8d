from jitstudio.core.code import CodeKind
from jitstudio.listing.sass import TextExtent, tightened

TEXT = """\
\t.section\t.text.walk,"ax",@progbits
walk:
.text.walk:
        /*0000*/                   LDC R1, c[0x0][0x28] ;   /* 0x00000a00ff017b82 */
                                                            /* 0x000fe20000000800 */
.L_x_1:
        /*0010*/                   IADD3 R2, R2, 0x1, RZ ;
        /*0020*/               @P0 BRA `(.L_x_1) ;
        /*0030*/              @!P1 EXIT ;
        /*0040*/                   BRA `(.L_x_1) ;
.L_x_2:
        /*0050*/                   BRA `(.L_x_2);
        /*0060*/                   NOP;
        /*0070*/                   NOP;
.text._Z4helpf:
        /*0000*/                   RET.ABS.NODEC R20 0x0 ;
        /*0010*/                   BRA `(.L_x_3);
"""


def test_instructions_lose_the_room_in_front_of_them_and_stay_in_line():
    assert tightened(TEXT.splitlines()[1:9]) == (
        "walk:",
        ".text.walk:",
        "/*0000*/      LDC R1, c[0x0][0x28] ;   /* 0x00000a00ff017b82 */",
        "                                       /* 0x000fe20000000800 */",
        ".L_x_1:",
        "/*0010*/      IADD3 R2, R2, 0x1, RZ ;",
        "/*0020*/  @P0 BRA `(.L_x_1) ;",
        "/*0030*/ @!P1 EXIT ;",
    )
    assert tightened(["//------------- .text.walk    ---------"]) == ("//---- .text.walk ----",)
    # Without predicates no room is left for one.
    assert tightened(["        /*12340*/                   EXIT ;"]) == ("/*12340*/ EXIT ;",)


def test_the_room_that_instructions_take():
    lines = tightened(TEXT.splitlines()[1:9])
    long_call = "/*0040*/      CALL.REL.NOINC `($__internal_0_$__cuda_sm20_div_rn_f64_full) ;"
    extent = TextExtent.of((*lines, long_call, "/*12340*/ EXIT ;"), CodeKind.SASS)
    assert (extent.widest, extent.digits) == (len(long_call), 5)
    assert extent.code == len("     LDC R1, c[0x0][0x28] ;   /* 0x00000a00ff017b82 */")
    assert TextExtent.of(lines[3:], CodeKind.SASS).code == len("     IADD3 R2, R2, 0x1, RZ")
    assert TextExtent.of(lines, CodeKind.PTX).digits == 0


def test_a_few_long_instructions_are_no_measure_for_all():
    usual = [f"/*{16 * at:04x}*/ IADD3 R2, R2, 0x1, RZ ;" for at in range(98)]
    long = ["/*0620*/ LOP3.LUT R2, R2, 0xffffff00, R3, 0xf8, !PT ;", "/*0630*/ " + 60 * "x" + " ;"]
    extent = TextExtent.of((*usual, *long), CodeKind.SASS)
    assert (extent.code, extent.usual) == (60, len("IADD3 R2, R2, 0x1, RZ"))
    extent = TextExtent.of((*usual[:60], *long), CodeKind.SASS)
    assert extent.usual == len("IADD3 R2, R2, 0x1, RZ")
    assert TextExtent.of(usual[:1], CodeKind.SASS).usual == len("IADD3 R2, R2, 0x1, RZ")


def test_what_is_no_instruction_keeps_its_indent():
    lines = ["        .global         walk", "        ", "", "        /*0000*/ NOP ;"]
    assert tightened(lines) == tuple(lines)
