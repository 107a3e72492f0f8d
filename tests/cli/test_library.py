"""`jitstudio inspect` and `diff` of programs, libraries and wheels."""

import pytest

from jitstudio.commands.library import best_kernel, kernels_named
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.library import CodePiece, LibraryKernel, LibraryListing
from jitstudio.core.result import Resources
from tests.library_files import archive, elf, wheel
from tests.support import ROOT, SAMPLES

pytestmark = pytest.mark.usefixtures("shared_cache")


@pytest.fixture(scope="module")
def tmp_path(one_folder):
    """The same for all tests: what one has built and read the others need not."""
    return one_folder


TEMPLATE = """\
template <class T> __global__ void scale(T* p, T a) { p[threadIdx.x] *= a; }
extern "C" __global__ void plain(int* p) { *p += 1; }
"""


@pytest.fixture
def fatbin(run, tmp_path):
    """Two instances of a template and a plain kernel, for two targets."""
    (tmp_path / "k.cu").write_text(TEMPLATE)
    names = ("--name-expression", "scale<float>", "--name-expression", "scale<double>")
    ran = run("build", tmp_path / "k.cu", "--fat", "sm_80,sm_90", *names, "-o", tmp_path)
    assert ran.code == 0, ran.err
    return (tmp_path / "k.fatbin").read_bytes()


@pytest.fixture
def package(fatbin, tmp_path):
    path = tmp_path / "k.whl"
    path.write_bytes(wheel({"k/k.so": elf({".nv_fatbin": fatbin})}))
    return path


def test_the_list_of_a_wheel_as_text_and_as_json(run, package):
    told = run("inspect", package, "--list", "--json").json
    assert (told["ok"], told["outcome"], told["problem"]) == (True, "built", None)
    assert len(told["kernels"]) == 6
    assert {(k["member"], k["section"]) for k in told["kernels"]} == {("k/k.so", ".nv_fatbin")}
    only = run("inspect", package, "--list", "--json", "--kernel", "SCALE", "--arch", "90").json
    assert {k["demangled"] for k in only["kernels"]} == {
        "void scale<float>(float*, float)",
        "void scale<double>(double*, double)",
    }
    assert all(k["registers"] > 0 and k["code_bytes"] > 0 for k in only["kernels"])
    ran = run("inspect", package, "--list")
    assert "void scale<float>(float*, float) sm_90 k/k.so" in " ".join(ran.out.split())
    assert "6 of 6 kernels" in ran.err


def test_one_kernel_is_read_like_a_build(run, package, tmp_path):
    # A name and no ending at all: the bytes say what it is.
    program = tmp_path / "program"
    program.write_bytes(package.read_bytes())
    for path in (package, program):
        told = run("inspect", path, "--kernel", "scale<double>", "--arch", "sm_86", "--json").json
        assert (told["ok"], told["arch"]) == (True, "sm_80")
        (kernel,) = told["kernels"]
        assert kernel["demangled"] == "void scale<double>(double*, double)"
        assert kernel["target"] == "sm_80"
        assert any(row["opcode"].startswith("DMUL") for row in kernel["instructions"])


def test_without_a_target_the_newest_code_is_read(run, package):
    assert run("inspect", package, "--kernel", "plain", "--json").json["arch"] == "sm_90"


def test_a_kernel_of_the_second_object_of_a_library_is_found(run, fatbin, tmp_path):
    assert run("build", SAMPLES / "vector_add.cu", "--fat", "sm_90", "-o", tmp_path).code == 0
    other = (tmp_path / "vector_add.fatbin").read_bytes()
    objects = {"a.o": elf({".nv_fatbin": other}, 1), "b.o": elf({".nv_fatbin": fatbin}, 1)}
    (tmp_path / "l.a").write_bytes(archive(objects))
    for kernel in ("vector_add", "plain"):
        told = run("inspect", tmp_path / "l.a", "--kernel", kernel, "--json").json
        assert [one["name"] for one in told["kernels"]] == [kernel]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "holds 3 kernels. Choose one with --kernel"),
        (["--kernel", "scale"], "several kernels"),
        (["--kernel", "scal"], "There are: void scale<double>"),
        (["--kernel", "zzz"], "See all with jitstudio inspect --list"),
        (["--kernel", "plain", "--arch", "sm_75"], "It has it for sm_80, sm_90"),
        (["--list", "--arch", "x"], "not a target architecture"),
    ],
)
def test_what_cannot_be_chosen_is_said_with_what_can(run, package, words, message):
    ran = run("inspect", package, *words)
    assert ran.code == 2
    assert message in ran.err


def test_of_kernels_to_choose_from_ten_are_named(run, tmp_path):
    declared = "template <int N> __global__ void {}(int* p) {{ *p = N; }}\n"
    (tmp_path / "m.cu").write_text(declared.format("many") + declared.format("mane"))
    names = ["mane<1>", *(f"many<{n}>" for n in range(10, 20))]
    words = [word for name in names for word in ("--name-expression", name)]
    assert run("build", tmp_path / "m.cu", "--fat", "sm_90", *words, "-o", tmp_path).code == 0
    texts = [f"void {name}(int*)" for name in names]
    for kernel, told in (
        ("many", f"Choose one: {', '.join(texts[1:])}."),
        ("man", f"There are: {', '.join(texts[:10])} and 1 more."),
    ):
        assert told in run("inspect", tmp_path / "m.fatbin", "--kernel", kernel).err


def test_a_program_without_device_code_is_a_sentence(run, tmp_path):
    (tmp_path / "p").write_bytes(elf({".text": b"\x90" * 99}))
    told = run("inspect", tmp_path / "p", "--list", "--json").json
    assert (told["ok"], told["outcome"], told["kernels"]) == (False, "failed", [])
    assert told["problem"].startswith("'p' holds no device")
    ran = run("inspect", tmp_path / "p", "--kernel", "k")
    assert ran.code == 2
    assert told["problem"] in ran.err


