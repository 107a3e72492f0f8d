"""Kernels with every kind of flow for all targets, and all samples."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import pytest

from jitstudio.analysis.sass.model import Disassembly
from jitstudio.core.code import CodeKind
from tests.analysis.flow.kernels import KERNELS
from tests.sample_builds import TARGETS, builds
from tests.support import cuda, request
from tests.tools import Tools

# Each more takes nvdisasm some seconds in all.
DEBUGGED = ("sm_90",)
SAMPLED = ("sm_120",)
EMIT = "ptx,cubin"


@dataclass
class Made:
    """What the real tools make of a source, and what nvdisasm says about it when it is asked."""

    what: str
    tools: Tools
    cubin: bytes
    ptx: tuple[str, ...]

    @cached_property
    def code(self) -> Disassembly:
        return self.tools.code(self.cubin)

    @cached_property
    def dot(self) -> str:
        return self.tools.printed(self.cubin, "-bbcfg", "-poff")

    def function(self, name):
        found = self.code.function(name)
        assert found is not None
        return found


@pytest.fixture(scope="session")
def made(tools):
    """All of them."""

    def one(what, asked):
        ptx = tuple(a.text for a in tools.build(asked).artifacts if a.kind is CodeKind.PTX)
        return Made(what, tools, tools.cubin(asked).content, ptx)

    return tuple(one(what, asked) for what, asked in _requests())


@pytest.fixture
def disassembled(made):
    """The same, read; two at a time, as nvdisasm takes its time to start."""
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda one: (one.code, one.dot), made))
    return made


@pytest.fixture
def kernels(made):
    """The kernels with every kind of flow for sm_90."""
    return next(one for one in made if one.what == "kernels sm_90")


def _requests():
    for target in TARGETS:
        yield f"kernels {target}", request(cuda(KERNELS), emit=EMIT, arch=target)
    for target in DEBUGGED:
        asked = request(cuda(KERNELS), emit=EMIT, arch=target, options=("-G",))
        yield f"kernels {target} -G", asked
    for build in builds(*SAMPLED):
        yield build.name, build.request
