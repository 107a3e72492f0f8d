from dataclasses import replace
from itertools import combinations

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, Artifact, CodeKind, Source
from jitstudio.core.diagnostics import Diagnostic, Fix, FixKind, Severity
from jitstudio.core.launch.c_types import FLOAT, INT, named, struct_of
from jitstudio.core.launch.choice import (
    Launchable,
    choose_code,
    choose_form,
    launchable,
)
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.faults import SpecFaults
from jitstudio.core.launch.problems import SpecError, SpecProblem
from jitstudio.core.launch.request import Expectation, LaunchConfig, LaunchRequest
from jitstudio.core.launch.resolve import resolve
from jitstudio.core.launch.spec import LaunchSpec, LoadMode, Sanitizer
from jitstudio.core.launch.types import Array, Pointer
from jitstudio.core.launch.values import integer
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult, Kernel, Outcome, Resources
from tests.core.launch.forms import SAXPY, form, pointer
from tests.devices import H200, ONE_H200
from tests.support import refusal

CODE = Artifact(CodeKind.CUBIN, "k.cu", b"machine code")
SPEC = LaunchSpec(
    kernel="saxpy<float>",
    arguments=(("a", "2"), ("x", "n"), ("y", "n"), ("n", "1000")),
    cover="n",
)


def resolved(spec=SPEC, of=SAXPY, code=CODE, devices=ONE_H200, device=0, **more):
    kernel = Launchable(of, code, more.pop("arch", None), more.pop("facts", None))
    return resolve(spec, kernel, devices, device, **more)


def told(found):
    return [(problem.where, problem.message) for problem in found.problems]


def test_a_spec_becomes_a_request():
    spec = replace(
        SPEC,
        warmup=3,
        repeats=7,
        flush_l2=True,
        expectations=("y = a*x + y", "  "),
        relative=0.5,
        absolute=0.25,
        poison=False,
        guards=False,
        sanitizer=Sanitizer.MEMCHECK,
        timeout=5.0,
    )
    found = resolved(spec)
    assert found.problems == ()
    assert found.request is not None
    assert found.request == LaunchRequest(
        code=b"machine code",
        code_kind=CodeKind.CUBIN,
        kernel="k",
        title="saxpy<float>",
        device=0,
        arguments=found.request.arguments,
        parameter_bytes=28,
        config=LaunchConfig((4, 1, 1), (256, 1, 1)),
        warmup=3,
        repeats=7,
        flush_l2=True,
        expectations=(Expectation("y", "a*x + y"),),
        relative=0.5,
        absolute=0.25,
        poison=False,
        guards=False,
        sanitizer=Sanitizer.MEMCHECK,
        timeout=5.0,
    )
    assert [argument.name for argument in found.request.arguments] == ["a", "x", "y", "n"]


def test_a_kernel_without_parameters_has_no_bytes_of_them():
    found = resolved(LaunchSpec(grid="1"), form())
    assert found.request is not None
    assert (found.request.arguments, found.request.parameter_bytes) == ((), 0)


def test_a_warning_does_not_forbid_the_launch():
    found = resolved(replace(SPEC, block="100"))
    assert found.request is not None
    assert [problem.severity for problem in found.problems] == [Severity.WARNING]


def test_everything_that_is_wrong_is_told_at_once():
    spec = LaunchSpec(
        arguments=(("a", "x"), ("x", "n:ones"), ("y", "n"), ("n", "1000")),
        cover="n",
        block="2048",
        cluster="0",
        shared="-1",
        repeats=-1,
        relative=-1.0,
        timeout=0.0,
    )
    ptx = Artifact(CodeKind.PTX, "k.cu", b".version 9.4\n.target sm_100\n")
    found = resolved(spec, code=ptx)
    assert found.request is None
    assert [problem.where for problem in found.problems] == [
        "code",
        "code",
        "arguments.a",
        "arguments.x",
        "cluster",
        "block",
        "shared",
        "repeats",
        "relative",
        "timeout",
    ]


