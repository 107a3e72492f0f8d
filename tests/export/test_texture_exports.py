"""Exports of kernels on textures and surfaces: what they bind, and what they refuse to."""

import ctypes
import shutil
import subprocess
import sysconfig
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cuda.bindings import driver

from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.export.formats import BY_NAME
from jitstudio.export.recipe import (
    ExportError,
    carried_headers,
    exported_request,
    launch_of,
    recipe_of,
)
from tests.export.test_exports import HostDriver, ran
from tests.support import cuda, request
from tests.texture_launches import BOX

SPEC = LaunchSpec(
    kernel="box",
    arguments=(
        ("from", "uchar4[width,height]:range:border"),
        ("to", "uchar4[width,height]:zeros:inout"),
        ("width", "6"),
        ("height", "3"),
    ),
    cover="width,height",
    block="8,4",
    expectations=("to = 255 - i",),
    repeats=2,
)
VOLUME = tuple(
    (name, text.replace("height]", "height,2]")) for name, text in SPEC.arguments
)  # fmt: skip


@pytest.fixture(scope="module")
def exported(builder):
    """A recipe of the box filter with other arguments."""
    wanted = exported_request(request(cuda(BOX)))
    result = builder.build(wanted)

    def recipe(**changes):
        launch = launch_of(wanted, result, replace(SPEC, **changes))
        return recipe_of(wanted, result, carried_headers(wanted, result), launch)

    return recipe


class TexelDriver(HostDriver):
    """CUDA arrays in memory of the host, and a kernel that turns one into the other."""

    def __init__(self):
        super().__init__()
        self.arrays, self.objects, self.put = {}, {}, 0

    def cuArray3DCreate(self, wanted):
        self.arrays[len(self.arrays) + 1] = wanted
        size = wanted.Width * max(wanted.Height, 1) * max(wanted.Depth, 1) * wanted.NumChannels
        self.held.append(np.zeros(size, np.uint8))
        return 0, driver.CUarray(len(self.arrays))

    def _object(self, resource):
        self.objects[len(self.objects) + 7] = int(resource.res.array.hArray)
        return 0, len(self.objects) + 6

    def cuSurfObjectCreate(self, resource):
        return self._object(resource)

    def cuTexObjectCreate(self, resource, texture, _view):
        self.texture = texture
        return self._object(resource)

    def cuMemcpy2DAsync(self, copy, _stream):
        back = copy.srcMemoryType == driver.CUmemorytype.CU_MEMORYTYPE_ARRAY
        array = int(copy.srcArray if back else copy.dstArray)
        address, pitch = (copy.dstHost, copy.dstPitch) if back else (copy.srcHost, copy.srcPitch)
        size = copy.WidthInBytes * copy.Height * getattr(copy, "Depth", 1)
        assert pitch == copy.WidthInBytes
        assert size == self.held[array - 1].size
        if back:
            ctypes.memmove(address, self.held[array - 1].ctypes.data, size)
        else:
            ctypes.memmove(self.held[array - 1].ctypes.data, address, size)
            self.put += 1
        return (0,)

    cuMemcpy3DAsync = cuMemcpy2DAsync

    def cuLaunchKernelEx(self, _config, _kernel, values, _more):
        at = ctypes.cast(values, ctypes.POINTER(ctypes.POINTER(ctypes.c_uint64)))
        source, target = (self.held[self.objects[at[n][0]] - 1] for n in (0, 1))
        assert not target.any()  # as before the first launch
        target[:] = 255 - source
        return (0,)


@pytest.mark.parametrize("arguments", [SPEC.arguments, VOLUME])
def test_a_script_makes_fills_and_reads_the_texels(exported, capsys, arguments):
    recipe = exported(arguments=arguments)
    for name in ("cuda-bindings", "cuda-core"):
        script = ran(BY_NAME[name].make(recipe).text)
        if name == "cuda-core":
            compile(BY_NAME[name].make(recipe).text, "core.py", "exec")
            continue
        script["driver"] = TexelDriver()
        assert script["run"](b"") == 5  # each channel is compared with the number of its texel
        texture = script["driver"].texture
        border = driver.CUaddress_mode.CU_TR_ADDRESS_MODE_BORDER
        assert texture.addressMode[:2] == [border] * 2
        assert texture.flags == driver.CU_TRSF_READ_AS_INTEGER
        first, second = script["driver"].arrays.values()
        assert first.Flags in (driver.CUDA_ARRAY3D_TEXTURE_GATHER, 0)
        assert (first.Flags == 0) == (first.Depth > 0)
        assert (second.Flags, second.NumChannels) == (driver.CUDA_ARRAY3D_SURFACE_LDST, 4)
        # Filled once, and the surface again before each of four launches.
        assert script["driver"].put == 2 + 4
        said = capsys.readouterr().out
        assert "numbers are wrong" in said


def test_a_right_result_passes(exported):
    turned = ("to = 255 - np.stack([4*i, 4*i + 1, 4*i + 2, 4*i + 3], axis=1)",)
    script = ran(BY_NAME["cuda-bindings"].make(exported(expectations=turned)).text)
    script["driver"] = TexelDriver()
    assert script["run"](b"") == 0


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [SPEC.arguments, VOLUME])
def test_a_program_compiles(exported, tmp_path, arguments):
    wheels = Path(sysconfig.get_path("purelib"), "nvidia", "cu13", "include")
    toolkits = sorted(Path("/usr/local").glob("cuda*/include/cuda.h"))
    if not (shutil.which("g++") and toolkits and wheels.is_dir()):
        pytest.skip("needs g++, the CUDA toolkit's headers and the wheel of NVRTC")
    made = BY_NAME["cpp"].make(exported(arguments=arguments))
    (tmp_path / "main.cpp").write_bytes(made.files["main.cpp"])
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "main.cpp"]
    folders = [f"-I{wheels}", f"-I{toolkits[0].parent}"]
    subprocess.run([*command, *folders, '-DCUDA_INCLUDE=""'], cwd=tmp_path, check=True)


@pytest.mark.parametrize("name", ["cupy", "torch"])
def test_what_binds_no_texture_names_it(exported, name):
    with pytest.raises(ExportError, match="binds no texture, as 'from' is one"):
        BY_NAME[name].make(exported())


@pytest.mark.parametrize("name", ["cuda-core", "cuda-bindings", "cpp", "notebook"])
def test_linear_memory_is_refused(exported, name):
    arguments = (("from", "uchar4[18]:range:linearMemory"), *SPEC.arguments[1:])
    with pytest.raises(ExportError, match="the texture 'from' lies in linear memory"):
        BY_NAME[name].make(exported(arguments=arguments))


def test_what_is_not_found_in_a_surface_is_noted(exported):
    arguments = (SPEC.arguments[0], ("to", "uchar4[6,3]:zeros:out"), *SPEC.arguments[2:])
    notes = BY_NAME["cuda-bindings"].make(exported(arguments=arguments)).notes
    assert any("what is never written there is not found" in note for note in notes)
