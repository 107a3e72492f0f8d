import re
import resource
import subprocess

import pytest

from jitstudio.analysis.sass.reading import CODE_OPTIONS, LIVE_OPTIONS
from jitstudio.command_options.values import COUNT, COUNT_OR_NONE
from jitstudio.core.arch import Arch
from jitstudio.toolchain import locate
from tests.support import KERNEL, ROOT, SAMPLES, refusal

pytestmark = pytest.mark.usefixtures("shared_cache")


@pytest.fixture(scope="module")
def tmp_path(one_folder):
    """The same for all tests: what one has built and read the others need not."""
    return one_folder


KERNEL_FIELDS = {"name", "report", "cfg", "instructions"}
INSTRUCTION_FIELDS = {
    *("address", "opcode", "operands", "source_file", "source_line", "ptx_line"),
    *("live_registers", "control"),
}
CONTROL_FIELDS = {"stall", "yield", "read_barrier", "write_barrier", "wait_mask", "reuse"}

SPILLING = (
    'extern "C" __global__ void spilling(float* p) {\n'
    + "".join(f"float a{i} = p[{i * 32}];\n" for i in range(64))
    + "__syncthreads();\n"
    + "".join(f"p[{i * 32}] = a{i} * a{(i * 7) % 64};\n" for i in range(64))
    + "}\n"
)
LOOP = """\
extern "C" __global__ void __launch_bounds__(128) loop(float* p, int n) {
    __shared__ float tile[1024];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        tile[i & 1023] = p[i];
        __syncthreads();
        p[i] = tile[1023 - (i & 1023)];
    }
}
"""


