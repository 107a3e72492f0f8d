"""Listings that nvdisasm prints of the samples and of a kernel that has everything."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from jitstudio.analysis.sass.reading import CODE_OPTIONS, LIVE_OPTIONS
from jitstudio.core.request import BuildRequest
from tests.analysis.sass.kernels import RICH
from tests.sample_builds import TARGETS, builds
from tests.support import one_in
from tests.support import request as asked


@dataclass(frozen=True)
class Listed:
    """A cubin in all of nvdisasm's words."""

    name: str
    code: str
    live: str
    json: list[Any]


@pytest.fixture(scope="session", params=one_in(2, TARGETS))
def listed(request, tools) -> tuple[Listed, ...]:
    """All of one target."""

    def listing(built: tuple[str, bytes]) -> Listed:
        name, cubin = built
        return Listed(
            name,
            tools.printed(cubin, *CODE_OPTIONS),
            tools.printed(cubin, *LIVE_OPTIONS),
            json.loads(tools.printed(cubin, "-json", "-g")),
        )

    built = [(name, tools.cubin(wanted).content) for name, wanted in _requests(request.param)]
    with ThreadPoolExecutor(2) as pool:
        return tuple(pool.map(listing, built))


def _requests(target: str) -> Iterator[tuple[str, BuildRequest]]:
    yield f"{target}-rich", asked(RICH, emit="cubin", arch=target)
    # What has everything is for all; each sample more costs three starts of nvdisasm.
    ends = ("",) if target == "sm_90" else ("apply_transform.cu-lto", "histogram.cu")
    yield from ((one.name, one.request) for one in builds(target) if one.name.endswith(ends))
