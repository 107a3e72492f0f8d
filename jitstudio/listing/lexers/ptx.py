"""PTX, written by hand or by a compiler."""

from __future__ import annotations

from typing import ClassVar

from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String

from jitstudio.listing.lexers.line_lexer import (
    IN_COMMENT,
    NORMAL,
    STRING,
    LineLexer,
    Rule,
    comment_rules,
    in_comment_rules,
    words,
)

# A statement starts in NORMAL. Behind an opcode come operands, to the semicolon, maybe on other
# lines. A directive takes its line at most.
_OPERANDS, _COMMENT_IN_OPERANDS, _DIRECTIVE = 2, 3, 4

_NAME = r"[A-Za-z_$][\w$]*+"

_TYPES = words(
    (
        Keyword.Type,
        """
        .b1 .b4 .b8 .b16 .b32 .b64 .b128 .u2 .u4 .u8 .u16 .u32 .u64 .s2 .s4 .s8 .s16 .s32 .s64
        .f16 .f16x2 .f32 .f32x2 .f64 .bf16 .bf16x2 .tf32 .pred .u16x2 .s16x2 .u8x4 .s8x4 .b4x16
        .e4m3 .e5m2 .e4m3x2 .e5m2x2 .e4m3x4 .e5m2x4 .e2m3 .e3m2 .e2m1 .e2m3x2 .e3m2x2 .e2m1x2
        .e2m3x4 .e3m2x4 .e2m1x4 .e8m0 .ue8m0 .ue4m3 .ue8m0x2 .b6x16_p32 .b4x16_p64 .texref
        .samplerref .surfref .v2 .v4 .v8
        """,
    )
)

_VECTORS = "%tid %ntid %ctaid %nctaid %cluster_ctaid %cluster_nctaid %clusterid %nclusterid"
_SPECIAL_REGISTERS = words(
    (
        Name.Builtin.Pseudo,
        """
        %laneid %warpid %nwarpid %smid %nsmid %gridid %is_explicit_cluster %cluster_ctarank
        %cluster_nctarank %lanemask_eq %lanemask_le %lanemask_lt %lanemask_ge %lanemask_gt %clock
        %clock_hi %clock64 %globaltimer %globaltimer_lo %globaltimer_hi %envreg
        %reserved_smem_offset_begin %reserved_smem_offset_end %reserved_smem_offset_cap
        %reserved_smem_offset_0 %reserved_smem_offset_1 %total_smem_size %aggr_smem_size
        %dynamic_smem_size %current_graph_exec
        """,
    ),
    (Name.Builtin.Pseudo, " ".join(f"%envreg{number}" for number in range(32))),
    (Name.Builtin.Pseudo, " ".join(f"%pm{number} %pm{number}_64" for number in range(8))),
    (
        Name.Builtin.Pseudo,
        " ".join(name + part for name in _VECTORS.split() for part in ("", ".x", ".y", ".z", ".w")),
    ),
)

_CONSTANTS = words((Name.Constant, "WARP_SZ"))
_DIRECTIVE_WORDS = _CONSTANTS | words(
    (
        Name.Attribute,
        "function_name inlined_at debug texmode_unified texmode_independent map_f64_to_f32",
    )
)

_COMMENTS = Rule(r"//.*", Comment), *comment_rules()
_REGISTER = Rule(r"%[\w$]++(?:\.[xyzwrgba]\b)?", Name.Variable, _SPECIAL_REGISTERS)
_NUMBERS = (
    Rule(r"0[fF][\da-fA-F]{8}\b|0[dD][\da-fA-F]{16}\b", Number.Float),
    Rule(r"0[xX][\da-fA-F]++U?", Number.Hex),
    Rule(r"\d++(?:\.\d*+(?:[eE][-+]?\d++)?|[eE][-+]?\d++)", Number.Float),
    Rule(r"\d\w*+", Number.Integer),
)
_LAST = (
    Rule(STRING, String),
    Rule(r"[-+*&|^!~<>=?]++|[/%]|@!?", Operator),
    Rule(r"\S", Error),
)


class PtxLexer(LineLexer):
    """Lexes PTX."""

    rules: ClassVar = {
        NORMAL: (
            *_COMMENTS,
            Rule(rf"{_NAME}(?=\s*+:(?!:))", Name.Label),
            Rule(r"(?<=[@!])[\w$%]++", Name.Variable),
            Rule(_NAME, Keyword, then=_OPERANDS),
            Rule(r"\.\w++", Keyword.Pseudo, _TYPES, then=_DIRECTIVE),
            Rule(r"[;:{}()\[\],]++", Punctuation),
            _REGISTER,
            *_NUMBERS,
            Rule(r"#.*", Comment.Preproc),
            *_LAST,
        ),
        IN_COMMENT: in_comment_rules(),
        _OPERANDS: (
            Rule(r"\.\w++(?:::\w++)*+", Name.Attribute, _TYPES),
            _REGISTER,
            Rule(r"[,\[\](){}]*+;", Punctuation, then=NORMAL),
            Rule(r"[,:\[\](){}]++", Punctuation),
            *_NUMBERS,
            Rule(r"\$[\w$]++", Name.Label),
            Rule(rf"{_NAME}(?=\s*+,\s*+\()", Name.Function),
            Rule(_NAME, Name, _CONSTANTS),
            Rule(r"//.*", Comment),
            *comment_rules(_COMMENT_IN_OPERANDS),
            *_LAST,
        ),
        _COMMENT_IN_OPERANDS: in_comment_rules(_OPERANDS),
        _DIRECTIVE: (
            *_NUMBERS,
            Rule(r"\.\w++", Keyword.Pseudo, _TYPES),
            _REGISTER,
            Rule(r"\$[\w$]++", Name.Label),
            Rule(r"(?:sm|compute)_\w++", Name.Constant),
            Rule(rf"{_NAME}(?=\s*+\()", Name.Function),
            Rule(_NAME, Name, _DIRECTIVE_WORDS),
            Rule(r"[;{}]", Punctuation, then=NORMAL),
            Rule(r"[,:()\[\]]++", Punctuation),
            Rule(r"=", Operator, then=_OPERANDS),
            *_COMMENTS,
            *_LAST,
        ),
    }
    line_ends: ClassVar = {_DIRECTIVE: NORMAL}
