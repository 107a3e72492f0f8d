"""What nvcc makes of whole programs: `python3 -m tests.program_kernels [NVCC]` writes the table.

For each version of nvcc that it was run with, the table has each program of `tests/data/programs`
with its kernels for `TARGET` and the registers of each. A program with a header that no CUDA
toolkit has, such as those of NVIDIA's samples, is not in it.

To add a program that has to build as it is, host code and all: a file there.
`tests/toolchain/test_programs.py` holds kernels and registers to the table.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from jitstudio.core.kernel_resources import cubin_resources
from tests.support import ROOT

T = TypeVar("T")
PROGRAMS = ROOT / "tests" / "data" / "programs"
TABLE = PROGRAMS / "nvcc.json"
TARGET = "sm_90"
# Of templates in the headers of Thrust and CUB, which the host code of those headers launches.
_OF_LIBRARIES = re.compile(r"_ZN(?:6thrust|3cub|4cuda)\d")
# A namespace without a name is called by the path of its file. Before its name is the length.
_NAMELESS = re.compile(r"(\d+)_GLOBAL__N__")


def of_nvcc(nvcc: str, program: Path) -> dict[str, int | None] | None:
    """The program's own kernels with their registers; None where nvcc lacks a header."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "made.cubin")
        words = [nvcc, f"-arch={TARGET}", "-cubin", str(program), "-o", str(made)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode and "No such file or directory" in done.stderr:
            return None
        assert done.returncode == 0, done.stderr
        return own_kernels(made.read_bytes())


def own_kernels(cubin: bytes) -> dict[str, int | None]:
    """The kernels of a cubin with their registers, but for those of NVIDIA's libraries."""
    kernels = cubin_resources(cubin)
    return {name: kernels[name].registers for name in sorted(kernels) if not of_library(name)}


def of_library(name: str) -> bool:
    """Whether a kernel is one of Thrust's or CUB's."""
    return _OF_LIBRARIES.match(name) is not None


def named(kernels: Mapping[str, T]) -> dict[str, T]:
    """Figures of kernels, by what does not depend on where the file lies."""
    return {without_path(name): figure for name, figure in kernels.items()}


def without_path(name: str) -> str:
    """The lowered name without what a nameless namespace has of the path of its file."""
    if (match := _NAMELESS.search(name)) is None:
        return name
    return name[: match.start()] + name[match.end(1) + int(match[1]) :]


def version_of(nvcc: str) -> str:
    """Returns such as ``13.0``."""
    printed = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"release (\d+\.\d+)", printed)
    assert found, printed
    return found[1]


def main(nvcc: str = "nvcc") -> None:
    """Writes what this nvcc makes into the table, next to what other versions make."""
    table = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    made = {program.name: of_nvcc(nvcc, program) for program in sorted(PROGRAMS.glob("*.cu"))}
    table[version_of(nvcc)] = {name: kernels for name, kernels in made.items() if kernels}
    TABLE.write_text(json.dumps(dict(sorted(table.items())), indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
