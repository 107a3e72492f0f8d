"""A program that asks the driver how many blocks fit: no test loads the driver itself.

Takes one JSON object on stdin: a device, and kernels, each with the path of its cubin, its name,
and questions. A question is the threads of a block and its dynamic shared memory in bytes. Prints a
list for each kernel: its registers, its static shared memory, and the answers; 0 where the driver
refuses the question, as it does for blocks that can never run.
"""

import json
import sys
from pathlib import Path

from cuda.bindings import driver
from cuda.core import Device

from jitstudio.core.code import CodeKind
from jitstudio.toolchain.driver import DriverError, checked
from jitstudio.toolchain.gpu.kernels import Library, function_of, kernel_of

_A = driver.CUfunction_attribute
_MOST = _A.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


def main() -> None:
    asked = json.load(sys.stdin)
    Device(asked["device"]).set_current()
    library = Library()
    print(json.dumps([_answered(library, kernel) for kernel in asked["kernels"]]))


def _answered(library, kernel):
    loaded = library.load(Path(kernel["cubin"]).read_bytes(), CodeKind.CUBIN)
    function = function_of(kernel_of(loaded, kernel["name"]))
    most = max(shared for _, shared in kernel["questions"])
    checked("cuFuncSetAttribute", driver.cuFuncSetAttribute(function, _MOST, most))
    told = [
        checked("cuFuncGetAttribute", driver.cuFuncGetAttribute(attribute, function))[0]
        for attribute in (
            _A.CU_FUNC_ATTRIBUTE_NUM_REGS,
            _A.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
        )
    ]
    return [*told, [_blocks(function, *question) for question in kernel["questions"]]]


def _blocks(function, threads, shared):
    call = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
    answer = driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, threads, shared)
    try:
        return checked(call, answer)[0]
    except DriverError as error:
        if error.error == "CUDA_ERROR_INVALID_VALUE":
            return 0
        raise


if __name__ == "__main__":
    main()
