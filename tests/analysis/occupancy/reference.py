"""NVIDIA's own calculation, `cuda_occupancy.h` of the CUDA toolkit, compiled with gcc."""

import os
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path
from shutil import which

from jitstudio.system.paths import resource

CAPABILITIES = tuple(tomllib.loads(resource("analysis/limits.toml").read_text())["capabilities"])

HEADER = "cuda_occupancy.h"

# One line in for each question, one line out for each answer.
_PROGRAM = r"""
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "cuda_occupancy.h"

int main(void) {
    int major, minor, warps, optin, shared, reserved, threads, registers, bytes, barriers;
    while (scanf("%d %d %d %d %d %d %d %d %d %d", &major, &minor, &warps, &shared, &optin,
                 &reserved, &threads, &registers, &bytes, &barriers) == 10) {
        struct cudaOccDeviceProp device;
        struct cudaOccFuncAttributes kernel;
        struct cudaOccDeviceState state;
        struct cudaOccResult result;
        memset(&device, 0, sizeof device);
        memset(&kernel, 0, sizeof kernel);
        memset(&state, 0, sizeof state);
        device.computeMajor = major;
        device.computeMinor = minor;
        device.maxThreadsPerBlock = 1024;
        device.maxThreadsPerMultiprocessor = warps * 32;
        device.regsPerBlock = device.regsPerMultiprocessor = 65536;
        device.warpSize = 32;
        device.sharedMemPerBlock = 49152;
        device.sharedMemPerMultiprocessor = shared;
        device.numSms = 1;
        device.sharedMemPerBlockOptin = optin;
        device.reservedSharedMemPerBlock = reserved;
        kernel.maxThreadsPerBlock = INT_MAX;
        kernel.numRegs = registers;
        kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        kernel.maxDynamicSharedSizeBytes = bytes;
        kernel.numBlockBarriers = barriers;
        state.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
        int status = cudaOccMaxActiveBlocksPerMultiprocessor(
            &result, &device, &kernel, &state, threads, bytes);
        printf("%d\n", status ? -status : result.activeBlocksPerMultiprocessor);
    }
    return 0;
}
"""


@cache
def header_folder():
    """Where the toolkit's headers lie, or None."""
    nvcc = which("nvcc")
    roots = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda", "/opt/cuda"]
    roots += [str(Path(nvcc).resolve().parent.parent)] if nvcc else []
    roots += sorted(map(str, Path("/usr/local").glob("cuda-*")), reverse=True)
    folders = (Path(root) / "include" for root in roots if root)
    return next((folder for folder in folders if (folder / HEADER).is_file()), None)


def corrected_later():
    """The capabilities with wrong figures in a header older than that of CUDA 13.3."""
    text = (header_folder() / "cuda_runtime_api.h").read_text("utf-8")
    version = int(re.search(r"#define\s+CUDART_VERSION\s+(\d+)", text)[1])
    return () if version >= 13_030 else ("10.3", "10.7")


def compiled(folder):
    """The program, in this folder."""
    source, program = folder / "reference.c", folder / "reference"
    source.write_text(_PROGRAM)
    subprocess.run(
        ["gcc", "-O1", "-w", f"-I{header_folder()}", str(source), "-o", str(program)], check=True
    )
    return program


def asked(program, questions):
    """The blocks for each question: ten numbers, in the order of the program's."""
    lines = "".join(" ".join(map(str, question)) + "\n" for question in questions)
    done = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
    return [int(line) for line in done.stdout.split()]
