"""Which options are dangerous, and which a project may use that nobody has vouched for."""

import os
import re
from dataclasses import replace

import pytest

from jitstudio.core.options import (
    OPTIONS,
    OptionEffect,
    ValueKind,
    hazard,
    options_for,
    refused,
    rooted,
    split_options,
)
from jitstudio.core.plan import PlanError, plan
from jitstudio.core.tools import Tool
from tests.support import KERNEL, cuda, request


@pytest.mark.parametrize(
    "written",
    [
        "-Xopt -load=./x.so",
        "-Xopt --load=./x.so",
        "-Xopt -load -Xopt ./x.so",
        "-Xopt=-load=x",
        "'-Xopt -load=x'",
        "-Xllc -load=x",
        "-Xlnk -load=x",
        "-Xlto -load=x",
        "-Xnvvm=-Xopt -Xnvvm=-load=x",
        "-Xnvvm -Xopt -Xnvvm --load=x",
        "-Xnvvm=-Xopt=-load=x",
        "-Xnvvm='-Xopt -load=x'",
        "nvvm:-Xopt nvvm:-load=x",
        "nvjitlink:-Xnvvm=-Xopt nvjitlink:-Xnvvm=-load=x",
        "NVJITLINK:-Xopt=-load=x",
        "nvrtc:-load=x",
        "-load=x",
        "-Xopt -load-pass-plugin=x",
        "-load-pass-plugin x",
        "-fpass-plugin=x",
        "-Xopt @options.txt",
        "-Xnvvm=-Xllc -Xnvvm=@options.txt",
        "-Xopt -dot-cfg",
        "-Xopt -view-dag-combine1-dags",
        "-Xopt -print-changed=dot-cfg",
        "-Xopt -info-output-file=F",
        "-Xllc -pass-remarks-output=F",
        "-Xopt -time-trace",
    ],
)
def test_what_loads_code_or_makes_llvm_write_is_a_hazard_however_it_is_spelt(written):
    words = split_options(f"-lineinfo {written}")
    assert hazard(words)
    assert list(refused(words, ("/p",), "/p"))
    with pytest.raises(PlanError, match="--unsafe-options"):
        plan(request(cuda(KERNEL), options=words))


@pytest.mark.parametrize(
    "written",
    [
        "-O3 -G -lineinfo --std=c++20 -DLOAD='-load=x'",
        "-Xptxas=-def-load-cache=ca -Xptxas -v",
        "--time=phases.csv --fdevice-time-trace=t",
        "-Xcudafe --list=F",
        "-Xopt -enable-load-pre=0 -Xopt -opt-bisect-limit=0",
        "-I /usr/include/load --pre-include=load.h",
        "--bogus",
    ],
)
def test_what_the_user_types_himself_needs_no_switch(written):
    assert hazard(split_options(written)) == ""


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("--time=.bashrc", "writes a file"),
        ("--fdevice-time-trace=t", "writes a file"),
        ("--use-bundled-headers=h", "writes a file"),
        ("nvrtc:-fdevice-time-trace=t", "writes a file"),
        ("-Xcudafe --list=F", "hands on an option that is not known to be harmless"),
        ("-Xcudafe=--xref=F", "hands on an option"),
        ("-Xptxas=--options-file=F", "hands on an option"),
        ("--ptxas-options=-o=F", "hands on an option"),
        ("-Xptxas='-v --options-file=F'", "hands on an option"),
        ("-Xnvvm=-Xopt", "hands on an option"),
        ("-Xnvvm=-opt=3,-Xopt", "hands on an option"),
        ("-I/etc", "reads outside"),
        ("-I ../other", "reads outside"),
        ("--include-path=a/../../other", "reads outside"),
        ("-I=/etc", "reads outside"),
        ("nvrtc:-I/etc", "reads outside"),
        ("--pre-include=/etc/passwd", "reads outside"),
        ("--pre-include=a/../../x.h", "includes a file outside"),
        ("--create-pch=F", "writes a file"),
        ("--use-pch=F", "load native code"),
        ("--opaque", "is not an option that jitstudio knows, so nobody can tell what it does"),
        ("--linenfo", "what it does. Did you mean '-lineinfo'?"),
        ("@options.txt", "not an option that jitstudio knows"),
        ("word", "not an option that jitstudio knows"),
        ("nvdisasm:-c", "not an option that jitstudio knows"),
        ("nvvm:-DX", "not an option that jitstudio knows"),
        ("-maxrregcount='32 -o x'", "a value that the option cannot take"),
    ],
)
def test_a_project_that_nobody_has_vouched_for_may_not_send(written, why, tmp_path):
    (sentence,) = refused(split_options(written), (str(tmp_path),), str(tmp_path))
    assert why in sentence
    untrusted = request(cuda(KERNEL), options=split_options(written))
    untrusted = _confined(untrusted, tmp_path)
    with pytest.raises(PlanError):
        plan(untrusted)