def test_a_block_is_judged_where_nobody_knows_how_many_there_are():
    arguments = (("a", "2"), ("x", "n"), ("y", "n"), ("n", "many"))
    found = resolved(replace(SPEC, arguments=arguments, block="2048"))
    assert "block" in [problem.where for problem in found.problems]
    assert "grid" not in [problem.where for problem in found.problems]


def test_without_a_gpu_the_reason_is_told_and_the_rest_is_checked():
    found = resolved(replace(SPEC, block="0"), devices=DeviceList(problem="There is no driver."))
    device, (where, message) = told(found)
    assert device == ("device", "There is no driver.")
    assert (where, message[:13]) == ("block", "A block of 0 ")


def test_another_gpu_than_there_are_is_told():
    found = resolved(device=3)
    assert told(found) == [("device", "There is no GPU 3.")]
    assert found.problems[0].remedy == "Known here: 0 (NVIDIA H200)."


def test_code_that_the_gpu_cannot_load_is_told():
    ada = DeviceList("13.0", (replace(H200, name="L40", capability="8.9"),))
    code = Artifact(CodeKind.CUBIN, "k.cu@sm_90a", b"machine code")
    ((where, message),) = told(resolved(code=code, devices=ada))
    assert (where, message[:50]) == ("code", "L40 is sm_89, and this is a cubin for sm_90a, whic")


def test_the_build_s_target_tells_the_suffix():
    devices = DeviceList("13.0", (replace(H200, capability="10.3"),))
    code = Artifact(CodeKind.CUBIN, "k.cu@sm_100", b"machine code")
    assert resolved(code=code, devices=devices).request is not None
    assert resolved(code=code, devices=devices, arch=Arch(100, "a")).request is None


def test_a_kernel_with_unknown_parameters_cannot_be_launched():
    found = resolved(of=replace(SAXPY, complete=False, notes=("Build PTX, too.",)))
    assert told(found) == [("kernel", "Not all parameters of saxpy<float> are known.")]
    assert found.problems[0].remedy == "Build PTX, too."


def test_what_the_kernel_needs_is_checked_where_it_is_known():
    spec = replace(SPEC, block="1024")
    assert resolved(spec).request is not None
    ((where, message),) = told(resolved(spec, facts=Resources(registers=65, shared_bytes=0)))
    assert (where, message[:12]) == ("block", "65 registers")


def test_a_declared_cluster_is_checked_and_not_repeated():
    found = resolved(replace(SPEC, cover="", grid="3"), replace(SAXPY, cluster=(2, 1, 1)))
    ((where, message),) = told(found)
    assert (where, message[:14], message[-12:]) == ("grid", "3 blocks in x ", "cluster's 2.")
    found = resolved(of=replace(SAXPY, cluster=(3, 1, 1)))
    assert found.request is not None
    assert found.request.config == LaunchConfig((6, 1, 1), (256, 1, 1))


@pytest.mark.parametrize(
    ("length", "free", "has"),
    [
        ("1<<36", H200.memory_free, "NVIDIA H200 has 139.8 GiB."),
        ("1<<30", 1 << 30, "NVIDIA H200 has 1.0 GiB free."),
    ],
)
def test_buffers_have_to_fit_into_the_memory(length, free, has):
    arguments = (("a", "2"), ("x", "n"), ("y", length), ("n", "1000"))
    devices = DeviceList("13.0", (replace(H200, memory_free=free),))
    ((where, message),) = told(resolved(replace(SPEC, arguments=arguments), devices=devices))
    assert (where, message[-len(has) :]) == ("arguments.y", has)


@pytest.mark.parametrize(
    ("n", "y", "value", "what"),
    [
        ("1<<30", "n", 1 << 27, "power of two"),
        ("2000000000", "n", 178956800, "multiple of 256"),
        ("60000", "n*n", 13312, "multiple of 256"),
    ],
)
def test_the_largest_size_that_fits_is_named(n, y, value, what):
    arguments = (("a", "2"), ("x", y), ("y", y), ("n", n))
    devices = DeviceList("13.0", (replace(H200, memory=2 << 30, memory_free=None),))
    found = resolved(replace(SPEC, arguments=arguments), devices=devices)
    (problem,) = found.problems
    words = f"Set n to {value:,}, the largest {what} that fits (--arg n={value})."
    assert problem.remedy == words
    fix = Fix(f"Set n to {value:,}", FixKind.SET_ARGUMENT, str(value), replaces="n")
    assert problem.fix == fix
    texts = tuple((name, str(value) if name == "n" else text) for name, text in arguments)
    assert resolved(replace(SPEC, arguments=texts), devices=devices).request is not None


