"""CUDA C++: C++20 with CUDA's qualifiers, types, variables and intrinsics."""

from __future__ import annotations

import re
from itertools import product
from typing import ClassVar
from zlib import crc32

from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String

from jitstudio.listing.lexers.line_lexer import (
    IN_COMMENT,
    NORMAL,
    LexerRule,
    LineLexer,
    Tokens,
    comment_rules,
    in_comment_rules,
    in_string_rules,
    string_rules,
    words,
)

_SCALARS = "char uchar short ushort int uint long ulong longlong ulonglong float double"
_VECTOR_TYPES = " ".join(name + size for name, size in product(_SCALARS.split(), "1234"))
_SHUFFLES = " ".join(f"__shfl{way}_sync" for way in ("", "_up", "_down", "_xor"))
_ATOMICS = "Add Sub Exch Min Max Inc Dec CAS And Or Xor"
_REDUCTIONS = "add min max and or xor"
_CACHED = "cg ca cs lu cv wb wt"
_ROUNDED = (
    "fadd fsub fmul fmaf fdiv frcp fsqrt dadd dsub dmul fma ddiv drcp dsqrt double2float "
    "double2int double2uint double2ll double2ull float2int float2uint float2ll float2ull "
    "int2float uint2float ll2float ull2float ll2double ull2double"
)

WORDS = words(
    (
        Keyword,
        """
        alignas alignof asm __asm __asm__ break case catch class co_await co_return co_yield concept
        const const_cast consteval constexpr constinit continue decltype default delete do
        dynamic_cast else enum explicit export extern for friend goto if inline mutable namespace
        new noexcept operator private protected public register reinterpret_cast requires return
        sizeof static static_assert static_cast struct switch template this thread_local throw try
        typedef typeid typename union using virtual volatile while final override
        and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq
        __restrict __restrict__ __forceinline__ __noinline__ __inline__ __inline __volatile__
        __attribute__ __declspec __align__ __alignof__ __builtin_align__ __inline_hint__
        defined __has_include __has_cpp_attribute
        """,
    ),
    (
        Keyword.Type,
        """
        auto bool char char8_t char16_t char32_t double float int long short signed unsigned void
        wchar_t __int128 size_t ptrdiff_t intptr_t uintptr_t int8_t int16_t int32_t int64_t uint8_t
        uint16_t uint32_t uint64_t dim3 half half2 __half __half2 __half_raw nv_bfloat16
        nv_bfloat162 __nv_bfloat16 __nv_bfloat162 __nv_fp8_e4m3 __nv_fp8_e5m2 __nv_fp8x2_e4m3
        __nv_fp8x4_e4m3 __nv_fp8x2_e5m2 __nv_fp8x4_e5m2 __nv_fp8_e8m0 __nv_fp6_e2m3 __nv_fp6_e3m2
        __nv_fp4_e2m1 __float128 cudaTextureObject_t cudaSurfaceObject_t clock_t double4_16a
        double4_32a long4_16a long4_32a ulong4_16a ulong4_32a longlong4_16a longlong4_32a
        ulonglong4_16a ulonglong4_32a
        """,
    ),
    (Keyword.Type, _VECTOR_TYPES),
    (Keyword.Constant, "true false nullptr NULL"),
    (
        Name.Decorator,
        """
        __global__ __device__ __host__ __shared__ __constant__ __managed__ __grid_constant__
        __launch_bounds__ __maxnreg__ __cluster_dims__ __block_size__ __nv_pure__
        __nv_register_params__ __noreturn__ __tile_global__ __tile__
        """,
    ),
    (Name.Builtin.Pseudo, "threadIdx blockIdx blockDim gridDim warpSize"),
    (
        Name.Constant,
        """
        __CUDACC__ __CUDACC_RTC__ __CUDACC_VER_MAJOR__ __CUDACC_VER_MINOR__ __CUDA_ARCH__
        __CUDA_ARCH_LIST__ __CUDA_ARCH_SPECIFIC__ __CUDA_ARCH_FAMILY_SPECIFIC__ __NVCC__ __cplusplus
        __LINE__ __FILE__ __func__ __FUNCTION__ __PRETTY_FUNCTION__ __COUNTER__ __VA_ARGS__
        __VA_OPT__ __DATE__ __TIME__ CUDART_INF_F CUDART_NAN_F CUDART_PI_F INFINITY NAN
        """,
    ),
    (
        Name.Builtin,
        """
        __syncthreads __syncthreads_count __syncthreads_and __syncthreads_or __syncwarp
        __threadfence __threadfence_block __threadfence_system __activemask __all_sync __any_sync
        __ballot_sync __match_any_sync __match_all_sync __ldg __popc __popcll __clz __clzll __brev
        __brevll __ffs __ffsll __fns __byte_perm __funnelshift_l __funnelshift_lc __funnelshift_r
        __funnelshift_rc __mul24 __umul24 __mulhi __umulhi __mul64hi __umul64hi __sad __usad
        __hadd __rhadd __dp2a_lo __dp2a_hi __dp4a __vadd2 __vadd4 __vsub2 __vsub4 __fdividef
        __expf __exp10f __logf __log2f __log10f __sinf __cosf __tanf __sincosf __powf __saturatef
        __float_as_int __int_as_float __float_as_uint __uint_as_float __double_as_longlong
        __longlong_as_double __double2hiint __double2loint __hiloint2double __float2half
        __half2float __float2bfloat16 __bfloat162float __float22half2_rn __half22float2 __hfma
        __hfma2 __hmul __hmul2 __hadd2 __hsub __hsub2 __nanosleep __trap __brkpt __assume
        __builtin_assume __builtin_assume_aligned __builtin_expect __builtin_unreachable
        __builtin_trap __isGlobal __isShared __isConstant __isLocal __isGridConstant
        __cvta_generic_to_global __cvta_generic_to_shared __cvta_generic_to_constant
        __cvta_generic_to_local __cvta_global_to_generic __cvta_shared_to_generic
        __pipeline_memcpy_async __pipeline_commit __pipeline_wait_prior clock clock64 printf
        assert malloc free memcpy memset __prof_trigger __cluster_map_shared_rank
        """,
    ),
    (Name.Builtin, _SHUFFLES),
    (
        Name.Builtin,
        " ".join(
            f"atomic{what}{scope}"
            for what, scope in product(_ATOMICS.split(), ("", "_block", "_system"))
        ),
    ),
    (Name.Builtin, " ".join(f"__reduce_{what}_sync" for what in _REDUCTIONS.split())),
    (Name.Builtin, " ".join(f"__ld{how} __st{how}" for how in _CACHED.split())),
    (
        Name.Builtin,
        " ".join(
            f"__{what}_{rounding}"
            for what, rounding in product(_ROUNDED.split(), ("rn", "rz", "ru", "rd"))
        ),
    ),
)


