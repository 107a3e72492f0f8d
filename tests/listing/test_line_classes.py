import json
import random
import re
import subprocess

import pytest
from pygments.token import Comment, Keyword, Name

from jitstudio.core.code import CodeKind
from jitstudio.listing.lexers.ptx import PtxLexer
from jitstudio.listing.lexers.sass import SassLexer
from jitstudio.listing.line_classes import classify
from jitstudio.listing.lines import LineClass, split_at_newlines, split_lines
from jitstudio.toolchain.locate import nvdisasm
from tests.listing.mutations import mutated

CODE, COMMENT, DIRECTIVE, DEBUG, LABEL = LineClass
LEXERS = {CodeKind.PTX: PtxLexer(), CodeKind.SASS: SassLexer()}
MUTATIONS = 150


def classes(kind, text):
    return [LineClass(found) for found in classify(kind, text.split("\n"))]


def of_line(kind, line):
    return classes(kind, line)[0]


@pytest.mark.parametrize(
    "line",
    [
        "\tmov.u32 \t%r1, %tid.x;",
        "\t@%p1 bra \t$L__BB0_2;",
        "@!%p1 bra L;",
        "\tret; // done",
        "/* why */ ret;",
        "\tret; /* a comment",
        "$L__BB0_1:",
        "$L__BB0_1: ret;",
        "{",
        "\t}",
        "\t{ // callseq 0, 0",
        ".visible .entry f(",
        ".extern .func (.param .b32 r) f (",
        ".entry f (.param .u64 a) { ret; }",
        ".reg .b32 %r<4>; mov.u32 %r1, 1;",
        ".reg .b32 %r<4> mov.u32 %r1, 1;",
        ".loc 1 5 0 ret;",
        ".loc 1 5 0 $L:",
        ".target sm_90 .visible .entry f",
        '.file 1 "a" ret;',
        "p: .callprototype (.param .b32 _) _ (.param .b64 _);",
        ".unheard_of 3",
    ],
)
def test_code_is_never_taken_for_anything_else_in_ptx(line):
    assert of_line(CodeKind.PTX, line) is CODE


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("//", COMMENT),
        ("\t// .globl\tk", COMMENT),
        ("/* one */ // two", COMMENT),
        (".version 9.4", DIRECTIVE),
        (".target sm_90, debug // .entry", DIRECTIVE),
        (".address_size 64", DIRECTIVE),
        ("\t.reg .b32 \t%r<31>;", DIRECTIVE),
        ("\t.reg .b64 \t%SP;", DIRECTIVE),
        (".reg .f32 %a, %b;", DIRECTIVE),
        ("\t.shared .align 4 .b8 local[1024];", DIRECTIVE),
        (".extern .shared .align 16 .b8 smem[];", DIRECTIVE),
        ("\t.param .b64 param0;", DIRECTIVE),
        (".global .align 1 .b8 $str[12] = {104, 101, 0x6c};", DIRECTIVE),
        (".global .attribute(.managed) .align 4 .u32 m;", DIRECTIVE),
        (".const .align 8 .u64 t[2] = {generic(a), b+4};", DIRECTIVE),
        (".visible .global .u32 n = 3;", DIRECTIVE),
        ('.pragma "nounroll";', DIRECTIVE),
        (".alias f, g;", DIRECTIVE),
        (".reg .v4 .f32 %v;", DIRECTIVE),
        ("\t.local .align 8 .b8 \t__local_depot0[24];", DIRECTIVE),
        (".shared .align 16 .b8 tile[16][32];", DIRECTIVE),
        (".global .texref t;", DIRECTIVE),
        (".weak .global .align 8 .u64 p = f;", DIRECTIVE),
        (".reg .pred %p<2>; .reg .b32 %r<2>;", DIRECTIVE),
        ("\t.loc\t1 5 0", DEBUG),
        (".loc 2 6 5, function_name $L__info_string0, inlined_at 1 16 9", DEBUG),
        (".loc 2 6 5, function_name $L__info_string0+12, inlined_at 1 16 9", DEBUG),
        ('\t.file\t1 "/a//b.cu"', DEBUG),
        ('.file 1 "a.cu", 1700000000, 512', DEBUG),
        ("\t.section\t.debug_str", DEBUG),
    ],
)
def test_what_else_stands_in_ptx_is_told_apart(line, what):
    assert of_line(CodeKind.PTX, line) is what


def test_comments_over_several_lines_end_where_they_end():
    text = "/* a\nret;\n\n*/ ret;\nret; /*\nret;\n*/\n// /*\nret;"
    assert classes(CodeKind.PTX, text) == [
        COMMENT, COMMENT, COMMENT, CODE, CODE, COMMENT, COMMENT, COMMENT, CODE,
    ]  # fmt: skip


def test_a_blank_line_goes_with_the_line_above():
    text = "\n// a\n\n.version 9.4\n\nret;\n\n.loc 1 1 1\n"
    assert classes(CodeKind.PTX, text) == [
        CODE, COMMENT, COMMENT, DIRECTIVE, DIRECTIVE, CODE, CODE, DEBUG, DEBUG,
    ]  # fmt: skip


