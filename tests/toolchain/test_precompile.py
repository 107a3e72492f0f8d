import os
import tempfile

import pytest

from jitstudio.core.code import CodeKind, Header
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import nvrtc, precompile
from jitstudio.toolchain.headers import header_folders
from jitstudio.toolchain.precompile import Precompiled, Prefix, prefix_of, without_messages
from tests.support import one_in

K = CodeKind
TEXT = """\
#include <cuda/std/array>
__global__ void k(int* p) { cuda::std::array<int, 2> a{1, 2}; *p = a[1] + VARIANT; }
"""


def compiled(variant, *options, text=TEXT, name="k.cu", precompile=True, headers=()):
    content = text.replace("VARIANT", str(variant)).encode()
    source = ((Ref(K.CUDA, name), content),)
    options = ("-arch=compute_90", *options)
    return nvrtc.compile_cuda(
        Job(Tool.NVRTC, name, source, (K.PTX,), options, headers, precompile=precompile)
    )


@pytest.fixture
def kept(monkeypatch):
    """Precompiled headers of this test's own; none yet."""
    own = Precompiled()
    monkeypatch.setattr(nvrtc, "PRECOMPILED", own)
    return own


@pytest.fixture(scope="module")
def once_made(tmp_path_factory):
    """Precompiled headers with one in them, the first build, and what was left on disk."""
    own = Precompiled()
    folder = tmp_path_factory.mktemp("headers")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nvrtc, "PRECOMPILED", own)
        patch.setattr(tempfile, "tempdir", str(folder))
        first = compiled(1)
        assert own.waiting
        own.make_next()
    return own, first, list(folder.iterdir())


@pytest.fixture
def first_build(once_made, monkeypatch):
    own, first, _ = once_made
    monkeypatch.setattr(nvrtc, "PRECOMPILED", own)
    return first


def test_the_second_build_uses_what_was_made_after_the_first(first_build):
    assert "No precompiled header yet: one is made for the next build" in first_build.log
    second = compiled(2)
    assert second.log == "Precompiled header used."
    assert second.options[-1].startswith("--use-pch=")
    assert second.phases[0].ms < first_build.phases[0].ms
    assert second.code[K.PTX] != first_build.code[K.PTX]


def test_errors_are_told_by_their_place_and_without_a_word_of_it(first_build):
    report = compiled("nothing")
    assert report.error_log.startswith('k.cu(2): error: identifier "nothing" is undefined')
    assert "precompiled" not in report.error_log


def test_other_options_need_another_one(first_build):
    assert "header yet: " in compiled(1, "-DX").log


def test_nothing_is_left_on_disk(once_made):
    _, _, left = once_made
    assert left == []


def test_a_module_that_compiles_fast_gets_none(kept):
    report = compiled(1, text="#include <cuda_fp16.h>\n__global__ void k() {}\n")
    assert report.log == ""
    assert not kept.waiting


def test_what_cannot_be_made_is_not_tried_again(kept):
    broken = Prefix(b"#include <none.h>", ("-arch=compute_90",))
    kept.compiled(broken, 1e6)
    kept.make_next()
    assert kept.compiled(broken, 1e6) == (
        "No precompiled header: NVRTC could not make one for these includes."
    )
    assert not kept.waiting


def test_only_some_are_kept(kept):
    prefixes = [Prefix(b"#define X %d" % n, ("-arch=compute_90",)) for n in range(6)]
    before = len(os.listdir("/proc/self/fd"))
    for prefix in prefixes:
        kept.compiled(prefix, 1e6)
        kept.make_next()
    assert [bool(kept.option(prefix)) for prefix in prefixes] == [False] * 2 + [True] * 4
    assert len(os.listdir("/proc/self/fd")) == before + 4