def file(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.fixture
def cubin(run, tmp_path):
    """A kernel, built beforehand."""
    source = file(tmp_path, "loop.cu", LOOP)
    assert run("build", source, "--emit", "cubin", "-o", tmp_path, "--arch", "sm_80").code == 0
    return tmp_path / "loop.cubin"


def test_each_instruction_tells_where_it_comes_from_and_what_it_needs(run):
    told = run("inspect", SAMPLES / "vector_add.cu", "--arch", "sm_90", "--json").json
    assert (told["ok"], told["outcome"], told["arch"]) == (True, "built", "sm_90")
    (kernel,) = told["kernels"]
    assert kernel["name"] == "vector_add"
    assert kernel.keys() >= KERNEL_FIELDS
    for row in kernel["instructions"]:
        assert row.keys() >= INSTRUCTION_FIELDS
        assert row["live_registers"].keys() >= {"gpr", "pred", "ugpr"}
        assert row["control"].keys() == CONTROL_FIELDS
    addresses = [row["address"] for row in kernel["instructions"]]
    assert addresses == list(range(0, 16 * len(addresses), 16))
    (add,) = [row for row in kernel["instructions"] if row["opcode"] == "FADD"]
    assert add["source_file"].endswith("vector_add.cu")
    lines = (SAMPLES / "vector_add.cu").read_text().splitlines()
    assert " + " in lines[add["source_line"] - 1]
    assert add["ptx_line"] > 0
    assert add["control"]["wait_mask"] > 0
    loads = [row for row in kernel["instructions"] if row["opcode"].startswith("LDG")]
    assert all(row["control"]["write_barrier"] in range(6) for row in loads)
    assert all(row["control"]["read_barrier"] is None for row in loads)


def test_the_report_the_graph_and_the_occupancy_agree_with_the_code(run, tmp_path):
    source = file(tmp_path, "loop.cu", LOOP)
    told = run("inspect", source, "--arch", "sm_80", "--json").json
    (kernel,) = told["kernels"]
    report, code = kernel["report"], kernel["instructions"]
    assert report["shared_bytes"] == 4096
    assert report["max_threads"] == 128
    assert report["instructions"] + report["padding"] == len(code)
    assert report["code_bytes"] == 16 * len(code)
    assert sum(each["count"] for each in report["classes"]) == report["instructions"]
    assert sum(report["groups"].values()) == report["instructions"]
    peak = max(row["live_registers"]["gpr"] for row in code)
    assert report["peak_live_registers"]["gpr"] == peak <= report["registers"]
    by_address = {row["address"]: row["live_registers"]["gpr"] for row in code}
    assert peak in {by_address[address] for address in report["peak_addresses"]}
    cfg = kernel["cfg"]
    assert cfg["blocks"][0]["start"] == 0
    assert cfg["blocks"][-1]["end"] == report["instructions"]
    assert cfg["loops"]
    ids = {block["id"] for block in cfg["blocks"]}
    assert all({edge["source"], edge["target"]} <= ids for edge in cfg["edges"])
    found = kernel["occupancy"]
    assert (found["threads"], found["shared_bytes"]) == (128, 4096)
    # 32 blocks of 5 KiB are 160 of the 164 KiB, but 16 blocks of 4 warps are 64 warps.
    assert (found["blocks"], found["warps"], found["fraction"]) == (16, 64, 1.0)
    assert {"threads", "registers", "shared_bytes"} == found["what_if"].keys()


def test_occupancy_is_calculated_for_the_block_that_is_asked_for(run, tmp_path):
    source = file(tmp_path, "k.cu", KERNEL)
    words = ("inspect", source, "--arch", "sm_90", "--json", "--block", 64, "--shared", 100_000)
    (kernel,) = run(*words).json["kernels"]
    found = kernel["occupancy"]
    assert (found["threads"], found["shared_bytes"], found["blocks"]) == (64, 100_000, 2)
    limiting = [each["resource"] for each in found["limits"] if each["limiting"]]
    assert limiting == ["shared memory"]


def test_a_target_without_published_limits_has_no_occupancy(run, tmp_path):
    source = file(tmp_path, "k.cu", KERNEL)
    (kernel,) = run("inspect", source, "--arch", "sm_88", "--json").json["kernels"]
    assert kernel["target"] == "sm_88"
    assert kernel["occupancy"] is None
    told = run("inspect", source, "--arch", "sm_88")
    assert (told.code, "occupancy    not known" in told.out) == (0, True)


def test_what_lto_inlines_keeps_its_line_and_costs_less(run):
    modules = (SAMPLES / "apply_transform.cu", SAMPLES / "user_transform.cu")
    lto, ptx = (run("inspect", *modules, how, "--json").json for how in ("--lto", "--link"))
    (inlined,), (calling,) = lto["kernels"], ptx["kernels"]
    assert inlined["name"] == calling["name"] == "apply_transform"
    files = {row["source_file"].rpartition("/")[2] for row in inlined["instructions"]}
    assert files == {"apply_transform.cu", "user_transform.cu"}
    assert lto["functions"] == []
    assert [function["name"] for function in ptx["functions"]] == ["user_transform"]
    assert inlined["report"]["registers"] < calling["report"]["registers"]
    assert inlined["report"]["instructions"] < calling["report"]["instructions"]


def test_inlined_code_names_the_calls_it_came_through(run, tmp_path):
    text = """\
__device__ float twice(float x) { return x + x; }
__device__ float fourfold(float x) {
    return twice(x) * x;
}
extern "C" __global__ void k(float* p) {
    p[threadIdx.x] = fourfold(p[threadIdx.x]);
}
"""
    (kernel,) = run("inspect", file(tmp_path, "k.cu", text), "--json").json["kernels"]
    (add,) = [row for row in kernel["instructions"] if row["opcode"] == "FADD"]
    assert add["source_line"] == 1
    assert [place["line"] for place in add["inlined_at"]] == [3, 6]


TWICE = """\
__device__ float a1(float x) { return x * 2.f + 1.f; }
__device__ float a2(float x) { return a1(x) +
    a1(x * x); }
extern "C" __global__ void k(float* p) {
    p[0] = a2(p[1]);
}
"""


def calls_of_line_1(told):
    """Through which calls each FFMA of the first line came."""
    (kernel,) = told["kernels"]
    rows = [r for r in kernel["instructions"] if (r["opcode"], r["source_line"]) == ("FFMA", 1)]
    return [[place["line"] for place in row["inlined_at"]] for row in rows]


def test_a_line_that_is_inlined_through_two_calls_names_each(run, tmp_path):
    source = file(tmp_path, "k.cu", TWICE)
    assert calls_of_line_1(run("inspect", source, "--json").json) == [[2, 5], [3, 5]]
    assert calls_of_line_1(run("inspect", source, "--lto", "--json").json) == [[2, 5], [3, 5]]


def test_of_a_cubin_only_the_calls_that_are_certain_are_told(run, tmp_path):
    source = file(tmp_path, "k.cu", TWICE)
    assert run("build", source, "--emit", "cubin", "-o", tmp_path).code == 0
    assert calls_of_line_1(run("inspect", tmp_path / "k.cubin", "--json").json) == [[2, 5], []]


def test_a_block_that_does_not_fit_is_told_why(run, cubin):
    for words, why in (
        (("--block", 2000), "none with 2,000 threads per block: a block has at most 1,024 threads"),
        (("--shared", 300_000), "at most 166,912 bytes of shared memory"),
    ):
        (line,) = [s for s in run("inspect", cubin, *words).out.splitlines() if "occupancy" in s]
        assert line.endswith(why)


def test_what_is_written_in_ptx_has_its_lines_of_ptx_as_source(run):
    told = run("inspect", SAMPLES / "scale.ptx", SAMPLES / "multiply.ptx", "--link", "--json").json
    (kernel,), (function,) = told["kernels"], told["functions"]
    assert {row["source_file"] for row in kernel["instructions"][:19]} == {
        str(SAMPLES / "scale.ptx")
    }
    (product,) = [row for row in function["instructions"] if row["opcode"] == "FMUL"]
    assert product["source_file"] == str(SAMPLES / "multiply.ptx")
    lines = (SAMPLES / "multiply.ptx").read_text().splitlines()
    assert "mul.f32" in lines[product["source_line"] - 1]
    assert product["source_line"] == product["ptx_line"]


def test_a_cubin_is_read_as_it_is(run, cubin, tmp_path):
    told = run("inspect", cubin, "--json").json
    built = run("inspect", tmp_path / "loop.cu", "--arch", "sm_80", "--json").json
    assert told["arch"] == "sm_80"
    (kernel,), (same,) = told["kernels"], built["kernels"]
    assert kernel["instructions"] == same["instructions"]
    assert kernel["cfg"] == same["cfg"]
    spills = {"spill_stores", "spill_loads"}
    assert {kernel["report"][name] for name in spills} == {None}
    for name in kernel["report"].keys() - spills:
        assert kernel["report"][name] == same["report"][name]


def test_of_a_fatbin_the_code_for_the_target_is_read(run, tmp_path):
    source = file(tmp_path, "k.cu", KERNEL)
    assert run("build", source, "--fat", "sm_80,sm_90", "-o", tmp_path).code == 0
    for arch in ("sm_80", "sm_90"):
        told = run("inspect", tmp_path / "k.fatbin", "--arch", arch, "--json").json
        assert [(k["name"], k["target"]) for k in told["kernels"]] == [("fine", arch)]


def test_ir_is_built_first(run):
    told = run("inspect", SAMPLES / "fill_typed.ll", "--json").json
    (kernel,) = told["kernels"]
    assert kernel["name"] == "fill"
    assert kernel["report"]["registers"] > 0


def test_options_and_headers_reach_the_build(run, tmp_path):
    source = file(tmp_path, "k.cu", SPILLING)
    free, bound = (
        run("inspect", source, *more, "--json").json["kernels"][0]
        for more in ((), ("--option=-maxrregcount=32",))
    )
    assert free["report"]["spill_stores"] == 0
    assert bound["report"]["registers"] <= 32
    assert bound["report"]["spill_stores"] > 0
    assert "local store, 32 bit" in {each["title"] for each in bound["report"]["classes"]}
    assert "spills" in {finding["rule"] for finding in bound["findings"]}
    header = f"atomic_ops.cuh={SAMPLES / 'atomic_ops.cuh'}"
    told = run("inspect", SAMPLES / "histogram.cu", "--header", header, "--json").json
    assert [kernel["name"] for kernel in told["kernels"]] == ["histogram"]


def test_one_of_several_kernels_is_chosen_by_either_of_its_names(run, tmp_path):
    text = "__global__ void one(int* p) { *p = 1; }\n__global__ void two(int* p) { *p = 2; }\n"
    source = file(tmp_path, "k.cu", text)
    for name in ("_Z3twoPi", "two(int*)"):
        told = run("inspect", source, "--kernel", name, "--json").json
        assert [kernel["demangled"] for kernel in told["kernels"]] == ["two(int*)"]
    told = run("inspect", source, "--kernel", "three")
    assert told.code == 2
    assert "'three'" in told.err
    assert "one(int*)" in told.err


def test_a_person_reads_a_report_and_if_wanted_the_code(run, tmp_path):
    source = file(tmp_path, "loop.cu", LOOP)
    told = run("inspect", source, "--arch", "sm_80")
    assert told.code == 0
    for words in (
        f"loop  (kernel of {source}, sm_80)",
        "4,096 bytes of shared",
        "at most 128 threads",
        "100% with 128 threads per block: 16 blocks, 64 of 64 warps",
        "loop",
        "shared store, 32 bit",
    ):
        assert words in told.out
    assert "BAR.SYNC" not in told.out
    listed = run("inspect", source, "--arch", "sm_80", "--code").out
    assert listed.startswith(told.out.rstrip())
    (row,) = [line for line in listed.splitlines() if "BAR.SYNC" in line]
    assert "loop.cu:5" in row


def test_the_code_names_the_constants_that_instructions_read(run, tmp_path):
    text = """\
struct Scale { char tag; double factor; };
__constant__ float table[8];
extern "C" __global__ void k(float* out, Scale scale, int n) { out[n] = scale.factor + table[3]; }
"""
    listed = run("inspect", file(tmp_path, "k.cu", text), "--arch", "sm_90", "--code").out
    rows = [row for row in listed.splitlines() if re.search(r" c\[0x[03]\]\[", row)]
    named = {row.rpartition("// ")[2] for row in rows if "//" in row}
    assert named == {"out", "scale.factor", "n", "table+12"}
    # The stack pointer and the driver's descriptors are no parameters.
    assert [row for row in rows if "c[0x0][0x28]" in row and "//" not in row]


def test_a_failed_build_is_told_as_build_tells_it(run):
    told = run("inspect", SAMPLES / "broken.cu")
    assert told.code == 1
    assert "broken.cu:7" in told.err
    found = run("inspect", SAMPLES / "broken.cu", "--json")
    assert found.code == 1
    assert found.json["ok"] is False
    assert found.json["kernels"] == []
    assert found.json["diagnostics"][0]["line"] == 7


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"\x7fELF", b"\x7fELF\x02" + bytes(500)], ids=range(4)
)
def test_what_is_no_cubin_is_refused_in_words(run, tmp_path, content):
    path = tmp_path / "odd.cubin"
    path.write_bytes(content)
    told = run("inspect", path)
    assert told.code == 1
    assert "The machine code of odd.cubin cannot be read" in told.err
    assert run("inspect", path, "--json").json["ok"] is False