@pytest.mark.bench
def test_one_kernel_of_two_versions_of_a_library_is_compared(run, package, tmp_path):
    newer = tmp_path / "k-2.whl"
    (tmp_path / "k.cu").write_text(TEMPLATE.replace("*= a", "+= a"))
    names = ("--name-expression", "scale<float>", "--name-expression", "scale<double>")
    assert run("build", tmp_path / "k.cu", "--fat", "sm_90", *names, "-o", tmp_path).code == 0
    newer.write_bytes(wheel({"k/k.so": elf({"x": (tmp_path / "k.fatbin").read_bytes()})}))
    same = run("diff", package, newer, "--kernel", "plain", "--arch", "sm_90", "--json")
    assert (same.code, same.json["equal"], same.json["kernel"]) == (0, True, "plain")
    assert same.json["data_compared"] is True
    other = run("diff", package, newer, "--kernel", "scale<float>", "--arch", "sm_90", "--json")
    assert (other.code, other.json["equal"]) == (1, False)
    rows = [row for hunk in other.json["hunks"] for row in hunk["rows"]]
    assert any("FMUL" in (row["a"] or "") and "FADD" in (row["b"] or "") for row in rows)
    assert {figure["name"] for figure in other.json["report"]} == {"_Z5scaleIfEvPT_S0_"}
    assert run("diff", package, newer).code == 2
    # The kernel of a source against the same in a library.
    assert run("diff", tmp_path / "k.cu", newer, "--kernel", "plain", "--arch", "sm_90").code == 0
    ran = run("diff", tmp_path / "k.cu", newer, "--kernel", "nothing", "--arch", "sm_90")
    assert ran.code == 2
    assert "'nothing'. There are: plain" in ran.err


def test_the_ptx_of_one_kernel_is_compared(run, tmp_path):
    one, two = tmp_path / "one.cu", tmp_path / "two.cu"
    one.write_text('extern "C" __global__ void a() {} extern "C" __global__ void b() {}')
    two.write_text('extern "C" __global__ void a() {} extern "C" __global__ void b(int) {}')
    for kernel, code in (("a", 0), ("b", 1), ("c", 2)):
        assert run("diff", one, two, "--what", "ptx", "--kernel", kernel).code == code


@pytest.mark.parametrize(
    ("wanted", "taken"),
    [(None, "sm_100"), ("sm_87", "sm_80"), ("sm_90", "compute_90"), ("sm_75", None)],
)
def test_the_kernel_for_a_target_is_the_one_that_runs_there(wanted, taken):
    kinds = {"sm_80": CodeKind.CUBIN, "compute_90": CodeKind.PTX, "sm_100": CodeKind.CUBIN}
    pieces = [CodePiece(kind, Arch.parse(t), "", "", 0, 0) for t, kind in kinds.items()]
    kernels = [LibraryKernel("k", "k", number, 1, Resources()) for number in range(3)]
    found = LibraryListing(tuple(pieces), tuple(kernels))
    best = best_kernel(found, kernels, wanted and Arch.parse(wanted))
    assert (best and found.pieces[best.piece].target) == taken


def test_a_kernel_is_called_by_any_of_its_names():
    lowered = {
        "_Z1kIfEvPT_": "void a::k<float>(float*)",
        "_Z1kIdEvPT_": "void a::k<double>(double*)",
    }
    kernels = [LibraryKernel(n, text, 0, 1, Resources()) for n, text in lowered.items()]
    found = LibraryListing((), tuple(kernels))
    for name in (*lowered.popitem(), "void a::k<double>", "a::k<double>"):
        assert [k.name for k in kernels_named(found, name)] == ["_Z1kIdEvPT_"]
    assert len(kernels_named(found, "a::k")) == 2
    assert kernels_named(found, "k<") == ()


def test_the_kernels_of_caches_are_listed_and_read(run, tmp_path, monkeypatch):
    captured = ROOT / "tests" / "data" / "captured"
    told = run("inspect", "--list", captured, "--json").json
    # The newest comes first: which one that is depends on how the files came here.
    (scale,) = (
        one
        for one in told["kernels"]
        if (one["origin"], one["name"]) == ("Triton 3.9.0", "scale_kernel")
    )
    assert scale["source"] == "/tmp/kernels/scale.py:6"
    assert scale["date"].endswith("Z")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(captured / "triton"))
    ran = run("inspect", "--list", "triton")
    assert "scale_kernel sm_90a 20" in " ".join(ran.out.split())
    assert "1 of 1 kernels" in ran.err
    # Also by its file, where several have its name.
    for name in ("scale_kernel", "3JFIOR7MYG"):
        told = run("inspect", "triton", "--kernel", name, "--json").json
        (kernel,) = told["kernels"]
        assert (kernel["name"], kernel["target"]) == ("scale_kernel", "sm_90a")
        # As its own PTX is there, too, each instruction has the line of PTX that it comes from.
        assert any(row["ptx_line"] for row in kernel["instructions"])
    saxpy = run("inspect", captured / "cuda", "--kernel", "saxpy", "--arch", "90a", "--json").json
    assert saxpy["kernels"][0]["instructions"]


def test_a_cache_that_is_not_there_is_said_so(run, tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "gone"))
    ran = run("inspect", "--list", "triton")
    assert ran.code == 2
    assert "There is no cache of Triton here: " in ran.err
    # A file of that name comes first.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "triton").write_bytes(b"text")
    assert "'triton' holds no device" in run("inspect", "--list", "triton").err