def test_nvrtc_s_words_are_taken_out_of_a_log():
    log = (
        '"k.cu": using precompiled header file "/proc/self/fd/3"\n'
        "k.cu(1): warning #177-D: mine\n"
        "Warning #629-D: the command line options do not match those used when precompiled "
        'header file "x" was created\n\n'
        'Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"\n\n'
        "k.cu(2): warning #177-D: mine too\n"
    )
    assert without_messages(log) == (
        "k.cu(1): warning #177-D: mine\nk.cu(2): warning #177-D: mine too\n"
    )


@pytest.mark.bench
def test_the_heap_grows_as_needed_and_what_was_made_before_is_dropped(kept, monkeypatch):
    monkeypatch.setattr(precompile, "_HEAP_AT_FIRST", 64 << 20)
    folders = header_folders(nvrtc.version())
    small = Prefix(b"#include <cuda_fp16.h>", compiled(1).options[:2], folders=folders)
    assert kept.compiled(small, 1e6)
    compiled(1)
    kept.make_next()
    kept.make_next()
    assert kept.option(small)
    assert compiled(2).log == "Precompiled header used."
    assert kept._heap > 64 << 20


HALF = """\
#include <cuda_fp16.h>
#ifndef OWN
#define OWN 1
#endif
__global__ void k(int* p) { *p = OWN; }
"""
OWN = "#define OWN 2\n"


def _forced(folder):
    (folder / "settings.h").write_text("#define OWN 3\n")
    return ("--pre-include=settings.h", f"-I{folder}"), "k.cu", HALF, folder / "settings.h"


def _hidden(folder):
    return (f"-I{folder}",), "k.cu", HALF, folder / "cuda_fp16.h"


def _beside(folder):
    quoted = HALF.replace("<cuda_fp16.h>", '"cuda_fp16.h"')
    return (), str(folder / "k.cu"), quoted, folder / "cuda_fp16.h"


def _below(folder):
    """What a header of NVIDIA's includes is hidden."""
    (folder / "nv").mkdir()
    text = HALF.replace("cuda_fp16.h", "nv/target")
    return (f"-I{folder}",), "k.cu", text, folder / "nv" / "detail" / "__target_macros"


def _spliced(folder):
    (folder / "own.h").write_text("#define OWN 3\n")
    text = f'#inc\\\nlude "{folder}/own.h"\n{HALF}'
    return (), "k.cu", text, folder / "own.h"


def _commented(folder):
    (folder / "own.h").write_text("#define OWN 3\n")
    text = f'#/**/include "{folder}/own.h"\n{HALF}'
    return (), "k.cu", text, folder / "own.h"


def _asked(folder):
    text = f"#if __has_include/**/(<own.h>)\n{OWN}#endif\n{HALF}"
    return (f"-I{folder}",), "k.cu", text, folder / "own.h"


@pytest.mark.parametrize(
    "place", one_in(3, [_forced, _hidden, _beside, _below, _spliced, _commented, _asked])
)
def test_a_header_that_changes_or_appears_is_not_hidden(place, kept, monkeypatch, tmp_path):
    monkeypatch.setattr(precompile, "WORTH_MS", 0.0)
    options, name, text, header = place(tmp_path)

    def outcome(precompile):
        report = compiled(1, *options, text=text, name=name, precompile=precompile)
        return report.ok, report.code, report.error_log

    for _ in range(2):
        outcome(True)
        while kept.waiting:
            kept.make_next()
    header.parent.mkdir(exist_ok=True)
    header.write_text(OWN)
    assert outcome(True) == outcome(False)
    while kept.waiting:
        kept.make_next()
    assert outcome(True) == outcome(False)


def test_a_header_in_memory_takes_the_place_of_a_precompiled_one(kept, monkeypatch):
    monkeypatch.setattr(precompile, "WORTH_MS", 0.0)
    compiled(1, text=HALF)
    kept.make_next()
    assert "Precompiled header used." in compiled(1, text=HALF).log
    own = compiled(1, text=HALF, headers=(Header("cuda_fp16.h", OWN.encode()),))
    assert b", 2;" in own.code[K.PTX]
    assert "used" not in own.log