def test_the_whole_head_of_a_kernel_is_code():
    text = ".visible .entry f(\n\t.param .u64 a,\n\t.param .u32 b\n)\n.maxntid 64\n{\n.reg .b32 %r;"
    assert classes(CodeKind.PTX, text) == [CODE] * 6 + [DIRECTIVE]


def test_an_instruction_may_take_several_lines():
    text = "call.uni (retval0),\nvprintf,\n(\nparam0,\nparam1\n);"
    assert classes(CodeKind.PTX, text) == [CODE] * 6


def test_an_initialiser_may_take_several_lines():
    text = ".global .b8 t[6] = {\n1, 2,\n{3, 4},\nf, g+2,\n0x6\n};\nret;"
    assert classes(CodeKind.PTX, text) == [DIRECTIVE] * 6 + [CODE]


def test_an_initialiser_that_does_not_end_takes_no_instruction():
    text = ".global .b8 t[6] = {\n1, 2,\nret;\nbra L;\n"
    assert classes(CodeKind.PTX, text) == [DIRECTIVE, DIRECTIVE, CODE, CODE, CODE]


def test_debug_sections_end_with_their_brace():
    text = "\t.section\t.debug_str\n\t{\n$L__info_string0:\n.b8 95,90,0\n\n\t}\n.b8 1"
    assert classes(CodeKind.PTX, text) == [DEBUG, DEBUG, CODE, DEBUG, DEBUG, DEBUG, CODE]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("        /*0000*/                   LDC R1, c[0x0][0x28] ;", CODE),
        ("        /*0050*/               @P0 BRA `(.L_x_1) ;", CODE),
        ("        /*03b0*/                   BRA `(.L_x_9); /* 0x0000 */", CODE),
        ("                              /* 0x000fc00000000f00 */", CODE),
        ("\t{ /*0008*/ FADD R1, R2, R3;", CODE),
        ("histogram:", CODE),
        (".text.histogram:", CODE),
        (".L_x_12:", LABEL),
        (".L_x_5:      // |  2 : :", LABEL),
        (".size f,(.L_x_3 - f)histogram:", CODE),
        ("/* open LDC R1 ;", CODE),
        ('\t//## File "a.cu", line 4', DEBUG),
        ("//--------------------- .text.k      --------------------------", COMMENT),
        ("//--------------------- .debug_line      ----------------------", DEBUG),
        ('\t.section\t.text.k,"ax",@progbits', DIRECTIVE),
        ('\t.section\t.debug_frame,"",@progbits', DEBUG),
        ('\t.sectionflags\t@"SHF_NOTE_NV_TKINFO"', DIRECTIVE),
        ("        .global         histogram", DIRECTIVE),
        ('        .other          histogram,@"STO_CUDA_ENTRY STV_DEFAULT"', DIRECTIVE),
        ("        /*0000*/ \t.byte\t0x2f, 0x08", DIRECTIVE),
        ('\t.elftype\t@"ET_EXEC"', DIRECTIVE),
    ],
)
def test_lines_of_sass_are_told_apart(line, what):
    assert of_line(CodeKind.SASS, line) is what


def test_what_stands_in_a_debug_section_of_sass_is_debug():
    text = (
        "//----- .debug_line -----\n\t.section\t.debug_line\n.debug_line:\n    /*0000*/ .byte 0x1"
        "\n.L_3:\n//----- .text.k -----\n\t.section\t.text.k\n.text.k:"
    )
    assert classes(CodeKind.SASS, text) == [
        DEBUG, DEBUG, DEBUG, DEBUG, DEBUG, COMMENT, DIRECTIVE, CODE,
    ]  # fmt: skip


def test_other_languages_have_nothing_to_leave_out():
    assert classes(CodeKind.CUDA, "// a\n#pragma once") == [CODE, CODE]


# Over what the real tools make. The lexers know instructions and labels by themselves.


def lines_of_code(kind, lines):
    """The numbers of all lines with an opcode, or with a label at their start."""
    found, state = [], 0
    for number, line in enumerate(lines):
        tokens, state = LEXERS[kind].lex_line(line, state)
        types = [token for _, _, token in tokens if token not in Comment]
        if Keyword in types or types[:1] == [Name.Label]:
            found.append(number)
    return found


@pytest.mark.parametrize("kind", LEXERS, ids=lambda kind: kind.value)
def test_no_filter_hides_code_of_the_samples(kind, listings):
    texts = [text.split("\n") for _, made, text in listings if made is kind]
    assert len(texts) >= 12
    code = left_out = 0
    for lines in texts:
        found = classify(kind, lines)
        numbers = [
            n
            for n in lines_of_code(kind, lines)
            if not _is_own_section(lines[n]) and not _is_unnamed(lines[n], lines)
        ]
        assert [lines[number] for number in numbers if found[number] != CODE] == []
        code += len(numbers)
        left_out += len(lines) - found.count(CODE)
    assert code > 600
    assert left_out > 250


