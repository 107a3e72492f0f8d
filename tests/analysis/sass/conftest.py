"""Listings that nvdisasm prints of the samples and of a kernel that has everything."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from jitstudio.analysis.sass.reading import CODE_OPTIONS, LIVE_OPTIONS
from jitstudio.core.request import BuildRequest
from tests.sample_builds import TARGETS, builds
from tests.support import cuda, one_in
from tests.support import request as asked

# A routine of the assembler's own, calls, predicates, uniform data paths, tables of jumps.
# ---- Code with everything that a listing of nvdisasm can hold

RICH = cuda(
    """\
__device__ __noinline__ float far(float x) { return x * x - 1.0f; }
extern "C" __global__ void rich(float* p, int n, double d) {
    __shared__ float tile[64];
    int i = threadIdx.x;
    tile[i] = p[i];
    __syncthreads();
    switch (n) {
    case 0: p[i] = 1.0f / tile[63 - i]; break;
    case 1: p[i] = far(tile[i]); break;
    case 2: p[i] = (float)(d / p[i]); break;
    case 3: p[i] = __shfl_xor_sync(~0u, tile[i], 1); break;
    case 4: p[i] = sqrtf(tile[i]); break;
    case 5: p[i] = (float)(i % n); break;
    default: p[i] = sinf(tile[i]);
    }
}
""",
    "rich.cu",
)


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
