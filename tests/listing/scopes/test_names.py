"""Marked texts: `«name»` is where the name is meant, `<name>` where another of that spelling is."""

import re
from contextlib import suppress

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.listing.scopes.renaming import RenameError, defined_in, question, renaming
from jitstudio.listing.scopes.tree import TooDeep

_MARK = re.compile(r"«(\w+)»")


def read(marked):
    """The text, and where the marked names begin: lines and columns."""
    text = _MARK.sub(r"\1", marked)
    places, grown = [], 0
    for match in _MARK.finditer(marked):
        at = match.start() - grown
        line = text.count("\n", 0, at)
        places.append((line, at - (text.rfind("\n", 0, at) + 1)))
        grown += 2
    return text, places


MEANT = {
    "a local in its block, not the one that hides it": """
        __global__ void k(int *o, int n) {
            int «i» = 0;
            for (int i = 0; i < n; ++i) { o[i] = i; }
            { int i = 1; o[i] = i; }
            o[«i»] = «i»; }
        void other() { int i; }""",
    "a parameter, and what is in brackets, launches and lambdas": """
        __global__ void k(float *p, int «n»);
        """,
    "the parameter of a kernel in all its body": """
        __global__ void __launch_bounds__(128) k(float *p, int «n») {
            auto f = [=](int q) { return q + «n»; };
            for (int i = 0; i < «n»; i++) p[i] = sum<float, 4>(«n»); // n
            k<<<1, «n»>>>(p, n_, «n»); printf("n %d", «n»); }
        int n;""",
    "a global, not the local that hides it": """
        __device__ int «count»; // count
        int f() { return «count»; }
        int g(int count) { return count; }
        int h() { int a = «count»; int count = 1; return count; }
        #define NEXT («count» + 1) // count
        """,
    "a function with its announcement, overloads and calls": """
        int «add»(int a);
        float «add»(float a) { return a; }
        int «add»(int a) { return «add»(1.0f) + (int)«add»<int>(2); }
        struct S { int add; }; int g(S s) { return s.add; }""",
    "a template's parameter, not that of another": """
        template <typename «T», int N> __device__ «T» f(«T» a) { «T» b[N]; return «T»(a); }
        template <typename T> T g(T a) { return a; }""",
    "a member by dot, arrow, this and bare": """
        struct P { float «x»; float f() const { return «x» + this->«x»; }
                   P(float a) : «x»(a) {} float g(); };
        struct Q { float x; P inner; };
        float P::g() { return «x»; }
        __global__ void k(P p, P *q, Q r, float4 v) {
            P all[4]; auto same = p; const auto &other = *q;
            p.«x» = q->«x» + r.x + v.x + threadIdx.x + r.inner.«x» + all[1].«x» + same.«x»;
            other.«x»; int x = 0; x++; }
        P make();""",
    "a member function, inside and outside": """
        namespace n { struct V { int «get»() const; static int s; };
                      int V::«get»() const { return s; } }
        int n::V::s = 3;
        int f(n::V v) { return v.«get»() + get(); }
        int get();""",
    "a class with its constructors": """
        struct «A» { «A»(); «A»(int) {} ~«A»() {} static «A» *made; };
        «A»::«A»() {}
        «A» *«A»::made = new «A»(1);
        void f(struct «A» &a) { «A» b{}; sizeof(«A»); static_cast<«A» *>(0); }
        namespace z { struct A {}; A a; }""",
    "a namespace's name, with and without it": """
        namespace a { int «v»; int f() { return «v»; } } namespace b { int v; }
        int g() { return a::«v» + b::v + ::a::«v»; }
        int h() { using namespace a; return «v»; }""",
    "an enumerator": """
        enum Color { «RED», GREEN = «RED» + 1 }; enum class Other { RED };
        int f() { return «RED» + Color::«RED» + (int)Other::RED; }""",
    "a macro, whatever it is used for": """
        #define «SIZE» 4
        #ifdef «SIZE»
        __shared__ int a[«SIZE»];
        #endif
        #if defined(«SIZE») && «SIZE» > 2
        #define TWICE(SIZE_) («SIZE» * 2) /* SIZE */
        const char *s = "SIZE";
        #endif
        """,
    "a parameter of a macro": """
        #define SQ(«x») ((«x») * («x»))
        int x = SQ(3);""",
    "a label": """
        void f(int done) { if (done) goto «done»; «done»: return; }
        void g() { goto done; done: ; }""",
    "a variable that a loop over a range or a catch declares": """
        void f(int *all) { for (auto &«e» : all) «e» = 1; int e; e = 2; }""",
    "what a lambda captures anew": """
        void f(int a) { auto g = [«b» = a](int c) { return «b» + c; }; int b; b++; }""",
    "an inherited member": """
        struct B { int «m»; }; struct D : public B { int f() { return «m»; } };""",
    "a member behind its class, where a member and a local hide it": """
        struct B { int «x»; }; struct P : B { int x; };
        int f(P *p) { int x = 0; return p->B::«x» + p->P::x + x; }""",
    "a member whose place is asked for, not a local": """
        struct B { int «x»; }; struct P : B { int y; }; struct Q { int x; }; typedef P R;
        int f(int x) { return offsetof(B, «x») + offsetof(R, «x») + offsetof(Q, x) + x; }""",
    "in a line that is not ASCII": """
        void f() { /* 😀é */ int «ä» = 1; /* ä */ «ä»++; }""",
    "in code with an error in it": """
        void f(int «n») { int a = («n»; a += «n»; }
        int n;""",
}  # fmt: skip


