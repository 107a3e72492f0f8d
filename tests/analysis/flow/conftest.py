import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from jitstudio.analysis.model import Disassembly
from jitstudio.analysis.reading import code
from jitstudio.core.code import CodeKind, Header, Source, kind_of
from jitstudio.core.request import BuildRequest
from jitstudio.samples import samples
from jitstudio.toolchain import locate
from jitstudio.worker.builder import Builder
from tests.analysis.flow.kernels import KERNELS
from tests.support import cuda, request

TARGETS = ("sm_75", "sm_90", "sm_120")
# Each more takes nvdisasm some seconds in all.
DEBUGGED = ("sm_90",)
SAMPLED = ("sm_90", "sm_120")
EMIT = "cubin,ptx"


@dataclass
class Made:
    """What the real tools make of a source, and what nvdisasm says about it when it is asked."""

    what: str
    path: Path
    ptx: tuple[str, ...]

    @cached_property
    def code(self) -> Disassembly:
        return code.read_code(_nvdisasm(*code.OPTIONS, self.path))

    @cached_property
    def dot(self) -> str:
        return _nvdisasm("-bbcfg", "-poff", self.path)

    def function(self, name):
        found = self.code.function(name)
        assert found is not None
        return found


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The kernels with every kind of flow for all targets, and all samples."""
    folder = tmp_path_factory.mktemp("cubins")
    builder = Builder()
    found = []
    for what, asked in _requests():
        artifacts = builder.build(asked).artifacts
        for artifact in artifacts:
            if artifact.kind is CodeKind.CUBIN:
                path = folder / f"{len(found)}.cubin"
                path.write_bytes(artifact.content)
                ptx = tuple(one.text for one in artifacts if one.kind is CodeKind.PTX)
                found.append(Made(what, path, ptx))
    builder.close()
    return tuple(found)


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
    for target in SAMPLED:
        for sample in samples():
            yield f"{sample.title} {target}", _of_sample(sample, target)


def _of_sample(sample, target) -> BuildRequest:
    texts = {file: file.path.read_bytes() for file in sample.files}
    sources = tuple(
        Source(f.path.name, kind_of(f.path.name), text, name_expressions=f.name_expressions)
        for f, text in texts.items()
        if kind_of(f.path.name) is not CodeKind.HEADER and f.path.suffix != ".cuh"
    )
    headers = tuple(Header(f.path.name, t) for f, t in texts.items() if f.path.suffix == ".cuh")
    return request(*sources, emit=EMIT, arch=target, link=sample.link.value, headers=headers)


def _nvdisasm(*options) -> str:
    done = subprocess.run([locate.nvdisasm(), *options], capture_output=True, check=True, text=True)
    return done.stdout
