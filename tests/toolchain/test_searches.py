"""Where NVRTC has looked for files: the real one, on real files."""

from pathlib import Path

import pytest

from jitstudio.core.code import CodeKind, Header
from jitstudio.core.disk import places
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import nvrtc
from jitstudio.toolchain.headers import searches_of

K = CodeKind


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, with the working directory in another."""
    for name in ("cwd", "include"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    return tmp_path / "include"


def searched(text, *options, name="k.cu", headers=()):
    """All places; None if they cannot be told."""
    source = ((Ref(K.CUDA, name), text.encode()),)
    made = tuple(Header(name, text.encode()) for name, text in headers)
    options = ("-arch=compute_90", *options)
    report = nvrtc.compile_cuda(Job(Tool.NVRTC, name, source, (K.PTX,), options, made))
    assert report.ok, report.error_log
    return None if report.searches is None else set(places(report.searches))


def test_a_module_that_includes_nothing_looks_for_nothing(folder):
    assert searched("__global__ void k() {}") == set()


@pytest.mark.parametrize("flag", ["-I", "-I=", "--include-path="])
def test_all_folders_are_searched(folder, flag):
    (folder / "a.h").touch()
    found = searched('#include "a.h"\n', f"{flag}{folder.parent}/other", f"{flag}{folder}")
    assert {f"{folder}/a.h", f"{folder.parent}/other/a.h", f"{Path.cwd()}/a.h"} <= found


def test_headers_of_headers_are_searched_also_in_a_circle(folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "a.h").write_text('#pragma once\n#include "b.h"\n#include "../c.h"\n')
    (folder / "sub" / "b.h").write_text('#include "a.h"\n')
    (folder / "c.h").write_text("#if __has_include(<d.h>)\n#endif\n")
    (folder / "sub" / "unused.h").write_text("#include <never.h>")
    found = searched('#include "sub/a.h"', f"-I{folder}")
    assert {f"{folder}/sub/b.h", f"{folder}/sub/../c.h", f"{folder}/d.h"} <= found
    assert not any("never" in place for place in found)


def test_what_is_in_memory_leads_to_files_too(folder):
    (folder / "a.h").touch()
    found = searched('#include "t.cuh"', f"-I{folder}", headers=[("t.cuh", "#include <a.h>\n")])
    assert f"{folder}/a.h" in found


@pytest.mark.parametrize("option", ["--pre-include={}", "-include={}"])
def test_a_forced_include_is_looked_for(folder, option):
    (folder / "a.h").touch()
    assert f"{folder}/a.h" in searched("", option.format("a.h"), f"-I{folder}")
    assert f"{folder}/a.h" in searched("", option.format(folder / "a.h"))


def test_the_folders_of_nvidia_s_headers_are_searched():
    found = searched("#include <cuda/std/array>\n")
    assert len(found) > 300
    assert sum(place.endswith("/cuda/std/array") for place in found) > 1


@pytest.mark.parametrize(
    "text",
    [
        '#define WHERE "a.h"\n#include WHERE\n',
        "#define HAS __has_include\n#if HAS(<b.h>)\n#endif\n",
        "#define G(a, b) a##b\n#if G(__has_,include)(<b.h>)\n#endif\n",
        "#if __has_include/**/(<b.h>)\n#endif\n",
        "__device__ const char* t = __TIME__;\n",
        "__device__ const char* t = __DATE__;\n",
        "#define G(a, b) a##b\n__device__ const char* t = G(__TI,ME__);\n",
    ],
)
def test_what_cannot_be_told_is_not_guessed_also_in_a_header(text, folder):
    (folder / "a.h").touch()
    assert searched(text, f"-I{folder}") is None
    (folder / "outer.h").write_text(text)
    assert searched('#include "outer.h"\n', f"-I{folder}") is None


def test_a_macro_of_the_options_is_not_guessed(folder):
    assert searched("#if HERE(<b.h>)\n#endif\n", "-DHERE=__has_include") is None


@pytest.mark.parametrize(
    "text", ['#inc\\\nlude "a.h"\n', '%:include "a.h"\n', '#/**/include "a.h"']
)
def test_odd_spellings_are_found(text, folder):
    (folder / "a.h").touch()
    assert f"{folder}/a.h" in searched(text, f"-I{folder}")


SYSTEM = """\
#define THE_HAS_INCLUDE(x) __has_include(x)
#if THE_HAS_INCLUDE(<extra.h>)
#endif
#define WHERE <part.h>
#include WHERE
"""


def test_macros_of_installed_headers_name_what_was_opened_or_asked_for(folder):
    system = folder.parent / "system"
    system.mkdir()
    (system / "all.h").write_text(SYSTEM)
    (system / "part.h").touch()
    opened = frozenset({f"{system}/all.h", f"{system}/part.h"})
    options, folders = (f"-I{folder}",), (str(system),)

    def found(text, opened=opened):
        job = Job(Tool.NVRTC, "k.cu", ((Ref(K.CUDA, "k.cu"), text),), (K.PTX,), ())
        assert searches_of(job, options, folders, opened) is None
        searches = searches_of(job, options, folders, opened, folders)
        return None if searches is None else set(places(searches))

    # What is looked for in the user's folders before them is looked at, too.
    looked = {f"{folder}/{name}" for name in ("all.h", "extra.h", "part.h")}
    assert looked <= found(b"#include <all.h>\n")
    assert found(b"#include <all.h>\n#define MORE <b.h>\n#include MORE\n") is None
    assert found(b"#include <all.h>\n#if THE_HAS_INCLUDE(MORE)\n#endif\n") is None
    for disguised in (
        b"#define MY THE_HAS_INCLUDE\n#if MY(<b.h>)",
        b"#if THE_HAS_INCLUDE/**/(<b.h>)",
    ):
        assert found(b"#include <all.h>\n" + disguised + b"\n#endif\n") is None
    pasted = b"#include <all.h>\n#define G(a, b) a##b\n#if G(__has_,include)(<b.h>)\n#endif\n"
    assert found(pasted) is None
    (folder / "other.h").touch()
    assert found(b"#include <all.h>\n", opened | {f"{folder}/other.h"}) is None


def test_a_file_that_was_opened_and_is_not_named_makes_it_unsure(folder):
    (folder / "a.h").touch()
    job = Job(Tool.NVRTC, "k.cu", ((Ref(K.CUDA, "k.cu"), b'#include "a.h"\n'),), (K.PTX,), ())
    options = (f"-I{folder}",)
    named, other = f"{folder}/a.h", f"{folder}/b.h"
    assert searches_of(job, options, (), frozenset({named}))
    (folder / "b.h").touch()
    assert searches_of(job, options, (), frozenset({named, other})) is None
    assert searches_of(job, options, (), frozenset({named, "gone.h"})) is None
    assert searches_of(job, options, (), None) is None
