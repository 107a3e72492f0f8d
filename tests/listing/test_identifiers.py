from threading import Event

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.listing.identifiers import identifiers, typed_name


@pytest.mark.parametrize(
    ("kind", "text", "names"),
    [
        (CodeKind.CUDA, "int a1 = 0x1f + 1'000u; // no\n/* no\nno */ b(\"no\", 'c');", "int a1 b"),
        (CodeKind.HEADER, "struct S;", "struct S"),
        (CodeKind.PTX, "ld.global.f32 %r1, [%in+4]; // no\nbra $L_x;", "ld %in bra $L_x"),
        (CodeKind.LLVM_IR, "%sum = add i32 %a.b, %1 ; %no\ncall @f()", "%sum %a.b @f"),
        (CodeKind.SASS, "MOV R1, c[0x0][0x28]", ""),
    ],
)
def test_names_are_those_of_the_language_outside_of_comments(kind, text, names):
    assert identifiers(kind, text, Event()) == set(names.split())


def test_a_long_text_is_read_to_its_end_unless_it_is_no_longer_wanted():
    text = "".join(f"int name_{number};\n" for number in range(2000))
    assert len(identifiers(CodeKind.CUDA, text, Event())) == 2001
    stop = Event()
    stop.set()
    assert identifiers(CodeKind.CUDA, text, stop) == frozenset()


@pytest.mark.parametrize(
    ("kind", "before", "typed"),
    [
        (CodeKind.CUDA, "x = thr", "thr"),
        (CodeKind.CUDA, "#inc", "#inc"),
        (CodeKind.CUDA, "a.b", "b"),
        (CodeKind.CUDA, "0x1ff", ""),
        (CodeKind.CUDA, "f(", ""),
        (CodeKind.PTX, "ld.gl", ".gl"),
        (CodeKind.PTX, "mov.u32 %r1, %ti", "%ti"),
        (CodeKind.PTX, "bra $L_", "$L_"),
        (CodeKind.PTX, "0f3F", ""),
        (CodeKind.LLVM_IR, "%1 = call i32 @llvm.nvvm.re", "@llvm.nvvm.re"),
        (CodeKind.LLVM_IR, "i32 12", ""),
        (CodeKind.LLVM_IR, "%1 = getel", "getel"),
        (CodeKind.SASS, "MOV", ""),
    ],
)
def test_what_is_being_typed_is_a_name_with_its_sigil(kind, before, typed):
    assert typed_name(kind, before) == typed