def test_options_from_outside_the_table_get_none(kept, monkeypatch):
    monkeypatch.setattr(precompile, "WORTH_MS", 0.0)
    report = compiled(1, "-Xcudafe", "--display_error_number", text=HALF)
    assert report.ok
    assert report.searches is None
    assert not kept.waiting


def test_without_the_list_of_what_was_opened_there_is_none(kept, monkeypatch):
    monkeypatch.setattr(precompile, "WORTH_MS", 0.0)
    compiled(1, text=HALF)
    monkeypatch.setattr(precompile.TRACE, "opened", lambda: None)
    kept.make_next()
    report = compiled(2, text=HALF)
    assert report.ok
    assert "No precompiled header" in report.log


def test_a_header_that_changes_while_one_is_made_is_no_lasting_obstacle(
    kept, monkeypatch, tmp_path
):
    monkeypatch.setattr(precompile, "WORTH_MS", 0.0)
    options = (f"-I{tmp_path}",)
    compiled(1, *options, text=HALF)
    (tmp_path / "cuda_fp16.h").touch()
    os.utime(tmp_path)
    began = precompile.time.time_ns
    monkeypatch.setattr(precompile.time, "time_ns", lambda: began() - 10**9)
    kept.make_next()
    monkeypatch.undo()
    (tmp_path / "cuda_fp16.h").unlink()
    monkeypatch.setattr(nvrtc, "PRECOMPILED", kept)
    monkeypatch.setattr(precompile, "WORTH_MS", 0.0)
    precompile.time.sleep(0.05)
    assert "header yet: " in compiled(1, *options, text=HALF).log
    kept.make_next()
    assert "Precompiled header used." in compiled(1, *options, text=HALF).log


@pytest.fixture
def folders(tmp_path):
    theirs = tmp_path / "theirs"
    (theirs / "cub").mkdir(parents=True)
    for name in ("a.h", "b.h", "cub/c.cuh"):
        (theirs / name).touch()
    return (str(theirs),)


def prefix(text, folders, *options):
    source = ((Ref(CodeKind.CUDA, "k.cu"), text.encode()),)
    job = Job(Tool.NVRTC, "k.cu", source, (CodeKind.PTX,), options)
    return prefix_of(job, options, folders)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#include <a.h>\nint x;\n#include <b.h>\n", "#include <a.h>"),
        (
            '// c\n/* d\n */ #define X 1\n#include "a.h"\n\n',
            '// c\n/* d\n */ #define X 1\n#include "a.h"',
        ),
        ("#include <cub/c.cuh>\n#include <b.h>\nint x;", "#include <cub/c.cuh>\n#include <b.h>"),
        ("#define A \\\n  int x;\n#include <a.h>", "#define A \\\n  int x;\n#include <a.h>"),
        ('#include <a.h>\n#include "mine.h"\n#include <b.h>', "#include <a.h>"),
        ("#include <a.h>\n#if __has_include(<mine.h>)\n#include <b.h>\n#endif", "#include <a.h>"),
        ("#include <a.h>\n#include NAME\n#include <b.h>", "#include <a.h>"),
    ],
)
def test_it_ends_behind_the_last_header_of_nvidia_s_before_anything_else(text, expected, folders):
    assert prefix(text, folders).text == expected.encode()


@pytest.mark.parametrize("text", ["", "int x;\n#include <a.h>", '#include "mine.h"', "/* <a.h> */"])
def test_there_may_be_none(text, folders):
    assert prefix(text, folders) is None


def test_real_and_virtual_machine_share_one(folders):
    real = prefix("#include <a.h>", folders, "-arch=sm_90", "--ptxas-options=-v", "--time=-")
    assert real == prefix("#include <a.h>", folders, "-arch=compute_90")
    assert real != prefix("#include <a.h>", folders, "-arch=compute_90", "-DX")
    assert real != prefix("#include <a.h>", folders, "-arch=compute_80")


def test_there_is_none_where_nvidia_s_headers_are_not_known():
    assert prefix("#include <a.h>", ()) is None
