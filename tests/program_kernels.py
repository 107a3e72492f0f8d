"""What nvcc makes of whole programs: `python3 -m tests.program_kernels [NVCC]` writes the table.

For each version of nvcc that it was run with, the table has each program of `tests/data/programs`
with its kernels for `TARGET` and the registers of each. A program with a header that no CUDA
toolkit has, such as those of NVIDIA's samples, is not in it.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from jitstudio.core.kernel_resources import cubin_resources
from tests.support import ROOT

PROGRAMS = ROOT / "tests" / "data" / "programs"
TABLE = PROGRAMS / "nvcc.json"
TARGET = "sm_90"
# Of templates in the headers of Thrust and CUB, which the host code of those headers launches.
_OF_LIBRARIES = re.compile(r"_ZN(?:6thrust|3cub)\d")


def of_nvcc(nvcc: str, program: Path) -> dict[str, int | None] | None:
    """The program's own kernels with their registers; None where nvcc lacks a header."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "made.cubin")
        words = [nvcc, f"-arch={TARGET}", "-cubin", str(program), "-o", str(made)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode and "No such file or directory" in done.stderr:
            return None
        assert done.returncode == 0, done.stderr
        kernels = cubin_resources(made.read_bytes())
    return {
        name: kernel.registers
        for name, kernel in sorted(kernels.items())
        if not _OF_LIBRARIES.match(name)
    }


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
