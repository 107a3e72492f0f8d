"""Flags of other builds as NVRTC's."""

import errno
import json
import os
import shlex
from pathlib import Path

import pytest

from jitstudio.core.arch import Arch
from jitstudio.export.compile_commands import (
    _WITH_VALUE,
    CompileFlags,
    FlagsError,
    databases_near,
    files_in,
    flags_in,
    flags_of,
    translated,
)


def of(line, folder="/p"):
    return translated(shlex.split(line), Path("/p/c.json"), Path(folder))


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("-I inc -I../up -isystem=/s -isystem /t", "-I/p/inc -I/p/../up -I/s -I/t"),
        ("-DA=1 -D B -UC --define-macro=D", "-DA=1 -DB -UC -DD"),
        ("-std=gnu++17", "--std=c++17"),
        ("-std=c++14 --std c++20", "--std=c++20"),
        ("-lineinfo -G -use_fast_math", "-lineinfo -G -use_fast_math"),
        ("-maxrregcount 64 -ftz=true --fmad=false", "--maxrregcount=64 -ftz=true -fmad=false"),
        ("-Xptxas -v,-dlcm=ca", "--ptxas-options=-v --ptxas-options=-dlcm=ca"),
        ("-rdc=true", "-rdc=true"),
        ("-dc", "--relocatable-device-code=true"),
        ("-Xcudafe --diag_suppress=20012", "--diag-suppress=20012"),
        ("-ffast-math -ffp-contract=off", "--use_fast_math --fmad=false"),
        ("-c k.cu -o k.o -O3 -g -Wall -fPIC -m64 -MD -MT a -MF b -x cu -pthread -lm", ""),
        ("-Xcompiler=-fPIC -Xcompiler -Wall,-O2 -ccbin g++ -t 4 --extended-lambda", ""),
        ("-forward-unknown-to-host-compiler --expt-relaxed-constexpr -nocudalib", ""),
    ],
)
def test_flags_of_nvcc_and_clang_become_options_of_nvrtc(line, options):
    found = of(line)
    assert " ".join(found.options) == options
    assert found.left_out == ()


@pytest.mark.parametrize(
    ("line", "archs"),
    [
        ("-arch=sm_86", "86"),
        ("-arch sm_90a", "90a"),
        ("-gencode arch=compute_80,code=[compute_80,sm_80] -gencode=arch=compute_90", "80 90"),
        ("--generate-code=arch=compute_100f,code=sm_100f", "100f"),
        ("--cuda-gpu-arch=sm_70 --offload-arch=sm_75", "70 75"),
    ],
)
def test_targets_are_found_in_all_spellings(line, archs):
    found = of(line)
    assert found.archs == tuple(map(Arch.parse, archs.split()))
    assert found.arch == Arch.parse(archs.split()[-1])


def test_what_has_no_counterpart_is_named():
    found = of("-arch=native --new-flag -Xcudafe --odd")
    assert found.left_out == ("-arch=native", "--new-flag", "-Xcudafe --odd")


@pytest.mark.parametrize("flag", [*_WITH_VALUE, "-D", "-U", "-maxrregcount", "--ptxas-options"])
def test_a_flag_at_the_end_without_its_value_is_one_with_an_empty_value(flag):
    cut, whole = of(f"-G {flag}"), of(f"-G {flag} ''")
    assert (cut.options, cut.archs, cut.left_out) == (whole.options, whole.archs, whole.left_out)
    assert cut.options[0] == "-G"


def test_flags_in_files_count(tmp_path):
    (tmp_path / "includes.rsp").write_text("-I one\n-isystem two")
    (tmp_path / "loop.rsp").write_text("@loop.rsp -DX")
    found = of("--options-file includes.rsp @loop.rsp @none.rsp", tmp_path)
    assert found.options == (f"-I{tmp_path}/one", f"-I{tmp_path}/two", "-DX")
    assert found.left_out == ("--options-file none.rsp",)


