"""One spelling of failure for what cuda.core and the bindings say in two."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jitstudio.core.launch.cuda_errors import CudaError, cuda_error, name_in
from jitstudio.toolchain.driver import DriverError

_UNNAMED = "CUDA_ERROR_UNKNOWN"


class GpuError(RuntimeError):
    """The driver has refused something, or a kernel has failed.

    Attributes:
        error: Which error it was.
        doing: In the middle of what, in words.
    """

    def __init__(self, error: CudaError, doing: str) -> None:
        super().__init__(f"{error.name} while {doing}: {error.meaning}.")
        self.error = error
        self.doing = doing


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Turn the errors of the block into a `GpuError` that says what was being done.

    Raises:
        GpuError: See above.
    """
    try:
        yield
    except DriverError as error:
        raise GpuError(cuda_error(error.error), what) from error
    # cuda.core's own class lies in a private module; its text begins with the driver's name.
    except Exception as error:
        name = name_in(str(error))
        if not name and type(error).__name__ != "CUDAError":
            raise
        raise GpuError(cuda_error(name or _UNNAMED), what) from error
