import pytest

from jitstudio.listing.includes import includes


def names(text):
    return includes(text.encode()).names


@pytest.mark.parametrize(
    "text",
    [
        '#include "a.h"',
        "#include <a.h>",
        '  #  include\t"a.h"',
        '#include"a.h" // why',
        '#/**/include /* why */ "a.h"',
        '/* why */ #include "a.h"',
        'int x; /* two\nlines */ #include "a.h"',
        '%:include "a.h"',
        '#inc\\\nlude \\\n"a.h"',
        '#inc\\\r\nlude "a.h"\r\n',
        '#inc??/\nlude "a.h"\n',
        '#import "a.h"',
        "#include_next <a.h>",
        '#embed "a.h"',
        "#if __has_include(<a.h>)",
        '#if defined(X) && __has_include ( "a.h" )',
        '#if 0\n#include "a.h"\n#endif',
        "#if _CCCL_HAS_INCLUDE(<a.h>)",
        '#if defined(X) && MY_HAS_INCLUDE_OF ( "a.h" )',
    ],
)
def test_every_way_to_name_a_file_is_found(text):
    assert names(text) == {"a.h"}
    assert not includes(text.encode()).computed


@pytest.mark.parametrize("text", ["", "int include;", "#includes <a.h>", "#define include <a.h>"])
def test_what_is_no_directive_names_nothing(text):
    assert names(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "#include HEADER",
        "# include HEADER(a)",
        "/* why */ #include HEADER",
        "int x;\n\t#include HEADER",
        "/*" + 300 * "-" + "*/ #include HEADER",
        "#if __has_include(HEADER)",
        '#/* in two\nlines */include "a.h"',
        '#include /* in two\nlines */ "a.h"',
    ],
)
def test_a_name_that_a_macro_makes_is_told(text):
    assert includes(text.encode()).computed


@pytest.mark.parametrize(
    "text", ["// an #include of mine", " * #include is for headers", 'auto s = "#include X";']
)
def test_prose_about_includes_is_no_macro(text):
    assert includes(text.encode()) == includes(b"")


@pytest.mark.parametrize(
    "text",
    [
        "#define HAS __has_include",
        "#if __has_include/**/(<a.h>)",
        "#if __has_inc\\\nlude(WHERE)",
        "#define MY _CCCL_HAS_INCLUDE",
        '#if _CCCL_HAS_INCLUDE/**/("a.h")',
        '#if _CCCL_HAS_INCLUDE // of\n("a.h")',
    ],
)
def test_questions_in_disguise_are_told(text):
    assert includes(text.encode()).computed


@pytest.mark.parametrize("text", ["t = __TIME__;", "t = __DATE__;", "t = __TIME\\\nSTAMP__;"])
def test_who_asks_for_the_time_is_told(text):
    assert includes(text.encode()).clock
    assert not includes(text.encode()).computed


@pytest.mark.parametrize(
    "text",
    [
        "#ifdef __has_include",
        "#if defined(__has_include)",
        "#if !defined __has_include",
        "#ifndef _CCCL_HAS_INCLUDE",
        "#if defined(_CCCL_HAS_INCLUDE)",
        "#if HAS_EMBEDDED_MEMORY",
    ],
)
def test_to_ask_whether_one_may_ask_is_no_question(text):
    assert includes(text.encode()) == includes(b"")


@pytest.mark.parametrize(
    "text",
    ["P(__has_,include)", "P(__,has_include)", "P(__h,as_include)", "P(__TI,ME__)", "P(_,_DATE__)"],
)
def test_parts_of_a_question_or_a_clock_are_told(text):
    assert includes(text.encode()).parts
    assert not includes(text.encode()).pastes
    assert includes(b"#define P(a, b) a ## b").pastes


@pytest.mark.parametrize("text", ["#include <a.h>", "int TIME, DATE, __half, has;", "__t"])
def test_other_words_are_no_such_parts(text):
    assert not includes(text.encode()).parts


def test_names_between_quotes_are_told_apart():
    found = includes(b'#include "a.h"\n#include <b.h>\n#if __has_include("c.h")\n')
    assert found.quoted == {"a.h", "c.h"}
    assert found.names == {"a.h", "b.h", "c.h"}


def test_all_of_several_are_found():
    text = '#include <cuda/std/array>\n#include "b.cuh"\nint x;\n#include "sub/c.cuh"\n'
    assert names(text) == {"cuda/std/array", "b.cuh", "sub/c.cuh"}


def test_bytes_that_are_no_utf8_do_not_matter():
    assert includes(b'// caf\xe9\n#include "\xe9.h"\n').names == {"\udce9.h"}


def test_an_unfinished_directive_names_nothing():
    assert includes(b"#include") == includes(b"#include\n")
    assert includes(b"#include\n").names == set()