_DIRECTIVE, _COMMENT_IN_DIRECTIVE, _INCLUDE = 2, 3, 4
_STRING, _STRING_IN_DIRECTIVE, _LINE_COMMENT = 5, 6, 7

# A line ends these, unless a backslash at its end leads to the state given here, which has no
# rules and becomes the first again where the next line starts.
_CONTINUED = {_DIRECTIVE: 8, _STRING: 9, _STRING_IN_DIRECTIVE: 10, _LINE_COMMENT: 11}

_RAW_OPENED = 12

_RAW = 1 << 24
"""From here on a state is that of a raw string, and holds a checksum of its delimiter."""

_PREFIX = r"(?:u8|[uUL])?"
_RAW_DELIMITER = r'[^()\\\s"]{0,16}'
_RAW_START = rf'{_PREFIX}R"({_RAW_DELIMITER})\('
_RAW_WHOLE = rf'{_PREFIX}R"(?P<delimiter>{_RAW_DELIMITER})\(.*?\)(?P=delimiter)"'
_RAW_END = re.compile(rf'\)(?=({_RAW_DELIMITER})")')

_ESCAPE = r"\\(?:x[\da-fA-F]++|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{1,3}|.)"
_NAME = r"[^\W\d][\w$]*+"
_DIGITS = r"\d(?>'?\d)*+"
_EXPONENT = rf"[eE][-+]?{_DIGITS}"

_NUMBERS = (
    LexerRule(r"0[xX](?>'?[\da-fA-F])*+(?:\.[\da-fA-F']*+)?[pP][-+]?\d++\w*+", Number.Float),
    LexerRule(r"0[xX](?>'?[\da-fA-F])++\w*+", Number.Hex),
    LexerRule(r"0[bB](?>'?[01])++\w*+", Number.Bin),
    LexerRule(rf"(?:{_DIGITS}\.(?:{_DIGITS})?|\.{_DIGITS})(?:{_EXPONENT})?\w*+", Number.Float),
    LexerRule(rf"{_DIGITS}{_EXPONENT}\w*+", Number.Float),
    LexerRule(rf"{_DIGITS}\w*+", Number.Integer),
)
_CLASS_KEYS = ("class", "struct", "union", "enum", "concept", "typename")
_BEHIND_CLASS_KEY = "|".join(rf"(?<=\b{key}\s)" for key in _CLASS_KEYS)


