from dataclasses import asdict, replace

import pytest
from cuda.bindings import driver

from jitstudio.core.code import CodeKind
from jitstudio.core.kernel_resources import (
    cubin_resources,
    has_code,
    kernels_of,
    merge,
    read_verbose_log,
)
from jitstudio.core.plan import Job, Ref
from jitstudio.core.result import Resources
from jitstudio.core.tools import Tool
from jitstudio.toolchain import nvjitlink, nvrtc
from jitstudio.toolchain.driver import describe
from jitstudio.toolchain.ptxas_figures import MANY
from tests.support import one_in

TWO_KERNELS = """\
extern "C" __device__ __noinline__ int helper(int x) { return x * 3; }
extern "C" __global__ void first(int* p) { *p = helper(*p); }
extern "C" __global__ void second() {}
"""
NEEDY = """\
extern "C" __global__ void __launch_bounds__(64, 1) tables(float* p) {
  __shared__ float shared[1000];
  float local[400];
  for (int i = 0; i < 400; i++) local[i] = p[i * 7];
  shared[threadIdx.x] = p[0];
  __syncthreads();
  p[1] = shared[999 - threadIdx.x] + local[int(p[2])];
}
extern "C" __global__ void spilling(float* p) {
  float kept[128];
#pragma unroll
  for (int i = 0; i < 128; i++) kept[i] = p[i * 31];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 128; i++) p[i] = kept[127 - i] * kept[i];
}
extern "C" __global__ void plain() {}
"""


MANY_MORE = "".join(f"__global__ void more{n}() {{}}\n" for n in range(MANY))


def compiled(text, *options):
    report = reported(text, *options)
    return report.code[CodeKind.CUBIN], report.log


def reported(text, *options, makes=CodeKind.CUBIN):
    source = ((Ref(CodeKind.CUDA, "k.cu"), text.encode()),)
    return nvrtc.compile_cuda(Job(Tool.NVRTC, "k.cu", source, (makes,), options))


def test_kernels_are_found_and_device_functions_are_not():
    made, _ = compiled(TWO_KERNELS, "-arch=sm_90")
    assert set(cubin_resources(made)) == {"first", "second"}
    assert has_code(made)


@pytest.mark.parametrize("arch", one_in(2, ["sm_80", "sm_90", "sm_100", "sm_120"]))
def test_what_a_kernel_needs_is_read(arch):
    made, log = compiled(NEEDY, f"-arch={arch}", "--maxrregcount=32")
    kernels = dict(kernels_of(made, log))
    assert set(kernels) == {"tables", "spilling", "plain"}
    tables, spilling, plain = kernels["tables"], kernels["spilling"], kernels["plain"]
    assert (tables.shared_bytes, tables.max_threads, tables.barriers) == (4000, 64, 1)
    assert tables.stack_bytes == tables.local_bytes == 1600
    assert spilling.registers == 32
    assert min(spilling.spill_stores, spilling.spill_loads, spilling.stack_bytes) > 0
    assert spilling.constant_bytes == plain.constant_bytes + 8
    assert (plain.shared_bytes, plain.spill_stores, plain.max_threads) == (0, 0, None)


def test_without_a_log_all_but_the_spills_is_known():
    made, _ = compiled(TWO_KERNELS, "-arch=sm_90")
    ((_, resources), _) = kernels_of(made, "")
    assert resources.registers > 0
    assert (resources.spill_stores, resources.spill_loads) == (None, None)


@pytest.mark.parametrize("arch", one_in(3, ["sm_75", "sm_90", "sm_120"]))
def test_the_figures_of_many_kernels_are_those_of_the_whole_log(arch):
    text = f"{TWO_KERNELS}{NEEDY.replace('400', '40')}{MANY_MORE}"
    virtual = reported(text, f"-arch={arch.replace('sm', 'compute')}", makes=CodeKind.PTX)
    inputs = {
        Tool.NVRTC: (Ref(CodeKind.CUDA, "k.cu"), text.encode()),
        Tool.NVJITLINK: (Ref(CodeKind.PTX, "k.ptx"), virtual.code[CodeKind.PTX]),
    }
    for tool, run, limit, verbose in (
        (Tool.NVRTC, nvrtc.compile_cuda, "--maxrregcount=32", "--ptxas-options=-v"),
        (Tool.NVJITLINK, nvjitlink.link, "-maxrregcount=32", "-Xptxas=-v"),
    ):
        options = (f"-arch={arch}", limit)
        job = Job(tool, "k", (inputs[tool],), (CodeKind.CUBIN,), options)
        report, whole = run(job), run(replace(job, options=(*options, verbose)))
        assert "Used " not in report.log
        assert "spilled" not in report.log
        told = read_verbose_log(whole.log)
        kernels = dict(kernels_of(report.code[CodeKind.CUBIN], report.log, report.spills))
        assert kernels == merge(cubin_resources(whole.code[CodeKind.CUBIN]), told)
        for name, resources in kernels.items():
            for key in ("registers", "stack_bytes", "spill_stores", "spill_loads", "barriers"):
                assert getattr(resources, key) == getattr(told[name], key), (name, key)
        assert len(kernels) == MANY + 5
        assert kernels["spilling"].spill_stores > 0


@pytest.mark.parametrize("option", ["-w", "--warning-as-error", "--warn-on-spills", "-v"])
def test_ptxas_tells_all_of_many_kernels_where_its_messages_are_not_as_usual(option):
    report = reported(NEEDY + MANY_MORE, "-arch=sm_75", f"--ptxas-options={option}")
    assert (report.spills, report.log.count("Compiling entry function")) == (None, MANY + 3)


def test_other_bytes_have_no_kernels():
    assert not has_code(b"hello")
    assert cubin_resources(b"") == cubin_resources(b"\x7fELF") == {}
    assert cubin_resources(b"hello") == {}


def test_a_section_cut_short_is_no_reason_to_fail():
    made, _ = compiled(TWO_KERNELS, "-arch=sm_90")
    assert cubin_resources(made[: len(made) // 2]).keys() <= {"first", "second"}
    assert all(isinstance(r, Resources) for r in cubin_resources(made).values())


def attributes(code, name):
    """What the driver says of a kernel."""
    kind = driver.CUfunction_attribute
    wanted = {
        "registers": kind.CU_FUNC_ATTRIBUTE_NUM_REGS,
        "shared_bytes": kind.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
        "local_bytes": kind.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
    }
    assert driver.cuInit(0)[0] == 0
    device = driver.cuDeviceGet(0)[1]
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(device)[1])
    module = driver.cuModuleLoadData(code)[1]
    function = driver.cuModuleGetFunction(module, name.encode())[1]
    return {key: driver.cuFuncGetAttribute(which, function)[1] for key, which in wanted.items()}


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["tables", "spilling", "plain"])
def test_the_driver_says_the_same(name):
    capability = describe().devices[0].capability.replace(".", "")
    made, log = compiled(NEEDY, f"-arch=sm_{capability}", "--maxrregcount=32")
    told = asdict(dict(kernels_of(made, log))[name])
    assert attributes(made, name) == {
        key: told[key] for key in ("registers", "shared_bytes", "local_bytes")
    }


@pytest.mark.gpu
def test_spills_are_told_each_time_though_the_driver_has_a_cache():
    for _ in range(2):
        made, log = compiled(NEEDY, "-arch=sm_90", "--maxrregcount=32")
        assert dict(kernels_of(made, log))["spilling"].spill_stores > 0
