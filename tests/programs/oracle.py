"""The kernels that nvcc makes of the programs of this folder, and their launches, for the tests.

`python3 -m tests.programs.oracle [PROGRAM...]` writes both into `recorded.json`, which the tests
read. A program is compiled by nvcc, linked to the recording runtime in `recording` in place of
CUDA's, and run: nothing is launched, and each launch is a line of JSON. A function of NVIDIA's that
`recording` has no double of returns 0.

To add a program as people write them: a file here. `python3 -m tests.programs.oracle NAME.cu` asks
nvcc and puts the answers into `recorded.json`. What fails for now is in `known.toml` with its
cause.
"""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from jitstudio.core.cubin import sections
from tests.program_kernels import of_library, own_kernels, version_of

FOLDER = Path(__file__).parent
TABLE = FOLDER / "recorded.json"
TARGET = "sm_90"
RECORDING = FOLDER / "recording"
_FLAGS = re.compile(r"// nvcc: (.*)")
_SECONDS = 20
# Of a loop of launches the table has the first ones.
_MOST_OF_A_NAME = 12
# Programs of several files, and files that are called from elsewhere.
_MORE_FILES = {"split_program_main.cu": ("split_program_kernels.cu",)}
_WITHOUT_MAIN = {"extern_c_wrapper.cu", "split_program_kernels.cu"}
# Of `.nv.info.NAME`: format and code of the attribute with a parameter's index, offset and size.
_PARAMETER = b"\x04\x17\x0c\x00"
_OF_NVIDIA = re.compile(r"cu[A-Z]|cuda[A-Z]|__cuda|cu(?:blas|fft|rand|solver|sparse)|nvtx|gl[A-Z]")


class Oracle:
    """An nvcc with its host compiler, and the recording runtime built by them.

    Args:
        nvcc: The compiler.
        work: A folder to build in.
    """

    def __init__(self, nvcc: str, work: Path) -> None:
        self._nvcc, self._work = nvcc, work
        self._runtime = [self._double(path) for path in sorted(RECORDING.glob("*.cpp"))]
        self._doubles = _symbols("--defined-only", *self._runtime)

    def kernels(self, program: Path) -> dict[str, int | None]:
        """The program's own kernels with their registers."""
        return own_kernels(self._compiled(program, "-cubin", ".cubin").read_bytes())

    def lines(self, programs: list[Path], *words: str) -> list[dict]:
        """The launches, copies to and from variables, and other calls of a program, in order.

        Args:
            programs: The files that are linked.
            words: The program's arguments.
        """
        folder = Path(tempfile.mkdtemp(dir=self._work))
        program, recording = folder / "program", folder / "recording"
        self._link(programs, program)
        parameters = folder / "parameters"
        parameters.write_text("".join(map(self._parameters, programs)))
        files = {"RECORDING": str(recording), "RECORDING_PARAMETERS": str(parameters)}
        # One that waits for a result waits for ever; its launches are written down by then.
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(
                [program, *words],
                env=os.environ | files,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        text = recording.read_text() if recording.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    def _link(self, sources: list[Path], program: Path) -> None:
        objects = [self._compiled(source, "-c", ".o") for source in sources]
        missing = _symbols("--undefined-only", *objects) - self._doubles
        stubs = program.with_suffix(".cpp")
        stubs.write_text(_stubs(name for name in sorted(missing) if _OF_NVIDIA.match(name)))
        _run("g++", "-pthread", "-fopenmp", *objects, *self._runtime, stubs, "-o", program)

    def _parameters(self, program: Path) -> str:
        cubin = self._compiled(program, "-cubin", ".cubin").read_bytes()
        sizes = parameter_sizes(cubin)
        return "".join(f"{name} {' '.join(map(str, sizes[name]))}\n" for name in sizes)

    def _compiled(self, program: Path, how: str, ending: str) -> Path:
        out = self._work / f"{program.parent.name}_{program.name}{ending}"
        if not out.exists():
            include = f"-I{RECORDING / 'include'}"
            _run(self._nvcc, f"-arch={TARGET}", how, include, *flags(program), program, "-o", out)
        return out

    def _double(self, source: Path) -> Path:
        out = self._work / f"{source.stem}.o"
        _run(self._nvcc, "-std=c++17", "-O1", "-c", source, "-o", out)
        return out


def flags(program: Path) -> list[str]:
    """The options that a program says it needs, in a comment `// nvcc: ...`."""
    match = _FLAGS.match(program.read_text())
    return match[1].split() if match else []


def parameter_sizes(cubin: bytes) -> dict[str, list[int]]:
    """The bytes of each parameter of each kernel in a cubin."""
    named = {section.name: section.content for section in sections(cubin)}
    names = [name.removeprefix(".text.") for name in named if name.startswith(".text.")]
    return {name: _sizes(named.get(f".nv.info.{name}", b"")) for name in names}


def _sizes(attributes: bytes) -> list[int]:
    sizes, at = {}, 0
    while (at := attributes.find(_PARAMETER, at)) >= 0:
        _, ordinal, _, packed = struct.unpack_from("<IHHI", attributes, at + 4)
        sizes[ordinal] = packed >> 18
        at += 16
    return [size for _, size in sorted(sizes.items())]


def _stubs(names: Iterable[str]) -> str:
    lines = ["namespace recording { void write_call(const char *function); }"]
    lines += [
        f'extern "C" long {name}() {{ recording::write_call("{name}"); return 0; }}'
        for name in names
    ]
    return "\n".join(lines) + "\n"


def _symbols(which: str, *objects: Path) -> set[str]:
    printed = _run("nm", which, "--format=just-symbols", *objects)
    return {line for line in printed.splitlines() if line and not line.endswith(":")}


def _run(*words: str | Path) -> str:
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, words))}\n{done.stderr}"
    return done.stdout


