"""Device code in programs, libraries and wheels, against what was packed into them."""

import io
import re
import struct
import subprocess
import zipfile

import pytest

from jitstudio.analysis.diff.program import by_itself
from jitstudio.core.code import CodeKind
from jitstudio.core.kernel_resources import cubin_resources
from jitstudio.core.library import (
    LibraryFailure,
    LibraryListing,
    ListRequest,
    TakeRequest,
)
from jitstudio.core.plain_files import read_file
from jitstudio.core.tools import Tool
from jitstudio.toolchain import library, locate
from jitstudio.toolchain.cubin_reading import read_cubin
from jitstudio.toolchain.extraction import unpack
from jitstudio.toolchain.library import list_kernels, take_piece
from tests.core.fatbins import container, entry
from tests.library_files import archive, elf, wheel
from tests.support import refusal
from tests.toolchain.opened_files import CALLER, KERNELS, NEEDS_NVCC, compiled, packed

K = CodeKind
TARGETS = ("sm_80", "sm_90", "compute_90")
OTHER = 'extern "C" __global__ void other(int* p) { __shared__ int s[8]; s[1] = *p; *p = s[*p]; }'


@pytest.fixture(scope="module")
def fatbin():
    return packed(*TARGETS)


@pytest.fixture(scope="module")
def cubin():
    return compiled(K.CUBIN, "sm_90", OTHER)


@pytest.fixture
def listed(tmp_path):
    def listed(content, name="file"):
        path = tmp_path / name
        path.write_bytes(content)
        return list_kernels(ListRequest(str(path), name), lambda _: None)

    return listed


def rows(found):
    """Name and target of all kernels, sorted."""
    assert isinstance(found, LibraryListing), found
    return sorted((k.name, found.pieces[k.piece].target) for k in found.kernels)


ALL = sorted((name, target) for name in ("twice", "thrice") for target in TARGETS)


def test_a_kernel_has_the_figures_of_its_own_cubin(listed, fatbin):
    found = listed(elf({".text": b"\x90" * 9, ".nv_fatbin": b"\0" * 24 + fatbin}))
    assert rows(found) == ALL
    for kernel in found.kernels:
        piece = found.pieces[kernel.piece]
        assert (piece.member, piece.section) == ("", ".nv_fatbin")
        if piece.kind is K.PTX:
            assert (kernel.code_bytes, kernel.resources.registers) == (None, None)
            continue
        cubin = compiled(K.CUBIN, piece.target)
        assert kernel.resources == cubin_resources(cubin)[kernel.name]
        assert kernel.code_bytes == _text_bytes(cubin, kernel.name)


def _text_bytes(cubin, kernel):
    from elftools.elf.elffile import ELFFile

    return ELFFile(io.BytesIO(cubin)).get_section_by_name(f".text.{kernel}").data_size


@pytest.mark.parametrize("name", ["f.so", "f.a", "f.whl", "f.fatbin", "f", "f.exe"])
def test_all_kinds_of_files_hold_the_same_kernels(listed, fatbin, name):
    program = elf({".nv_fatbin": fatbin})
    content = {
        "f.a": archive({"x.o": b"\0" * 65, "an_object_of_a_long_name.o": program}),
        "f.whl": wheel({"f/__init__.py": b"import os\n" * 99, "f/lib/f.so": program}),
        "f.fatbin": fatbin,
        "f.exe": b"MZ" + b"\0" * 99 + fatbin,
    }.get(name, program)
    found = listed(content, name)
    assert rows(found) == ALL
    members = {"f.a": "an_object_of_a_long_name.o", "f.whl": "f/lib/f.so"}
    assert {piece.member for piece in found.pieces} == {members.get(name, "")}


def test_bare_cubins_and_ptx_and_a_library_in_a_wheel_are_listed_too(listed, fatbin, cubin):
    assert rows(listed(cubin)) == [("other", "sm_90")]
    ptx = compiled(K.PTX, "compute_80", OTHER)
    assert rows(listed(ptx)) == [("other", "compute_80")]
    files = {"a/o.cubin": cubin, "a/o.ptx": ptx, "a/l.a": archive({"o.o": elf({"x": fatbin}, 1)})}
    found = listed(wheel(files))
    assert rows(found) == sorted([*ALL, ("other", "compute_80"), ("other", "sm_90")])
    assert {p.member for p in found.pieces} == {"a/o.cubin", "a/o.ptx", "a/l.a:o.o"}


def test_what_was_linked_stands_for_what_it_was_linked_of(listed, fatbin, cubin):
    parts = container(entry(2, 90, cubin))
    files = {".nv_fatbin": fatbin, "__nv_relfatbin": parts}
    found = listed(elf(files))
    assert rows(found) == ALL
    (note,) = found.notes
    assert "__nv_relfatbin" in note
    # Of an object that waits for its link there is nothing else.
    assert len(rows(listed(elf(files, kind=1)))) == len(ALL) + 1


def test_code_that_waits_for_a_link_is_marked(listed):
    caller = compiled(K.CUBIN, "sm_90", CALLER, "-rdc=true")
    found = listed(elf({"__nv_relfatbin": container(entry(2, 90, caller))}, kind=1))
    assert [piece.relocatable for piece in found.pieces] == [True]
    assert rows(found) == [("k", "sm_90")]


