from jitstudio.listing.sass import instruction_counts, tightened

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


def test_padding_and_encodings_are_not_counted_and_loops_are():
    assert instruction_counts(TEXT) == {"walk": 5, "_Z4helpf": 1}


def test_no_text_has_no_functions():
    assert instruction_counts("") == {}
    assert instruction_counts(".text.empty:\n") == {"empty": 0}


def test_instructions_lose_the_room_in_front_of_them_and_stay_in_line():
    assert list(tightened(TEXT.splitlines()[1:9])) == [
        "walk:",
        ".text.walk:",
        "  /*0000*/               LDC R1, c[0x0][0x28] ;   /* 0x00000a00ff017b82 */",
        "                                                  /* 0x000fe20000000800 */",
        ".L_x_1:",
        "  /*0010*/               IADD3 R2, R2, 0x1, RZ ;",
        "  /*0020*/           @P0 BRA `(.L_x_1) ;",
        "  /*0030*/          @!P1 EXIT ;",
    ]


def test_what_is_no_instruction_keeps_its_indent():
    lines = ["        .global         walk", "        ", "", "        /*0000*/ NOP ;"]
    assert list(tightened(lines)) == lines
