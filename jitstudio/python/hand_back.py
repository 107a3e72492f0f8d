"""The ways of edited PTX back into the Python program of the kernel.

Triton takes a replacement for a text from the option `ir_override` (3.4 and later,
`triton.compiler.compile`), or from a file in a folder of overrides: the name is the hash of the
kernel's source in base 32, and the file is only read while `TRITON_KERNEL_OVERRIDE` is set. In both
cases the kernel has to be compiled anew, without Triton's cache. The other packages load PTX and
machine code from files. Numba does so only for functions that its kernels call: a Numba kernel is
launched by cuda.core, with the arguments as which its arrays are passed (`numba_cuda`,
`data_models.ArrayModel`).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from keyword import iskeyword
from pathlib import Path

OVERRIDE_KEY = "override key"
"""The fact of a Triton kernel that names its folder of overrides."""

# Triton cuts names (`triton.compiler.compile`).
_LONGEST_NAME = 150


class KernelPackage(Enum):
    """A package that compiles kernels and takes other code; the value begins their origin."""

    TRITON = "Triton"
    NUMBA = "Numba"
    CUPY = "CuPy"
    CUDA_CORE = "cuda.core"

    @classmethod
    def of(cls, origin: str) -> KernelPackage | None:
        """Returns the package that an origin such as ``Triton 3.9.0`` names, or None."""
        word = origin.partition(" ")[0]
        return next((package for package in cls if package.value == word), None)


def override_file(key: str, name: str, environment: Mapping[str, str]) -> Path | None:
    """Returns the file from which Triton takes other PTX of a kernel, or None where unknown.

    Args:
        key: The fact `OVERRIDE_KEY`; empty where there is none.
        name: The name of the kernel in Python.
        environment: The variables of the process that will run it.
    """
    if not (key.isalnum() and name.isidentifier()):
        return None
    home = environment.get("TRITON_HOME") or str(Path.home())
    folder = environment.get("TRITON_OVERRIDE_DIR") or str(Path(home, ".triton", "override"))
    return Path(folder, key, f"{name[:_LONGEST_NAME]}.ptx")


def snippet(package: KernelPackage, file: str, name: str, entry: str) -> str:
    """Returns Python code that uses a file of PTX.

    Args:
        package: The package that loads the file.
        file: The path of the file.
        name: The name of the kernel in Python.
        entry: The name of the kernel in the PTX.
    """
    word = name if name.isidentifier() and not iskeyword(name) else "kernel"
    return _SNIPPETS[package].format(file=file, name=word, entry=entry)


def override_command() -> str:
    """Returns the command by which a program runs with Triton's folder of overrides."""
    return "TRITON_KERNEL_OVERRIDE=1 TRITON_ALWAYS_COMPILE=1 python3 your_program.py\n"


_SNIPPETS = {
    KernelPackage.TRITON: """\
import os

# Else the kernel comes from Triton's cache, as it was before.
os.environ["TRITON_ALWAYS_COMPILE"] = "1"

# Where the kernel is launched; GRID and ARGUMENTS stay as they are.
{name}[GRID](*ARGUMENTS, ir_override={file!r})
""",
    KernelPackage.CUPY: """\
import cupy as cp

module = cp.RawModule(path={file!r})
{name} = module.get_function({entry!r})
{name}(GRID, BLOCK, ARGUMENTS)
""",
    KernelPackage.CUDA_CORE: """\
from cuda.core import Device, LaunchConfig, ObjectCode, launch

device = Device()
device.set_current()
{name} = ObjectCode.from_ptx({file!r}).get_kernel({entry!r})
stream = device.create_stream()
launch(stream, LaunchConfig(grid=GRID, block=BLOCK), {name}, *ARGUMENTS)
stream.sync()
""",
    KernelPackage.NUMBA: '''\
import numpy as np
from cuda.core import Device, LaunchConfig, ObjectCode, launch


def passed(array):
    """What Numba passes for an array on the GPU."""
    data = array.__cuda_array_interface__["data"][0]
    sizes = (array.size, array.dtype.itemsize, data, *array.shape, *array.strides)
    return (0, 0, *sizes)


device = Device()
device.set_current()
{name} = ObjectCode.from_ptx({file!r}).get_kernel({entry!r})
stream = device.create_stream()
# Each array as *passed(array), numbers as np.float32(2.0), np.int64(3).
launch(stream, LaunchConfig(grid=GRID, block=BLOCK), {name}, *ARGUMENTS)
stream.sync()
''',
}