@pytest.mark.parametrize("marked", MEANT.values(), ids=MEANT)
def test_a_name_is_renamed_where_it_means_the_same(marked):
    text, places = read(marked)
    for line, column in places:
        found = renaming(CodeKind.CUDA, text, line, column)
        assert [(at, span[0]) for at, span in found.places] == places


REFUSED = {
    "no name": ("int a; // |word", "no name at the cursor"),
    "a string": ('auto s = "|word";', "no name at the cursor"),
    "of CUDA": ("int f() { return thread|Idx.x; }", "not declared in this file"),
    "of another file": ("int f() { return |helper(); }", "not declared in this file"),
    "a member of who knows what": (
        "struct A { int |m; };\ntemplate <class T> int f(T t) { return t.m; }",
        "'m' in line 2 is a member of something",
    ),
    "of a member of who knows what": (
        "struct A { int m; };\ntemplate <class T> int f(T t) { return t.|m; }",
        "Rename it where it is declared",
    ),
}


@pytest.mark.parametrize(("marked", "told"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_renamed_says_why(marked, told):
    at = marked.index("|")
    text = marked.replace("|", "")
    line, column = text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1)
    with pytest.raises(RenameError, match=re.escape(told)):
        renaming(CodeKind.CUDA, text, line, column)


def test_other_languages_are_not_renamed():
    with pytest.raises(RenameError, match="LLVM IR"):
        renaming(CodeKind.LLVM_IR, "define void @f() {", 0, 14)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("index", ""),
        ("i", ""),
        ("n", "'n' is there already, in line 1."),
        ("k", "'k' is there already"),
        ("hidden", "'hidden' is there already, in line 2."),
        ("elsewhere", ""),
        ("for", "is a word of CUDA C++"),
        ("threadIdx", "is a word of CUDA C++"),
        ("1st", "letters, digits and _"),
        ("a b", "letters, digits and _"),
        ("", "letters, digits and _"),
    ],
)
def test_a_new_name_must_not_be_there(name, problem):
    text = (
        "__global__ void k(int n) { int i = n;\n"
        "  { int hidden = i; k<<<1, 1>>>(i); } }\n"
        "void other() { int elsewhere; }"
    )
    found = renaming(CodeKind.CUDA, text, 0, 31)
    assert (found.name, len(found.places)) == ("i", 3)
    told = found.refusal(name)
    assert problem in told if problem else told == ""


def asked(marked, kind=CodeKind.CUDA):
    at = marked.index("|")
    text = marked.replace("|", "")
    return question(kind, text, text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1))


@pytest.mark.parametrize(
    ("marked", "places"),
    [
        ("int f(int n) { return |n; }", ((0, 10),)),
        ("int f();\nint g() { return f|(); }\nint f() { return 1; }", ((2, 4),)),
        ("int f();\nint g() { return f|(); }", ((0, 4),)),
        # From the definition to its announcement, and back.
        ("int f();\nint |f() { return 1; }", ((0, 4),)),
        ("int |f();\nint f() { return 1; }", ((1, 4),)),
        ("int |f() { return 1; }", ((0, 4),)),
        ("#define N 3\nint a = |N;", ((0, 8),)),
        ("extern int v;\nint a = |v;\nint v = 2;", ((2, 4),)),
        ("int f(int a) { return a; }\nfloat f(float a) { return a; }\nint b = |f(1);",
         ((0, 4), (1, 6))),
        # Of a member of who knows what, all that it may be.
        (("struct A { int m; };\nstruct B { int m; };\ntemplate <class T> int f(T t) "
          "{ return t.|m; }"), ((0, 15), (1, 15))),
    ],
)  # fmt: skip
def test_a_definition_in_the_text(marked, places):
    assert asked(marked).places == places


def test_what_a_question_is_about():
    assert asked('#include "a/b.cuh|"').include == "a/b.cuh"
    assert asked("  # include <cuda|_fp16.h> // x").include == "cuda_fp16.h"
    assert asked("int a = thread|Idx.x;").is_built_in
    assert asked("// wo|rd") == question(CodeKind.CUDA, "", 0, 0)
    assert asked("int a = b.|c;").is_member
    assert asked(".entry k() {\nbra $L|1;\n$L1:\n}\n", CodeKind.PTX).places == ((2, 0),)
    assert asked("br label %l|oop\nloop:\n", CodeKind.LLVM_IR).places == ((1, 0),)


def test_what_others_can_use_of_a_text():
    text = (
        "int f(int v) { int w; return v; }\nstruct S { int m; };\nconstexpr int C = 1;\n#define M 2"
    )
    assert defined_in(text, "C", may_be_member=False) == ((2, 14),)
    assert defined_in(text, "M", may_be_member=False) == ((3, 8),)
    assert defined_in(text, "S", may_be_member=False) == ((1, 7),)
    assert defined_in(text, "w", may_be_member=True) == ()
    assert defined_in(text, "m", may_be_member=False) == ()
    assert defined_in(text, "m", may_be_member=True) == ((1, 15),)


@pytest.mark.parametrize(
    "text",
    [
        "void f(int n) {" + "{" * 20_000 + "n;" * 1000,
        "int f(int n) { return " + "(" * 20_000 + "n;" * 1000,
        "int f(int n) { return n" + " + n" * 10_000 + "; }",
        "void f(int n) {" + "n<" * 10_000,
        "".join(f"n{i}.n{i + 1};" for i in range(2000)) + "struct A { int n; }; n.n;",
        "#define N n " + "\\\n" * 20_000 + "n",
    ],
    ids=["blocks", "brackets", "sum", "templates", "members", "macro"],
)
def test_hostile_code_ends_soon(text):
    with suppress(RenameError, TooDeep):
        renaming(CodeKind.CUDA, text, 0, text.index("n") if "(int" not in text else 11)
