import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain.precompile import prefix_of


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