def test_a_pointer_may_lead_into_its_buffer():
    arguments = (("a", "2"), ("x", "n+6@3"), ("y", "n"), ("n", "1000"))
    request = resolved(replace(SPEC, arguments=arguments)).request
    assert request is not None
    space = request.parameter_space({"x": 0x1000, "y": 0x2000})
    x, y = (int.from_bytes(space[at : at + 8], "little") for at in (8, 16))
    assert (x, y) == (0x1000 + 12, 0x2000)
    behind = (("a", "2"), ("x", "n@n"), ("y", "n"), ("n", "1000"))
    assert told(resolved(replace(SPEC, arguments=behind))) == [
        ("arguments.x", "A buffer of 1,000 elements has none at 1,000.")
    ]


def test_a_pointer_into_another_buffer_has_a_place_of_its_own():
    arguments = (("a", "2"), ("x", "n"), ("y", "same(x+4)"), ("n", "1000"))
    request = resolved(replace(SPEC, arguments=arguments)).request
    assert request is not None
    assert [slot.name for slot in request.slots] == ["a", "x", "y", "n"]
    space = request.parameter_space({"x": 0x1000})
    assert [int.from_bytes(space[at : at + 8], "little") for at in (8, 16)] == [0x1000, 0x1010]


def test_memory_of_which_nobody_knows_what_is_free_is_taken_whole():
    devices = DeviceList("13.0", (replace(H200, memory_free=None),))
    assert resolved(devices=devices).request is not None


TWO = form(("x", pointer(const=True)), ("y", pointer()), ("z", pointer()), ("p", pointer()))


@pytest.mark.parametrize(
    ("line", "texts", "expected"),
    [
        ("y = x*2", "8 8 8 null", Expectation("y", "x*2")),
        ("z=x==2", "8 8 8 8", Expectation("z", "x==2")),
        ("x*2", "8 8 8:in null", Expectation("y", "x*2")),
        ("x == 2", "8 8 null null", Expectation("y", "x == 2")),
        ("y[1:-1] = x[i - 1]", "8 8 8 8", Expectation("y", "x[i - 1]", "[1:-1]")),
        ("y [i % 2 == 0]= x", "8 8 8 8", Expectation("y", "x", "[i % 2 == 0]")),
        ("z.reshape(2,4)[0] = 3", "8 8 8 8", Expectation("z", "3", ".reshape(2,4)[0]")),
        ("z[1:] = x <= 2", "8 8 8 8", Expectation("z", "x <= 2", "[1:]")),
        ("sum(x, axis=0) == 2", "8 8 null null", Expectation("y", "sum(x, axis=0) == 2")),
    ],
)
def test_an_expectation_is_of_a_buffer_that_the_kernel_writes(line, texts, expected):
    arguments = tuple(zip("xyzp", texts.split(), strict=True))
    found = resolved(LaunchSpec(arguments=arguments, grid="1", expectations=(line,)), TWO)
    assert found.problems == ()
    assert found.request is not None
    assert found.request.expectations == (expected,)


