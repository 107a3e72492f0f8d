"""The samples and kernels with chains of calls, built and read by the real tools."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from jitstudio.analysis.correlation.chains import corrected
from jitstudio.analysis.correlation.index import Correlation
from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.prebuilt import ptx_of
from jitstudio.core.request import BuildRequest
from tests.analysis.correlation.kernels import IR_NAME, IR_WITH_LINES, NESTED, NESTED_NAME
from tests.sample_builds import builds
from tests.support import cuda, request

TARGETS = ("sm_75", "sm_90", "sm_120")
EMIT = "ptx,cubin"


@dataclass(frozen=True)
class Made:
    """What the tools made of a source, tied together."""

    name: str
    request: BuildRequest
    texts: dict[str, list[str]]
    correlation: Correlation

    def function(self, name):
        found = self.correlation.code.function(name)
        assert found is not None
        return found


@pytest.fixture(scope="session")
def made(tools) -> dict[str, Made]:
    """By name; see `tests.sample_builds`."""

    def tied(name: str, asked: BuildRequest) -> Made:
        cubin = tools.cubin(asked)
        given = ptx_of(asked, tools.build(asked), cubin.name)
        texts = {module: text.split("\n") for module, text in given.items()}
        modules = {module: read_ptx_lines(lines) for module, lines in texts.items()}
        code = corrected(tools.code(cubin.content), modules)
        return Made(name, asked, texts, Correlation(code, modules))

    return {name: tied(name, asked) for name, asked in _requests()}


def _requests() -> Iterator[tuple[str, BuildRequest]]:
    yield from ((build.name, build.request) for build in builds(*TARGETS))
    for target in TARGETS:
        nested = request(cuda(NESTED, NESTED_NAME), emit=EMIT, arch=target)
        yield f"{target}-{NESTED_NAME}", nested
    ir = Source(IR_NAME, CodeKind.LLVM_IR, IR_WITH_LINES.encode())
    yield f"sm_90-{IR_NAME}", request(ir, emit=EMIT)
