"""The command of a build is read back by the command line as the same build."""

import shlex
from dataclasses import replace

from jitstudio.cli.arguments import parser
from jitstudio.cli.request import request_from
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Header, Source
from jitstudio.core.command_line import build_command
from jitstudio.core.request import Assembler, BuildRequest, LinkMode


def test_the_command_builds_the_same(tmp_path):
    files = {"a b.cu": "int a;", "-c.ptx": ".version 8.0", "h'.cuh": "int h;", "lib.ll": "; l"}
    paths = {}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        paths[name] = str(tmp_path / name)

    def source(name, kind, names=()):
        return Source(paths[name], kind, files[name].encode(), str(tmp_path), names)

    cuda = source("a b.cu", CodeKind.CUDA, ("f<int, 2>", "&g"))
    plain = BuildRequest((cuda,), Arch.parse("sm_90a"))
    full = BuildRequest(
        sources=(cuda, source("-c.ptx", CodeKind.PTX)),
        arch=Arch.parse("sm_100"),
        link=LinkMode.LTO,
        options=("-DTEXT=a b'c", "-I", str(tmp_path), "nvjitlink:-O0"),
        headers=(Header("h'.cuh", b"int h;"),),
        libraries=(source("lib.ll", CodeKind.LLVM_IR),),
        libdevice=True,
        join_ir=True,
        assembler=Assembler.DRIVER,
        use_cache=False,
        unsafe_options=True,
    )
    by_path = {path: path for path in paths.values()} | paths
    for request in (plain, full, replace(full, link=LinkMode.PTX, options=())):
        program, *words = shlex.split(build_command(request, by_path))
        assert program == "jitstudio"
        read = request_from(parser().parse_args(words))
        assert replace(read, emit=request.emit, precompile_headers=True) == request


def test_options_of_a_project_lead_to_its_folder(tmp_path):
    source = Source("k.cu", CodeKind.CUDA, b"", "")
    request = BuildRequest((source,), Arch.parse("sm_90"), options=("-Iinclude",))
    command = build_command(replace(request, folder="/home/me/project"), {"k.cu": "/work/k.cu"})
    assert command.endswith("/home/me/project/include")
