"""What a project does that others have written: each exploit first shown to work without us."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass

import pytest

from jitstudio.commands.project_files import read_project
from jitstudio.commands.trust import TrustStore
from jitstudio.core.code import CodeKind
from jitstudio.core.plan import NOT_TRUSTED
from jitstudio.core.project.format import dump
from jitstudio.core.project.project import Member, Project
from jitstudio.core.request import LinkMode
from tests.support import ROOT, typed_ir

KERNEL = 'extern "C" __global__ void k(float* out) { out[threadIdx.x] = 1; }\n'
IR = typed_ir("define void @k() {\n  ret void\n}\n")
# The table that `--time` writes begins with the name of the module.
COMMAND = "k;touch OWNED;#.cu"
LIBRARY = """\
#include <fcntl.h>
__attribute__((constructor)) static void run(void) { open("OWNED", O_CREAT | O_WRONLY, 0644); }
"""
OTHERS = ("inspect", "diff", "run", "sweep")


@dataclass(frozen=True)
class Exploit:
    """Options that do harm to whoever builds this text; `leaves` is the file that shows it."""

    id: str
    options: str
    leaves: str
    text: str = KERNEL
    kind: CodeKind = CodeKind.CUDA
    name: str = "k.cu"
    link: LinkMode = LinkMode.NONE

    @property
    def project(self):
        return Project(
            (Member(self.name, self.kind, self.text),), options=self.options, link=self.link
        )


def _ir(id_, options, leaves="OWNED"):
    return Exploit(id_, options, leaves, IR, CodeKind.LLVM_IR, "k.ll")


TABLE = Exploit("table", "--time=.bashrc", ".bashrc", name=COMMAND)
EXPLOITS = (
    Exploit(
        "load by the linker",
        "-Xnvvm=-Xopt -Xnvvm=-load=./data.bin",
        "OWNED",
        link=LinkMode.LTO,
    ),
    _ir("load by the optimiser", "-Xopt -load=./data.bin"),
    _ir("load by the code generator", "nvvm:-Xllc nvvm:--load=./data.bin"),
    _ir("load by the linker of libNVVM", "-Xlnk -load=./data.bin"),
    _ir("load in two words", "-Xopt -load -Xopt ./data.bin"),
    _ir("load by a file of options", "-Xopt @options.txt"),
    _ir("graph", "-Xopt -dot-cfg", "cfg.k.dot"),
    TABLE,
    Exploit("list", "-Xcudafe --list=F", "F"),
    Exploit("references", "-Xcudafe --xref=F", "F"),
    Exploit("trace", "--fdevice-time-trace=t", "t.json"),
    Exploit("headers", "--use-bundled-headers=h", "h"),
)
each_exploit = pytest.mark.parametrize("exploit", EXPLOITS, ids=lambda exploit: exploit.id)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A library that leaves a file in the working directory of whoever loads it."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler to make a library with")
    folder = tmp_path_factory.mktemp("library")
    (folder / "library.c").write_text(LIBRARY)
    words = (compiler, "-shared", "-fPIC", "-o", "data.bin", "library.c")
    subprocess.run(words, cwd=folder, check=True)
    return folder / "data.bin"


def _furnished(folder, library):
    shutil.copy(library, folder / "data.bin")
    (folder / "options.txt").write_text("-load=./data.bin\n")
    return folder


@pytest.fixture
def place(tmp_path, library):
    """A folder with all that the exploits need."""
    return _furnished(tmp_path, library)


@pytest.fixture(scope="module")
def without_us(tmp_path_factory, library):
    """For each exploit, by its id, the folder in which the libraries alone have built it."""
    places = {}
    for exploit in EXPLOITS:
        place = places[exploit.id] = _furnished(tmp_path_factory.mktemp("bare"), library)
        told = {
            "name": exploit.name,
            "kind": exploit.kind.value,
            "text": exploit.text,
            "link": exploit.link.value,
            "options": exploit.options,
        }
        (place / "told.json").write_text(json.dumps(told))
    words = [sys.executable, "-m", "tests.toolchain.bare", *places.values()]
    subprocess.run(words, cwd=ROOT, timeout=90, check=True)
    return places


def _write(folder, project):
    path = folder / "p.jitproj"
    path.write_bytes(dump(project))
    return path


@pytest.mark.tools
@each_exploit
def test_without_us_the_exploit_works(exploit, without_us):
    place = without_us[exploit.id]
    log = (place / "log").read_text()
    assert (place / "done").exists(), log
    if "unrecognized option" in log:
        pytest.skip("this version does not know the option")
    assert (place / exploit.leaves).exists()
    if exploit.name == COMMAND:
        assert "touch OWNED;" in (place / exploit.leaves).read_text()


@pytest.mark.parametrize(
    ("command", "exploit"),
    [
        *(("build", exploit) for exploit in EXPLOITS),
        *((command, exploit) for command in OTHERS for exploit in (EXPLOITS[0], TABLE)),
    ],
    ids=lambda value: value if isinstance(value, str) else value.id,
)
def test_no_command_lets_a_project_do_it(exploit, command, place, run):
    path = _write(place, exploit.project)
    before = sorted(file.name for file in place.iterdir())
    words = (path, path) if command == "diff" else (path,)
    more = ("--axis", "block=32", "--kernel", "k") if command == "sweep" else ()
    ran = run(command, *words, *more)
    assert sorted(file.name for file in place.iterdir()) == before
    assert ran.code == 2
    assert NOT_TRUSTED in ran.out + ran.err
    assert "--trust" in ran.out + ran.err


@pytest.mark.parametrize("words", [("--trust",), ("--option=-Xnvvm=-load=./data.bin",)])
def test_code_is_loaded_by_nobody_who_has_not_said_so(words, place, run):
    (place / "k.cu").write_text(KERNEL)
    path = _write(place, EXPLOITS[0].project)
    source = path if "--trust" in words else place / "k.cu"
    ran = run("build", source, "--lto", "--option=-Xnvvm=-Xopt", *words)
    assert ran.code == 2
    assert "loads native code into the compiler" in ran.err
    assert "--unsafe-options" in ran.err
    assert not (place / "OWNED").exists()


def test_a_project_that_is_trusted_sends_what_it_says(place, run):
    path = _write(
        place, Project((Member("k.cu", CodeKind.CUDA, KERNEL),), options="-Xcudafe --bogus")
    )
    assert run("build", path).code == 2
    assert "-Xcudafe=--bogus" in run("build", path, "--trust").err
    # What is trusted in the window is trusted here.
    opened = read_project(path)
    TrustStore().trust(path, None, TrustStore().standing(opened).concerns)
    assert "-Xcudafe=--bogus" in run("build", path).err


def test_an_ordinary_project_builds_as_if_it_were_trusted(tmp_path, run):
    (tmp_path / "inc").mkdir()
    (tmp_path / "beside.h").write_text('#include "inc/deep.h"\n')
    (tmp_path / "inc" / "deep.h").write_text("#define DEEP 1\n")
    (tmp_path / "inc" / "named.h").write_text("#define NAMED 2\n")
    (tmp_path / "file.cu").write_text(f'#include "beside.h"\n{KERNEL}')
    text = (
        '#include "beside.h"\n#include <named.h>\n#include <cuda_fp16.h>\n#include "memory.h"\n'
        "__global__ void m(float* out)\n"
        "{ *out = DEEP + NAMED + MEMORY + __half2float(__half(1)); }\n"
    )
    project = Project(
        (Member("k.cu", CodeKind.CUDA, text), Member("file.cu", CodeKind.CUDA, None, "file.cu")),
        (Member("memory.h", CodeKind.HEADER, "#define MEMORY 3\n"),),
        options="-Iinc --std=c++17 -Xptxas=-v",
    )
    folder = tmp_path / "elsewhere"
    path = _write(tmp_path, project)
    folder.mkdir()
    confined = run("build", path, "--emit", "ptx,sass", "--json")
    trusted = run("build", path, "--emit", "ptx,sass", "--json", "--trust")
    assert confined.code == trusted.code == 0
    artifacts = [[a["text"] for a in ran.json["artifacts"]] for ran in (confined, trusted)]
    assert len(artifacts[0]) == 4
    assert artifacts[0] == artifacts[1]


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ('#include "{out}/secret.h"', {}),
        ('#include "../out/secret.h"', {}),
        ("#include <../out/secret.h>", {}),
        ('#include "near.h"', {"near.h": '#include "{out}/secret.h"'}),
        ('#include "link.h"', {}),
        ('#include "unistd.h"', {}),
        ('#include "near.h"', {"near.h": '#include "unistd.h"'}),
        ('#if __has_include("{out}/secret.h")\n#endif', {}),
    ],
)
def test_no_file_outside_the_folder_is_included(text, files, tmp_path, run):
    folder, out = tmp_path / "p", tmp_path / "out"
    folder.mkdir(), out.mkdir()
    (out / "secret.h").write_text("#error the secret\n")
    for name in ("link.h", "unistd.h"):
        (folder / name).symlink_to(out / "secret.h")
    for name, content in files.items():
        (folder / name).write_text(content.format(out=out))
    path = _write(folder, Project((Member("k.cu", CodeKind.CUDA, text.format(out=out)),)))
    ran = run("build", path)
    assert ran.code == 1
    assert "the secret" not in ran.out + ran.err
    words = ("outside the project's", "own folder only, as nobody")
    assert any(word in ran.err for word in words)
    if "has_include" not in text:
        assert "the secret" in run("build", path, "--trust").err


def test_where_nothing_confines_a_process_what_a_macro_includes_is_not_shown(
    tmp_path, run, monkeypatch
):
    monkeypatch.setenv("JITSTUDIO_SANDBOX", "off")
    (tmp_path / "p").mkdir()
    (tmp_path / "secret.h").write_text("__device__ int secret = 1234567;\n")
    for more in ("", "#error and no result\n"):
        text = f'#define NAME "../secret.h"\n#include NAME\n{more}'
        path = _write(tmp_path / "p", Project((Member("k.cu", CodeKind.CUDA, text),)))
        ran = run("build", path)
        assert ran.code == 1
        assert "1234567" not in ran.out + ran.err
        assert "secret.h', outside the" in ran.err
        assert run("build", path, "--trust").code == (1 if more else 0)


def test_a_name_expression_includes_nothing(tmp_path, run):
    folder = tmp_path / "p"
    folder.mkdir()
    (tmp_path / "secret.h").write_text("#error the secret\n")
    expression = f'k<int>\n#include "{tmp_path}/secret.h"\n'
    text = "template <class T> __global__ void k() {}\n"
    member = Member("k.cu", CodeKind.CUDA, text, name_expressions=(expression,))
    ran = run("build", _write(folder, Project((member,))))
    assert ran.code == 1
    assert "the secret" not in ran.out + ran.err


def test_a_header_of_the_folder_we_stand_in_is_none_of_the_projects(tmp_path, run):
    folder = tmp_path / "p"
    folder.mkdir()
    (tmp_path / "mine.h").write_text("#error the secret\n")
    path = _write(folder, Project((Member("k.cu", CodeKind.CUDA, '#include "mine.h"\n'),)))
    ran = run("build", path)
    assert ran.code == 1
    assert "the secret" not in ran.out + ran.err


def test_options_on_the_command_line_begin_where_we_stand(tmp_path, run):
    folder = tmp_path / "p"
    (folder / "inc").mkdir(parents=True)
    (folder / "inc" / "a.h").write_text("#define A 1\n")
    path = _write(folder, Project((Member("k.cu", CodeKind.CUDA, "#include <a.h>\n"),)))
    assert run("build", path, "--option=-Ip/inc").code == 0
    assert "reads outside the project's folder" in run("build", path, "--option=-Iinc").err
