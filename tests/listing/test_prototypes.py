"""Which prototypes differ between modules, with nvJitLink as the judge of what it can see."""

from dataclasses import replace
from itertools import product

import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.listing.cuda.prototypes import differing_prototypes
from tests.support import cuda, request

TYPES = ("int", "unsigned", "float", "double", "long long", "char", "short", "int *", "float *")
DECLARED = """extern "C" __device__ int f(int x);
extern "C" {
__device__ unsigned *g(const float *p, long long n, uint4 v);
__device__ void h(void);
}
"""


def said(declared, defined):
    texts = {"a.cu": declared, "b.cu": defined}
    sources = (Source(name, CodeKind.CUDA, text.encode()) for name, text in texts.items())
    return [(d.file, d.line, d.message) for d in differing_prototypes(sources)]


@pytest.mark.parametrize(
    "defined",
    [
        'extern "C" __device__ int f(const int y) { return y; }',
        'extern "C" __device__ signed f(signed int y) { return y; }',
        'extern "C" __device__ INTEGER f(INTEGER y) { return y; }',
        'extern "C" __device__ unsigned int *g(float *q, long m, uint4 w) { return 0; }',
        'extern "C" __device__ void h() {}',
        # Functions of C++ are told apart by their parameters.
        "__device__ float f(float y) { return y; }",
        'extern "C" __device__ float f(float y);',
    ],
)
def test_the_same_in_other_words_is_no_difference(defined):
    assert said(DECLARED, defined) == []


@pytest.mark.parametrize(
    ("defined", "line"),
    [
        ('extern "C" __device__ float f(float y) { return y; }', 1),
        ('extern "C" __device__ int f(int y, int z) { return y; }', 1),
        ('extern "C" __device__ void f(int y) {}', 1),
        ('extern "C" { __device__ int *g(float *p, int n, uint4 v) { return 0; } }', 3),
        ('extern "C" __device__ int h() { return 1; }', 4),
    ],
)
def test_another_prototype_is_told_at_the_declaration(defined, line):
    ((file, at, message),) = said(DECLARED, defined)
    assert (file, at) == ("a.cu", line)
    assert message.endswith(" at b.cu:1.")


F_INT = 'extern "C" __device__ int f(int x);'
F_FLOAT = 'extern "C" __device__ float f(float y) { return y; }'
GUARDED = [
    ("#ifndef F_H\n#define F_H\n{0}\n#endif\n", 3),
    ("// a header\n#if !defined(F_H) /* once */\n# define F_H 1\n\n{0}\n#endif // F_H\n", 5),
    ("#ifndef A\n#define A\nint a;\n#endif\n#ifndef B\n#define B\n{0}\n#endif\n", 7),
    ("#ifndef F_H\n#define F_H\n#ifdef __cplusplus\n{0}\n#else\nint f(int);\n#endif\n#endif\n", 4),
    ("#ifndef F_H\n#define F_H\n#include <cuda_fp16.h>\n#ifdef FAST\n#endif\n{0}\n#endif", 6),
    (
        """#ifndef F_H
#define F_H
#ifdef __cplusplus
extern "C" {{
#endif
__device__ int f(int x);
#ifdef __cplusplus
}}
#endif
#endif
""",
        6,
    ),
]


@pytest.mark.parametrize(("guard", "line"), GUARDED)
def test_what_an_include_guard_encloses_is_compared(guard, line):
    ((file, at, message),) = said(guard.format(F_INT), F_FLOAT)
    assert (file, at) == ("a.cu", line)
    assert "it is int f(int x) here" in message.replace('extern "C" __device__ ', "")
    # A definition in a guard is one.
    assert said(F_INT, GUARDED[0][0].format(F_FLOAT))