def test_a_taken_piece_is_the_very_code(tmp_path, fatbin, cubin):
    # Two cubins for one target: a build of the whole would take the first.
    both = container(entry(2, 90, compiled(K.CUBIN, "sm_90")), entry(2, 90, cubin))
    path = tmp_path / "f.whl"
    path.write_bytes(wheel({"f.so": elf({".nv_fatbin": fatbin + both})}))
    found = list_kernels(ListRequest(str(path), "f.whl"), lambda _: None)
    (kernel,) = (k for k in found.kernels if k.name == "other")
    taken = take_piece(TakeRequest(str(path), "f.whl", found.pieces[kernel.piece]))
    assert taken.kind is K.FATBIN
    pieces, _, _ = unpack(taken.content, K.FATBIN, "f")
    assert [piece.content for piece in pieces] == [cubin]
    first = take_piece(TakeRequest(str(path), "f.whl", found.pieces[0]))
    assert {piece.title for piece in unpack(first.content, K.FATBIN, "f")[0]} == set(TARGETS)


def test_members_of_one_name_and_of_names_with_colons_are_told_apart(tmp_path, fatbin, cubin):
    one, two = elf({"x": fatbin}, 1), elf({"x": container(entry(2, 90, cubin))}, 1)
    path = tmp_path / "f.whl"
    twins = archive({"a.o": one}) + archive({"a.o": two})[8:]
    path.write_bytes(wheel({"b:c/l.a": twins}))
    found = list_kernels(ListRequest(str(path), "f"), lambda _: None)
    assert list(dict.fromkeys(p.member for p in found.pieces)) == ["b:c/l.a:a.o", "b:c/l.a:a.o#2"]
    taken = take_piece(TakeRequest(str(path), "f", found.pieces[-1]))
    assert unpack(taken.content, K.FATBIN, "f")[0][0].content == cubin


def test_a_function_read_alone_is_the_one_among_others():
    loop = "for (int i = 0; i < n; ++i) if (p[i] > {0}) p[i] = p[i * {0}];"
    text = "".join(
        f'extern "C" __global__ void k{n}(int* p, int n) {{ {loop.format(n)} }}\n'
        for n in (2, 3, 4)
    )
    code = compiled(K.CUBIN, "sm_90", text)
    whole, alone = read_cubin(code, "k"), read_cubin(code, "k", function="k3")
    (function,) = (each for each in whole.functions if each.name == "k3")
    (only,) = alone.functions
    assert vars(by_itself(only)) == vars(by_itself(function))
    assert function.labels
    assert alone.resources == whole.resources
    assert alone.demangled == whole.demangled
    nothing = read_cubin(code, "k", function="nothing")
    assert (nothing.functions, nothing.demangled) == ((), whole.demangled)


def test_a_file_that_was_replaced_meanwhile_gives_no_other_code(tmp_path, fatbin):
    path = tmp_path / "f.so"
    path.write_bytes(elf({".nv_fatbin": fatbin}))
    piece = list_kernels(ListRequest(str(path), "f.so"), lambda _: None).pieces[0]
    path.write_bytes(elf({".nv_fatbin": fatbin[:200] + bytes(8) + fatbin}))
    taken = take_piece(TakeRequest(str(path), "f.so", piece))
    assert isinstance(taken, LibraryFailure)
    assert "List it again" in taken.message


def _bomb():
    """A wheel that says it holds more than is unpacked."""
    content = bytearray(wheel({"big.so": elf({".nv_fatbin": b"\0" * 200})}))
    at = content.rindex(b"PK\1\2")
    struct.pack_into("<I", content, at + 24, 0xFFFFFFF0)
    return bytes(content)