@pytest.mark.parametrize(
    ("line", "texts", "message"),
    [
        ("x*2", "8 8 8 null", "The kernel writes y and z; which one is 'x*2'?"),
        ("w = 2", "8 8 8 8", "There is no buffer 'w'."),
        ("p = 2", "8 8 8 null", "There is no buffer 'p'."),
        ("x = 2", "8 8 8 8", "x is only read, so there is nothing to check."),
        ("y =", "8 8 8 8", "'y =' expects nothing."),
        ("yy[1:] = 2", "8 8 8 8", "There is no buffer 'yy'."),
        ("x[1:] = 2", "8 8 8 8", "x is only read, so there is nothing to check."),
        ("x*2", "8 null null null", "The kernel writes no buffer that could be checked."),
        (
            "y += 1",
            "8 8 8 8",
            "'y += 1' changes a value, but an expectation says what it shall be.",
        ),
        (
            "y[1:] <<= x",
            "8 8 8 8",
            "'y[1:] <<= x' changes a value, but an expectation says what it shall be.",
        ),
        ("y.sum() = 3", "8 8 8 8", "'y.sum()' is not part of y, of which elements are compared."),
        (
            "sum(y) = 3",
            "8 8 8 8",
            "'sum(y)' is not part of a buffer, of which elements are compared.",
        ),
        ("y.size = 3", "8 8 8 8", "'y.size' is not part of y, of which elements are compared."),
        ("y + 1 = 3", "8 8 8 8", "'y+ 1' is not part of y, of which elements are compared."),
        ('y["x"] = 3', "8 8 8 8", "y has no field 'x': it holds float there."),
        ("y[8] = 3", "8 8 8 8", "There is no element 8 of y, which has 8."),
        ("y[-9] = 3", "8 8 8 8", "There is no element -9 of y, which has 8."),
        ("y[4:][2*2] = 3", "8 8 8 8", "There is no element 4 of y, which has 4 in that part."),
        ("y[1:)] = 3", "8 8 8 8", None),
        ("y = x +", "8 8 8 8", None),
    ],
)
def test_an_expectation_that_nobody_can_check_is_told(line, texts, message):
    arguments = tuple(zip("xyzp", texts.split(), strict=True))
    found = resolved(LaunchSpec(arguments=arguments, grid="1", expectations=(line,)), TWO)
    ((where, text),) = told(found)
    assert where == "expectations"
    assert text == message or (message is None and "is not a NumPy expression" in text)


def test_what_changes_a_value_is_said_to_be_written_otherwise():
    for line, remedy in (
        ("y += 1", "y = y + 1"),
        ("y *= x - 1", "y = y * (x - 1)"),
        ("y := 2", "y = 2"),
    ):
        arguments = tuple(zip("xyzp", ["8", "8", "8", "8"], strict=True))
        found = resolved(LaunchSpec(arguments=arguments, grid="1", expectations=(line,)), TWO)
        assert found.problems[0].remedy.startswith(
            f"Write {remedy}: the right side takes what was there"
        )


@pytest.mark.parametrize(
    "line",
    [
        "in.x[-8] = lambda + in.x[0] * in.n - rows[0][1]",
        "in.x[in.n:][i % 2 == 0] = where(lambda > 1, 'left', \"same\")",
        "in.x[lambda - 1] = in.x\t[0]",
        "rows[0][2:, None].T = 1",
        "in.x[[0, 1]] = in.x[i // 2]",
        "in.x[True] = 3",
    ],
)
def test_names_that_python_has_none_of_are_no_faults_of_syntax(line):
    view = struct_of("View", (("x", Pointer(FLOAT)), ("n", INT)))
    of = form(("in", view), ("lambda", "int"), ("rows", Pointer(Pointer(FLOAT))))
    arguments = (("in", "{x=8:zeros:inout, n=4}"), ("lambda", "2"), ("rows", "1"))
    spec = LaunchSpec(arguments=(*arguments, ("rows[0]", "8")), grid="1", expectations=(line,))
    assert resolved(spec, of).problems == ()


def test_fields_are_those_of_the_struct():
    inner = struct_of("Inner", (("x", FLOAT), ("n", INT)))
    of = form(("out", Pointer(struct_of("Outer", (("at", inner), ("id", INT))))))
    lines = ('out["id"] = 1', 'out["at"]["n"][1:] = 1', 'out["ad"] = 1', 'out["at"]["n"]["x"] = 1')
    spec = LaunchSpec(arguments=(("out", "8"),), grid="1", expectations=lines)
    assert [message for _, message in told(resolved(spec, of))] == [
        "out has no field 'ad'.",
        "out has no field 'x': it holds int there.",
    ]


