"""Which functions of the math library branch, by the PTX that NVRTC makes of them."""

import re

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.listing.cuda.math_calls import BRANCHING, BRANCHING_IN_DOUBLE, UNBRANCHED
from jitstudio.toolchain import nvrtc

pytestmark = pytest.mark.slow

LISTED = {"float": BRANCHING, "double": BRANCHING_IN_DOUBLE}
ONE = """
acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc
erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs floor ilogb j0 j1 lgamma llrint llround log log10
log1p log2 logb lrint lround nearbyint normcdf normcdfinv rcbrt rint round rsqrt sin sinh sinpi
sqrt tan tanh tgamma trunc y0 y1
"""
TWO = "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder rhypot"
OTHERS = {
    "fma": "x, y, z",
    "norm3d": "x, y, z",
    "rnorm3d": "x, y, z",
    "norm4d": "x, y, z, x + y",
    "rnorm4d": "x, y, z, x + y",
    "norm": "n, a",
    "rnorm": "n, a",
    "jn": "n, x",
    "yn": "n, x",
    "ldexp": "x, n",
    "scalbn": "x, n",
    "scalbln": "x, (long)n",
    "frexp": "x, whole",
    "modf": "x, part",
    "remquo": "x, y, whole",
}
NOTHING = {"sincos": "x, part, part + 1", "sincospi": "x, part, part + 1"}
CALLS = dict.fromkeys(ONE.split(), "x") | dict.fromkeys(TWO.split(), "x, y") | OTHERS | NOTHING
"""All functions of the library, with what each is called with."""

# There is none of these for double.
FLOAT_ONLY = {"fdivide": "x, y"}


def kernels(kind, suffix, calls):
    for name, arguments in calls.items():
        call = f"{name}{suffix}({arguments})"
        yield (
            f'extern "C" __global__ void k_{name}(const {kind}* a, {kind}* part, int* whole, '
            f"{kind}* out, int n) {{ {kind} x = a[0], y = a[1], z = a[2]; "
            + (f"{call};" if name in NOTHING else f"*out = {call};")
            + " }\n"
        )


def branching(arch, kind, *options):
    """Returns the functions whose PTX has a branch that depends on a number."""
    suffix, more = ("f", FLOAT_ONLY) if kind == "float" else ("", {})
    text = "".join(kernels(kind, suffix, CALLS | more)).encode()
    job = Job(
        *(Tool.NVRTC, "k.cu", ((Ref(CodeKind.CUDA, "k.cu"), text),), (CodeKind.PTX,)),
        (f"-arch=compute_{arch.removeprefix('sm_')}", *options),
    )
    report = nvrtc.compile_cuda(job)
    assert report.ok, report.log
    ptx = report.code[CodeKind.PTX].decode()
    parts = re.split(r"(?=^(?:\.visible \.entry|\.func) )", ptx, flags=re.MULTILINE)
    own = re.compile(r"^\s*@%?!?%p\d+ bra\b", re.MULTILINE)
    functions = {m[1]: part for part in parts if (m := re.match(r"\.func .*?(\w+)\($", part, re.M))}
    for part in parts:
        if (entry := re.match(r"\.visible \.entry k_(\w+)\(", part)) is not None:
            called = [f for f in functions if re.search(rf"\b{f}\b", part)]
            if any(own.search(each) for each in (part, *(functions[f] for f in called))):
                yield entry[1]
            else:
                assert not (set(re.findall(r"call\S* .*?(\w+),", part)) - set(called)), entry[1]


@pytest.mark.parametrize("kind", ["float", "double"])
def test_the_functions_that_branch_are_those_that_are_listed(kind):
    """For the oldest GPUs, whose code has most branches."""
    assert set(branching(nvrtc.supported_archs()[0].sm, kind)) == LISTED[kind]
    assert LISTED[kind] <= CALLS.keys()
    assert not LISTED[kind] & UNBRANCHED
    assert CALLS.keys() | FLOAT_ONLY.keys() == BRANCHING | BRANCHING_IN_DOUBLE | UNBRANCHED


@pytest.mark.bench
@pytest.mark.parametrize("kind", ["float", "double"])
@pytest.mark.parametrize("options", [(), ("-use_fast_math",), ("-prec-div=false", "-ftz=true")])
def test_no_other_function_branches_on_any_gpu(kind, options):
    for arch in nvrtc.supported_archs():
        assert set(branching(arch.sm, kind, *options)) <= LISTED[kind], arch
