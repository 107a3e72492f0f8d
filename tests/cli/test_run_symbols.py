"""`jitstudio run` with module variables and with pointers in structs, in the simulator."""

import pytest

from tests.symbol_launches import BUFFERS, CASES, CONV, INNER, ROWS, VIEWS, Q

pytestmark = pytest.mark.usefixtures("shared_cache")


@pytest.fixture
def simulated(run, tmp_path):
    """Runs a source with these words in the simulator."""

    def launch(source, *words):
        (tmp_path / "k.cu").write_text(source)
        return run("run", tmp_path / "k.cu", "--device", "sim", *words, "--json")

    return launch


@pytest.mark.parametrize("name", CASES)
def test_what_is_set_is_there_and_what_is_read_back_is_right(simulated, name):
    source, words = CASES[name]
    ran = simulated(source, *words)
    assert ran.code == 0, ran.out
    assert ran.json["checks"]
    assert not [d for d in ran.json["diagnostics"] if d["severity"] == "error"]


def test_a_wrong_value_of_a_variable_is_found(simulated):
    ran = simulated(CONV, *BUFFERS, "--set=mask={1, 2, 2}", INNER)
    assert ran.code == 5


def test_a_variable_that_nothing_fills_is_told_with_its_line(simulated):
    ran = simulated(CONV, *BUFFERS)
    (message,) = [d["message"] for d in ran.json["diagnostics"] if "'mask'" in d["message"]]
    assert "__constant__ variable 'mask' at k.cu:7, " in message


@pytest.mark.parametrize("start", ["= 0", "= {1, 2, 3}"])
def test_an_initialiser_is_kept_and_needs_no_word(simulated, start):
    start = start if "{" in start else "= {0}"
    ran = simulated(CONV.replace("mask[3]", f"mask[3] {start}"), *BUFFERS)
    assert not [d for d in ran.json["diagnostics"] if "mask" in d["message"]]


def test_a_counter_that_the_kernel_itself_writes_needs_no_word(simulated):
    ran = simulated(CONV, *BUFFERS, "--set=mask=1:zeros")
    assert "mask has 3 elements, which a launch cannot change." in ran.out
    ran = simulated(CONV, *BUFFERS, "--set=mask=zeros")
    assert not [d for d in ran.json["diagnostics"] if "hits" in d["message"]]


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("--set=mark=zeros", "has no parameter and uses no module variable 'mark'"),
        ("--set=mask={1, 2, 3, 4}", "These are 4 elements; float[3] has 3."),
        ("--set=mask=1", "'1' is not of type float[3]: "),
        ("--set=mask=zeroes", "zeroes"),
        ("--set=mask", "--set takes NAME=TEXT, not 'mask'"),
        ("--set=mask=zeros:out", "mask is __constant__, so the kernel will not write to it."),
    ],
)
def test_what_makes_no_sense_is_told(simulated, word, why):
    ran = simulated(CONV, *BUFFERS, word)
    assert why in ran.out + ran.err


def test_a_pointer_in_a_struct_that_nobody_gives_is_asked_for(simulated):
    ran = simulated(VIEWS, Q, "--arg=q.a.p=64:range", "--grid=1", "--block=64")
    told = [d["message"] for d in ran.json["diagnostics"]]
    assert "The argument 'q.b.p' is missing." in told
    ran = simulated(ROWS, "--arg=rows=2", "--arg=n=4", "--grid=2", "--block=32")
    assert [d["message"] for d in ran.json["diagnostics"]] == ["The argument 'rows[]' is missing."]


def test_what_lies_behind_the_end_of_a_structs_buffer_is_told_by_its_path(simulated):
    words = ("--arg=q.b.p=64:zeros", "--arg=q.more[0]=null", "--arg=q.more[1]=64:zeros")
    ran = simulated(VIEWS, Q, "--arg=q.a.p=64:range", *words, "--grid=1", "--block=64")
    assert ran.code != 0
    assert "q.b.p" in ran.json["simulation"]["faults"][0]["message"]


def test_a_file_fills_a_pointer_in_a_struct_by_its_own_text_only(simulated):
    words = ("--arg=q.b.p=64:zeros", "--arg=q.more[0]=null", "--grid=1", "--block=64")
    struct = "--arg=q={a={p=64:file(/etc/hostname), n=64}, more={null, null}}"
    ran = simulated(VIEWS, struct, *words)
    assert "A file fills no buffer that is written in a struct" in ran.out


USING = """\
extern __constant__ float factors[2];
extern __device__ int count;
static __device__ int own;
extern "C" __global__ void use(float *out) {
    out[threadIdx.x] = factors[1] * threadIdx.x + own;
    atomicAdd(&count, 1);
}
"""
HAVING = """\
__constant__ float factors[2];
__device__ int count = 7;
static __device__ int own;
extern "C" __global__ void other(float *out) { out[0] = factors[0] + own++ + count; }
"""


