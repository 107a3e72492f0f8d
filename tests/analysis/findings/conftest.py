"""The kernels of this folder, built together for several targets."""

from pathlib import Path

import pytest

from jitstudio.analysis.findings.find import findings
from tests.support import cuda, request

_FILES = ("kernels.cu", "double_kernels.cu", "loop_kernels.cu", "index_kernels.cu")
SOURCE = "".join(Path(__file__).with_name(name).read_text("utf-8") for name in _FILES)
TARGETS = ("sm_75", "sm_90", "sm_120")


@pytest.fixture(scope="session")
def found_in(tools):
    """What is found in each kernel of a request, by the kernel's name."""

    def find(asked):
        built = tools.build(asked)
        return {
            function.name: findings(function, built.resources_of(function.name))
            for function in tools.code(tools.cubin(asked).content).functions
        }

    return find


@pytest.fixture(scope="session", params=TARGETS)
def kernels(found_in, request_for, request):
    """What is found in each of the kernels, for one target after the other."""
    return found_in(request_for(request.param))


@pytest.fixture(scope="session")
def opcodes(tools, request_for):
    """The opcodes of each of the kernels for sm_90, by its name."""
    code = tools.code(tools.cubin(request_for("sm_90")).content)
    return {function.name: function.opcodes for function in code.functions}


@pytest.fixture(scope="session")
def request_for():
    """What builds the kernels for a target."""
    source = cuda(SOURCE)
    return lambda arch: request(source, emit="cubin", arch=arch)