def test_an_expectation_of_a_faulty_buffer_is_no_fault_of_its_own():
    arguments = (("a", "2"), ("x", "n"), ("y", "n:ones"), ("n", "1000"))
    found = resolved(replace(SPEC, arguments=arguments, expectations=("y = x",)))
    assert [where for where, _ in told(found)] == ["arguments.y"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"warmup": -1}, "-1 launches make no sense here: from 0 to 1,000,000."),
        ({"repeats": 2_000_000}, "2,000,000 launches make no sense here: from 0 to 1,000,000."),
        ({"relative": -0.5}, "A tolerance of -0.5 makes no sense; the least is 0."),
        ({"absolute": float("nan")}, "A tolerance of nan makes no sense; the least is 0."),
        ({"timeout": 0.0}, "A time limit of 0.0 seconds makes no sense."),
        ({"timeout": float("inf")}, "A time limit of inf seconds makes no sense."),
    ],
)
def test_numbers_have_their_bounds(fields, message):
    assert told(resolved(replace(SPEC, **fields))) == [(*fields, message)]


def test_no_timed_launch_and_no_tolerance_are_fine():
    assert resolved(replace(SPEC, repeats=0, warmup=0, relative=0.0, absolute=0.0)).request


FORMS = (
    replace(SAXPY, lowered="_Z5saxpyIfEv", title="math::saxpy<float>"),
    replace(SAXPY, lowered="_Z5saxpyIdEv", title="math::saxpy<double>"),
    replace(SAXPY, lowered="_Z4fillPf", title="fill(float *)"),
    replace(SAXPY, lowered="scale", title="scale"),
)


@pytest.mark.parametrize(
    ("kernel", "index"),
    [
        ("_Z5saxpyIdEv", 1),
        ("math::saxpy<float>", 0),
        (" &::math::saxpy< float >", 0),
        ("saxpy<double>", 1),
        ("fill(float*)", 2),
        ("fill", 2),
        ("scale", 3),
    ],
)
def test_a_kernel_has_several_names(kernel, index):
    assert choose_form(kernel, FORMS) is FORMS[index]


def test_the_only_kernel_needs_no_name():
    assert choose_form("", FORMS[3:]) is FORMS[3]


@pytest.mark.parametrize(
    ("kernel", "forms", "message"),
    [
        (
            "",
            FORMS[2:],
            "There are 2 kernels. Choose one of fill(float *) and scale.",
        ),
        (
            "saxpy",
            FORMS,
            (
                "'saxpy' is the name of 2 kernels. Choose one of math::saxpy<float> and "
                "math::saxpy<double>."
            ),
        ),
        ("scal", FORMS, "There is no kernel 'scal'. Did you mean scale?"),
        ("q", FORMS[2:], "There is no kernel 'q'. Known here: fill(float *) and scale."),
    ],
)
def test_a_kernel_that_nobody_can_tell_is_refused_with_those_there_are(kernel, forms, message):
    with pytest.raises(SpecError) as caught:
        choose_form(kernel, forms)
    assert (str(caught.value), caught.value.problem.where) == (message, "kernel")


PLAIN_IR = "define void @a() {\n ret void\n}\ndefine void @b() {\n ret void\n}\n"
TEMPLATE = "template <class T> __global__ void k(T *p) { *p = 1; }"
ONLY_VALUE = "define i32 @f() {\n ret i32 1\n}\n"


@pytest.mark.parametrize(
    ("kind", "text", "remedy"),
    [
        (CodeKind.CUDA, "int x;", "Declare one with __global__."),
        (
            CodeKind.CUDA,
            TEMPLATE,
            "The kernel is a template: name an instance of it, such as k<float",
        ),
        (
            CodeKind.LLVM_IR,
            PLAIN_IR,
            "Name the function to launch (a and b), or mark it as a kernel in ",
        ),
        (CodeKind.LLVM_IR, ONLY_VALUE, "A kernel is written as define ptx_kernel void @name."),
        (CodeKind.LLVM_IR, "", "A kernel is written as define ptx_kernel void @name."),
        (CodeKind.PTX, ".func f() { ret; }", "Write .visible .entry instead of .func"),
        (CodeKind.PYTHON, "", "Launch one in the script"),
        (CodeKind.OBJECT, "", "Open a file that has one"),
    ],
)
def test_a_build_without_a_kernel_says_in_its_language_how_to_have_one(kind, text, remedy):
    with pytest.raises(SpecError) as caught:
        choose_form("", (), (Source("k", kind, text.encode()),))
    assert str(caught.value).startswith(f"The build has no kernel. {remedy}")


