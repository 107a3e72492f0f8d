"""Kernels on textures and surfaces from CUDA C++ to their buffers, against NumPy."""

import zlib

import numpy as np
import pytest

from jitstudio.core.launch.device import SIMULATOR, DeviceList
from jitstudio.core.launch.result import LaunchOutcome
from jitstudio.numerics.dtypes import open_buffer
from jitstudio.numerics.fills import generate
from jitstudio.worker.launcher import Launcher
from tests.launching import Bench
from tests.simulator.running import ptx_of, run, surface
from tests.simulator.test_launches import ANSWERS
from tests.texture_launches import FILTERED, LAUNCHES

ROWS = {row.name: row for row in (*LAUNCHES, *FILTERED)}


@pytest.fixture(scope="module")
def simulator(builder):
    launcher = Launcher()
    yield Bench(builder, launcher, DeviceList())
    launcher.close()


def launched(simulator, name):
    """What a launch is given, what it leaves, and its counts."""
    row = ROWS[name]
    request = simulator.request(row.text, row.spec, device=SIMULATOR)
    result = simulator.launcher.launch(request)
    assert result.outcome is LaunchOutcome.RAN, result.reason
    assert not result.simulation.faults
    assert not result.simulation.races
    left = {b.name: open_buffer(b.path, b.element) for b in result.buffers if b.path}
    given = {b.name: generate(b) for b in request.buffers if b.fill.kind.value != "expr"}
    shapes = {b.name: b.shape[::-1] for b in result.buffers if b.shape}
    shaped = [
        {n: a.reshape(*shapes[n], *a.shape[1:]) if n in shapes else a for n, a in arrays.items()}
        for arrays in (given, left)
    ]
    return *shaped, result.simulation


def bilinear(image, u, v, wrap):
    """A linear filter in floating point, without the steps of the weights."""
    height, width = image.shape[:2]
    x, y = u - 0.5, v - 0.5
    low_x, low_y = np.floor(x).astype(int), np.floor(y).astype(int)
    total = 0.0
    for right in (0, 1):
        for down in (0, 1):
            i, j = low_x + right, low_y + down
            i, j = (
                (i % width, j % height) if wrap else (i.clip(0, width - 1), j.clip(0, height - 1))
            )
            share = np.abs(1 - right - (x - low_x)) * np.abs(1 - down - (y - low_y))
            total = total + (share.T if image.ndim == 2 else share[..., None]) * image[j, i]
    return total


def test_the_rotation_of_the_guide(simulator):
    given, left, simulation = launched(simulator, "rotation of the guide")
    y, x = np.mgrid[:24, :40]
    u, v, theta = x / 40 - 0.5, y / 24 - 0.5, 0.5
    across = (u * np.cos(theta) - v * np.sin(theta) + 0.5) * 40
    down = (v * np.cos(theta) + u * np.sin(theta) + 0.5) * 24
    wanted = np.zeros((24, 40))
    for j, i in np.ndindex(24, 40):
        place = (np.array([[across[j, i]]]), np.array([[down[j, i]]]))
        wanted[j, i] = bilinear(given["tex"], *place, wrap=True)[0, 0]
    # Both weights are off by up to a step of 1/512, of texels from 0 to 1.
    assert np.abs(left["out"].reshape(24, 40) - wanted).max() < 2 / 512 + 1e-5
    assert not simulation.exact
    assert any("weights with 8 bits" in told for told in simulation.inexact_functions)


def test_a_bilinear_rescale_from_bytes_to_a_surface(simulator):
    given, left, _ = launched(simulator, "bilinear rescale")
    y, x = np.mgrid[:24, :40] + 0.5
    wanted = bilinear(given["from"] / 255.0, x * 16 / 40, y * 12 / 24, wrap=False)
    assert left["to"].shape == (24, 40, 4)
    assert np.abs(left["to"] - wanted).max() < 2 / 512 + 1e-5


