"""Arrays go into a launch and come out of it, and are what buffers are checked against."""

import array as values
import errno
import gc
import mmap
import os
import pickle
import subprocess
import sys
import tempfile
import weakref
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import jitstudio
from jitstudio.api.buffers import FileFolder

pytestmark = pytest.mark.tools

SAXPY = """extern "C" __global__ void saxpy(float a, const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""
X = np.arange(24, dtype=np.float32).reshape(4, 6)
Y = np.linspace(1, 2, 24, dtype=np.float32).reshape(4, 6)
FOUR = {"grid": 1, "block": 4, "device": "sim"}


def saxpy(arguments=(), **more):
    given = {"a": 2.5, "x": X, "y": Y, "n": 24} | dict(arguments)
    return jitstudio.run(SAXPY, arguments=given, cover="n", block=32, device="sim", **more)


def test_an_array_goes_in_and_another_comes_out():
    before = X.copy(), Y.copy()
    report = saxpy()
    assert report.ok, report.messages
    assert list(report.buffers) == ["y"]
    out = report.buffers["y"]
    assert (out.dtype, out.shape) == (np.float32, (4, 6))
    # NumPy is the independent source; saxpy may be contracted to one rounding.
    np.testing.assert_allclose(out, np.float32(2.5) * X + Y, rtol=1e-6)
    assert out is report.buffers["y"]
    with pytest.raises(ValueError, match="read-only"):
        out[0, 0] = 1
    for array, copy in zip((X, Y), before, strict=True):
        np.testing.assert_array_equal(array, copy)
    with pytest.raises(KeyError, match=r"'x' is only read\. Buffers that the kernel may write: y"):
        report.buffers["x"]
    with pytest.raises(KeyError, match=r"Buffers that the kernel may write: y\."):
        report.buffers["z"]


@pytest.mark.parametrize(
    ("a", "n"), [(np.float32(2.5), np.int32(24)), (np.float64(2.5), np.array(24)), ("2.5", "24")]
)
def test_scalars_of_numpy_are_numbers(a, n):
    report = saxpy({"a": a, "n": n}, expect="y = 2.5 * x + y")
    assert report.ok, report.messages
    assert report.buffers["y"].shape == (4, 6)


def test_fills_have_one_axis():
    report = saxpy({"y": "n:range"})
    assert report.buffers["y"].shape == (24,)
    np.testing.assert_allclose(report.buffers["y"], 2.5 * X.ravel() + np.arange(24), rtol=1e-6)


def test_read_only_arrays_and_other_layouts_of_one_order_are_taken():
    fixed = X.copy()
    fixed.flags.writeable = False
    column = np.asfortranarray(X.reshape(24, 1))
    for x in (fixed, column, X[1:3], X.view(np.matrix), memoryview(X)):
        n = np.asarray(x).size
        report = saxpy({"x": x, "y": "n:zeros", "n": n}, expect="y = 2.5 * x")
        assert report.ok, report.messages


WRONG = [
    ({"x": X.astype(np.float64)}, r"arguments\['x'\]: it holds float64, .* float32"),
    ({"x": X.astype(np.int32)}, r"arguments\['x'\]: it holds int32"),
    ({"x": X.T}, r"arguments\['x'\]: .*Fortran's order.* numpy\.ascontiguousarray"),
    ({"x": X[:, ::2]}, r"arguments\['x'\]: .*with gaps or backwards"),
    ({"y": Y[::-1]}, r"arguments\['y'\]: .*with gaps or backwards"),
    ({"x": X.astype(X.dtype.newbyteorder("S"))}, r"arguments\['x'\]: .*order of other machines"),
    ({"x": X.astype(object)}, r"arguments\['x'\]: it holds object"),
    ({"x": np.array(["a", "b"])}, r"arguments\['x'\]: it holds <U1"),
    ({"x": np.ma.array(X, mask=X > 2)}, r"arguments\['x'\]: a mask"),
    ({"x": X[:0]}, r"arguments\['x'\]: it has no elements.*null"),
    ({"n": X}, r"arguments\['n'\]: 'n' is passed by value, as int"),
    ({"x": [1.0, 2.0]}, r"arguments\['x'\]: .* list .*numpy\.array"),
    ({"x": None}, r"arguments\['x'\]: None .*null"),
    # Their texts are expressions of the form.
    ({"x": range(3)}, r"arguments\['x'\]: .* range "),
    ({"n": Fraction(1, 2)}, r"arguments\['n'\]: .* Fraction "),
    ({"n": Path("x")}, r"arguments\['n'\]: .*Path "),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG)
def test_a_wrong_array_is_a_sentence(arguments, words):
    with pytest.raises(ValueError, match=words):
        saxpy(arguments)


def test_an_argument_that_the_kernel_has_not_is_a_message():
    report = saxpy({"z": X})
    assert (report.outcome, dict(report.buffers)) == ("refused", {})
    assert "no parameter 'z'" in report.messages[0]


KINDS = """
#include <cuda_bf16.h>
struct Pair { int a; float b; };
extern "C" __global__ void kinds(float4* v, Pair* p, cuFloatComplex* z, __nv_bfloat16* h,
                                 char* text, bool* flags, void* raw)
{
    int i = threadIdx.x;
    v[i].w += v[i].x;
    p[i].b = p[i].a * 0.5f;
    z[i].y = -z[i].y;
    h[i] = h[i] + h[i];
    text[i] += 1;
    flags[i] = !flags[i];
    static_cast<int*>(raw)[i] *= 3;
}
"""
COMPLEX = "struct cuFloatComplex { float x, y; };"


def test_elements_of_all_types_keep_theirs():
    v = np.arange(16, dtype=np.float32).reshape(4, 4)
    p = np.zeros(4, np.dtype([("a", np.int32), ("b", np.float32)], align=True))
    p["a"] = [1, 2, 3, 4]
    h = np.array([1, 2, 0.5, 4], ml_dtypes.bfloat16)
    text = np.frombuffer(b"HAL\x00", np.uint8)
    flags = np.array([True, False, True, False])
    raw = np.arange(4, dtype=np.int32)
    z = np.array([[1, 2], [3, 4], [5, 6], [7, 8]], np.float32)
    report = jitstudio.run(
        KINDS.replace("#include <cuda_bf16.h>", f"#include <cuda_bf16.h>\n{COMPLEX}"),
        arguments={"v": v, "p": p, "z": z, "h": h, "text": text, "flags": flags, "raw": raw},
        **FOUR,
    )
    assert report.outcome in ("ran", "wrong"), report.messages
    out = report.buffers
    np.testing.assert_array_equal(out["v"][:, 3], v[:, 3] + v[:, 0])
    np.testing.assert_array_equal(out["p"]["b"], [0.5, 1, 1.5, 2])
    np.testing.assert_array_equal(out["z"], z * [1, -1])
    assert out["h"].dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(out["h"].astype(float), [2, 4, 1, 8])
    assert bytes(out["text"].view(np.uint8)[:3]) == b"IBM"
    np.testing.assert_array_equal(out["flags"], ~flags)
    np.testing.assert_array_equal(out["raw"], raw * 3)


CONJUGATE = """
#include <cuda/std/complex>
__global__ void conjugate(cuda::std::complex<float>* z) { z[threadIdx.x] = conj(z[threadIdx.x]); }
"""


def test_complex_numbers_are_numpys():
    z = np.array([1 + 2j, 3 - 4j, 5j, 7], np.complex64)
    report = jitstudio.run(CONJUGATE, arguments={"z": z}, expect=z.conj(), **FOUR)
    assert report.ok, report.messages
    np.testing.assert_array_equal(report.buffers["z"], z.conj())


VARIABLES = """
__constant__ float mask[3];
__device__ int hits;
extern "C" __global__ void k(float* y)
{
    y[threadIdx.x] = mask[threadIdx.x % 3];
    atomicAdd(&hits, 1);
}
"""


def test_module_variables_take_arrays_and_come_back():
    mask = np.array([1, 2, 4], np.float32)
    report = jitstudio.run(
        VARIABLES, arguments={"y": "4:out"}, set={"mask": mask, "hits": "out"}, **FOUR
    )
    assert report.ok, report.messages
    np.testing.assert_array_equal(report.buffers["y"], [1, 2, 4, 1])
    np.testing.assert_array_equal(report.buffers["hits"], [4])
    with pytest.raises(ValueError, match=r"set\['mask'\]: it has 2 numbers, 'mask' 3 elements"):
        jitstudio.run(VARIABLES, arguments={"y": "4:out"}, set={"mask": mask[:2]}, **FOUR)


VIEW = """
struct View { float* data; int n; };
extern "C" __global__ void twice(View view)
{ if (threadIdx.x < view.n) view.data[threadIdx.x] *= 2; }
"""


def test_pointers_and_structs_take_arrays_and_records():
    data = np.arange(4, dtype=np.float32)
    view = np.array((0, 4), np.dtype([("data", np.uint64), ("n", np.int32)]))
    for arguments in (
        {"view.data": data, "view.n": np.int32(4)},
        {"view": "{n=4}", "view.data": data},
    ):
        report = jitstudio.run(VIEW, arguments=arguments, expect={"view.data": data * 2}, **FOUR)
        assert report.ok, report.messages
        np.testing.assert_array_equal(report.buffers["view.data"], data * 2)
    assert view.shape == ()


# -- What is expected ------------------------------------------------------------------------------

GOOD = 2.5 * X.astype(np.float64) + Y


def named(x, y, a=0):
    return a * x + y


@pytest.mark.parametrize(
    "expect",
    [
        GOOD,
        GOOD.ravel(),
        {"y": GOOD},
        {"y": "a * x + y"},
        {"y": named},
        named,
        lambda inputs: inputs["a"] * inputs["x"] + inputs["y"],
        lambda **inputs: {"y": inputs["a"] * inputs["x"] + inputs["y"]},
        lambda inputs, *rest: inputs["a"] * inputs["x"] + inputs["y"],
        lambda x, y, *rest, a: a * x + y + len(rest),
        lambda x, **others: others["a"] * x + others["y"],
        lambda factor=2.5: factor * X + Y,
        ["y = 2.5 * x + y", named],
    ],
)
def test_an_array_a_function_and_an_expression_are_expected(expect):
    report = saxpy(expect=expect)
    assert (report.ok, report.checks_passed) == (True, True), report.messages
    checks = report.to_dict()["checks"]
    assert {(check["buffer"], check["count"]) for check in checks} == {("y", 24)}


@pytest.mark.parametrize("expect", [GOOD + (X == 7), lambda x, y: x * 2.5 + y + (x == 7)])
def test_a_failed_expectation_is_among_the_messages(expect):
    report = saxpy(expect=expect)
    assert (report.outcome, report.checks_passed) == ("wrong", False)
    assert report.messages[0].startswith("1 of 24 elements of 'y' are wrong. y[7] is ")
    assert "1 of 24 elements" in str(report)


def test_a_function_sees_fills_files_and_expressions(tmp_path):
    seen = {}

    def expected(x, y, n):
        seen.update(x=x, y=y, n=n)
        return {"y": 2.5 * x + y}

    np.save(tmp_path / "x.npy", X.ravel())
    report = saxpy({"x": f"n:file({tmp_path / 'x.npy'})", "y": "n:expr(x + i)"}, expect=expected)
    assert report.ok, report.messages
    np.testing.assert_array_equal(seen["x"], X.ravel())
    np.testing.assert_array_equal(seen["y"], X.ravel() + np.arange(24))
    assert seen["n"] == 24
    with pytest.raises(ValueError, match="read-only"):
        seen["x"][0] = 1


def test_an_error_of_a_function_is_its_own():
    def broken(x):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        saxpy(expect=broken)
    assert saxpy(expect=GOOD).ok


@pytest.mark.parametrize(
    ("expect", "words"),
    [
        (GOOD[:1], r"expect\['y'\]: There are 6 numbers"),
        ({"y": GOOD[:1]}, r"expect\['y'\]: There are 6 numbers"),
        ({"x": X}, r"expect\['x'\]: that is not a buffer that the kernel writes\. There are: y"),
        ({"z": GOOD}, r"expect\['z'\]: that is not a buffer"),
        (lambda x, q: x, r"expect: the kernel has no input 'q'"),
        (lambda x, *rest, q: x, r"expect: the kernel has no input 'q'"),
        (lambda x, q, **rest: x, r"expect: the kernel has no input 'q'"),
        (lambda *inputs: GOOD, r"expect: the inputs are handed over by their names"),
        (lambda x: {}, r"expect: the function returned an empty dict"),
        (lambda x: None, r"expect\['y'\]: it is None"),
        (lambda x: "text", r"expect\['y'\]: These are not numbers"),
        (np.array([object()]), r"expect: it holds object"),
        (5, r"expect=5: a text such as"),
        ({5: GOOD}, r"expect: 5 is not the name"),
    ],
)
def test_a_wrong_expectation_is_a_sentence(expect, words):
    with pytest.raises(ValueError, match=words):
        saxpy(expect=expect)


def test_a_number_is_for_all_elements():
    ones = 'extern "C" __global__ void k(int* y) { y[threadIdx.x] = 1; }'
    assert jitstudio.run(ones, arguments={"y": "4:out"}, expect={"y": 1}, **FOUR).ok
    report = jitstudio.run(ones, arguments={"y": "4:out"}, expect={"y": 2}, **FOUR)
    assert report.messages[0].startswith("4 of 4 elements of 'y' are wrong")


BY_VALUE = """
struct Params { int shift; float factor; };
extern "C" __global__ void k(Params p, bool negate, float* y)
{ y[threadIdx.x] = (negate ? -1 : 1) * (threadIdx.x * p.factor + p.shift); }
"""


def test_a_record_is_a_struct_and_a_bool_a_bool():
    params = np.array((3, 0.5), np.dtype([("shift", np.int32), ("factor", np.float32)]))
    for record in (params, params[()]):
        report = jitstudio.run(
            BY_VALUE,
            arguments={"p": record, "negate": np.True_, "y": "4:out"},
            expect=np.array([-3, -3.5, -4, -4.5]),
            **FOUR,
        )
        assert report.ok, report.messages


def test_a_record_may_hold_arrays():
    kernel = """struct Table { float rows[2][2]; int n; };
    extern "C" __global__ void k(Table t, float* y) { y[threadIdx.x] = t.rows[1][0] + t.n; }"""
    table = np.array(([[1, 2], [3, 4]], 5), np.dtype([("rows", np.float32, (2, 2)), ("n", "i4")]))
    report = jitstudio.run(
        kernel, arguments={"t": table, "y": "4:out"}, expect=np.full(4, 8), **FOUR
    )
    assert report.ok, report.messages


def test_types_that_files_cannot_name_are_expected():
    twice = """#include <cuda_bf16.h>
    extern "C" __global__ void twice(__nv_bfloat16* h) { h[threadIdx.x] += h[threadIdx.x]; }"""
    h = np.array([1, 2, 0.5, 4], ml_dtypes.bfloat16)
    assert jitstudio.run(twice, arguments={"h": h}, expect=h + h, **FOUR).ok
    wrong = jitstudio.run(twice, arguments={"h": h}, expect=h, **FOUR)
    assert wrong.messages[0].startswith("4 of 4 elements of 'h' are wrong. h[0] is 2, expected 1")


def test_errors_of_files_in_a_function_are_not_passed_over(tmp_path):
    with pytest.raises(FileNotFoundError):
        saxpy(expect=lambda x: np.load(tmp_path / "no.npy"))
    report = saxpy({"x": f"n:file({tmp_path / 'no.npy'})"}, expect=lambda x: x)
    assert (report.outcome, report.checks_passed) == ("refused", False)
    assert "no.npy" in report.messages[0]


def test_a_full_disk_is_a_sentence(monkeypatch):
    def full(*_arguments, **_more):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    for expect in ((), GOOD):
        with pytest.raises(RuntimeError, match=r"cannot be kept: No space left.*TMPDIR"):
            saxpy(expect=expect)
    monkeypatch.undo()
    monkeypatch.setattr(tempfile, "mkdtemp", full)
    with pytest.raises(RuntimeError, match=r"cannot be kept: No space left.*TMPDIR"):
        saxpy({"x": "n:range", "y": "n:range"})


def test_the_rows_of_a_surface_come_first():
    code = """extern "C" __global__ void k(cudaSurfaceObject_t s)
    { surf2Dwrite(threadIdx.y * 10 + (int)threadIdx.x, s, threadIdx.x * 4, threadIdx.y); }"""
    report = jitstudio.run(
        code, arguments={"s": "int[4,2]:zeros:out"}, grid=1, block=(4, 2), device="sim"
    )
    assert report.ok, report.messages
    assert report.buffers["s"].tolist() == [[0, 1, 2, 3], [10, 11, 12, 13]]


# -- Files -----------------------------------------------------------------------------------------


def test_buffers_last_as_long_as_the_report_and_arrays_longer():
    with jitstudio.Session() as session:
        report = saxpy(session=session)
    folder = report.buffers._folder.path
    assert os.path.dirname(report.to_dict()["buffers"][1]["path"]) == str(folder)
    later = saxpy({"a": 1})
    expected = np.float32(2.5) * X + Y
    out = report.buffers["y"]
    gone = weakref.ref(report)
    del report
    gc.collect()
    assert gone() is None
    assert not folder.exists()
    np.testing.assert_allclose(out, expected, rtol=1e-6)
    assert later.buffers["y"].shape == (4, 6)


def test_a_report_travels_to_another_process():
    report = saxpy(expect=GOOD)
    other = pickle.loads(pickle.dumps(report))
    assert (other.ok, str(other), other.messages) == (True, str(report), report.messages)
    np.testing.assert_array_equal(other.buffers["y"], report.buffers["y"])


LARGE = 'extern "C" __global__ void k(int* y, int n) { if (threadIdx.x < 32) y[threadIdx.x] = 7; }'


def test_a_large_buffer_is_mapped_when_it_is_asked_for():
    y = np.zeros(1 << 20, np.int32)
    report = jitstudio.run(LARGE, arguments={"y": y, "n": 5}, grid=1, block=32, device="sim")
    out = report.buffers["y"]
    bases = [out]
    while isinstance(bases[-1], np.ndarray):
        bases.append(bases[-1].base)
    assert isinstance(bases[-1], mmap.mmap)
    assert (out[:32] == 7).all()
    assert not out[32:].any()


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_folder_of_files_is_left_to_the_process_that_made_it():
    folder = FileFolder()
    if not (child := os.fork()):
        folder.close()
        os._exit(0 if folder.path.exists() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert folder.path.exists()
    folder.close()
    assert not folder.path.exists()


@pytest.mark.slow
def test_no_file_is_left_at_the_end_of_a_program(tmp_path):
    code = f"""