def test_a_cubin_that_is_cut_short_is_refused_in_words(run, cubin):
    whole = cubin.read_bytes()
    for part in (3, 10, 40, 90, 99):
        cubin.write_bytes(whole[: len(whole) * part // 100])
        told = run("inspect", cubin)
        assert told.code in (0, 1, 4)
        assert told.out or "cannot be read" in told.err or "crashed" in told.err


def test_reading_ends_at_its_time_limit(own_workers, run, cubin):
    told = run("inspect", cubin, "--timeout", "0.001", "--no-cache")
    assert told.code == 4
    assert "stopped after 0.001 s" in told.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("none.cubin",), "cannot be read"),
        (("notes.txt",), "'notes.txt' has no file extension"),
        (("k.cu", "--arch", "sm_9"), refusal(Arch.parse, "sm_9")),
        (("k.cu", "--block", "0"), f"--block: {refusal(COUNT.check, 0)[:-1]}"),
        (("k.cu", "--shared", "-1"), f"--shared: {refusal(COUNT_OR_NONE.check, -1)[:-1]}"),
        ((), "SRC"),
    ],
)
def test_wrong_words_are_usage_errors(run, tmp_path, words, said):
    file(tmp_path, "k.cu", KERNEL)
    told = run("inspect", *words)
    assert told.code == 2
    assert said in told.err


