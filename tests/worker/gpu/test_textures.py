"""Textures and surfaces on a GPU, against the simulator."""

import numpy as np
import pytest

from jitstudio.core.launch.device import SIMULATOR
from jitstudio.core.launch.result import LaunchOutcome
from jitstudio.numerics.dtypes import open_buffer
from tests.launching import spec
from tests.texture_launches import FILTERED, INVERT, LAUNCHES

pytestmark = pytest.mark.gpu


def outputs(result):
    """Copies, as the next launch may write to the same files."""
    return {b.name: np.array(open_buffer(b.path, b.element)) for b in result.buffers if b.path}


@pytest.mark.parametrize("row", [*LAUNCHES, *FILTERED], ids=lambda row: row.name)
def test_a_gpu_gives_what_the_simulator_gives(bench, row):
    launched = bench.run(row.text, row.spec)
    assert launched.outcome is LaunchOutcome.RAN, launched.reason
    got = outputs(launched)
    simulated = bench.run(row.text, row.spec, device=SIMULATOR)
    assert simulated.outcome is LaunchOutcome.RAN, simulated.reason
    for name, wanted in outputs(simulated).items():
        off = np.abs(got[name].astype(np.float64) - wanted.astype(np.float64))
        worst = np.unravel_index(int(off.argmax()), off.shape)
        wrong = np.count_nonzero(off > row.near)
        allowed = row.doubtful * off.size
        assert wrong <= allowed, (name, wrong, worst, got[name][worst], wanted[worst])
    # What is told as exact has the same bits.
    if simulated.simulation.exact:
        assert all(np.array_equal(got[n], each) for n, each in outputs(simulated).items())


def test_a_surface_is_as_before_at_each_timed_launch(bench):
    arguments = ("image=uchar[n]:range:inout", "edge=uchar[n]:zeros:in", "n=100")
    launch = spec(
        "invert",
        *arguments,
        "outside=2*n:zeros:out",
        cover="n",
        block="32",
        expectations=("image = 255 - i",),
    )
    for _ in range(2):
        result = bench.run(INVERT, launch)
        assert result.ok, result.reason
        assert result.timing is not None


def test_another_content_or_sampling_makes_another_texture(bench):
    source = """extern "C" __global__ void read(cudaTextureObject_t tex, float* out) {
        out[threadIdx.x] = tex1D<float>(tex, threadIdx.x + 1.0f); }"""
    for words, expected in (
        ("float[8]:range:clamp", "np.minimum(i + 1, 7)"),
        ("float[8]:range:linear,clamp", "np.minimum(i + 0.5, 7)"),
        ("float[8]:range(1,1):linear,clamp", "np.minimum(i + 1.5, 8)"),
        ("float[8]:range:border", "np.where(i < 7, i + 1, 0)"),
    ):
        result = bench.run(
            source,
            spec("read", f"tex={words}", "out=12:zeros:out", grid="1", block="12",
                 expectations=(f"out = {expected}",)),
        )  # fmt: skip
        assert result.ok, (words, result.reason)
