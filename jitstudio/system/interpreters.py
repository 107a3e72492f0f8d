"""Python interpreters that run the user's scripts, and which packages for kernels they have."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache

INSTALL = "-m pip install 'jitstudio[python-kernels]'"
"""Behind the name of an interpreter, what brings it Triton and Numba."""

PACKAGES = {
    "triton": "triton",
    "numba_cuda": "numba-cuda[cu13]",
    "numba": "numba-cuda[cu13]",
    "cupy": "cupy-cuda13x[ctk]",
    "cuda": "cuda-core",
    "cutlass": "nvidia-cutlass-dsl",
    "torch": "torch",
    "numpy": "numpy",
}
"""What pip installs for each package that scripts with kernels import."""

CUDA_WHEELS = {
    "cupy-cuda13x": "cupy-cuda13x[ctk]",
    "cupy-cuda12x": "cupy-cuda12x[ctk]",
    "numba-cuda": "numba-cuda[cu13]",
    "cuda-core": "cuda-core[cu13]",
}
"""What pip installs for a distribution so that it has NVRTC and the other libraries of CUDA."""

KERNEL_PACKAGES = (
    *("triton", "numba-cuda", "cupy-cuda13x", "cupy-cuda12x", "cuda-core", "nvidia-cutlass-dsl"),
)
"""The distributions whose kernels a build takes out of a script."""

_LIMIT = 30.0
# Its first lines are for older ones, from Python 3.5 on.
_ASK = """
import json, os, platform, sys, sysconfig
if sys.version_info < (3, 11):
    print(json.dumps(platform.python_version()))
    sys.exit()
from importlib import metadata
places = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *sys.path]
places += sysconfig.get_paths().values()
places += map(os.path.dirname, (sys.executable, os.path.realpath(sys.executable)))
packages = {}
for name in json.loads(sys.argv[1]):
    try:
        packages[name] = metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
print(json.dumps([sys.executable, platform.python_version(), places, packages]))
"""


class InterpreterError(RuntimeError):
    """The program is no usable Python; the message says why and how to choose another."""


@dataclass(frozen=True)
class Interpreter:
    """A Python.

    Attributes:
        path: Its program.
        version: Such as ``3.12.4``.
        places: The folders that it imports from, and those that they are in.
        packages: The names and versions of those of `KERNEL_PACKAGES` that it has.
    """

    path: str
    version: str
    places: tuple[str, ...]
    packages: tuple[tuple[str, str], ...]

    @property
    def install(self) -> str:
        """The command that installs Triton and Numba for the interpreter."""
        return f"{self.path} {INSTALL}"


def interpreter(python: str) -> Interpreter:
    """Returns the facts of a Python, asked once; a sealed process can only repeat earlier answers.

    Args:
        python: Its program; empty for the one that this process runs on.

    Raises:
        InterpreterError: It is none, or does not start.
    """
    program = python or sys.executable
    answer = _answer_of(program)
    if isinstance(answer, Interpreter):
        return answer
    raise InterpreterError(
        f"'{program}' cannot be used as the Python interpreter ({answer}). {HOW_TO_CHOOSE}"
    )


@cache
def _answer_of(program: str) -> Interpreter | str:
    """Returns the facts that a Python tells, or why the program cannot be used."""
    executable = shutil.which(program)
    if executable is None:
        return "no such program"
    try:
        asked = subprocess.run(
            # From here on, as it is asked in another folder.
            [os.path.abspath(executable), "-c", _ASK, json.dumps(KERNEL_PACKAGES)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LIMIT,
            check=True,
            cwd=os.sep,
        )
        reply = json.loads(asked.stdout.splitlines()[-1])
    except IndexError:
        return "it says nothing"
    except subprocess.CalledProcessError as error:
        status = error.returncode
        return (
            f"it is not a Python interpreter: asked for its version, it ended with status {status}"
        )
    except subprocess.TimeoutExpired:
        return f"it did not say its version in {_LIMIT:g} s"
    except OSError as error:
        return f"it cannot be started as a Python interpreter: {error.strerror}"
    except ValueError:
        reply = None
    match reply:
        case str(version):
            return f"it is Python {version}, and scripts need 3.11 or later"
        case [str(path), str(version), list(places), dict(packages)]:
            folders = dict.fromkeys(place for place in places if os.path.isabs(place))
            return Interpreter(path, version, tuple(folders), tuple(packages.items()))
        case _:
            return "it is not a Python interpreter"


HOW_TO_CHOOSE = (
    "Choose another interpreter: --python PATH on the command line, Python interpreter among the "
    "settings of the window."
)