def _is_unnamed(line, lines):
    """Whether a line is a label of nvdisasm that is the operand of no instruction."""
    label = line.removesuffix(":")
    code = (x for x in lines if re.match(r"\s*/\*[0-9a-f]{4}", x))
    return line.startswith(".L_x_") and not any(re.search(rf"{label}\b", x) for x in code)


def test_labels_that_no_instruction_names_are_left_out(debug_cubin):
    text = subprocess.run(
        [nvdisasm(), "-c", debug_cubin], capture_output=True, text=True, check=True
    ).stdout
    lines = text.split("\n")
    labels = [n for n, line in enumerate(lines) if line.startswith(".L_x_")]
    unnamed = {n for n in labels if _is_unnamed(lines[n], lines)}
    found = classify(CodeKind.SASS, lines)
    assert {n for n in labels if found[n] == LABEL} == unnamed
    assert 0 < len(unnamed) < len(labels)


def test_a_label_is_left_out_only_where_no_jump_can_lead_there():
    jump = "        /*0010*/                   {} ;"
    text = "{}\n.L_x_1:\n        /*0020*/                   EXIT ;"
    for opcode, what in (
        ("BRA `(.L_x_12)", LABEL),
        ("@P0 BRA `(.L_x_1)", CODE),
        # The address that a function returns to.
        ("MOV R20, 32@lo((k + .L_x_1@srel))", CODE),
        ('BRX R2 -0x90 (*"BRANCH_TARGETS .L_x_1,.L_x_2"*)', CODE),
        ('BRX R2 -0x90 (*"BRANCH_TARGETS .L_x_3,.L_x_2"*)', LABEL),
        ("BRX R2 -0x90", CODE),
        ("@!P1 JMX R2 0x0", CODE),
        ("FADD R1, R2, R3", LABEL),
    ):
        assert classes(CodeKind.SASS, text.format(jump.format(opcode)))[1] is what


def _is_own_section(line):
    return line.startswith(("//", ".debug", ".nv_debug"))


@pytest.mark.parametrize("options", [("-c",), ("-c", "-g"), ("-gi",), ("-c", "-hex")])
def test_all_instructions_that_nvdisasm_counts_stay(options, debug_cubin):
    text = subprocess.run(
        [nvdisasm(), *options, debug_cubin], capture_output=True, text=True, check=True
    ).stdout
    dumped = subprocess.run(
        [nvdisasm(), "-json", debug_cubin], capture_output=True, text=True, check=True
    ).stdout
    wanted = sorted(
        instruction["opcode"]
        for function in json.loads(dumped)[1]
        for instruction in function["sass-instructions"]
    )
    lines = text.split("\n")
    kept = [line for line, of in zip(lines, classify(CodeKind.SASS, lines), strict=True) if of == 0]
    form = re.compile(r"\s*/\*[0-9a-f]{4}\*/\s+(?:@!?\w+\s+)?([A-Z][\w.]*)")
    assert sorted(found[1] for line in kept if (found := form.match(line))) == wanted
    assert len(wanted) > 100


@pytest.mark.parametrize("kind", LEXERS, ids=lambda kind: kind.value)
def test_no_filter_hides_code_of_broken_texts(kind, listings):
    chance = random.Random(5)
    texts = [text for _, made, text in listings if made is kind]
    form = {
        CodeKind.PTX: re.compile(
            r"\t(?:@!?%p\d+ )?[a-z]\w*(?:\.\w+)* \t[^;{}\"/]*;|\tret;|\$L\w+:"
        ),
        CodeKind.SASS: re.compile(r"\s*/\*[0-9a-f]{4}\*/ +(?:@!?\w+ )?[A-Z][\w.]* [^;]*;"),
    }[kind]
    seen = 0
    for _ in range(MUTATIONS):
        text = mutated(chance.choice(texts), chance)
        lines = text.split("\n")
        found = classify(kind, lines)
        assert len(found) == len(lines)
        commented = _commented(text) if kind is CodeKind.PTX else set()
        code = [n for n, line in enumerate(lines) if form.fullmatch(line) and n not in commented]
        assert [lines[number] for number in code if found[number] != CODE] == []
        seen += len(code)
    assert seen > 3000


def _commented(text):
    """The lines that a comment over several lines holds, by looking at the text as a whole."""
    part = re.compile(r'"[^"\n]*"?|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)')
    lines = set()
    for match in part.finditer(text):
        if match[0].startswith("/*"):
            first = text.count("\n", 0, match.start())
            lines.update(range(first, first + match[0].count("\n") + 1))
    return lines


def test_pieces_give_the_lines_of_the_whole():
    chance = random.Random(1)
    for size in (0, 1, 1 << 18, (1 << 18) + 1, 3 << 18):
        text = "".join(chance.choices(["a line", "\n", "\r", "é"], k=size // 3))
        assert split_at_newlines(text) == text.split("\n")


def test_a_line_longer_than_a_piece_stays_whole():
    text = "x" * (1 << 20) + "\n" + "y"
    assert split_at_newlines(text) == text.split("\n")


def test_all_line_ends_of_compilers_count():
    assert split_lines("a\r\nb\rc\nd") == ["a", "b", "c", "d"]
