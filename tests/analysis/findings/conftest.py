"""The kernels of `kernels.cu`, built for several targets."""

from pathlib import Path

import pytest

from jitstudio.analysis.findings.find import findings
from jitstudio.core.code import CodeKind
from jitstudio.toolchain.disassembly import read_cubin
from jitstudio.worker.builder import Builder
from tests.support import cuda, request

SOURCE = Path(__file__).with_name("kernels.cu")
TARGETS = ("sm_75", "sm_90", "sm_120")


@pytest.fixture(scope="session")
def builder():
    made = Builder()
    yield made
    made.close()


@pytest.fixture(scope="session")
def found_in(builder):
    """What is found in each kernel of a request, by the kernel's name."""

    def find(asked):
        built = builder.build(asked)
        assert built.ok, built.reason
        return {
            function.name: findings(function, built.resources_of(function.name))
            for cubin in built.artifacts
            if cubin.kind is CodeKind.CUBIN
            for function in read_cubin(cubin.content, cubin.file_name).functions
        }

    return find


@pytest.fixture(scope="session", params=TARGETS)
def kernels(found_in, request_for, request):
    """What is found in each of the kernels, for one target after the other."""
    return found_in(request_for(request.param))


@pytest.fixture(scope="session")
def request_for():
    """What builds the kernels for a target."""
    source = cuda(SOURCE.read_text("utf-8"))
    return lambda arch: request(source, emit="cubin", arch=arch)
