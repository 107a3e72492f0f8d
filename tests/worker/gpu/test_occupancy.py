"""The occupancy that is calculated without a GPU is the one that the driver tells on one."""

import json
import subprocess
import sys

import pytest

from jitstudio.analysis.occupancy.calculate import limits_of, occupancy, usage_of
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from tests.support import cuda, request

pytestmark = pytest.mark.gpu

THREADS = (1, 31, 33, 65, 100, 127, 255, 511, 1000, 1023, *range(32, 1025, 32))
SHARED = (0, 1, 127, 128, 1023, 1024, 3000, 8192, 20_000, 33_000, 44_544, 49_152, 57_344, 100_000)
REGISTERS = (32, 40, 64, 72, 96, 128, 168, 255)
BARRIERS = (0, 1, 2, 5, 16)


def kernel(name, static=0, values=4, barriers=0):
    """A kernel with so much static shared memory, that many live values and that many barriers."""
    lines = [f'extern "C" __global__ void {name}(float* p) {{']
    if static:
        lines.append(f"__shared__ volatile char held[{static}]; held[threadIdx.x % {static}] = 1;")
    lines += [f"float a{i} = p[{i * 32}];" for i in range(values)]
    lines += [f'asm volatile("bar.sync {i};" ::: "memory");' for i in range(barriers)]
    lines += [f"p[{i * 32}] = a{i} * a{(i * 7 + 3) % values};" for i in range(values)]
    return "\n".join((*lines, "}"))


SOURCES = {
    **{f"regs{n}": (kernel("k", values=300), (f"-maxrregcount={n}",)) for n in REGISTERS},
    **{f"static{n}": (kernel("k", static=n), ()) for n in (1, 1000, 16_384, 49_152)},
    **{f"barriers{n}": (kernel("k", barriers=n), ()) for n in BARRIERS},
    "all": (kernel("k", static=5000, values=300, barriers=3), ("-maxrregcount=48",)),
}


@pytest.fixture
def asked(environment):
    """Asks the driver, in a process of its own."""

    def answers(device, kernels):
        done = subprocess.run(
            [sys.executable, "-m", "tests.worker.gpu.occupancy_asker"],
            input=json.dumps({"device": device, "kernels": kernels}),
            capture_output=True,
            text=True,
            env=environment,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return answers


def known_devices(bench):
    """The GPUs whose limits NVIDIA has published."""
    found = [(device, limits_of(Arch(device.number))) for device in bench.devices.devices]
    known = [(device, limits) for device, limits in found if limits]
    if not known:
        pytest.skip("no limits are published for this GPU")
    return known


def test_the_limits_are_those_that_the_driver_tells(bench):
    for device, limits in known_devices(bench):
        told = device.limits
        assert limits.blocks == told.blocks_per_multiprocessor
        assert limits.warps * limits.threads_per_warp == told.threads_per_multiprocessor
        assert limits.threads_per_block == told.threads_per_block
        assert limits.registers == told.registers_per_multiprocessor
        assert limits.registers_per_block == told.registers_per_block
        assert limits.shared == told.shared_per_multiprocessor
        assert limits.shared_per_block == told.shared_per_block_optin


def test_as_many_blocks_fit_as_the_driver_says(bench, asked, tmp_path):
    for device, limits in known_devices(bench):
        kernels, needs = [], []
        for name, (text, options) in SOURCES.items():
            wanted = request(
                cuda(text, "k.cu"), emit="cubin", arch=Arch(device.number).sm, options=options
            )
            result = bench.builder.build(wanted)
            assert result.ok, result.reason
            cubin = tmp_path / f"{device.ordinal}-{name}.cubin"
            cubin.write_bytes(result.artifact(CodeKind.CUBIN, "k.cu").content)
            resources = result.resources_of("k")
            most = limits.shared_per_block - resources.shared_bytes
            questions = [
                (threads, shared)
                for shared in (*(n for n in SHARED if n < most), most)
                for threads in THREADS
            ]
            kernels.append({"cubin": str(cubin), "name": "k", "questions": questions})
            needs.append(resources)
        differing = []
        answers = asked(device.ordinal, kernels)
        for name, one, resources, answer in zip(SOURCES, kernels, needs, answers, strict=True):
            registers, static, blocks = answer
            assert (registers, static) == (resources.registers, resources.shared_bytes), name
            differing += [
                (name, threads, shared, found, told)
                for (threads, shared), told in zip(one["questions"], blocks, strict=True)
                if (found := occupancy(limits, usage_of(resources, threads, shared)).blocks) != told
            ]
        assert differing == []
        assert {name: n.barriers for name, n in zip(SOURCES, needs, strict=True)} == {
            **dict.fromkeys(SOURCES, 0),
            **{f"barriers{n}": n for n in BARRIERS},
            "all": 3,
        }
