import os
import shutil
from pathlib import Path

import pytest

from jitstudio.cache.headers import HeaderScanner, Unknowable
from jitstudio.core.code import CodeKind, Header
from jitstudio.core.job import Job
from jitstudio.core.plan import Ref
from jitstudio.core.tools import Tool


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, with the working directory in another."""
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    (tmp_path / "include").mkdir()
    return tmp_path / "include"


def job(text, *options, name="k.cu", headers=()):
    source = (Ref(CodeKind.CUDA, name), text.encode())
    made = tuple(Header(name, text.encode()) for name, text in headers)
    return Job(Tool.NVRTC, name, (source,), (CodeKind.PTX,), options, made)


def reached(*args, **more):
    found = dict(HeaderScanner().reach(job(*args, **more)))
    return {Path(path).name for path in found}


@pytest.mark.parametrize("flag", ["-I", "-I=", "--include-path="])
def test_a_header_in_a_folder_is_reached(folder, flag):
    (folder / "a.h").write_text("int a;")
    assert reached('#include "a.h"', f"{flag}{folder}") == {"a.h"}
    assert reached("#include <a.h>", f"{flag}{folder}") == {"a.h"}


def test_a_folder_may_be_an_option_of_its_own(folder):
    (folder / "a.h").write_text("int a;")
    assert reached("#include <a.h>", "--include-path", str(folder)) == {"a.h"}


def test_headers_of_headers_are_reached_also_in_a_circle(folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "a.h").write_text('#include "b.h"\n#include "../c.h"\n')
    (folder / "sub" / "b.h").write_text('#include "a.h"\n')
    (folder / "c.h").write_text("#include <sub/d.h>\n")
    (folder / "sub" / "d.h").write_text("")
    (folder / "sub" / "unused.h").write_text("")
    found = reached('#include "sub/a.h"', f"-I{folder}")
    assert found == {"a.h", "b.h", "c.h", "d.h"}


def test_the_working_directory_and_the_modules_own_folder_are_searched(folder):
    Path("here.h").write_text("")
    Path("src").mkdir()
    Path("src/there.h").write_text("")
    text = '#include "here.h"\n#include "there.h"\n'
    assert reached(text, name="src/k.cu") == {"here.h", "there.h"}


def test_in_memory_headers_lead_to_files_too(folder):
    (folder / "a.h").write_text("")
    tab = ("tab.cuh", "#include <a.h>")
    assert reached('#include "tab.cuh"', f"-I{folder}", headers=(tab,)) == {"a.h"}


@pytest.mark.parametrize("option", ["--pre-include={}", "-include={}"])
def test_a_forced_include_is_reached(folder, option):
    (folder / "a.h").write_text('#include "b.h"')
    (folder / "b.h").write_text("")
    assert reached("", option.format("a.h"), f"-I{folder}") == {"a.h", "b.h"}
    assert reached("", option.format(folder / "a.h")) == {"a.h", "b.h"}


def test_the_same_name_in_two_folders_is_reached_in_both(folder):
    other = folder.parent / "other"
    other.mkdir()
    for place in (folder, other):
        (place / "a.h").write_text("")
    found = HeaderScanner().reach(job("#include <a.h>", f"-I{folder}", f"-I{other}"))
    assert [path for path, _ in found] == [str(folder / "a.h"), str(other / "a.h")]


def test_what_is_nowhere_is_left_to_the_compiler(folder):
    assert reached("#include <cuda/std/array>", f"-I{folder}") == set()


def test_a_name_that_a_macro_makes_is_unknowable_also_in_a_header(folder):
    with pytest.raises(Unknowable):
        reached("#include HEADER")
    (folder / "a.h").write_text("#include HEADER")
    with pytest.raises(Unknowable):
        reached("#include <a.h>", f"-I{folder}")


def test_a_change_is_seen_even_within_one_tick_of_the_clock(folder):
    scanner = HeaderScanner()
    header = folder / "a.h"
    seen = set()
    for value in range(10):
        header.write_text(f"int a = {value};")
        os.utime(header, ns=(1, 2 * 10**18))  # in the future, and always the same
        seen.add(scanner.reach(job("#include <a.h>", f"-I{folder}")))
    assert len(seen) == 10


def test_a_file_that_has_settled_is_read_once(folder, monkeypatch):
    scanner = HeaderScanner()
    header = folder / "a.h"
    header.write_text('#include "b.h"')
    (folder / "b.h").write_text("")
    for path in (header, folder / "b.h"):
        os.utime(path, (1, 1))
    wanted = job("#include <a.h>", f"-I{folder}")
    first = scanner.reach(wanted)
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} is read again"))
    assert scanner.reach(wanted) == first
    assert len(first) == 2


def test_a_file_that_appears_is_found(folder):
    scanner = HeaderScanner()
    wanted = job("#if __has_include(<a.h>)\n#endif", f"-I{folder}")
    assert scanner.reach(wanted) == ()
    (folder / "a.h").write_text("")
    assert [Path(path).name for path, _ in scanner.reach(wanted)] == ["a.h"]


@pytest.fixture(params=["toolkit", "wheel"])
def toolkit(request, tmp_path):
    """A folder of headers that is NVIDIA's."""
    if request.param == "wheel":
        folder = tmp_path / "site-packages" / "nvidia" / "cu13" / "include"
    else:
        root = tmp_path / "cuda-13.0"
        for place in ("bin", "nvvm", "include"):
            (root / place).mkdir(parents=True)
        (root / "bin" / "nvcc").touch()
        (root / "version.json").write_text("{}")
        folder = root / "include"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_a_toolkit_counts_by_its_path_and_version(toolkit, folder):
    (toolkit / "cuda_fp16.h").write_text("#include HEADER")
    (folder / "a.h").write_text("#include <cuda_fp16.h>")
    scanner = HeaderScanner()
    wanted = job("#include <cuda_fp16.h>\n#include <a.h>", f"-I{toolkit}", f"-I{folder}")
    found = dict(scanner.reach(wanted))
    assert set(found) == {str(toolkit), str(folder / "a.h")}
    assert dict(scanner.reach(wanted)) == found
    os.utime(toolkit, (1, 1))
    assert dict(scanner.reach(wanted)) != found


def test_a_folder_that_is_gone_is_no_error(folder):
    shutil.rmtree(folder)
    assert reached("#include <a.h>", f"-I{folder}") == set()


def test_a_header_without_measure_is_not_read(tmp_path):
    with (tmp_path / "huge.h").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(Unknowable, match="larger than the 16 MiB that are read"):
        HeaderScanner().reach(job('#include "huge.h"\n', f"-I{tmp_path}"))
