"""Listings that nvdisasm prints of the samples and of a kernel that has everything."""

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from jitstudio.analysis.reading import code, live
from jitstudio.core.code import CodeKind
from jitstudio.core.request import BuildRequest
from jitstudio.toolchain import locate
from jitstudio.worker.builder import Builder
from tests.analysis.reading.kernels import RICH
from tests.sample_builds import TARGETS, builds
from tests.support import request as asked


@dataclass(frozen=True)
class Listed:
    """A cubin in all of nvdisasm's words."""

    name: str
    code: str
    live: str
    json: list[Any]


@pytest.fixture(scope="session", params=TARGETS)
def listed(request, tmp_path_factory) -> tuple[Listed, ...]:
    """All of one target."""
    folder = tmp_path_factory.mktemp("listings")
    builder = Builder()
    built = [(name, builder.build(wanted)) for name, wanted in _requests(request.param)]
    builder.close()
    # nvdisasm takes its time to start.
    with ThreadPoolExecutor(2) as pool:
        return tuple(pool.map(partial(_listed, folder), built))


def _requests(target: str) -> Iterator[tuple[str, BuildRequest]]:
    yield f"{target}-rich", asked(RICH, emit="cubin", arch=target)
    yield from ((build.name, build.request) for build in builds(target))


def _listed(folder, built) -> Listed:
    name, result = built
    assert result.ok, (name, result.diagnostics)
    (cubin,) = (a.content for a in result.artifacts if a.kind is CodeKind.CUBIN)
    path = folder / f"{uuid4()}.cubin"
    path.write_bytes(cubin)

    def printed(*options: str) -> str:
        done = subprocess.run(
            [locate.nvdisasm(), *options, path], capture_output=True, text=True, check=True
        )
        return done.stdout

    return Listed(
        name,
        printed(*code.OPTIONS),
        printed(*live.OPTIONS),
        json.loads(printed("-json", "-g")),
    )
