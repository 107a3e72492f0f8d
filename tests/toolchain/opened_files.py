"""Files that were built before, made by the real tools, and bytes that are damaged."""

import random
import shutil

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import nvfatbin, nvrtc

K = CodeKind
NEEDS_NVCC = pytest.mark.skipif(
    not (shutil.which("nvcc") and shutil.which("gcc")), reason="needs nvcc and gcc"
)
KERNELS = """\
extern "C" __global__ void twice(float* p) { p[threadIdx.x] *= 2; }
extern "C" __global__ void thrice(float* p) { p[threadIdx.x] *= 3; }
"""
CALLER = 'extern "C" __device__ int f(int); extern "C" __global__ void k(int* p) { *p = f(*p); }\n'


def compiled(kind, target, text=KERNELS, *options):
    """What NVRTC makes of a text."""
    source = ((Ref(K.CUDA, "k.cu"), text.encode()),)
    job = Job(Tool.NVRTC, "k.cu", source, (kind,), (f"-arch={target}", *options))
    report = nvrtc.compile_cuda(job)
    assert report.ok, report.error_log
    return report.code[kind]


def packed(*targets, text=KERNELS, options=()):
    """A fatbin with machine code for ``sm_XX`` and PTX for ``compute_XX``."""
    inputs = []
    for target in targets:
        kind = K.PTX if target.startswith("compute") else K.CUBIN
        code = compiled(kind, target, text, *options)
        inputs.append((Ref(kind, f"k.cu@{target}"), code))
    report = nvfatbin.pack(Job(Tool.NVFATBIN, "k.cu", tuple(inputs), (K.FATBIN,), ()))
    assert report.ok, report.error_log
    return report.code[K.FATBIN]


def damaged(content: bytes, chance: random.Random) -> bytes:
    """The bytes cut short, or with some changed, missing or too many."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(changed))
        match chance.randrange(5):
            case 0:
                del changed[max(at, 1) :]
            case 1:
                changed[at] = chance.randrange(256)
            case 2:
                changed[at : at + 8] = chance.randbytes(8)
            case 3 if len(changed) > 64:
                del changed[at : at + 8]
            case _:
                # The header of a file is a small part of it.
                changed[at % min(64, len(changed))] = chance.choice([0, 255, at & 255])
        changed = changed or bytearray(b"\0")
    return bytes(changed)
