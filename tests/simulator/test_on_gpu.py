"""What the simulator gives is what the GPU that is here gives, bit for bit.

Ten thousand random programs: `python3 -m tests.simulator.on_gpu 0 10000`.
"""

import os
import subprocess
import sys

import numpy as np
import pytest

from jitstudio.core.code import CodeKind
from jitstudio.simulator.ptx.reading import read_program
from tests.simulator.forms import FORMS, MATRIX_FORMS, module, result_of
from tests.simulator.kernel_runs import built, simulated
from tests.simulator.launches import LAUNCHES
from tests.simulator.running import HEAD
from tests.simulator.warp_group_forms import WARP_GROUP_FORMS
from tests.support import ROOT

pytestmark = pytest.mark.gpu

on_gpu = pytest.importorskip("tests.simulator.on_gpu", reason="needs cuda-bindings")
gpu_module = pytest.importorskip("tests.simulator.gpu_module", reason="needs cuda-bindings")
_FILES = list(dict.fromkeys(row.file for row in LAUNCHES))
# What a GPU has otherwise: the number of a warp, and where the shared memory is that is reserved; a
# breakpoint ends the kernel, and so does a barrier that counts more bytes than it has. The headers
# of wmma are not in each toolkit. Without some of the rows the last test of theirs fails.
_NOT_COMPARED = " and ".join(
    f"not {name}"
    for name in (
        "special_registers", "reserved_for_cooperative", "hints_change_nothing",
        "copies_and_their_barriers", "fragments_of_cuda", "every_row_has_a_case",
    )
)  # fmt: skip
_VALUES = ("contraction", "copies", "kernels", "machine", "matrices", "rows")


@pytest.fixture(autouse=True)
def _a_hopper():
    """The PTX of these tests is for sm_90a."""
    if gpu_module.compute_capability() != (9, 0):
        pytest.skip("the first GPU is no sm_90")


@pytest.mark.parametrize("file", _FILES)
def test_launches_leave_the_same_bits(builder, file):
    kinds = frozenset({CodeKind.PTX, CodeKind.CUBIN})
    code = built(builder, file, kinds)
    program, loaded = (
        read_program(code[CodeKind.PTX].decode()),
        gpu_module.GpuModule(code[CodeKind.CUBIN]),
    )
    different = {}
    for row in LAUNCHES:
        if row.file != file:
            continue
        wanted = simulated(row, program).buffers
        cluster = (row.cluster, 1, 1) if row.cluster else None
        results = loaded.launch(
            row.kernel,
            row.grid,
            row.block,
            tuple(row.arguments.values()),
            shared_bytes=row.shared,
            cluster=cluster,
            cooperative=row.cooperative,
        )
        for (name, buffer), got in zip(wanted.items(), results, strict=True):
            if name in row.luck:
                continue
            if row.name == "approximations":  # see `launches`
                same = np.isclose(got.reshape(-1), buffer, 2e-5, 1e-6, equal_nan=True)
            else:
                same = got.reshape(-1).view(np.uint8) == buffer.view(np.uint8)
            if not same.all():
                different[f"{row.name}: {name}"] = int(np.count_nonzero(~same))
    loaded.close()
    assert different == {}


def test_forms_of_instructions_give_the_same_bits():
    loaded, different = gpu_module.GpuModule(module(FORMS).encode()), []
    for form in FORMS:
        *sources, _ = form.arrays()
        got, wanted = on_gpu.given(form, loaded), result_of(form)
        places = np.flatnonzero(got != wanted)
        if places.size:
            at = int(places[0])
            words = " ".join(f"{int(a[at]):x}" for a in sources)
            different.append(
                f"{form.text}: {places.size}; {words} -> GPU {got[at]:x}, not {wanted[at]:x}"
            )
    loaded.close()
    assert not different, "\n".join(different)


@pytest.mark.parametrize("form", [*MATRIX_FORMS, *WARP_GROUP_FORMS], ids=lambda form: form.name)
def test_products_of_matrices_give_the_same_bits(form):
    loaded = gpu_module.GpuModule((HEAD + form.kernel()).encode())
    np.testing.assert_array_equal(on_gpu.given(form, loaded), result_of(form))
    loaded.close()


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_random_programs_give_the_same_bits(first):
    found = [text for seed in range(first, first + 50) if (text := on_gpu.compared(seed))]
    assert [text for text in found if on_gpu.OPTIMISED not in text] == []


@pytest.mark.parametrize("name", _VALUES)
def test_what_other_tests_run_leaves_the_same_bits(name):
    test = f"tests/simulator/test_{name}.py"
    words = ("-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "-p", "no:benchmark")
    ran = subprocess.run(
        [
            sys.executable,
            *words,
            "-p",
            "tests.simulator.on_gpu",
            "--tb=short",
            "-k",
            _NOT_COMPARED,
            test,
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTEST_ADDOPTS": ""},
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