@pytest.mark.parametrize("link", ["--link", "--lto"])
def test_a_variable_of_another_module_is_filled_in_a_link(run, tmp_path, link):
    for name, text in (("use.cu", USING), ("have.cu", HAVING)):
        (tmp_path / name).write_text(text)
    modules = (tmp_path / "use.cu", tmp_path / "have.cu")
    words = ("--kernel=use", "--device=sim", "--grid=1", "--block=32", "--arg=out=32:zeros:out")
    given = ("--set=factors={0, 3}", "--set=own=2", "--set=count:out")
    checks = ("--expect=out = 3 * i + 2", "--expect=count = count * 0 + 7 + 32")
    ran = run("run", *modules, link, *words, *given, *checks, "--json")
    assert ran.code == 0, ran.out
    assert len(ran.json["checks"]) == 2


def test_variables_of_ptx_by_hand_are_filled(run, tmp_path):
    (tmp_path / "go.ptx").write_text("""\
.version 8.0
.target sm_75
.address_size 64
.const .f32 factor = 0f40000000;
.visible .global .align 4 .u32 total;
.visible .entry go(.param .u64 out)
{
  .reg .u64 %rd<3>; .reg .f32 %f<3>; .reg .u32 %r<3>;
  ld.param.u64 %rd1, [out];
  ld.const.f32 %f1, [factor];
  st.global.f32 [%rd1], %f1;
  atom.global.add.u32 %r1, [total], 3;
  ret;
}
""")
    words = ("--device=sim", "--grid=1", "--block=1", "--arg=out=float[1]:zeros:out")
    for given, expected in (((), 2), (("--set=factor=5",), 5)):
        checks = (f"--expect=out = {expected}", "--set=total:out", "--expect=total = 3")
        assert run("run", tmp_path / "go.ptx", *words, *given, *checks).code == 0


def test_variables_of_the_compiler_have_no_rows(simulated):
    source = """extern "C" __global__ void k(float *x) {
        x[threadIdx.x] = sinf(x[threadIdx.x] * 1e6f); if (x[0] > 2) printf("%f", x[0]); }"""
    ran = simulated(source, "--arg=x=32:range", "--grid=1", "--block=32", "--set=y=1")
    assert "k has no parameter 'y'." in ran.out


def test_a_constant_that_is_passed_on_by_its_address_is_told_as_well(simulated):
    source = """__constant__ int few[4];
    __device__ __noinline__ int first(const int *p, int n) { return p[n]; }
    extern "C" __global__ void k(int *x) { x[threadIdx.x] = first(few, x[0]); }"""
    ran = simulated(source, "--arg=x=32:zeros", "--grid=1", "--block=32")
    told = [d["message"] for d in ran.json["diagnostics"] if "does not fill" in d["message"]]
    assert len(told) == 1
    assert "'few'" in told[0]


LINKED = """\
struct Link { int *at; int n; };
__device__ int other = 11;
__device__ Link link = {&other, 5};
extern "C" __global__ void follow(int *out)
{
    out[0] = link.at ? *link.at : -1;
    out[1] = link.n;
    if (out[2]) link.n = 3;
}
"""
FOLLOW = ("--arg=out=3:zeros:inout", "--grid=1", "--block=1")


@pytest.mark.parametrize(
    ("words", "first", "second"),
    [
        ((), 11, 5),
        (("--set=link=out",), 11, 5),
        (("--set=link=zeros",), -1, 0),
        (("--set=link={n=7}",), -1, 7),
        (("--set=link={at=4:constant(2), n=7}",), 2, 7),
        (("--set=link.at=4:constant(2)", "--set=link.n=7"), 2, 7),
    ],
)
def test_an_address_in_a_variable_stays_unless_the_launch_says_what_is_there(
    simulated, words, first, second
):
    ran = simulated(LINKED, *FOLLOW, *words, f"--expect=out=np.array([{first}, {second}, 0])")
    assert ran.code == 0, ran.out + ran.err


@pytest.mark.parametrize("part", ["link.n=7", "link.at=4:zeros"])
def test_part_of_a_variable_that_holds_addresses_is_no_whole_one(simulated, part):
    ran = simulated(LINKED, *FOLLOW, f"--set={part}")
    assert "What link holds besides is not known here, as addresses are among it." in ran.out


def test_variables_of_one_name_in_two_namespaces_are_two(simulated):
    source = """namespace a { __constant__ float k[4]; } __constant__ int k[4];
    extern "C" __global__ void both(float *out) { out[0] = k[1]; out[1] = a::k[1]; }"""
    words = ("--arg=out=2:zeros", "--grid=1", "--block=1", "--expect=out=np.array([2, 6])")
    ran = simulated(source, *words, "--set=k={1, 2, 3, 4}", "--set=a::k={5, 6, 7, 8}")
    assert ran.code == 0, ran.out + ran.err
