"""PTX, written by hand or by a compiler."""

from __future__ import annotations

from typing import ClassVar

from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String

from jitstudio.listing.lexers.line_lexer import (
    IN_COMMENT,
    NORMAL,
    STRING,
    LexerRule,
    LineLexer,
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
        .b1 .b2 .b4 .b8 .b16 .b32 .b64 .b128 .u2 .u4 .u8 .u16 .u32 .u64 .s2 .s4 .s8 .s16 .s32 .s64
        .f16 .f16x2 .f32 .f32x2 .f64 .bf16 .bf16x2 .tf32 .pred .u16x2 .s16x2 .u8x4 .s8x4 .b4x16
        .e4m3 .e5m2 .e4m3x2 .e5m2x2 .e4m3x4 .e5m2x4 .e2m3 .e3m2 .e2m1 .e2m3x2 .e3m2x2 .e2m1x2
        .e2m3x4 .e3m2x4 .e2m1x4 .e8m0 .ue8m0 .ue4m3 .ue8m0x2 .ue5m3x2 .s2f6x2 .b8x16 .b6x16_p32
        .b4x16_p64 .b1024 .texref .samplerref .surfref .v2 .v4 .v8
        """,
    )
)

_VECTORS = "%tid %ntid %ctaid %nctaid %cluster_ctaid %cluster_nctaid %clusterid %nclusterid"
_SPECIAL_REGISTERS = words(
    (
        Name.Builtin.Pseudo,
        """
        %laneid %warpid %nwarpid %smid %nsmid %gridid %is_explicit_cluster %cluster_ctarank
        %cluster_nctarank %locality_domain_id %locality_domain_supplemental_sm %perctamemoryoffset
        %perctamemorysize %lanemask_eq %lanemask_le %lanemask_lt %lanemask_ge %lanemask_gt %clock
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

_COMMENTS = LexerRule(r"//.*", Comment), *comment_rules()
_REGISTER = LexerRule(r"%[\w$]++(?:\.[xyzwrgba]\b)?", Name.Variable, _SPECIAL_REGISTERS)
_NUMBERS = (
    LexerRule(r"0[fF][\da-fA-F]{8}\b|0[dD][\da-fA-F]{16}\b", Number.Float),
    LexerRule(r"0[xX][\da-fA-F]++U?", Number.Hex),
    LexerRule(r"\d++(?:\.\d*+(?:[eE][-+]?\d++)?|[eE][-+]?\d++)", Number.Float),
    LexerRule(r"\d\w*+", Number.Integer),
)
_LAST = (
    LexerRule(STRING, String),
    LexerRule(r"[-+*&|^!~<>=?]++|[/%]|@!?", Operator),
    LexerRule(r"\S", Error),
)


class PtxLexer(LineLexer):
    """Lexes PTX."""

    rules: ClassVar = {
        NORMAL: (
            *_COMMENTS,
            LexerRule(rf"{_NAME}(?=\s*+:(?!:))", Name.Label),
            LexerRule(r"(?<=[@!])[\w$%]++", Name.Variable),
            LexerRule(_NAME, Keyword, then=_OPERANDS),
            LexerRule(r"\.\w++", Keyword.Pseudo, _TYPES, then=_DIRECTIVE),
            LexerRule(r"[;:{}()\[\],]++", Punctuation),
            _REGISTER,
            *_NUMBERS,
            LexerRule(r"#.*", Comment.Preproc),
            *_LAST,
        ),
        IN_COMMENT: in_comment_rules(),
        _OPERANDS: (
            LexerRule(r"\.\w++(?>::\w++(?>:\d++)?)*+", Name.Attribute, _TYPES),
            _REGISTER,
            LexerRule(r"[,\[\](){}]*+;", Punctuation, then=NORMAL),
            LexerRule(r"[,:\[\](){}]++", Punctuation),
            *_NUMBERS,
            LexerRule(r"\$[\w$]++", Name.Label),
            LexerRule(rf"{_NAME}(?=\s*+,\s*+\()", Name.Function),
            LexerRule(_NAME, Name, _CONSTANTS),
            LexerRule(r"//.*", Comment),
            *comment_rules(_COMMENT_IN_OPERANDS),
            *_LAST,
        ),
        _COMMENT_IN_OPERANDS: in_comment_rules(_OPERANDS),
        _DIRECTIVE: (
            *_NUMBERS,
            LexerRule(r"\.\w++", Keyword.Pseudo, _TYPES),
            _REGISTER,
            LexerRule(r"\$[\w$]++", Name.Label),
            LexerRule(r"(?:sm|compute)_\w++", Name.Constant),
            LexerRule(rf"{_NAME}(?=\s*+\()", Name.Function),
            LexerRule(_NAME, Name, _DIRECTIVE_WORDS),
            LexerRule(r"[;{}]", Punctuation, then=NORMAL),
            LexerRule(r"[,:()\[\]]++", Punctuation),
            LexerRule(r"=", Operator, then=_OPERANDS),
            *_COMMENTS,
            *_LAST,
        ),
    }
    line_ends: ClassVar = {_DIRECTIVE: NORMAL}