def _code(comment: int, string: int) -> tuple[LexerRule, ...]:
    """Returns the rules of code, with the states that may go on in the next line."""
    return (
        LexerRule(r"//.*(?<=\\)\Z", Comment, then=_CONTINUED[_LINE_COMMENT]),
        LexerRule(r"//.*", Comment),
        *comment_rules(comment),
        LexerRule(_RAW_WHOLE, String),
        LexerRule(_RAW_START + "(?s:.*)", String, then=_RAW_OPENED),
        *string_rules(string, _PREFIX),
        LexerRule(_PREFIX + r"'(?>[^'\\]++|\\.?)*+'?", String.Char),
        LexerRule(rf"(?:{_BEHIND_CLASS_KEY}){_NAME}", Name.Class, WORDS),
        LexerRule(rf"{_NAME}(?=\s*+\()", Name.Function, WORDS),
        LexerRule(rf"{_NAME}(?=\s*+::)", Name.Namespace, WORDS),
        LexerRule(_NAME, Name, WORDS),
        *_NUMBERS,
        LexerRule(r"\[\[[\w\s:,]++(?:\([^()]*+\)\s*+)?\]\]", Name.Decorator),
        LexerRule(r"[(){};,\]]++|\[", Punctuation),
        LexerRule(r"[-+*%&|^!~<>=?:]++|/=?|\.++", Operator),
    )


_CODE = _code(IN_COMMENT, _STRING)
_IN_DIRECTIVE = (
    LexerRule(r"\\\Z", Comment.Preproc, then=_CONTINUED[_DIRECTIVE]),
    LexerRule(r"##?", Operator),
    *_code(_COMMENT_IN_DIRECTIVE, _STRING_IN_DIRECTIVE),
    LexerRule(r"\S", Error),
)


def _in_string(state: int, after: int) -> tuple[LexerRule, ...]:
    continued = LexerRule(r"\\\Z", String.Escape, then=_CONTINUED[state])
    return continued, *in_string_rules(_ESCAPE, after)


def _raw_state(delimiter: str) -> int:
    return _RAW | crc32(delimiter.encode("utf-8", "surrogatepass")) >> 8


def _end_of_raw(line: str, state: int) -> int:
    """Returns where a raw string from a line above ends, or 0 if the string goes on."""
    for closing in _RAW_END.finditer(line):
        if _raw_state(closing[1]) == state:
            return closing.end(1) + 1
    return 0


class CudaCxxLexer(LineLexer):
    """Lexes CUDA C++."""

    rules: ClassVar = {
        NORMAL: (
            *_CODE,
            LexerRule(r"#\s*+(?:error|warning)\b.*", Comment.Preproc),
            LexerRule(r"#\s*+(?:include|include_next|import)\b", Comment.Preproc, then=_INCLUDE),
            LexerRule(r"#\s*+\w*+", Comment.Preproc, then=_DIRECTIVE),
            LexerRule(r"\\\Z", Punctuation),
            LexerRule(r"\S", Error),
        ),
        IN_COMMENT: in_comment_rules(),
        _DIRECTIVE: _IN_DIRECTIVE,
        _COMMENT_IN_DIRECTIVE: in_comment_rules(_DIRECTIVE),
        _INCLUDE: (
            LexerRule(r'<[^>]*+>?|"[^"]*+"?', Comment.PreprocFile, then=_DIRECTIVE),
            *_IN_DIRECTIVE,
        ),
        _STRING: _in_string(_STRING, NORMAL),
        _STRING_IN_DIRECTIVE: _in_string(_STRING_IN_DIRECTIVE, _DIRECTIVE),
        _LINE_COMMENT: (
            LexerRule(r".*\\\Z", Comment, then=_CONTINUED[_LINE_COMMENT]),
            LexerRule(r".+", Comment, then=NORMAL),
        ),
    }
    line_ends: ClassVar = dict.fromkeys((*_CONTINUED, _INCLUDE), NORMAL)
    line_starts: ClassVar = {after: state for state, after in _CONTINUED.items()}

    def _lex_part(self, line: str, start: int, state: int, tokens: Tokens) -> int:
        if state >= _RAW:
            start = _end_of_raw(line, state)
            if not start:
                if line:
                    tokens.append((0, len(line), String))
                return state
            tokens.append((0, start, String))
        state = super()._lex_part(line, start, state, tokens)
        if state != _RAW_OPENED:
            return state
        opened = re.compile(_RAW_START).match(line, tokens[-1][0])
        assert opened is not None
        return _raw_state(opened[1])