def test_a_function_that_can_be_no_kernel_is_told_why():
    sources = (Source("k.ll", CodeKind.LLVM_IR, f"{PLAIN_IR}{ONLY_VALUE}".encode()),)
    with pytest.raises(SpecError) as caught:
        choose_form("f", FORMS, sources)
    assert str(caught.value).startswith("'f' returns a value, and a kernel returns nothing. ")


PTX = Artifact(CodeKind.PTX, "k.cu", b"ptx")
OTHER = Artifact(CodeKind.CUBIN, "other.cu", b"other")
WHOLE = Artifact(CodeKind.CUBIN, LINKED, b"whole")
MODULE = replace(SAXPY, module="k.cu")


def built(*artifacts, outcome=Outcome.BUILT, **fields):
    return BuildResult(outcome, Arch(90), artifacts=artifacts, **fields)


@pytest.mark.parametrize(
    ("artifacts", "load", "chosen"),
    [
        ((OTHER, PTX, CODE), LoadMode.CUBIN, CODE),
        ((OTHER, PTX, CODE), LoadMode.DRIVER_JIT, PTX),
        ((CODE, PTX, WHOLE), LoadMode.CUBIN, WHOLE),
        ((CODE, PTX, WHOLE), LoadMode.DRIVER_JIT, PTX),
    ],
)
def test_the_code_of_the_kernel_is_chosen(artifacts, load, chosen):
    assert choose_code(built(*artifacts), MODULE, load) is chosen


def test_the_build_knows_best_which_module_a_kernel_is_in():
    result = built(CODE, OTHER, kernels=(Kernel("other.cu", "k", "k"),))
    assert choose_code(result, MODULE, LoadMode.CUBIN) is OTHER


@pytest.mark.parametrize(
    ("kind", "load"), [(CodeKind.CUBIN, LoadMode.CUBIN), (CodeKind.PTX, LoadMode.DRIVER_JIT)]
)
def test_a_module_that_is_such_code_is_loaded_itself(kind, load):
    module = Source("k.cu", kind, b"content")
    chosen = choose_code(built(), MODULE, load, (module,))
    assert (chosen.kind, chosen.content) == (kind, module.content)
    with pytest.raises(SpecError):
        choose_code(built(), MODULE, load, (replace(module, name="other.cu"),))
    assert choose_code(built(WHOLE), MODULE, LoadMode.CUBIN, (module,)) is WHOLE


FAILED = built(
    outcome=Outcome.FAILED,
    diagnostics=(Diagnostic(Severity.ERROR, "k.cu", 3, 1, "expected a ';'"),),
)


@pytest.mark.parametrize(
    ("result", "load", "message"),
    [
        (
            built(PTX),
            LoadMode.CUBIN,
            (
                "The build made no cubin with saxpy<float> in it. Build with cubin among the "
                "outputs (--emit cubin)."
            ),
        ),
        (
            built(OTHER),
            LoadMode.DRIVER_JIT,
            (
                "The build made no PTX with saxpy<float> in it. Build with PTX among the outputs "
                "(--emit ptx)."
            ),
        ),
        (
            built(WHOLE),
            LoadMode.DRIVER_JIT,
            (
                "A link by PTX makes no PTX of the whole, so the driver has none to assemble. Load "
                "the cubin, or link by LTO-IR with PTX as an output."
            ),
        ),
        (
            FAILED,
            LoadMode.CUBIN,
            "There is nothing to launch. Build failed, line 3: expected a ';'. Build again.",
        ),
    ],
)
def test_code_that_was_not_made_is_told_with_what_to_build(result, load, message):
    with pytest.raises(SpecError) as caught:
        choose_code(result, MODULE, load)
    assert (str(caught.value), caught.value.problem.where) == (message, "code")


