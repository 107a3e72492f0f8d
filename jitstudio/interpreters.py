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
    "torch": "torch",
    "numpy": "numpy",
}
"""What pip installs for each package that scripts with kernels import."""

KERNEL_PACKAGES = ("triton", "numba-cuda", "cupy-cuda13x", "cupy-cuda12x", "cuda-core")
"""The distributions whose kernels a build takes out of a script."""

_LIMIT = 30.0
_ASK = """
import json, os, platform, sys, sysconfig
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
    """This is no Python that can be used; the message says why and what to do."""


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
        """The command that brings it Triton and Numba."""
        return f"{self.path} {INSTALL}"


def interpreter(python: str) -> Interpreter:
    """Asks a Python for itself, once; a sealed process can only repeat what it asked before.

    Args:
        python: Its program; empty for the one that this process runs on.

    Raises:
        InterpreterError: It is none, or does not start.
    """
    return _asked(python or sys.executable)


@cache
def _asked(given: str) -> Interpreter:
    found = shutil.which(given)
    try:
        if found is None:
            raise FileNotFoundError("no such program")
        asked = subprocess.run(
            [found, "-c", _ASK, json.dumps(KERNEL_PACKAGES)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LIMIT,
            check=True,
            cwd=os.sep,
        )
        path, version, places, packages = json.loads(asked.stdout.splitlines()[-1])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError) as error:
        raise InterpreterError(
            f"'{given}' cannot be used as the Python interpreter ({error}). {HOW_TO_CHOOSE}"
        ) from None
    folders = dict.fromkeys(place for place in places if os.path.isabs(place))
    return Interpreter(path, version, tuple(folders), tuple(packages.items()))


HOW_TO_CHOOSE = (
    "Choose another interpreter: --python PATH on the command line, Python interpreter among the "
    "settings of the window."
)
