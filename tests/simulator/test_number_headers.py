"""Each function of NVIDIA's headers of small floats runs.

The list is read from the headers. That a function runs is checked here; the bits of the
instructions that they come down to are in `test_forms`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest

from jitstudio.simulator.state.model import SimulationOutcome
from jitstudio.system.paths import unpacked_headers
from tests.simulator.running import ptx_of, run

pytestmark = [pytest.mark.tools, pytest.mark.slow]
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DECLARED = re.compile(
    r"__CUDA_(?:HOSTDEVICE_)?(?:FP16|BF16|FP8)_DECL__\s+(?P<result>[\w ]+?[\s*])\s*(?P<name>\w+)"
    r"\s*\((?P<parameters>[^()]*)\)\s*(?:__\w+__)?\s*;"
)
_INCLUDES = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_fp8.h>\n"
_CHOICES = {
    "__nv_saturation_t": "__NV_SATFINITE",
    "__nv_fp8_interpretation_t": "__NV_E4M3",
    "cudaRoundMode": "cudaRoundZero",
}


class Function(NamedTuple):
    """A function as a header declares it."""

    result: str
    name: str
    parameters: tuple[str, ...]

    def kernel(self, number: int) -> str:
        """A kernel that calls it with what is in memory, and keeps the result."""
        declared, arguments = [], []
        for at, parameter in enumerate(self.parameters):
            kind, _, name = re.sub(r"\bconst\b", "", parameter).rpartition(" ")
            kind = kind.strip() or name
            if "*" in parameter:
                arguments.append(f"({kind.replace('*', '').strip()}*)(o + 1024)")
            elif kind in _CHOICES or "mask" in name:
                arguments.append(_CHOICES.get(kind, "0xffffffffu"))
            else:
                declared.append(f"{kind} a{at} = *({kind}*)(o + {16 * at});")
                arguments.append(f"a{at}")
        call = f"{self.name}({', '.join(arguments)});"
        if self.result != "void":
            call = f"*({self.result}*)(o + 2048 + 16 * threadIdx.x) = {call}"
        body = " ".join((*declared, call))
        return f'extern "C" __global__ void k{number}(char* o) {{ {body} }}'


def functions(header: str) -> Iterator[Function]:
    for match in _DECLARED.finditer(_COMMENT.sub(" ", header)):
        parameters = (p.partition("=")[0].strip() for p in match["parameters"].split(","))
        taken = tuple(p for p in parameters if p not in ("", "void"))
        yield Function(match["result"].strip(), match["name"], taken)


@pytest.mark.parametrize(
    ("name", "count"), [("cuda_fp16.h", 200), ("cuda_bf16.h", 200), ("cuda_fp8.h", 25)]
)
def test_every_function_of_a_header_runs(tools, name, count):
    ptx_of(tools, _INCLUDES + "__global__ void k() {}")  # which unpacks them
    header = next(path for at in unpacked_headers() if (path := at / name).exists())
    found = list(dict.fromkeys(functions(header.read_text())))
    assert len(found) >= count
    kernels = "\n".join(function.kernel(number) for number, function in enumerate(found))
    ptx = ptx_of(tools, _INCLUDES + kernels)
    refused = {}
    for number, function in enumerate(found):
        memory = np.full(1024, 0x3C003C00, np.uint32)
        ran = run(ptx, f"k{number}", (1, 1, 1), (32, 1, 1), memory, finishes=False)
        if ran.result.outcome is not SimulationOutcome.FINISHED:
            refused[function.name] = ran.result.message
    assert refused == {}