def _patched(method=zipfile.ZIP_DEFLATED, flags=0, content=None, **others):
    """A zip with "a.so", which says that it has these flags and was compressed by this method."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method if method in (0, 8, 12, 14) else 8) as file:
        file.writestr("a.so", content or elf({"x": bytes(range(256)) * 9}))
        for name, other in others.items():
            file.writestr(name, other)
    patched = bytearray(made.getvalue())
    for at, says in ((0, 6), (patched.index(b"PK\1\2"), 8)):
        patched[at + says] |= flags
        struct.pack_into("<H", patched, at + says + 2, method)
    return patched


GREEDY = container(entry(2, 90, b"\x7fELF" + b"\0" * 60, flags=0x2011))


def _damaged(method, at):
    # The content is behind the header of 30 bytes and the name.
    content = _patched(method)
    content[34 + at] ^= 0xFF
    return content


BAD = {
    "empty": (b"", "of an unknown kind"),
    "text": (b"hello\n" * 99, "holds no device code of CUDA: neither a cubin nor PTX"),
    "gzip": (b"\x1f\x8b" + b"\0" * 99, "compressed by gzip"),
    "no device code": (elf({".text": b"\x90" * 99}), "a program, library or object for Linux"),
    "thin archive": (b"!<thin>\n" + b"\0" * 99, "thin archive"),
    "empty archive": (b"!<arch>\n", "a static library"),
    "damaged archive": (b"!<arch>\n" + b"x" * 99, "a static library"),
    "wheel cut short": (wheel({"a.so": elf({"x": b"\0" * 999})})[:-30], "damaged zip"),
    "bomb": (_bomb(), "unpack to 4,294,967,280, more than are unpacked"),
    "encrypted": (_patched(flags=1), "'a.so' is encrypted: unpack it with its password"),
    "zstd": (_patched(93), "'a.so' is compressed by zstd, which is not unpacked here"),
    "another method": (_patched(77), "'a.so' is compressed by method 77"),
    # The properties of LZMA are behind four bytes of the format.
    "damaged LZMA": (_damaged(14, 4), "'a.so' cannot be unpacked: it is damaged"),
    "damaged": (_damaged(8, 40), "'a.so' cannot be unpacked: it is damaged"),
    "zip in zip": (wheel({"a.zip": wheel({"a": b"0" * 99})}), "an archive by itself"),
    "greedy": (
        GREEDY[:72] + struct.pack("<Q", 1 << 40) + GREEDY[80:],
        "more than 256 MiB. It is left out",
    ),
    "LTO-IR": (container(entry(8, 90, b"\0" * 64)), "neither machine code nor PTX, but LTO-IR"),
    "damaged fatbin": (container(entry(2, 90, b"\0" * 64)), "cannot be unpacked"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_holds_no_readable_code_is_a_sentence(listed, name):
    content, words = BAD[name]
    found = listed(content)
    assert isinstance(found, LibraryFailure), found
    assert words in found.message


@pytest.mark.parametrize("says", [{"method": 93}, {"flags": 1}])
def test_a_member_that_is_not_unpacked_costs_only_itself(listed, fatbin, says):
    found = listed(bytes(_patched(**says, b=fatbin)))
    assert rows(found) == ALL
    assert len(found.notes) == 1
    assert found.notes[0].startswith("'a.so' is ")


def test_a_damaged_part_costs_only_itself(listed, fatbin, cubin):
    damaged = container(entry(2, 90, b"\0" * 64))
    found = listed(elf({"a": fatbin, "b": damaged, "c": container(entry(2, 90, cubin))}))
    assert rows(found) == sorted([*ALL, ("other", "sm_90")])
    (note,) = found.notes
    assert "cannot be unpacked" in note


def test_false_sizes_of_sections_hide_nothing(listed, fatbin):
    content = bytearray(elf({".nv_fatbin": fatbin}))
    (table,) = struct.unpack_from("<Q", content, 40)
    for at in (table + 64 + 24, table + 64 + 32, table + 128 + 24):
        struct.pack_into("<Q", content, at, 1 << 62)
        assert rows(listed(bytes(content))) == ALL


def test_a_folder_and_a_missing_file_are_sentences(tmp_path):
    for path in (tmp_path, tmp_path / "no"):
        found = list_kernels(ListRequest(str(path), "f"), lambda _: None)
        assert refusal(read_file, path) in found.message


def test_a_wheel_of_ten_thousand_files_is_searched(listed, fatbin):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for number in range(10_000):
            file.writestr(f"p/m{number}.py", b"x = 1\n" * 20)
        file.writestr("p/k.so", elf({".nv_fatbin": fatbin}))
    assert rows(listed(made.getvalue())) == ALL


def test_more_kernels_than_are_listed_are_said(listed, fatbin, monkeypatch):
    monkeypatch.setattr(library, "MOST_KERNELS", 3)
    found = listed(fatbin)
    assert len(found.kernels) == 3
    assert "more than 3 kernels" in found.notes[0]


@NEEDS_NVCC
@pytest.mark.slow
def test_of_a_program_of_nvcc_are_the_figures_that_cuobjdump_prints(tmp_path):
    (tmp_path / "p.cu").write_text(f"{KERNELS}{OTHER}\nint main() {{ other<<<1, 1>>>(0); }}")
    targets = ("-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90")
    subprocess.run(["nvcc", *targets, "-o", "p", "p.cu"], cwd=tmp_path, check=True)
    told = subprocess.run(
        [locate.program(Tool.CUOBJDUMP), "-res-usage", "p"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    wanted = {
        (name, target): tuple(map(int, figures))
        for target, part in re.findall(r"arch = (\w+)\n(.*?)(?=\nFatbin|\Z)", told, re.DOTALL)
        for name, *figures in re.findall(
            r"Function (\w+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+) CONSTANT\[0\]:(\d+)",
            part,
        )
    }
    found = list_kernels(ListRequest(str(tmp_path / "p"), "p"), lambda _: None)
    assert len(wanted) == 6
    assert wanted == {
        (k.name, (piece := found.pieces[k.piece]).target): (
            k.resources.registers,
            k.resources.stack_bytes,
            # From sm_90 on cuobjdump counts what the system itself takes.
            k.resources.shared_bytes + 1024 * (k.name == "other" and piece.target == "sm_90"),
            k.resources.local_bytes,
            k.resources.constant_bytes,
        )
        for k in found.kernels
    }