import numpy, jitstudio
report = jitstudio.run({SAXPY!r}, arguments={{"a": 1, "x": numpy.ones(4, "f4"), "y": "n", "n": 4}},
                       cover="n", device="sim")
assert report.buffers["y"].tolist() == [1, 1, 1, 1], report
"""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, env=environment)
    assert os.listdir(tmp_path) == []


# -- In a notebook ---------------------------------------------------------------------------------


def test_a_launch_shows_figures_checks_and_buffers():
    report = saxpy(expect=GOOD + (X == 7))
    html = report._repr_html_()
    for words in ("Simulator (no GPU)", "instructions in 1 of 1 blocks", "1 of 24 elements"):
        assert words in html
    first = ", ".join(str(number) for number in report.buffers["y"].ravel()[:8])
    assert ">float32</td><td" in html
    assert ">4 x 6</td>" in html
    assert f">{first}, …</td>" in html
    # An exported page has no style of the notebook's for what is in here.
    assert html.count("<table") == 2
    assert all("monospace" in part[:200] for part in html.split("<table")[1:])
    failed = jitstudio.run("__global__ void k() { x; }", grid=1)
    assert "failed" in failed._repr_html_()
    code = jitstudio.inspect(SAXPY)._repr_html_().split("<pre")[1:]
    assert code
    assert all("monospace" in part[:200] for part in code)


class Elsewhere:
    """An array as another package has it: on a device, and perhaps not to be exported."""

    def __init__(self, content, device, refusal=None):
        self.content, self.device, self.refusal = content, device, refusal
        self.shape = content.shape

    def __array__(self, dtype=None, copy=None):
        return self.content

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, **_):
        if self.refusal:
            raise self.refusal
        return self.content.__dlpack__()


def test_memory_that_cuda_has_pinned_is_the_hosts():
    assert saxpy({"x": Elsewhere(X, 3)}, expect={"y": 2.5 * X + Y}).ok


def test_an_array_of_a_gpu_that_is_not_exported_names_its_argument():
    refused = Elsewhere(X, 2, BufferError("Can't export tensors that require gradient"))
    with pytest.raises(ValueError, match=r"arguments\['x'\]: .*require gradient"):
        saxpy({"x": refused})


def test_buffers_of_python_are_arrays():
    assert saxpy({"x": values.array("f", X.ravel())}, expect=None).ok


@pytest.mark.parametrize("function", [lambda a, x, y, /: a * x + y, max])
def test_a_function_that_takes_no_names_is_a_sentence(function):
    with pytest.raises(ValueError, match=r"expect: .*by their names"):
        saxpy(expect=function)


@pytest.mark.parametrize(
    "function", [lambda: 2.5 * X + Y, lambda inputs, /: 2.5 * inputs["x"] + inputs["y"]]
)
def test_a_function_may_take_nothing_or_a_dict(function):
    assert saxpy(expect={"y": function}).ok