@pytest.mark.parametrize(
    "written",
    [
        "-O3 -G -lineinfo --std=c++20 -DN=4 -D'NAME=\"a b\"' -UX --maxrregcount=32",
        "-I include -Ideep/er --include-path=. -I deep/../include --pre-include=settings.h",
        "nvrtc:-Iinclude nvvm:-opt=0 nvjitlink:-O0 nvdisasm:-hex",
        "--time=- -Xptxas=-v -Xptxas -O2 --ptxas-options=--def-load-cache=ca -Xnvvm=-opt=0",
        "-Xcudafe --diag_suppress=177",
        "",
    ],
)
def test_an_ordinary_project_may_send_what_ordinary_projects_do(written, tmp_path):
    words = split_options(written)
    assert list(refused(words, (str(tmp_path),), str(tmp_path))) == []
    assert plan(_confined(request(cuda(KERNEL), options=words), tmp_path))


def test_links_that_lead_out_of_the_folder_are_followed(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir(), outside.mkdir()
    (inside / "out").symlink_to(outside)
    (outside / "in").symlink_to(inside)
    (inside / "loop").symlink_to(inside / "loop")
    folders = (str(inside),)
    assert list(refused(("-Iout",), folders, str(inside)))
    assert list(refused((f"-I{outside / 'in'}",), folders, str(inside))) == []
    assert list(refused(("-Iloop", "-Ia\0b"), folders, str(inside))) != []


def test_relative_paths_of_a_project_begin_in_its_folder():
    words = split_options("-I inc nvrtc:-Idir --time=t --time=- --pre-include=s.h -I/abs -DA")
    assert options_for(Tool.NVRTC, rooted(words, "/p"), Tool.NVRTC) == (
        *("-I/p/inc", "-I/p/dir", "--time=/p/t", "--time=-", "--pre-include=s.h", "-I/abs", "-DA"),
    )
    assert rooted(words, "") == words


@pytest.mark.parametrize("name", ["../k.cu", "/etc/k.cu", "a/../../k.cu", "C:\\k.cu", "..\\k.cu"])
def test_a_name_that_leads_out_of_the_folder_is_refused(name, tmp_path):
    with pytest.raises(PlanError, match="leads out of the project's folder"):
        plan(_confined(request(cuda(KERNEL, name)), tmp_path))
    assert plan(request(cuda(KERNEL, name)))


def test_no_word_of_a_project_can_look_like_one_of_ours(tmp_path):
    hidden = "--bogus\nThis project is safe.\u202e\x1b]0;"
    (sentence,) = refused((hidden,), (str(tmp_path),), str(tmp_path))
    assert sentence.isprintable()
    (sentence,) = refused(("--" + "x" * 10_000,), (str(tmp_path),), str(tmp_path))
    assert len(sentence) < 300
    many = _confined(request(cuda(KERNEL), options=("--bogus",) * 1000), tmp_path)
    with pytest.raises(PlanError, match="There are 995 more like these") as refusal:
        plan(many)
    assert len(str(refusal.value)) < 2000


def test_each_row_says_what_its_option_does_besides():
    for spec in OPTIONS:
        if spec.value.kind in (ValueKind.PATH, ValueKind.OPTION):
            assert spec.effect is not OptionEffect.NOTHING, spec
        if spec.value.kind is ValueKind.OPTION:
            assert re.fullmatch(spec.value.harmless, spec.value.example), spec
        elif spec.effect is OptionEffect.NOTHING:
            written = spec.written(spec.value.example or None)
            assert list(refused((written,), (os.sep,), os.sep)) == [], spec


def _confined(wanted, folder):
    return replace(wanted, confined_to=(str(folder),), folder=str(folder))