@pytest.mark.parametrize(
    "text",
    [
        "#define F_H\n#ifndef F_H\n#define F_H\n{0}\n#endif\n",
        "#ifndef F_H\n#define F_H\n#endif\n#ifndef F_H\n#define F_H\n{0}\n#endif\n",
        '#include "config.h"\n#ifndef USE_INT\n#define USE_INT\n{0}\n#endif\n',
        "#ifndef F_H\n#define F_H\n#else\n{0}\n#endif\n",
        "#ifndef USE_DOUBLE\n{0}\n#endif\n",
        "#ifndef F_H\n#define G_H\n{0}\n#endif\n",
        "#ifndef F_H\nint a;\n#define F_H\n{0}\n#endif\n",
        "#ifndef __CUDA_ARCH__\n#define __CUDA_ARCH__ 1\n{0}\n#endif\n",
        "#ifndef F_H\n#define F_H\n#ifdef USE_INT\n{0}\n#endif\n#endif\n",
        "#ifdef USE_INT\n#ifndef F_H\n#define F_H\n{0}\n#endif\n#endif\n",
        "#ifdef __cplusplus\n#else\n{0}\n#endif\n",
        "#ifndef __cplusplus\n{0}\n#endif\n",
        "#ifndef OPTION\n#define OPTION\n{0}\n#endif\n",
    ],
)
def test_what_may_not_be_compiled_is_not(text):
    sources = [Source("a.cu", CodeKind.CUDA, text.format(F_INT).encode()), cuda(F_FLOAT, "b.cu")]
    assert list(differing_prototypes(sources, {"a.cu": ("OPTION",)})) == []


SCALE = """#ifdef USE_DOUBLE
extern "C" __device__ double scale(double x){0}
#else
extern "C" __device__ float scale(float x){0}
#endif
"""


@pytest.mark.parametrize(
    ("declared", "defined"),
    [
        (SCALE.format(";"), SCALE.format(" { return x; }")),
        ('extern "C" __device__ float scale(float);', SCALE.format(" { return x; }")),
        (
            '#if 0\nextern "C" __device__ int f(int);\n#endif\n',
            'extern "C" __device__ float f(float x) { return x; }',
        ),
        (
            'extern "C" {\n#if 0\n__device__ int f(int);\n#endif\n}\n',
            'extern "C" __device__ float f(float x) { return x; }',
        ),
        (
            'extern "C" __device__ void g(void *p);',
            'extern "C" __device__ void g(int (*f)(int)) {}',
        ),
        (
            'extern "C" __device__ void g(void *p);',
            'extern "C" __device__ void g(int f(int)) {}',
        ),
        ('extern "C" __device__ void g(void *p);', 'extern "C" __device__ void g(int (int)) {}'),
    ],
)
def test_what_may_fit_is_no_difference(declared, defined):
    assert said(declared, defined) == []


def test_one_definition_that_fits_is_enough():
    texts = (
        'extern "C" __device__ int f(int);',
        'extern "C" __device__ int f(int x) { return x; }',
        'extern "C" __device__ float f(float x) { return x; }',
    )
    modules = [Source(f"{n}.cu", CodeKind.CUDA, t.encode()) for n, t in enumerate(texts)]
    assert list(differing_prototypes(modules)) == []
    assert list(differing_prototypes([modules[0], modules[2]]))


def test_the_message_has_both_as_they_are_written():
    ((_, _, message),) = said(DECLARED, 'extern "C" __device__ float f(float y) { return y; }')
    assert message == (
        "Prototype doesn't match for 'f': it is int f(int x) here, and float f(float y) at b.cu:1."
    )


@pytest.mark.tools
def test_what_a_link_by_ptx_warns_of_is_told(builder):
    pairs = list(product(TYPES, TYPES))
    declared = "".join(
        f'extern "C" __device__ {a} f{n}({a} x);\n' for n, (a, _) in enumerate(pairs)
    )
    calls = " ".join(f"f{n}(({a})0);" for n, (a, _) in enumerate(pairs))
    declared += f'extern "C" __global__ void k() {{ {calls} }}\n'
    defined = "".join(
        f'extern "C" __device__ {b} f{n}({b} x) {{ return x; }}\n' for n, (_, b) in enumerate(pairs)
    )
    result = builder.build(request(cuda(declared, "a.cu"), cuda(defined, "b.cu"), link="ptx"))
    seen = {d.message.split("'")[1] for d in result.diagnostics if "Prototype" in d.message}
    ours = {message.split("'")[1] for _, _, message in said(declared, defined)}
    assert seen
    assert seen <= ours
    assert not ours & {f"f{n}" for n, (a, b) in enumerate(pairs) if a == b}


@pytest.mark.tools
def test_a_link_by_lto_warns_of_what_a_guard_encloses(builder):
    declared = GUARDED[0][0].format(F_INT) + 'extern "C" __global__ void k(int *p) { *p = f(1); }'
    asked = request(cuda(declared, "a.cu"), cuda(F_FLOAT, "b.cu"), link="lto")
    told = [d for d in builder.build(asked).diagnostics if "Prototype" in d.message]
    assert [(d.file, d.line) for d in told] == [("a.cu", 3)]
    options = replace(asked, options=("-DF_H",))
    assert not [d for d in builder.build(options).diagnostics if "Prototype" in d.message]