@pytest.mark.parametrize("outcome", [Outcome.BUILT, Outcome.FAILED])
def test_the_simulator_gets_the_ptx_of_all_that_is_linked(outcome):
    own, other, whole = (
        Artifact(CodeKind.PTX, name, name.encode()) for name in ("k.cu", "b.cu", LINKED)
    )
    linked = Artifact(CodeKind.CUBIN, LINKED, b"cubin")
    sources = tuple(Source(name, CodeKind.CUDA, b"") for name in ("k.cu", "b.cu"))
    request = BuildRequest(sources, Arch(90))
    everything = (own, other, whole, linked)
    for count in range(len(everything) + 1):
        for artifacts in combinations(everything, count):
            result = built(*artifacts, outcome=outcome)
            if linked not in artifacts:
                expected = own.content if own in artifacts else None
            elif whole in artifacts:
                expected = whole.content
            else:
                expected = b"k.cu\0b.cu" if {own, other} <= {*artifacts} else None
            if outcome is Outcome.BUILT and expected is not None:
                chosen = launchable(request, result, MODULE, LoadMode.CUBIN, simulated=True)
                assert (chosen.code.kind, chosen.code.content) == (CodeKind.PTX, expected)
                continue
            with pytest.raises(SpecError) as caught:
                launchable(request, result, MODULE, LoadMode.CUBIN, simulated=True)
            is_told = result.reason in str(caught.value)
            assert is_told == (outcome is Outcome.FAILED)


ODD = ("", " ", ",", "(", "n:", ":", "::", "null", "{}", "{x=}", "n", "-1", "1e400", "nan", "inf",
       "0x", "9**9**9", "1<<64", "2**64", "float[", "[]", "float[n]", "n:file(~)", "n:expr()",
       "n:random(,)", "n:random(nan)", "n:constant(1<<99)", "x" * 2000, "\0", "ü", "x=y", "=", "a=",
       "\n", "null:in", "1/0", "n%0", "((((", "sizeof()", "min", "n:range(inf,0)")  # fmt: skip
PAIR = struct_of("Pair", (("x", named("int")), ("v", Array(named("float"), 2))))


@pytest.mark.parametrize("text", ODD)
def test_whatever_is_written_ends_in_words(text):
    kernel = form(("p", pointer()), ("n", "int"), ("f", "float"), ("s", PAIR), ("b", "bool"))
    for name in ("p", "n", "f", "s", "b"):
        arguments = {"p": "8", "n": "1", "f": "1", "s": "{}", "b": "1"} | {name: text}
        found = resolved(LaunchSpec(arguments=tuple(arguments.items()), grid="1"), kernel)
        assert (found.request is None) == bool(found.problems)
    for field in ("grid", "cover", "block", "cluster", "shared"):
        found = resolved(replace(SPEC, **{field: text}))
        assert found.request is not None or found.problems
    found = resolved(replace(SPEC, expectations=(text,)))
    assert found.request is not None or found.problems


def test_what_makes_sense_is_handed_on():
    faults = SpecFaults()
    assert faults.attempt("block", lambda: integer("256")) == 256
    assert (faults.problems, faults.fatal) == ([], False)


def test_what_makes_no_sense_is_a_problem_of_its_field():
    faults = SpecFaults()
    assert faults.attempt("block", lambda: integer("n", {"m": 1})) is None
    (problem,) = faults.problems
    assert (problem.where, problem.severity) == ("block", Severity.ERROR)
    assert f"{problem.message} {problem.remedy}" == refusal(integer, "n", {"m": 1})
    assert problem.remedy == "Known here: m."
    assert faults.fatal


def test_what_lacks_only_a_faulty_argument_is_passed_over():
    faults = SpecFaults()
    faults.faulty.add("n")
    assert faults.attempt("block", lambda: integer("2*n", {"m": 1})) is None
    assert faults.problems == []


def test_warnings_alone_are_not_fatal():
    faults = SpecFaults()
    faults.add(SpecProblem("block", "Odd.", severity=Severity.WARNING))
    assert not faults.fatal
    faults.add(SpecProblem("grid", "Wrong."))
    assert faults.fatal