@pytest.fixture
def tree(tmp_path):
    """A source tree with a build folder of CMake's."""
    source = tmp_path / "src" / "k.cu"
    source.parent.mkdir()
    source.write_text("__global__ void k() {}")
    build = tmp_path / "build" / "release"
    build.mkdir(parents=True)
    entries = [
        {"directory": str(build), "file": "../../src/other.cu", "command": "nvcc -DOTHER"},
        {
            "directory": str(build),
            "file": str(source),
            "command": "/usr/bin/nvcc -I ../inc -arch=sm_80 '-DS=\"a b\"' -c k.cu",
        },
    ]
    (build / "compile_commands.json").write_text(json.dumps(entries))
    return source


def test_the_database_of_a_build_folder_is_found(tree, tmp_path):
    build = tmp_path / "build" / "release"
    database = build / "compile_commands.json"
    assert list(databases_near(tree)) == [database]
    expected = CompileFlags(str(database), (f"-I{build}/../inc", '-DS="a b"'), (Arch(80),))
    assert flags_of(tree) == flags_of(tree, build) == expected
    assert [file.name for file in files_in(database)] == ["other.cu", "k.cu"]


def test_the_build_folders_of_presets_are_found(tree, tmp_path):
    (tmp_path / "build").rename(tmp_path / "made")
    folder = "${sourceDir}/made/${presetName}"
    presets = {"configurePresets": [{"name": "release", "binaryDir": folder}, {"name": 1}]}
    (tmp_path / "CMakePresets.json").write_text(json.dumps(presets))
    assert list(databases_near(tree)) == [tmp_path / "made/release/compile_commands.json"]


def test_a_list_of_flags_near_the_file_counts(tmp_path):
    (tmp_path / "compile_flags.txt").write_text("-Iinc\n-D\nA\n\n--cuda-gpu-arch=sm_89\n")
    found = flags_of(tmp_path / "k.cu")
    assert found == CompileFlags(
        str(tmp_path / "compile_flags.txt"), (f"-I{tmp_path}/inc", "-DA"), (Arch(89),)
    )


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, os.strerror(errno.ENOENT)),
        ("{", "is not JSON"),
        ("{}", "is not a list of commands"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "has no command for 'k.cu'"),
        ('[1, {}, {"file": 3}, {"file": "a\\u0000b", "directory": "."}]', "has no command for"),
    ],
    ids=range(6),
)
def test_a_database_that_is_none_is_refused_in_words(tmp_path, content, why):
    database = tmp_path / "compile_commands.json"
    if content is not None:
        database.write_text(content)
    with pytest.raises(FlagsError, match=why):
        flags_of(tmp_path / "k.cu", database)
    assert flags_of(tmp_path / "k.cu") is None


def test_a_comment_near_the_beginning_counts():
    text = b"// A kernel.\n// jitstudio: -arch=sm_100a -DN=4 -I inc\n# jitstudio: -lineinfo\nint x;"
    found = flags_in(text, Path("/p/k.cu"))
    assert found.options == ("-DN=4", "-I/p/inc", "-lineinfo")
    assert found.arch == Arch(100, "a")
    assert flags_in(b"int jitstudio;", Path("k.cu")) is None
    assert flags_in(b"\n" * 5000 + b"// jitstudio: -DX", Path("k.cu")) is None
    assert flags_in(b"// jitstudio: -D'X", Path("k.cu")).options == ("-D'X",)


def test_what_writes_files_is_not_taken(tmp_path):
    (tmp_path / "more").write_text("-DSECRET")
    words = "--time=/tmp/a --fdevice-time-trace=b -Xptxas --output-file=c -DN=1"
    found = of(words, tmp_path)
    assert found.options == ("-DN=1",)
    assert len(found.left_out) == 3
    comment = flags_in(f"// jitstudio: {words} @more".encode(), tmp_path / "k.cu")
    assert comment.options == ("-DN=1",)
    assert "--options-file more" in comment.left_out
