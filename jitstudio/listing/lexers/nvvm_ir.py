"""LLVM IR as read by libNVVM: LLVM 7 with typed pointers, and current LLVM with `ptr`."""

from __future__ import annotations

from typing import ClassVar

from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation

from jitstudio.listing.lexers.line_lexer import (
    IN_COMMENT,
    NORMAL,
    LexerRule,
    LineLexer,
    comment_rules,
    in_comment_rules,
    in_string_rules,
    string_rules,
    words,
)

_IN_STRING = 2

_NAME = r"[-\w$.]++"

_WORDS = words(
    (
        Keyword.Type,
        """
        void half bfloat float double fp128 x86_fp80 ppc_fp128 x86_amx x86_mmx ptr label token
        metadata vscale
        """,
    ),
    (Operator.Word, "x"),
    (Keyword.Constant, "true false null none undef poison zeroinitializer blockaddress"),
    (
        Keyword.Pseudo,
        """
        define declare target source_filename attributes module asm global constant alias ifunc
        comdat gc prefix prologue personality section partition uselistorder uselistorder_bb
        datalayout triple type opaque
        """,
    ),
    (
        Keyword,
        """
        ret br switch indirectbr invoke callbr resume catchswitch catchret cleanupret unreachable
        fneg add fadd sub fsub mul fmul udiv sdiv fdiv urem srem frem shl lshr ashr and or xor
        extractelement insertelement shufflevector extractvalue insertvalue alloca load store fence
        cmpxchg atomicrmw getelementptr trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp
        ptrtoint ptrtoaddr inttoptr bitcast addrspacecast icmp fcmp phi select freeze call va_arg
        landingpad catchpad cleanuppad to unwind catch filter cleanup within from caller
        """,
    ),
    (
        Name.Attribute,
        """
        private internal available_externally linkonce weak common appending extern_weak
        linkonce_odr weak_odr external default hidden protected dllimport dllexport dso_local
        dso_preemptable thread_local localdynamic initialexec localexec unnamed_addr
        local_unnamed_addr externally_initialized addrspace align alignstack ccc fastcc coldcc
        ptx_kernel ptx_device cc tail musttail notail fast nnan ninf nsz arcp contract afn reassoc
        nuw nsw nusw exact disjoint nneg samesign inbounds inrange volatile atomic unordered
        monotonic acquire release acq_rel seq_cst syncscope singlethread inteldialect sideeffect
        eq ne ugt uge ult ule sgt sge slt sle oeq ogt oge olt ole one ord ueq une uno
        xchg nand max min umax umin fmax fmin fmaximum fminimum uinc_wrap udec_wrap usub_cond
        usub_sat zeroext signext inreg byval byref sret elementtype preallocated inalloca noalias
        nocapture captures nofree nest returned nonnull dereferenceable dereferenceable_or_null
        swiftself swifterror swiftasync immarg noundef nofpclass range initializes writable
        dead_on_unwind readnone readonly writeonly alwaysinline argmemonly builtin cold convergent
        hot inlinehint jumptable memory minsize naked nobuiltin nocallback nocf_check noduplicate
        noimplicitfloat noinline nomerge nonlazybind noprofile norecurse noredzone noreturn nosync
        nounwind null_pointer_is_valid optforfuzzing optnone optsize returns_twice
        sanitize_address sanitize_thread shadowcallstack speculatable speculative_load_hardening
        ssp sspreq sspstrong strictfp uwtable willreturn mustprogress vscale_range allocsize
        allockind allocptr allocalign read write readwrite argmem inaccessiblemem errnomem
        distinct any exactmatch largest nodeduplicate samesize
        """,
    ),
)


class NvvmIrLexer(LineLexer):
    """Lexes LLVM IR."""

    rules: ClassVar = {
        NORMAL: (
            LexerRule(r";.*", Comment),
            LexerRule(r"%(?:struct|class|union|enum)\.[-\w$.]++", Name.Class),
            LexerRule(rf'%(?:{_NAME}|"[^"]*+"?)', Name.Variable),
            LexerRule(rf"\A{_NAME}(?=:)|(?<![-\w$.]){_NAME}(?=:\s*+(?:;|\Z))", Name.Label),
            LexerRule(r'"[^"]*+"(?=:)', Name.Label),
            LexerRule(rf"(?<![-\w$.]){_NAME}(?=:)", Name.Attribute),
            LexerRule(r"\bi\d++\b", Keyword.Type),
            *string_rules(_IN_STRING, "c?"),
            LexerRule(r"D(?:W_|IFlag|ISPFlag)\w++", Name.Constant),
            LexerRule(r"[A-Za-z_]\w*+", Name, _WORDS),
            LexerRule(r"@llvm\.[-\w$.]++", Name.Builtin),
            LexerRule(rf'@(?:{_NAME}|"[^"]*+")(?=\()', Name.Function),
            LexerRule(rf'@(?:{_NAME}|"[^"]*+"?)', Name.Variable.Global),
            LexerRule(r"!DI\w++", Name.Class),
            LexerRule(r"![-\w$.\\]++|#\d++", Name.Decorator),
            LexerRule(r"[$^][-\w$.]++", Name.Variable.Global),
            LexerRule(r"[-+]?[su]?0x[KLMHR]?[\da-fA-F]++", Number.Hex),
            LexerRule(r"[-+]?\d++\.\d*+(?:[eE][-+]?\d++)?", Number.Float),
            LexerRule(r"[-+]?\d++", Number.Integer),
            LexerRule(r"[,:()\[\]{}<>]++", Punctuation),
            LexerRule(r"[=*|!&]|\.{3}", Operator),
            *comment_rules(),
            LexerRule(r"\S", Error),
        ),
        IN_COMMENT: in_comment_rules(),
        _IN_STRING: in_string_rules(r"\\(?:\\|[\da-fA-F]{2})", NORMAL),
    }
    line_ends: ClassVar = {_IN_STRING: NORMAL}