def test_a_box_filter_is_exact(simulator):
    given, left, simulation = launched(simulator, "box filter")
    around = np.pad(given["from"].astype(int), ((1, 1), (1, 1), (0, 0)))
    total = sum(around[j : j + 24, i : i + 40] for j in range(3) for i in range(3))
    assert left["to"].tolist() == (total // 9).tolist()
    assert simulation.exact
    counted = [line for line in simulation.lines if line.requests]
    warps = 3 * 3 * 4  # of each block of 16 by 8
    assert sum(line.requests for line in counted) == warps * (9 + 1)
    assert sum(line.sectors for line in counted) == 0


def test_a_surface_in_place_and_what_is_outside(simulator):
    given, left, simulation = launched(simulator, "surface in place")
    assert left["image"].tolist() == (255 - given["image"]).tolist()
    assert left["outside"][::2].tolist() == [0] * 100
    assert left["outside"][1::2].tolist() == [given["edge"][-1]] * 100
    assert simulation.exact


def test_a_volume(simulator):
    given, left, simulation = launched(simulator, "volume")
    assert left["to"].tolist() == given["from"].astype(np.float16).tolist()
    assert simulation.exact


def test_linear_memory(simulator):
    given, left, simulation = launched(simulator, "linear memory")
    assert left["out"].tolist() == given["table"][np.arange(128) * 7 % 50].tolist()
    assert simulation.exact


def test_a_gather_with_level_and_gradient(simulator):
    given, left, simulation = launched(simulator, "gather, level and gradient")
    texels = given["from"]
    x, y = np.arange(20) - 2, np.arange(8)[:, None]
    corner = (np.floor(x + 0.25 - 0.5).astype(int), np.floor(y + 0.75 - 0.5).astype(int))
    around = [
        texels[(corner[1] + down).clip(0, 7), (corner[0] + right).clip(0, 15), 1]
        for right, down in ((0, 1), (1, 1), (1, 0), (0, 0))
    ]
    assert left["out"].tolist() == np.stack(around, axis=-1).reshape(160, 4).tolist()
    nearest = texels[y, x.clip(0, 15)]
    assert left["more"].tolist() == (nearest[..., 0] + nearest[..., 1]).reshape(160).tolist()
    assert simulation.exact


@pytest.mark.parametrize("name", [name for name in ROWS if name.startswith("sampled point")])
def test_point_sampling_at_random_places(simulator, name):
    given, left, _ = launched(simulator, name)
    modes = [word for word in ("clamp", "border", "wrap", "mirror") if word in name]
    words = name.split()[1].split(",")
    modes = [word for word in words if word in modes]
    at = given["at"].reshape(-1, 2).astype(np.float64)
    index, inside = [], True
    for axis, extent in enumerate((13, 7)):
        mode = modes[axis % len(modes)]
        place = at[:, axis] * (extent if "normalizedCoords" in words else 1)
        whole = np.floor(place).astype(int)
        match mode:
            case "wrap":
                whole = whole % extent
            case "mirror":
                whole = np.where(whole // extent % 2, extent - 1 - whole % extent, whole % extent)
            case "border":
                inside = inside & (whole >= 0) & (whole < extent)
        index.append(whole.clip(0, extent - 1))
    wanted = np.where(inside, given["tex"][index[1], index[0]], 0)
    assert left["out"].tolist() == wanted.tolist()


@pytest.mark.parametrize("row", FILTERED, ids=lambda row: row.name)
def test_a_linear_filter_has_the_bits_of_an_h100(simulator, row):
    _, left, simulation = launched(simulator, row.name)
    assert zlib.crc32(left["out"].tobytes()) == ANSWERS[row.name]["out"]
    assert simulation.exact


BEHIND = """\
extern "C" __global__ void k(cudaSurfaceObject_t s) {
    int i = threadIdx.x;
    surf1Dwrite((unsigned char)i, s, i + 3);
}
"""


def test_a_fault_in_a_header_of_nvrtc_names_the_line_that_calls_it(tools):
    ptx = ptx_of(tools, BEHIND)
    done = run(ptx, "k", (1, 1, 1), (32, 1, 1), surface("uchar[32]"), finishes=False)
    (fault,) = done.result.faults
    assert fault.first.line == 3
    assert "__nv_nvrtc" not in fault.first.file