def main(*names: str) -> None:
    """Write what nvcc and the recording runtime say of all programs, or of some by their names."""
    nvcc = shutil.which("nvcc")
    assert nvcc, "nvcc is not on PATH"
    table = json.loads(TABLE.read_text())["programs"] if names else {}
    programs = [FOLDER / name for name in names] or [
        *FOLDER.glob("*.cu"),
        *FOLDER.glob("instances/*.cu"),
    ]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        oracle = Oracle(nvcc, Path(folder))
        rows = pool.map(lambda program: _row(oracle, program), programs)
        keys = (program.relative_to(FOLDER).as_posix() for program in programs)
        table |= zip(keys, rows, strict=True)
    TABLE.write_text(_spelled(version_of(nvcc), dict(sorted(table.items()))))


def _row(oracle: Oracle, program: Path) -> dict:
    """The kernels of a program, and its launches and copies to and from variables."""
    files = [program, *(program.with_name(name) for name in _MORE_FILES.get(program.name, ()))]
    # Of instances only the kernels matter, each in a shape of its own.
    is_run = program.parent == FOLDER and program.name not in _WITHOUT_MAIN
    lines, count = [], dict[str, int]()
    for line in oracle.lines(files) if is_run else ():
        name = line.get("launch") or line.get("variable")
        if name is None or of_library(name):
            continue
        count[name] = count.get(name, 0) + 1
        if count[name] <= _MOST_OF_A_NAME:
            lines.append(line)
    return {"kernels": oracle.kernels(program), "lines": lines}


def _spelled(version: str, table: dict) -> str:
    """The table as JSON, with a line for each program's kernels and for each of its launches."""
    programs = []
    for name, row in table.items():
        lines = ",\n".join(f"   {json.dumps(line)}" for line in row["lines"])
        lines = f"[\n{lines}\n  ]" if lines else "[]"
        kernels = json.dumps(row["kernels"])
        programs.append(f' "{name}": {{\n  "kernels": {kernels},\n  "lines": {lines}\n }}')
    return f'{{"nvcc": "{version}", "programs": {{\n' + ",\n".join(programs) + "\n}}\n"


if __name__ == "__main__":
    main(*sys.argv[1:])