def test_a_template_without_a_kernel_is_told(run, tmp_path):
    text = "template <class T> __global__ void k(T* p) { *p = 1; }\n"
    told = run("inspect", file(tmp_path, "k.cu", text))
    assert told.code == 0
    assert "no machine code" in told.err


def cpu_seconds():
    """What all processes have taken that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.bench
def test_a_large_cubin_is_inspected_in_little_more_than_its_disassembly_takes(
    run, run_apart, tmp_path
):
    body = "".join(f"p[{i * 13 % 997}] = p[{i * 7 % 991}] * {i}.5f + p[{i}];\n" for i in range(300))
    text = "".join(f'extern "C" __global__ void k{n}(float* p) {{\n{body}}}\n' for n in range(7))
    source = file(tmp_path, "large.cu", text)
    assert run("build", source, "--emit", "cubin", "-o", tmp_path).code == 0
    cubin = tmp_path / "large.cubin"
    # Not by the clock: other tests run at the same time.
    start = cpu_seconds()
    for options in (CODE_OPTIONS, LIVE_OPTIONS):
        subprocess.run([locate.nvdisasm(), *options, cubin], capture_output=True, check=True)
    begun = cpu_seconds()
    told = run_apart("inspect", cubin, "--json").json
    ended = cpu_seconds()
    assert sum(len(kernel["instructions"]) for kernel in told["kernels"]) > 5_000
    # Processes of our own take their time to start.
    assert ended - begun < 1.5 * (begun - start) + 3.0


def test_lines_are_those_of_a_file_whose_name_is_not_ascii(run, tmp_path):
    folder = tmp_path / "é"
    folder.mkdir()
    file = folder / "ä b.cu"
    file.write_text("__global__ void k(int* a) { a[threadIdx.x] = 1; }\n")
    assert "ä b.cu:1" in run("inspect", file, "--code").out
    words = ("--device", "sim", "--grid", "1", "--block", "32", "--arg", "a=32:zeros:out")
    assert "ä b.cu:1" in run("run", file, *words).out


OLD_CUBIN = next((ROOT / "tests/data/captured/triton_2.1").glob("*/scale_kernel.cubin"))


@pytest.mark.parametrize("is_old", [True, False])
def test_live_registers_that_nvdisasm_does_not_count_are_said_to_be_missing(run, cubin, is_old):
    path = OLD_CUBIN if is_old else cubin
    shown = run("inspect", path)
    (alive,) = [line.split(maxsplit=1)[1] for line in shown.out.splitlines() if "alive " in line]
    answer = run("inspect", path, "--json").json
    (kernel,) = answer["kernels"]
    peak = kernel["report"]["peak_live_registers"]
    assert (peak is None) is is_old
    if is_old:
        assert alive == "not counted; the reason is at the end"
        (reason,) = answer["notes"]
        assert reason in shown.err
    else:
        assert alive.startswith(f"at most {peak['gpr']} general")
        assert answer["notes"] == []


TEMPLATES = """\
template <int N> __global__ void work(int* p) { for (int i = 0; i < N; ++i) p[i * N] = clock(); }
template __global__ void work<2>(int*);
template __global__ void work<3>(int*);
"""


@pytest.mark.parametrize("name", ["_Z4workILi3EEvPi", "void work<3>(int*)"])
def test_one_kernel_of_several_is_read_alone(run, tmp_path, name):
    source = file(tmp_path, "work.cu", TEMPLATES)
    assert run("build", source, "--emit", "cubin", "-o", tmp_path).code == 0
    words = ("inspect", tmp_path / "work.cubin", "--json", "--kernel", name)
    (kernel,) = run(*words).json["kernels"]
    assert kernel["demangled"] == "void work<3>(int*)"
    everything = run("inspect", tmp_path / "work.cubin", "--json").json["kernels"]
    assert kernel["report"] == next(k["report"] for k in everything if k["name"] == kernel["name"])


def test_a_kernel_that_is_missing_is_answered_with_all_there_are(run, tmp_path):
    source = file(tmp_path, "work.cu", TEMPLATES)
    missing = run("inspect", source, "--kernel", "work<4>")
    assert missing.code == 2
    _, _, names = missing.err.partition("There are: ")
    assert sorted(names.rstrip(".\n").split(", ")) == ["void work<2>(int*)", "void work<3>(int*)"]


def test_a_kernel_of_one_of_two_modules_is_known_by_its_title(run, tmp_path):
    one, two = (file(tmp_path, name, LOOP) for name in ("one.cu", "two.cu"))
    told = run("inspect", one, two, "--json", "--kernel", f"loop ({two})")
    assert told.err == ""
    (kernel,) = told.json["kernels"]
    assert kernel["module"] == str(two)
